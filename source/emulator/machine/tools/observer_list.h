// The observers of a tile, and the lines they make the instruction set report.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <new>
#include <vector>

#include "base/log.h"
#include "emulator/isa/observe.h"
#include "emulator/machine/code/loaded_program.h"
#include "emulator/machine/code_heap.h"
#include "emulator/machine/memory/quiescence.h"
#include "emulator/machine/observer.h"
#include "emulator/machine/profile.h"

namespace zetl::emulator::machine {

/// Workers read it inside their Quiescence reader, without locks; with no observer that is one load a group.
class ObserverList final : public isa::LineObserver {
  public:
    /// Of a tile with that profile and instruction base.
    ObserverList(Quiescence& quiescence, const DeviceProfile& profile, uint64_t instructionBase);
    ~ObserverList() override;

    void add(std::shared_ptr<Observer> observer);
    /// Returns when no call of it is in progress.
    void remove(const Observer& observer);

    bool interested(uint32_t interests) const noexcept {
        return (interests_.load(std::memory_order_relaxed) & interests) != 0;
    }
    /// Calls f(Observer&) for those that have one of the interests. Inside a reader. An observer for which there is no
    /// memory misses the event; the log tells.
    template <class F>
    void each(uint32_t interests, F&& f) const noexcept {
        if (!interested(interests)) return;
        for (const auto& observer : *current_.load(std::memory_order_seq_cst)) {
            if ((observer->interests() & interests) != 0) tell(*observer, f);
        }
    }

    /// Makes the lines of a program that is about to run report what somebody wants to know.
    void cover(const std::shared_ptr<CodeRange>& range);

    /// Where a thread is, for an observer's call.
    Where whereIs(const isa::Thread& thread, uint32_t ip, uint32_t lanes) const;

    void beforeLine(isa::Thread& thread, isa::Line line) noexcept override;

  private:
    using List = std::vector<std::shared_ptr<Observer>>;
    struct Covered {
        std::weak_ptr<CodeRange> range;
        const LoadedProgram* loaded;
    };

    template <class F>
    static void tell(Observer& observer, F& f) noexcept {
        try {
            f(observer);
        } catch (const std::bad_alloc&) {
            log::error(log::Module::emulator, "an observer misses an event: the host is out of memory");
        }
    }
    void publish(std::unique_ptr<const List> next);
    void watchAll(uint32_t interests, bool on);
    void watch(const LoadedProgram& loaded, uint32_t interests, bool on);

    Quiescence& quiescence_;
    const DeviceProfile& profile_;
    const uint64_t instructionBase_;
    std::mutex mutex_;
    std::atomic<const List*> current_;
    std::atomic<uint32_t> interests_{0};
    std::vector<Covered> covered_;
};

}  // namespace zetl::emulator::machine
