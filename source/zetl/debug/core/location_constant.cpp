#include "core/location_constant.h"

#include <dwarf.h>

namespace zetl::debugger {
namespace {

std::uint64_t signExtended(std::uint64_t value, unsigned bits) {
    const auto sign = std::uint64_t{1} << (bits - 1);
    return (value ^ sign) - sign;
}

}  // namespace

std::optional<std::uint64_t> constantOf(std::uint8_t operation, ByteReader& in) {
    if (operation >= DW_OP_lit0 && operation <= DW_OP_lit31) return operation - DW_OP_lit0;
    switch (operation) {
        case DW_OP_addr:
        case DW_OP_const8u:
        case DW_OP_const8s:
            return in.u64();
        case DW_OP_const1u:
            return in.u8();
        case DW_OP_const1s:
            return signExtended(in.u8(), 8);
        case DW_OP_const2u:
            return in.u16();
        case DW_OP_const2s:
            return signExtended(in.u16(), 16);
        case DW_OP_const4u:
            return in.u32();
        case DW_OP_const4s:
            return signExtended(in.u32(), 32);
        case DW_OP_constu:
            return in.uleb();
        case DW_OP_consts:
            return static_cast<std::uint64_t>(in.sleb());
        default:
            return std::nullopt;
    }
}

}  // namespace zetl::debugger
