#include "cl_type.h"

#include <fmt/format.h>

namespace zetl::random_kernels {
namespace {

struct Row {
    const char* name;
    std::uint32_t bits;
    bool isSigned;
    Base signedBase;
    Base unsignedBase;
};
constexpr Row kRows[kBases] = {
    {"char", 8, true, Base::int8, Base::uint8},     {"uchar", 8, false, Base::int8, Base::uint8},
    {"short", 16, true, Base::int16, Base::uint16}, {"ushort", 16, false, Base::int16, Base::uint16},
    {"int", 32, true, Base::int32, Base::uint32},   {"uint", 32, false, Base::int32, Base::uint32},
    {"long", 64, true, Base::int64, Base::uint64},  {"ulong", 64, false, Base::int64, Base::uint64},
    {"float", 32, true, Base::int32, Base::uint32}, {"double", 64, true, Base::int64, Base::uint64},
};
const Row& row(Base base) { return kRows[static_cast<int>(base)]; }

std::vector<std::string> integerEdges(const Row& row) {
    std::vector<std::string> values{"0", "1", "2", "3", "7", "31", "63", "0x55"};
    const std::uint64_t top = 1ull << (row.bits - 1);
    const char* suffix = row.bits == 64 ? "ul" : "u";
    for (const std::uint64_t value : {top, top - 1, top + 1, 2 * top - 1, 2 * top - 2, top >> 1, top | 0x15})
        values.push_back(fmt::format("{:#x}{}", row.bits == 64 ? value : value & (2 * top - 1), suffix));
    return values;
}

std::vector<std::string> edgesOf(Base base) {
    if (base == Base::float32)
        return {"0.0f",      "-0.0f",     "1.0f",     "-1.0f",           "0.5f",     "-2.5f", "3.0f", "16777217.0f",
                "0x1p-126f", "0x1p-149f", "INFINITY", "0x1.fffffep127f", "-0x1p31f", "1e10f", "0.1f"};
    if (base == Base::float64)
        return {"0.0",     "-0.0",         "1.0",     "-1.0",      "0.5",       "-2.5",
                "3.0",     "4294967297.0", "0.1",     "0x1p-1022", "0x1p-1074", "0x1.fffffffffffffp1023",
                "-0x1p63", "1e20",         "INFINITY"};
    return integerEdges(row(base));
}

}  // namespace

std::uint32_t Type::bits() const { return row(base).bits; }
bool Type::isSigned() const { return row(base).isSigned; }
Type Type::asSigned() const { return {row(base).signedBase, width}; }
Type Type::asUnsigned() const { return {row(base).unsignedBase, width}; }
std::string Type::name() const { return isVector() ? fmt::format("{}{}", row(base).name, width) : row(base).name; }

const std::vector<std::string>& edges(Base base) {
    static const std::vector<std::vector<std::string>> all = [] {
        std::vector<std::vector<std::string>> values;
        for (int i = 0; i < kBases; ++i) values.push_back(edgesOf(static_cast<Base>(i)));
        return values;
    }();
    return all[static_cast<std::size_t>(base)];
}

}  // namespace zetl::random_kernels
