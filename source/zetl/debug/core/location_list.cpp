#include "core/location_list.h"

#include <dwarf.h>

#include "core/byte_reader.h"
#include "core/failure.h"

namespace zetl::debugger {
namespace {

LocatedExpression copyOf(std::span<const std::uint8_t> bytes, std::uint64_t begin = 0, std::uint64_t end = UINT64_MAX) {
    return {{bytes.begin(), bytes.end()}, begin, end};
}

/// Pairs of offsets from the base, each with an expression; a pair of zeros ends the list.
LocatedExpression inOldList(ByteReader in, std::uint64_t base, std::uint64_t address) {
    for (;;) {
        const auto begin = in.u64();
        const auto end = in.u64();
        if (begin == 0 && end == 0) return {};
        if (begin == UINT64_MAX) {
            base = end;
            continue;
        }
        const auto expression = in.take(in.u16());
        if (address - base >= begin && address - base < end) return copyOf(expression, base + begin, base + end);
    }
}

struct Range {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
};

/// The entries of a list of DWARF 5.
class Entries {
  public:
    Entries(ByteReader in, const ListContext& context) : in_(in), context_(context), base_(context.base) {}

    LocatedExpression at(std::uint64_t address) {
        LocatedExpression otherwise;
        for (;;) {
            const auto kind = in_.u8();
            if (kind == DW_LLE_end_of_list) return otherwise;
            if (kind == DW_LLE_base_address) {
                base_ = in_.u64();
            } else if (kind == DW_LLE_base_addressx) {
                base_ = indexed();
            } else if (kind == DW_LLE_default_location) {
                otherwise = copyOf(in_.take(in_.uleb()));
            } else {
                const auto range = rangeOf(kind);
                const auto expression = in_.take(in_.uleb());
                if (address >= range.begin && address < range.end) return copyOf(expression, range.begin, range.end);
            }
        }
    }

  private:
    Range rangeOf(std::uint8_t kind) {
        const auto indexedBegin = kind == DW_LLE_startx_endx || kind == DW_LLE_startx_length;
        const auto plainBegin = kind == DW_LLE_start_end || kind == DW_LLE_start_length;
        if (!indexedBegin && !plainBegin && kind != DW_LLE_offset_pair)
            fail("a location list with entries of kind {}", kind);
        const auto begin = indexedBegin ? indexed() : plainBegin ? in_.u64() : base_ + in_.uleb();
        switch (kind) {
            case DW_LLE_startx_endx:
                return {begin, indexed()};
            case DW_LLE_start_end:
                return {begin, in_.u64()};
            case DW_LLE_offset_pair:
                return {begin, base_ + in_.uleb()};
            default:
                return {begin, begin + in_.uleb()};
        }
    }
    std::uint64_t indexed() {
        constexpr std::uint64_t kBytes = sizeof(std::uint64_t);
        const auto index = in_.uleb();
        if (index >= context_.indexed.size() / kBytes) fail("a location list with an unknown address");
        return ByteReader(context_.indexed.subspan(index * kBytes)).u64();
    }

    ByteReader in_;
    const ListContext& context_;
    std::uint64_t base_;
};

}  // namespace

std::uint64_t indexedOffset(std::span<const std::uint8_t> section, std::uint64_t base, std::uint64_t index) try {
    if (base > section.size() || index > section.size()) return section.size();
    ByteReader in(section.subspan(base));
    in.take(index * sizeof(std::uint32_t));
    return base + in.u32();
} catch (const Failure&) {
    return section.size();
}

LocatedExpression expressionInList(unsigned dwarfVersion, std::span<const std::uint8_t> section, std::uint64_t offset,
                                   const ListContext& context, std::uint64_t address) try {
    constexpr unsigned kNewLists = 5;
    if (offset >= section.size()) return {};
    const ByteReader in(section.subspan(offset));
    return dwarfVersion < kNewLists ? inOldList(in, context.base, address) : Entries(in, context).at(address);
} catch (const Failure&) {
    return {};
}

}  // namespace zetl::debugger
