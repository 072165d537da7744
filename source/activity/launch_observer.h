// Tells which kernels an unmodified application appends to its command lists, before and after each call that appends
// them. Measures nothing itself and changes no call.
#pragma once

#include <level_zero/ze_api.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace zetl::activity {

/// The kernels that a graph has captured: what the observer wants to know of them.
struct CapturedKernels {
    std::vector<std::string> names;  ///< each once
    std::uint64_t localBytes = 0;    ///< the most that a work-group of one of them has
};

/// A call that appends kernels.
struct Launch {
    ze_command_list_handle_t list = nullptr;
    ze_context_handle_t context = nullptr;  ///< that the list was created with
    ze_device_handle_t device = nullptr;
    bool immediate = false;
    std::span<const ze_kernel_handle_t> kernels;  ///< several if one call launches several; valid during launching()
    const CapturedKernels* captured = nullptr;    ///< those of the graph that the call executes, in their place
};

/// Called inside the application's calls, never by two threads at once. The Level Zero calls that it makes reach the
/// driver untraced.
class LaunchObserver {
  public:
    virtual ~LaunchObserver() = default;
    /// Also before each execution of a graph with kernels. Not called for a launch that must stay the next command of
    /// its list, that a graph captures or may capture, or whose list was cloned or created before the observer.
    virtual void launching(const Launch& launch) noexcept = 0;
    /// After the same call on the same thread.
    virtual void launched(ze_result_t result) noexcept = 0;
    /// A graph has captured the kernels of a launch.
    virtual void captured(std::span<const ze_kernel_handle_t> kernels, CapturedKernels& all) noexcept = 0;
    /// The list is about to be reset or destroyed: its commands will not execute again.
    virtual void listEnds(ze_command_list_handle_t list) noexcept = 0;
    /// The application knows that some commands are over.
    virtual void somethingIsOver() noexcept = 0;
};

/// Observes this process from now on. A process can have one observer or one Collector, and `layer` and `failure` are
/// those of Collector::start(). The observer is never released.
bool observeLaunches(void* layer, LaunchObserver& observer, std::string& failure);

}  // namespace zetl::activity
