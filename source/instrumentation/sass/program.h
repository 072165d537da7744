// A cubin: an ELF file with one code section per kernel and function.
#pragma once

#include <memory>
#include <span>

#include "instrumentation/parts/program.h"

namespace zetl::instrumentation {

bool looksLikeCubin(std::span<const std::uint8_t> bytes) noexcept;

/// Copies the bytes. Damaged bytes give the cause. If the code of a cubin is not known, its sections have an obstacle.
binary::Outcome<std::unique_ptr<Program::Content>> readCubin(std::span<const std::uint8_t> bytes);

}  // namespace zetl::instrumentation
