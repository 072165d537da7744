#include "isa/xe/opcodes.h"

#include <array>

namespace zetl::isa::xe {
namespace {

constexpr OpcodeInfo kOpcodes[] = {
#define ZETL_ISA_ROW(id, number, mnemonic, format, sources, exactness) \
    {Opcode::id, mnemonic, Format::format, sources, Exactness::exactness},
    ZETL_ISA_OPCODES(ZETL_ISA_ROW)
#undef ZETL_ISA_ROW
};

constexpr auto kByNumber = [] {
    std::array<std::uint8_t, 128> index{};
    index.fill(0xff);
    for (std::size_t i = 0; i < std::size(kOpcodes); ++i)
        index[static_cast<std::uint8_t>(kOpcodes[i].opcode)] = static_cast<std::uint8_t>(i);
    return index;
}();

}  // namespace

std::span<const OpcodeInfo> allOpcodes() noexcept { return kOpcodes; }

const OpcodeInfo* findOpcode(std::uint8_t number) noexcept {
    const std::uint8_t index = kByNumber[number & 0x7f];
    return index == 0xff ? nullptr : &kOpcodes[index];
}

}  // namespace zetl::isa::xe
