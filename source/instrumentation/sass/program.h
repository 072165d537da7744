// A cubin: an ELF file with a section of code for each kernel and function.
#pragma once

#include <memory>
#include <span>

#include "instrumentation/parts/program.h"

namespace zetl::instrumentation {

bool looksLikeCubin(std::span<const std::uint8_t> bytes) noexcept;

/// The bytes are copied. Damaged ones give the cause. A cubin whose code is not known has sections with an obstacle.
binary::Outcome<std::unique_ptr<Program::Content>> readCubin(std::span<const std::uint8_t> bytes);

}  // namespace zetl::instrumentation
