// Debug control of a tile's threads: who stands still, and why.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <vector>

#include "emulator/machine/control.h"
#include "emulator/machine/machine.h"
#include "emulator/machine/tools/event_pump.h"
#include "emulator/machine/tools/tile_places.h"

namespace zetl::emulator::machine {

/// State is guarded by the mutex of the places, except `attached_` and `holding_`, which workers read without it.
class ThreadControl final : public Control {
  public:
    ThreadControl(Device& device, std::uint32_t tile, TilePlaces& places)
        : device_(device), tile_(tile), places_(places) {}
    ~ThreadControl() override;

    bool attach(Sink sink) override;
    void detach() override;
    void halt(const ThreadId& set, std::uint64_t token) override;
    std::size_t run(const ThreadId& set) override;
    ThreadState state(const ThreadId& thread, StopCause* cause) const override;
    std::vector<StoppedThread> stopped() const override;
    ControlStatus registerCount(const ThreadId& thread, isa::RegisterSet set, std::uint32_t* count) const override;
    ControlStatus readRegisters(const ThreadId& thread, isa::RegisterSet set, std::uint32_t first, std::uint32_t count,
                                void* values) const override;
    ControlStatus writeRegisters(const ThreadId& thread, isa::RegisterSet set, std::uint32_t first, std::uint32_t count,
                                 const void* values) override;
    ControlStatus readSlm(const ThreadId& thread, std::uint64_t offset, void* to, std::size_t bytes) const override;
    ControlStatus writeSlm(const ThreadId& thread, std::uint64_t offset, const void* from, std::size_t bytes) override;

    bool attached() const noexcept { return attached_.load(std::memory_order_relaxed); }
    /// While every thread is halted, no work-group starts. With the mutex held.
    bool holding() const noexcept { return holding_; }

    /// From the worker, in the group's turn, without the mutex.
    void haltThreads(ResidentGroup& group);
    /// The same after the turn, with the mutex held.
    void haltAfterTurn(ResidentGroup& group);
    void stopAtBreakpoint(ResidentGroup& group, HardwareThread& thread);
    /// After a turn that faulted, with the mutex held. False: nobody is attached.
    bool stopAtFault(ResidentGroup& group, HardwareThread& thread, const Fault& fault);
    /// The group leaves its place, with the mutex held: requests that wait for it are answered.
    void forget(ResidentGroup& group);

  private:
    struct Request {
        std::uint64_t id;
        ThreadId set;
        std::uint64_t token;
        std::size_t outstanding;  ///< groups that have not looked yet
    };
    struct Place {
        ResidentGroup* group = nullptr;
        std::uint32_t thread = 0;
        HardwareThread* state = nullptr;
    };

    template <class F>
    void eachOccupied(const ThreadId& set, F&& f) const;
    Place stoppedAt(const ThreadId& thread) const;
    static void stop(ResidentGroup& group, std::uint32_t thread, StopCause cause);
    static void show(ResidentGroup& group, std::uint32_t index);
    void takeBack(ResidentGroup& group, std::uint32_t thread);
    void release(ResidentGroup& group, std::uint32_t thread);
    void acknowledge(ResidentGroup& group);
    void answer(const Request& request);
    void post(StopEvent event);
    std::size_t runLocked(const ThreadId& set);
    bool anyStopped() const;

    Device& device_;
    const std::uint32_t tile_;
    TilePlaces& places_;
    std::atomic<bool> attached_{false};
    bool holding_ = false;
    std::uint64_t lastRequest_ = 0;
    std::list<Request> requests_;
    std::unique_ptr<EventPump> pump_;
};

}  // namespace zetl::emulator::machine
