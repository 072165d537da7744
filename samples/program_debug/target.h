// The common part of the program debug samples: a process with a running kernel, and a session on it.
#pragma once

#include <level_zero/zet_api.h>
#include <sys/types.h>

#include <cstdint>
#include <string>

#include "session/session.h"

namespace program_debug {

/// Runs the sample `debuggee` in a process of its own, with program debugging on. The process ends with the object.
class Debuggee {
  public:
    Debuggee();
    ~Debuggee();
    Debuggee(const Debuggee&) = delete;
    Debuggee& operator=(const Debuggee&) = delete;

    std::uint32_t pid() const { return static_cast<std::uint32_t>(pid_); }
    std::uint64_t message = 0;  ///< addresses in its shared memory
    std::uint64_t flag = 0;

  private:
    pid_t pid_ = 0;
    int input_ = -1;
};

/// Every hardware thread of the device.
inline constexpr ze_device_thread_t kAllThreads{UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX};

/// A debug session on the process, open as long as the object lives. Tries for ten seconds, because attaching works
/// only once a process has begun to use Level Zero.
class DebugSession {
  public:
    DebugSession(const session::Session& session, std::uint32_t pid);
    ~DebugSession();
    DebugSession(const DebugSession&) = delete;
    DebugSession& operator=(const DebugSession&) = delete;

    zet_debug_session_handle_t operator*() const { return handle_; }

    /// The next event, acknowledged if it requires that.
    zet_debug_event_t next() const;
    /// Interrupts all threads, again and again until some thread stops. Returns the first one that did.
    ze_device_thread_t stopSomeThread() const;

  private:
    ze_device_thread_t firstStopped() const;

    const session::Session& session_;
    zet_debug_session_handle_t handle_ = nullptr;
};

const char* nameOf(zet_debug_event_type_t type);

}  // namespace program_debug
