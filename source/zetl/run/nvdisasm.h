// nvdisasm, NVIDIA's disassembler: a program of CUDA's toolkit, which is run if it is installed.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "run/sass_text.h"

namespace zetl::command {

/// The instructions of a cubin, whatever addresses its code has. If there are none, `why` says why: nvdisasm is not
/// installed, fails, does not end, or prints no instructions.
SassTexts disassembled(std::span<const std::uint8_t> cubin, std::string& why);

}  // namespace zetl::command
