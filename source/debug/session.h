// A debug session: Level Zero's promises to a debugger, on top of a target.
#pragma once

#include <level_zero/zet_api.h>

#include <deque>
#include <memory>
#include <vector>

#include "base/handle_head.h"
#include "base/mutex.h"
#include "base/result.h"
#include "debug/event_book.h"
#include "debug/target.h"
#include "debug/thread_set.h"

namespace zetl::debug {

/// Keeps the rules that do not depend on the device: events (EventBook), access to a thread only after its stop was
/// read, the memory that an address means, register ranges. Thread-safe. It never calls the target with the lock held,
/// so a target may deliver events at any time.
class Session : public RoutedObject<Session, zet_debug_session_handle_t> {
  public:
    static Result<std::shared_ptr<Session>> attach(const device::Device& device, std::uint64_t pid,
                                                   const TargetOpener& opener);
    Session(const device::Device& device, std::uint64_t pid);
    ~Session();

    const device::Device& device() const noexcept { return device_; }
    std::uint64_t pid() const noexcept { return pid_; }
    /// True once DETACHED was read: the slot is free for another attach.
    bool over() const;

    /// Lets go of the target. Threads that wait for an event wake up with UNINITIALIZED.
    void detach();

    // Events (session.cpp)
    ze_result_t readEvent(std::uint64_t timeoutMs, zet_debug_event_t& event);
    ze_result_t acknowledge(const zet_debug_event_t& event);

    // Control (session.cpp)
    ze_result_t interrupt(const ThreadSet& set);
    ze_result_t resume(const ThreadSet& set);

    // Memory (session_memory.cpp)
    ze_result_t readMemory(const ThreadSet& thread, zet_debug_memory_space_type_t space, std::uint64_t address,
                           std::uint64_t bytes, void* buffer);
    ze_result_t writeMemory(const ThreadSet& thread, zet_debug_memory_space_type_t space, std::uint64_t address,
                            std::uint64_t bytes, const void* buffer);
    /// Writes to ZETL_DEBUG_MEMORY_SPACE_BREAKPOINTS (ze_tools_layer/breakpoints.h).
    ze_result_t writeBreakpoint(const ThreadSet& thread, std::uint64_t address, std::uint64_t bytes,
                                const void* buffer);

    // Registers (session_registers.cpp)
    ze_result_t readRegisters(const ThreadSet& thread, std::uint32_t type, std::uint32_t first, std::uint32_t count,
                              void* values);
    ze_result_t writeRegisters(const ThreadSet& thread, std::uint32_t type, std::uint32_t first, std::uint32_t count,
                               const void* values);
    /// The number of registers of the set in that thread. INVALID_ARGUMENT for a wildcard.
    Result<std::uint32_t> registerCount(const ThreadSet& thread, std::uint32_t type);

  private:
    /// The meaning of an address: a space of the target, or a place in a module's debug image.
    struct Route {
        ze_result_t refusal = ZE_RESULT_SUCCESS;
        zetl_space_t space = ZETL_SPACE_GLOBAL;
        zetl_module_t image = 0;
        std::uint64_t address = 0;
    };
    /// A register set, and the size of a range of it in bytes.
    struct Range {
        const zetl_register_set_t* set;
        std::uint64_t bytes;
    };

    /// If more than kMostEvents are unread, or there is no memory for one, the target counts as gone.
    void receive(const zetl_event_t& event) noexcept;
    /// Turns incoming facts into events, for a bounded time.
    void digest();
    std::shared_ptr<Target> takeIncoming(zetl_event_t& event);
    /// Returns false if the target does not answer now.
    bool digestOne(const zetl_event_t& event, Target& target);
    void note(const zetl_event_t& event, const zetl_module_info_t& info) ZETL_REQUIRES(mutex_);
    /// False: the target does not answer now, and which threads stand still must be asked again.
    bool report(const ThreadSet& set, Target& target);
    bool runs(const ThreadSet& thread, Target& target) const;
    ze_result_t waitForMore(std::uint64_t deadline);

    std::shared_ptr<Target> target() const;
    /// SUCCESS if it names one thread whose stop was read; NOT_AVAILABLE otherwise.
    ze_result_t checkReported(const ThreadSet& thread) const;
    std::vector<ThreadSet> takeReported(const ThreadSet& set) ZETL_REQUIRES(mutex_);
    zetl_status_t runThreads(Target& target, const ThreadSet& set, const std::vector<ThreadSet>& threads, bool each);
    /// Runs a set, of which `one` is a thread. OK also for a target that answers late.
    zetl_status_t runSet(Target& target, const ThreadSet& set, const ThreadSet& one, std::uint64_t until);

    Route route(const ThreadSet& thread, zet_debug_memory_space_type_t space, std::uint64_t address,
                std::uint64_t bytes) const;
    Route routeByAddress(std::uint64_t address, std::uint64_t bytes) const;
    Route routeImage(std::uint64_t address, std::uint64_t bytes) const;
    bool canonical(std::uint64_t address) const noexcept;

    Result<Range> range(Target& target, const ThreadSet& thread, std::uint32_t type, std::uint32_t first,
                        std::uint32_t count) const;

    const device::Device& device_;
    const std::uint64_t pid_;

    Mutex digesting_;  ///< one reader at a time turns incoming facts into events, so that their order holds
    mutable Mutex mutex_;
    Condition arrived_;
    std::shared_ptr<Target> target_ ZETL_GUARDED_BY(mutex_);
    bool detached_ ZETL_GUARDED_BY(mutex_) = false;
    bool ended_ ZETL_GUARDED_BY(mutex_) = false;  ///< no more events come in
    std::deque<zetl_event_t> incoming_ ZETL_GUARDED_BY(mutex_);
    EventBook book_ ZETL_GUARDED_BY(mutex_);
    std::vector<bool> reported_
        ZETL_GUARDED_BY(mutex_);  ///< by thread index: its stop was read and it was not resumed since
};

/// For a call about a thread: if a target is not ready because the thread runs, the result is NOT_AVAILABLE.
ze_result_t threadResultOf(zetl_status_t status);

}  // namespace zetl::debug
