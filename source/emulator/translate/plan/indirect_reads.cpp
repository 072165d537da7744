#include "emulator/translate/plan/indirect_reads.h"

#include <algorithm>
#include <optional>

#include "emulator/isa/register_use.h"
#include "emulator/translate/plan/register_bounds.h"

namespace zetl::emulator::translate {
namespace {

namespace layout = isa::layout;
using isa::Instruction;
using isa::LaneBytes;
using isa::Line;
using isa::Operand;

constexpr std::uint32_t kAddressWords = 16;  // further ones are others on some architectures

struct AddressedElement {
    std::uint32_t address;  ///< which
    std::uint32_t bytes;    ///< from where it points to
};
AddressedElement elementOf(const Operand& o, std::uint32_t lane) {
    const bool perRow = o.addressing == Operand::Addressing::indirectPerRow;
    const std::uint32_t width = o.width == 0 ? 1 : o.width;
    const std::uint32_t row = lane / width;
    const std::uint32_t inRegion = (perRow ? 0 : row * o.vertical) + lane % width * o.horizontal;
    return {o.addressSub + (perRow ? row : 0), inRegion * isa::byteSize(o.type)};
}

std::optional<LaneBytes> readBy(RegisterBounds& bounds, Line line, const Instruction& in, const Operand& o) {
    LaneBytes all{layout::kGrfBytes, 0, LaneBytes::kAllLanes};
    for (std::uint32_t lane = 0; lane < in.width; ++lane) {
        const AddressedElement e = elementOf(o, lane);
        if (e.address >= kAddressWords) return {};
        constexpr std::uint32_t kWord = 2;
        const auto reader = in.noMask ? LaneBytes::kAllLanes : static_cast<std::uint8_t>(in.offset + lane);
        const Bounds known = bounds.before(line, {layout::kAddress + e.address * kWord, kWord}, reader);
        if (!known.isKnown()) return {};
        const std::int64_t moved = std::int64_t{o.addressOffset} + e.bytes;
        const std::int64_t begin = static_cast<std::int64_t>(known.low) + moved;
        const std::int64_t end = static_cast<std::int64_t>(known.high) + moved + isa::byteSize(o.type);
        if (begin < 0 || end > layout::kGrfBytes) return {};
        all.begin = std::min(all.begin, static_cast<std::uint32_t>(begin));
        all.end = std::max(all.end, static_cast<std::uint32_t>(end));
    }
    return all;
}

}  // namespace

std::map<Line, LaneBytes> indirectReads(const isa::Program::Code& code, const Survey& survey) {
    std::map<Line, LaneBytes> found;
    std::optional<RegisterBounds> bounds;
    for (const Line line : survey.lines) {
        if (line >= code.lines()) break;
        const Instruction& in = code.instructions[line];
        const Operand& o = in.source[0];
        const bool others = in.source[1].isIndirect() || in.source[2].isIndirect();
        if (!o.isIndirect() || others || !isa::computesByLanes(in)) continue;
        if (!bounds) bounds.emplace(code, survey);
        if (const auto read = readBy(*bounds, line, in, o)) found.emplace(line, *read);
    }
    return found;
}

}  // namespace zetl::emulator::translate
