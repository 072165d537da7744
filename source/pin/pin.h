// The program instrumentation module: zetModuleGetDebugInfo and zetKernelGetProfileInfo.
//
// Entry points of the layer and of a driver that composes the module delegate here in one line, and have
// checked the handles and pointers that must be given (tools/functions.def).
#pragma once

#include <ze_tools_layer/level_zero.h>

#include "device/devices.h"

namespace zetl::pin {

/// One for each composition. Thread-safe. Modules and kernels are found through the providers of device access, which
/// know their own handles.
class Pin {
  public:
    /// `devices` must outlive this.
    explicit Pin(const device::Devices& devices) : devices_(devices) {}

    /// *size is set to the bytes needed; a buffer that is smaller is INVALID_ARGUMENT and left alone.
    ze_result_t moduleGetDebugInfo(zet_module_handle_t module, zet_module_debug_info_format_t format, std::size_t* size,
                                   std::uint8_t* debugInfo);

    /// The flags that were honoured. Tokens only where a zetl_profile_tokens_t gives room for them; else their count is
    /// 0.
    ze_result_t kernelGetProfileInfo(zet_kernel_handle_t kernel, zet_profile_properties_t* properties);

  private:
    const device::Devices& devices_;
};

}  // namespace zetl::pin
