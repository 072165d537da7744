// A process that is debugged on one GPU through cuda-gdb.
#pragma once

#include <ze_tools_layer/device_access.h>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "base/polling_thread.h"
#include "nvidia/debugger/gdb.h"
#include "nvidia/debugger/loaded_images.h"
#include "nvidia/debugger/register_sets.h"
#include "nvidia/debugger/warp.h"
#include "nvidia/debugger/warp_tables.h"
#include "nvidia/driver/device/attributes.h"
#include "provider/targets.h"

namespace zetl::nvidia {

/// The operations of zetl_target_functions_t (device_access.h), with their statuses. cuda-gdb stops and runs a process
/// as a whole, including its host threads; only steps are of one warp. Events come from a thread of this object.
/// Thread-safe; a call waits for earlier calls, and for cuda-gdb at most Gdb::kPatience.
class Target final : public provider::Target {
  public:
    /// Attaches, reports what exists, and lets the process run.
    static provider::Made<provider::Target> open(const Attributes& device, std::uint64_t pid, zetl_sink_t sink,
                                                 void* user);
    ~Target() override { close(); }

    /// Releases a loaded module; with the last one, the launch that waits at its door goes on.
    zetl_status_t release(std::uint64_t hold) override;
    zetl_status_t halt(const zetl_thread_t& set, std::uint64_t token) override;
    zetl_status_t run(const zetl_thread_t& set) override;
    /// Without a cause, which only the event has.
    zetl_status_t state(const zetl_thread_t& thread, zetl_thread_state_t& state, std::uint32_t& cause) override;
    std::vector<zetl_thread_t> stopped(const zetl_thread_t& set) override;
    zetl_status_t registerCount(const zetl_thread_t& thread, std::uint32_t type, std::uint32_t& count) override;
    zetl_status_t readRegisters(const zetl_thread_t& thread, std::uint32_t type, std::uint32_t first,
                                std::uint32_t count, void* values) override;
    zetl_status_t writeRegisters(const zetl_thread_t& thread, std::uint32_t type, std::uint32_t first,
                                 std::uint32_t count, const void* values) override;
    zetl_status_t readMemory(const zetl_thread_t& thread, std::uint32_t space, std::uint64_t address,
                             std::uint64_t bytes, void* buffer) override;
    /// Code can only be written as a debugger would that knows no breakpoint(): an instruction BPT sets a breakpoint,
    /// and the original instruction removes it. Code reads as BPT where a breakpoint is set.
    zetl_status_t writeMemory(const zetl_thread_t& thread, std::uint32_t space, std::uint64_t address,
                              std::uint64_t bytes, const void* buffer) override;
    zetl_status_t breakpoint(std::uint64_t address, bool on) override;
    /// `device` and `build_options` are not set.
    zetl_status_t moduleInfo(zetl_module_t module, zetl_module_info_t& info) override;
    zetl_status_t readImage(zetl_module_t module, std::uint64_t offset, std::uint64_t bytes, void* buffer) override;
    /// Removes breakpoints and lets go of the process, which runs on. Later calls do nothing.
    void close() override;

  private:
    /// cuda-gdb's report of a stop.
    struct Stop {
        std::optional<Warp> warp;  ///< the warp that it is about
        std::uint32_t cause = 0;   ///< ZETL_STOP_ bits
        bool ended = false;        ///< the process has ended
    };
    struct Halt {
        zetl_thread_t set;
        std::uint64_t token;
    };
    /// An event for the sink.
    struct Event {
        zetl_event_kind_t kind;
        zetl_thread_t thread{};
        std::uint32_t cause = 0;
        zetl_module_t module = 0;
        std::uint64_t token = 0;
        std::uint64_t stopped = 0;
        std::uint64_t address = 0;
        std::uint64_t hold = 0;
    };
    enum class State { running, stopped, gone };

    Target(const Attributes& device, zetl_sink_t sink, void* user) : device_(device), sink_(sink), user_(user) {}

    // attachment.cpp
    zetl_status_t attach(std::uint64_t pid) ZETL_REQUIRES(mutex_);
    zetl_status_t findDevice() ZETL_REQUIRES(mutex_);
    bool start(FileDescriptor wake);
    void detach() ZETL_REQUIRES(mutex_);

    // target.cpp
    void hear(const mi::Record& record) ZETL_REQUIRES(mutex_);
    void work(PollingThread& thread);
    void takeStop() ZETL_REQUIRES(mutex_);
    void takeEnd() ZETL_REQUIRES(mutex_);
    void findWarps() ZETL_REQUIRES(mutex_);
    void findRegisters() ZETL_REQUIRES(mutex_);
    void findModules() ZETL_REQUIRES(mutex_);
    /// Lets a launch that waits at its door go on, if no module is held.
    void passDoor() ZETL_REQUIRES(mutex_);
    /// The same if the door was seen a while ago: its module would be known by now.
    void passOldDoor() ZETL_REQUIRES(mutex_);
    /// All warps that are at the same address as the warp.
    std::vector<Warp> besides(const Warp& warp) ZETL_REQUIRES(mutex_);
    /// Null if cuda-gdb knows no such warp.
    const WarpRow* rowOf(const Warp& warp) ZETL_REQUIRES(mutex_);
    void answerHalts() ZETL_REQUIRES(mutex_);
    bool resume(std::string_view command) ZETL_REQUIRES(mutex_);
    bool stepNext() ZETL_REQUIRES(mutex_);
    bool interrupt() ZETL_REQUIRES(mutex_);
    void queue(const Event& event) ZETL_REQUIRES(mutex_);
    void deliver();
    /// Runs the body while the process is stopped, and lets the process run on if it ran before.
    zetl_status_t whileStopped(const std::function<zetl_status_t()>& body) ZETL_REQUIRES(mutex_);
    /// Selects a warp, and one of its lanes. Returns its place in the grid; nothing if there is no such thread.
    std::optional<mi::Value> focus(const Warp& warp, std::optional<std::uint32_t> lane) ZETL_REQUIRES(mutex_);

