// zeDeviceGetCompilerInfo of specification 1.18: what the compiler behind zeModuleCreate takes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/result.h"

namespace zetl::emulator::driver {

class Device;

/// SPIR-V capabilities (1) and extensions (2); UNSUPPORTED_ENUMERATION for options (3, 4), INVALID_ENUMERATION for
/// anything else. `size` becomes that of the whole answer; an answer that does not fit is not written.
/// UNSUPPORTED_FEATURE for parameters.
Status compilerInfo(Device& device, std::uint32_t what, const void* parameters, std::size_t& size, void* out);

}  // namespace zetl::emulator::driver
