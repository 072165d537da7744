// The observers of a device's programs, and the lines that they watch.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/mutex.h"
#include "emulator/isa/observe.h"
#include "emulator/machine/code_heap.h"

namespace zetl::emulator::machine {

/// It must live as long as its device, because a running thread may still report to it for a moment after it is no
/// longer held.
class ProgramObserver : public isa::LineObserver {
  public:
    /// The lines that it wants to know of, the same ones each time. Thread-safe.
    virtual std::vector<bool> linesOf(const LoadedProgram& loaded) const = 0;
    /// Of these, those of which it need not hear while its bit of isa::Thread::idle is set. It writes neither registers
    /// nor flags before them.
    virtual std::vector<bool> idleLinesOf(const LoadedProgram&) const { return {}; }
    /// Its bit of isa::Thread::idle; others have others.
    virtual std::uint8_t idleBit() const noexcept { return 0; }
    /// What idle lines use of what it follows in isa::Thread::followed: it hears of those that do. One observer at most
    /// follows something.
    virtual std::vector<isa::Followed> usesOf(const LoadedProgram&) const { return {}; }
    /// Of its lines, those that read whole dwords of local memory, and of which it need not hear where host code
    /// settles them by isa::Thread::localReader. It writes neither registers nor flags before them. One observer at
    /// most has some.
    virtual std::vector<bool> localReadsOf(const LoadedProgram&) const { return {}; }
};

/// The observers of a device. Several may be held at once, for different lines: host code reports to all of them, as
/// launches translate it for those that are held then. Thread-safe.
class ProgramObservers {
  public:
    explicit ProgramObservers(CodeHeap& code) : code_(code) {}

    /// The device's programs, and those loaded later, report to the observer until the last of its handles is gone.
    std::shared_ptr<void> hold(ProgramObserver& observer);
    /// Call it before each launch: what host code of the program must report; nothing if no observer is held. Programs
    /// that were loaded since the last call report from now on, too.
    std::vector<isa::Reported> reportedOf(const LoadedProgram& loaded);

    /// Whether an observer is held.
    bool any() const noexcept { return any_.load(std::memory_order_relaxed); }

  private:
    struct Covered {
        std::weak_ptr<CodeRange> range;
        const LoadedProgram* loaded;
    };
    struct Held {
        ProgramObserver* observer;
        std::uint32_t holders;
        std::vector<Covered> covered;
    };

    void add(ProgramObserver& observer);
    void release(ProgramObserver& observer) noexcept;
    void cover() ZETL_REQUIRES(mutex_);
    void cover(Held& held) ZETL_REQUIRES(mutex_);

    CodeHeap& code_;
    Mutex mutex_;
    std::vector<Held> held_ ZETL_GUARDED_BY(mutex_);
    std::atomic<bool> any_{false};  // so that a launch that nobody observes takes no lock
};

}  // namespace zetl::emulator::machine
