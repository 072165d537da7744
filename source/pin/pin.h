// The program instrumentation module: zetModuleGetDebugInfo and zetKernelGetProfileInfo.
//
// Entry points of the layer, and of drivers that compose the module, delegate here in one line. They have checked
// handles and required pointers (tools/functions.def).
#pragma once

#include <ze_tools_layer/level_zero.h>

#include "device/devices.h"

namespace zetl::pin {

/// Each composition has one. Thread-safe. Modules and kernels are found through the providers of device access, which
/// know their own handles.
class Pin {
  public:
    /// `devices` must outlive this.
    explicit Pin(const device::Devices& devices) : devices_(devices) {}

    /// Sets *size to the number of bytes needed. A smaller buffer is INVALID_ARGUMENT and is not written.
    ze_result_t moduleGetDebugInfo(zet_module_handle_t module, zet_module_debug_info_format_t format, std::size_t* size,
                                   std::uint8_t* debugInfo);

    /// Returns the honoured flags. Writes tokens only if a zetl_profile_tokens_t gives room for them; otherwise their
    /// count is 0.
    ze_result_t kernelGetProfileInfo(zet_kernel_handle_t kernel, zet_profile_properties_t* properties);

  private:
    const device::Devices& devices_;
};

}  // namespace zetl::pin