    // target_registers.cpp
    zetl_status_t checkRegisters(const zetl_thread_t& thread, const RegisterSetShape* shape, std::uint32_t first,
                                 std::uint32_t count) ZETL_REQUIRES(mutex_);
    /// Values of the lane in focus; those that it does not have are missing.
    std::vector<std::optional<std::uint64_t>> valuesOf(const RegisterSetShape& shape, std::uint32_t first,
                                                       std::uint32_t count) ZETL_REQUIRES(mutex_);
    zetl_status_t readPlaces(const Warp& warp, std::uint32_t first, std::uint32_t count, std::uint32_t* words)
        ZETL_REQUIRES(mutex_);
    zetl_status_t readLanes(const Warp& warp, const RegisterSetShape& shape, std::uint32_t first, std::uint32_t count,
                            void* values) ZETL_REQUIRES(mutex_);
    bool setRegister(const RegisterSetShape& shape, std::uint32_t index, std::uint64_t value) ZETL_REQUIRES(mutex_);

    // target_memory.cpp
    zetl_status_t readCode(std::uint64_t address, std::uint64_t bytes, std::uint8_t* out) ZETL_REQUIRES(mutex_);
    zetl_status_t writeCode(std::uint64_t address, std::uint64_t bytes, const std::uint8_t* in) ZETL_REQUIRES(mutex_);
    zetl_status_t setInstruction(std::uint64_t address, const Bytes& wanted) ZETL_REQUIRES(mutex_);
    zetl_status_t setBreakpoint(std::uint64_t address, bool on) ZETL_REQUIRES(mutex_);
    zetl_status_t readSpace(const char* space, std::uint64_t address, std::uint64_t bytes, std::uint8_t* out)
        ZETL_REQUIRES(mutex_);
    zetl_status_t writeSpace(const char* space, std::uint64_t address, std::uint64_t bytes, const std::uint8_t* in)
        ZETL_REQUIRES(mutex_);
    /// `lane`: the one whose memory it is; nothing: any of the thread.
    zetl_status_t inSpace(const zetl_thread_t& thread, std::uint32_t space, std::optional<std::uint32_t> lane,
                          const std::function<zetl_status_t(const char*)>& body) ZETL_REQUIRES(mutex_);

    const Attributes& device_;
    const zetl_sink_t sink_;
    void* const user_;

    Mutex mutex_;
    std::unique_ptr<Gdb> gdb_ ZETL_GUARDED_BY(mutex_);
    std::optional<LoadedImages> images_ ZETL_GUARDED_BY(mutex_);
    State state_ ZETL_GUARDED_BY(mutex_) = State::gone;  ///< until it is attached
    std::uint32_t ordinal_ ZETL_GUARDED_BY(mutex_) = 0;  ///< of the device in that process
    std::optional<Stop> heard_ ZETL_GUARDED_BY(mutex_);  ///< not taken yet
    std::vector<Halt> halts_ ZETL_GUARDED_BY(mutex_);
    pid_t process_ ZETL_GUARDED_BY(mutex_) = 0;
    std::set<std::uint64_t> holds_ ZETL_GUARDED_BY(mutex_);  ///< modules whose first launch waits
    bool held_ ZETL_GUARDED_BY(mutex_) = false;              ///< the process is stopped until they are released
    std::optional<std::uint64_t> seenDoor_ ZETL_GUARDED_BY(mutex_);
    bool faulted_ ZETL_GUARDED_BY(mutex_) = false;  ///< a warp has faulted
    std::set<Warp> warps_ ZETL_GUARDED_BY(mutex_);  ///< on the device, while stopped
    std::map<std::uint32_t, std::map<std::uint32_t, WarpRow>> rows_ ZETL_GUARDED_BY(mutex_);  ///< by SM, as asked for
    std::set<Warp> steps_ ZETL_GUARDED_BY(mutex_);       ///< warps whose next run is one instruction
    std::set<Warp> toStep_ ZETL_GUARDED_BY(mutex_);      ///< those of them in the present run
    std::vector<Warp> stepped_ ZETL_GUARDED_BY(mutex_);  ///< those that have done so in it
    std::map<std::string, std::string, std::less<>> registers_ ZETL_GUARDED_BY(mutex_);  ///< cuda-gdb's numbers
    std::map<std::uint64_t, std::string> breakpoints_ ZETL_GUARDED_BY(mutex_);           ///< the same
    std::vector<zetl_event_t> events_ ZETL_GUARDED_BY(mutex_);                           ///< to be delivered
    std::unique_ptr<PollingThread> thread_;
};

}  // namespace zetl::nvidia
