#include "emulator/translate/plan/step_extents.h"

#include <bit>

#include "isa/xe/lsc_descriptor.h"

namespace zetl::emulator::translate {
namespace {

namespace layout = isa::layout;
using isa::Step;

constexpr std::uint32_t kChunk = 16;

std::uint32_t lanesOf(const Step& m, const Meaning& what) { return what.wide ? m.chunks * kChunk : 1; }
/// An instruction of fewer lanes than a chunk has leaves nothing of what the others make of their sources.
std::uint32_t sourceLanesOf(const Step& m, const Meaning& what) {
    const auto lanes = static_cast<std::uint32_t>(std::popcount(m.mask.lanes));
    const bool areFirst = lanes != 0 && lanes < kChunk && m.mask.lanes == (1u << lanes) - 1;
    return what.wide && areFirst ? lanes : lanesOf(m, what);
}

Extent lanesAt(std::uint64_t place, const Step& m, const Meaning& what) {
    const std::uint32_t bytes = isa::byteSize(what.lanes);
    return {static_cast<std::uint32_t>(place), bytes, bytes, lanesOf(m, what)};
}
void addSource(StepExtents& extents, std::uint64_t place, const Step& m, const Meaning& what) {
    if (place >= layout::kBytes) return;
    extents.reads.push_back(lanesAt(place, m, what));
    extents.reads.back().count = sourceLanesOf(m, what);
}
StepExtents ofRow(const Step& m, const Meaning& what) {
    StepExtents e;
    for (std::uint32_t i = 0; i < operandsOf(what); ++i) addSource(e, m.src[i], m, what);
    e.write = lanesAt(m.dst, m, what);
    if (what.masked) e.reads.push_back(*e.write);
    return e;
}
StepExtents ofConvert(const Step& m, const Meaning& what) {
    StepExtents e;
    const std::uint32_t bytes = isa::byteSize(what.type);
    const std::uint32_t count = what.stride == 0 ? 1 : sourceLanesOf(m, what);
    if (m.src[0] < layout::kBytes)
        e.reads.push_back({static_cast<std::uint32_t>(m.src[0]), bytes, bytes * what.stride, count});
    e.write = lanesAt(m.dst, m, what);
    return e;
}
StepExtents ofRetire(const Step& m, const Meaning& what) {
    StepExtents e;
    const std::uint32_t bytes = isa::byteSize(what.type);
    addSource(e, m.src[0], m, what);
    e.write = Extent{m.dst, bytes, bytes * m.stride, lanesOf(m, what)};
    if (what.masked) e.reads.push_back(*e.write);
    return e;
}
StepExtents ofLaneAccess(const Step& m, const Meaning& what) {
    StepExtents e;
    const auto access = isa::LaneAccess::of(m);
    const std::uint32_t lanes = m.chunks * kChunk;
    const std::uint32_t address = what.laneForm().space == isa::MemorySpace::global ? 8 : 4;
    const std::uint32_t element = what.laneForm().data == isa::lsc::kD64 ? 8 : 4;
    const Extent data{access.registers, element * lanes, access.componentBytes, access.components};
    e.reads.push_back({access.addresses, address, address, lanes});
    if (what.laneForm().write)
        e.reads.push_back(data);
    else
        e.write = data;
    return e;
}
StepExtents ofBlock(const Step& m) {
    StepExtents e;
    const auto access = isa::BlockAccess::of(m);
    const Extent data{access.registers, access.bytes, 0, 1};
    e.reads.push_back({access.address, access.wideAddress ? 8u : 4u, 0, 1});
    if (access.write)
        e.reads.push_back(data);
    else
        e.write = data;
    return e;
}

}  // namespace

std::optional<StepExtents> extentsOf(const Step& m, const Meaning& what) {
    StepExtents e;
    switch (what.family) {
        case Family::compute:
            e = ofRow(m, what);
            break;
        case Family::convert:
            e = ofConvert(m, what);
            break;
        case Family::modify:
        case Family::clamp:
        case Family::narrow:
            e.write = lanesAt(m.dst, m, what);
            e.reads.push_back(*e.write);
            break;
        case Family::retire:
            e = ofRetire(m, what);
            break;
        case Family::compare:
            addSource(e, m.src[0], m, what);
            addSource(e, m.src[1], m, what);
            e.flags = true;
            break;
        case Family::pick:
            addSource(e, m.src[0], m, what);
            addSource(e, m.src[1], m, what);
            e.write = lanesAt(m.dst, m, what);
            e.reads.push_back(*e.write);
            e.flags = true;
            break;
        case Family::laneAccess:
            e = ofLaneAccess(m, what);
            break;
        case Family::block:
            e = ofBlock(m);
            break;
        default:
            return {};
    }
    // Sources are fetched whatever lanes are on.
    e.flags = e.flags || (what.family != Family::convert && m.mask.predicate != isa::Predicate::none);
    return e;
}

}  // namespace zetl::emulator::translate
