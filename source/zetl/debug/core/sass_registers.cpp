#include "core/sass_registers.h"

#include <algorithm>

#include "core/byte_reader.h"

namespace zetl::debugger {
namespace {

constexpr std::uint32_t kKindShift = 24;
constexpr std::uint32_t kGeneralKind = 5;
constexpr std::uint32_t kNumber = 0xffffff;
constexpr std::size_t kMostParts = 4;

std::string textFrom(ByteReader& in) {
    std::string text;
    for (auto next = in.u8(); next != 0; next = in.u8()) text += static_cast<char>(next);
    return text;
}

}  // namespace

SassRegisters::SassRegisters(std::span<const std::uint8_t> section) {
    try {
        read(section);
    } catch (const Failure&) {  // keep what was read before the damage
    }
}

/// Functions, each with its number of ranges.
void SassRegisters::read(std::span<const std::uint8_t> section) {
    ByteReader in(section);
    while (!in.atEnd()) {
        auto& ranges = functions_[textFrom(in)];
        for (auto left = in.u32(); left > 0; --left) {
            Range range{};
            range.part = in.u32();
            range.name = textFrom(in);
            range.place = in.u32();
            range.begin = in.u32();
            range.end = in.u32();
            ranges.push_back(std::move(range));
        }
    }
}

std::vector<unsigned> SassRegisters::at(std::string_view function, std::string_view name, std::uint64_t offset) const {
    const auto known = functions_.find(function);
    if (known == functions_.end()) return {};
    std::size_t parts = 0;
    std::map<std::uint32_t, unsigned> found;
    for (const Range& each : known->second) {
        if (each.name != name || each.part >= kMostParts) continue;
        parts = std::max<std::size_t>(parts, each.part + 1);
        if (offset >= each.begin && offset < each.end && each.place >> kKindShift == kGeneralKind)
            found.try_emplace(each.part, each.place & kNumber);
    }
    std::vector<unsigned> registers;
    if (found.size() == parts)
        for (const auto& [part, number] : found) registers.push_back(number);
    return registers;
}

std::string SassRegisters::nameOf(std::uint64_t number) {
    std::string name;
    for (; number != 0; number >>= 8) name.insert(name.begin(), static_cast<char>(number & 0xff));
    return name.starts_with('%') ? name : std::string();
}

}  // namespace zetl::debugger
