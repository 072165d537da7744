#include "core/disassembler.h"

#include <fmt/format.h>
#include <ze_tools_layer/correlation.h>

#include <cstring>

namespace zetl::debugger {

std::string textOf(const Instruction& instruction) {
    std::uint8_t bytes[sizeof instruction.low + sizeof instruction.high];
    std::memcpy(bytes, &instruction.low, sizeof instruction.low);
    std::memcpy(bytes + sizeof instruction.low, &instruction.high, sizeof instruction.high);
    if (auto text = correlation::Binary::igaText(bytes); !text.empty()) return text;
    return instruction.compacted() ? fmt::format("{:#018x}", instruction.low)
                                   : fmt::format("{:#018x} {:#018x}", instruction.low, instruction.high);
}

}  // namespace zetl::debugger
