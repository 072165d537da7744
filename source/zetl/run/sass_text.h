// The listing of nvdisasm, NVIDIA's disassembler, as texts of instructions.
#pragma once

#include <ze_tools_layer/correlation.h>

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

namespace zetl::command {

/// By kernel or function, and then by offset in its code.
using SassTexts = std::map<std::string, std::map<std::uint32_t, std::string>, std::less<>>;

/// Passes over lines that it does not know. Texts are printable and not longer than a line of a screen or two.
SassTexts sassTextsIn(std::string_view listing);

/// Gives instructions of that kernel their text. Others keep the one that they have.
void describe(const SassTexts& texts, const std::string& kernel, std::span<correlation::Instruction> instructions);

}  // namespace zetl::command
