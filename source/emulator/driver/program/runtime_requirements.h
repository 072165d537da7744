// zeDevice...RuntimeRequirements: text, to be kept beside a cached binary, that says where it can run.
#pragma once

#include <cstddef>

#include "base/result.h"
#include "ze_tools_layer/level_zero.h"

namespace zetl::emulator::driver {

class Device;

/// Writes the text if `out` is not null; `size` becomes its length with the terminator. INVALID_ARGUMENT for less room,
/// and for a description of anything but a module.
Status getRuntimeRequirements(const Device& device, const void* description, std::size_t& size, char* out);
const char* runtimeRequirementsKey() noexcept;
void validateRuntimeRequirements(const Device& device, const char* requirements,
                                 ze_validate_runtime_requirements_output_t& out);

}  // namespace zetl::emulator::driver
