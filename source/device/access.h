// One provider of the device-access interface, adopted: checked once, with no null section left.
#pragma once

#include <ze_tools_layer/device_access.h>

#include "base/result.h"

namespace zetl::device {

/// Cheap to copy; valid while the provider's library is loaded. Thread-safe.
class Access {
  public:
    /// A provider that offers nothing.
    Access() noexcept;

    /// Checks the tables (device/conformance.h). A provider that breaks the form is refused with UNSUPPORTED_VERSION,
    /// and each finding is logged.
    static Result<Access> adopt(const zetl_device_access_t* provided);

    /// Asks a driver for its interface. UNSUPPORTED_FEATURE if it has none.
    static Result<Access> ofDriver(ze_driver_handle_t driver, decltype(&zeDriverGetExtensionFunctionAddress) lookUp);

    const char* provider() const noexcept { return tables_.provider; }
    const zetl_device_functions_t& devices() const noexcept { return *tables_.devices; }
    const zetl_clock_functions_t& clocks() const noexcept { return *tables_.clocks; }
    const zetl_counter_functions_t& counters() const noexcept { return *tables_.counters; }
    const zetl_stream_functions_t& streams() const noexcept { return *tables_.streams; }
    const zetl_sampling_functions_t& sampling() const noexcept { return *tables_.sampling; }
    const zetl_module_functions_t& modules() const noexcept { return *tables_.modules; }
    /// May end before `breakpoint` (device/conformance.h).
    const zetl_target_functions_t& targets() const noexcept { return *tables_.targets; }
    const zetl_command_functions_t& commands() const noexcept { return *tables_.commands; }
    const zetl_event_memory_functions_t& eventMemory() const noexcept { return *tables_.event_memory; }

  private:
    zetl_device_access_t tables_;
};

}  // namespace zetl::device
