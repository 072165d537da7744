// Debug control of a tile's threads: which ones are stopped, and why.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <span>
#include <vector>

#include "emulator/machine/control.h"
#include "emulator/machine/machine.h"
#include "emulator/machine/tools/conditions.h"
#include "emulator/machine/tools/event_pump.h"
#include "emulator/machine/tools/tile_places.h"
#include "emulator/machine/tools/watchpoints.h"

namespace zetl::emulator::machine {

class ThreadControl final : public Control {
  public:
    ThreadControl(Device& device, std::uint32_t tile, TilePlaces& places, Watchpoints& watchpoints,
                  Conditions& conditions)
        : device_(device), tile_(tile), places_(places), watchpoints_(watchpoints), conditions_(conditions) {}
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
    HistoryReport history(const HistoryRequest& request, std::span<const MarkedCode> code) override;
    bool watch(std::span<const WatchedRange> ranges) override;
    std::vector<WatchHit> takeWatchHits() override { return watchpoints_.take(); }
    bool setCondition(std::uint32_t ip, std::span<const zetl::isa::xe::ConditionStep> steps) override {
        return conditions_.set(ip, steps);
    }
    ConditionCounts conditionCounts() const override { return conditions_.counts(); }
    void changes(std::uint64_t address, std::uint64_t bytes) override;

    bool attached() const noexcept { return attached_.load(std::memory_order_relaxed); }
    /// While every thread is halted, no work-group starts.
    bool holding() const noexcept ZETL_REQUIRES(kTurns) { return holding_; }

    /// Called by the worker, in the group's turn.
    void haltThreads(ResidentGroup& group);
    /// Called by the worker when the group has ended and the place may go to another. A request to halt all threads
    /// then gets those of the other: if groups end every microsecond, a halt that comes between two of them would find
    /// none.
    void haltBetween(ResidentGroup& group);
    /// Like haltThreads(), after the turn.
    void haltAfterTurn(ResidentGroup& group) ZETL_REQUIRES(kTurns);
    /// Called by the worker, in the group's turn. The thread may go on if the breakpoint's condition is false.
    void stopAtBreakpoint(ResidentGroup& group, HardwareThread& thread);
    /// The thread has changed watched bytes, as if its debugger had asked it to stop behind the instruction. Returns
    /// false if there is no debugger any more.
    bool stopAtWatch(ResidentGroup& group, HardwareThread& thread);
    /// Called after a turn that faulted. Returns false if no debugger is attached.
    bool stopAtFault(ResidentGroup& group, HardwareThread& thread, const Fault& fault) ZETL_REQUIRES(kTurns);
    /// The group leaves its place: answers the requests that wait for it.
    void forget(ResidentGroup& group) ZETL_REQUIRES(kTurns);

  private:
    struct Request {
        std::uint64_t id;
        ThreadId set;
        std::uint64_t token;
        std::size_t outstanding;  ///< groups that have not reacted yet
    };
    struct Place {
        ResidentGroup* group = nullptr;
        std::uint32_t thread = 0;
        HardwareThread* state = nullptr;
    };

    template <class F>
    void eachSlot(const ThreadId& set, F&& f) const ZETL_REQUIRES(kTurns);
    template <class F>
    void eachOccupied(const ThreadId& set, F&& f) const ZETL_REQUIRES(kTurns);
    Place stoppedAt(const ThreadId& thread) const ZETL_REQUIRES(kTurns);
    static void passBreakpoint(HardwareThread& thread) noexcept;
    static void stop(ResidentGroup& group, std::uint32_t thread, StopCause cause) ZETL_REQUIRES(kTurns);
    static void show(ResidentGroup& group, std::uint32_t index) ZETL_REQUIRES(kTurns);
    void takeBack(ResidentGroup& group, std::uint32_t thread) ZETL_REQUIRES(kTurns);
    void release(ResidentGroup& group, std::uint32_t thread) ZETL_REQUIRES(kTurns);
    void acknowledge(ResidentGroup& group) ZETL_REQUIRES(kTurns);
    void answer(const Request& request) ZETL_REQUIRES(kTurns);
    void post(StopEvent event) ZETL_REQUIRES(kTurns);
    std::size_t runLocked(const ThreadId& set) ZETL_REQUIRES(kTurns);
    bool anyStopped() const ZETL_REQUIRES(kTurns);

    Device& device_;
    const std::uint32_t tile_;
    TilePlaces& places_;
    Watchpoints& watchpoints_;
    Conditions& conditions_;
    std::atomic<bool> attached_{false};  // workers read it without the mutex
    bool holding_ ZETL_GUARDED_BY(kTurns) = false;
    std::uint64_t lastRequest_ ZETL_GUARDED_BY(kTurns) = 0;
    std::list<Request> requests_ ZETL_GUARDED_BY(kTurns);
    std::unique_ptr<EventPump> pump_ ZETL_GUARDED_BY(kTurns);
};

}  // namespace zetl::emulator::machine
