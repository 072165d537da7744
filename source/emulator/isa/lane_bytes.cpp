#include "emulator/isa/lane_bytes.h"

#include <algorithm>
#include <bit>
#include <optional>

#include "emulator/isa/control_flow.h"
#include "emulator/isa/register_descriptor.h"
#include "emulator/isa/register_use.h"
#include "isa/xe/access_shape.h"
#include "isa/xe/legacy_message.h"
#include "isa/xe/lsc_descriptor.h"

namespace zetl::emulator::isa {
namespace {

// The dword of a gateway message's payload that says which barrier it is.
constexpr std::uint32_t kBarrierAt = 8;
constexpr std::uint32_t kBarrierBytes = 4;
constexpr std::uint32_t kDenseLanes = 16;  // from so many on a message's components have no gaps

LaneBytes bytesAt(std::uint32_t begin, std::uint32_t bytes, std::uint8_t lane) {
    return {std::min(begin, layout::kGrfBytes), std::min(begin + bytes, layout::kGrfBytes), lane};
}

bool isSync(const Instruction& in) {
    const OpcodeInfo* const info = findOpcode(static_cast<std::uint8_t>(in.opcode));
    return info != nullptr && info->format == Format::sync;
}
std::optional<AccessShape> shapeOf(const Instruction& in) {
    return isDeferred(in.message) ? std::nullopt : accessShapeOf(in);
}

std::uint32_t addressPayloadBytes(const Instruction& in) {
    constexpr std::uint32_t kLanes = 32;
    constexpr std::uint32_t kWidestAddress = 8;
    if (!isDeferred(in.message) && synchronizationOf(in) == Synchronization::fence) return layout::kRegisterBytes;
    const auto shape = shapeOf(in);
    if (!shape) return kManyRegisterBytes;
    if (shape->block && shape->addressAt == 0) return shape->addressBytes;
    return shape->block || shape->block2d ? layout::kRegisterBytes : kLanes * kWidestAddress;
}
std::uint32_t dataPayloadBytes(const Instruction& in) {
    const auto shape = shapeOf(in);
    return shape && shape->block ? shape->bytes : messageDataBytes(in);
}
/// Of the data of a message that each lane sends by itself.
std::uint32_t componentsOf(const Instruction& in) {
    constexpr std::uint32_t kOperands = 2;  // of an atomic, at most
    const lsc::Descriptor descriptor(modernForm(in).message);
    if (descriptor.quad()) return static_cast<std::uint32_t>(std::popcount(unsigned{descriptor.components}));
    return descriptor.atomic() ? kOperands : descriptor.vectorLength();
}
/// From the operand's first byte, by all that is not plain.
std::uint32_t bytesRead(const Instruction& in, std::size_t source) {
    if (isSend(in.opcode)) return source == 0 ? addressPayloadBytes(in) : dataPayloadBytes(in);
    if (isBranch(in) || isSync(in)) return layout::kRegisterBytes;
    return kManyRegisterBytes;
}

/// Who may read what only a lane has written.
std::uint8_t laneOf(const Instruction& in, std::uint32_t lane) {
    return in.noMask ? LaneBytes::kAllLanes : static_cast<std::uint8_t>(in.offset + lane);
}
/// Of a message that each lane sends by itself, where its lanes' addresses or data lie one behind the other: of one.
std::uint32_t laneBytes(const Instruction& in, std::size_t source) {
    if (!isSend(in.opcode) || endsThread(in)) return 0;
    const auto shape = shapeOf(in);
    if (!shape || shape->block || shape->block2d || shape->strided || shape->addressAt != 0) return 0;
    if (source == 0) return shape->addressBytes;
    const std::uint32_t element = lsc::Descriptor(modernForm(in).message).registerBytes();
    return element >= sizeof(std::uint32_t) ? element : 0;
}

void addLanesRead(std::vector<LaneBytes>& list, const Instruction& in, const Operand& o) {
    const std::uint32_t bytes = byteSize(o.type);
    for (std::uint32_t lane = 0; lane < in.width; ++lane)
        list.push_back(bytesAt(placeOf(o) + elementOf(o, lane) * bytes, bytes, laneOf(in, lane)));
}
void addPayloadRead(std::vector<LaneBytes>& list, const Instruction& in, std::size_t source, std::uint32_t element) {
    const std::uint32_t lanes = std::max<std::uint32_t>(in.width, kDenseLanes);  // of a component
    const std::uint32_t components = source == 0 ? 1 : componentsOf(in);
    const LaneBytes all =
        bytesAt(placeOf(in.source[source]), std::min(bytesRead(in, source), lanes * element * components), 0);
    for (std::uint32_t at = all.begin; at < all.end; at += element) {
        const std::uint32_t lane = (at - all.begin) / element % lanes;
        if (lane < in.width) list.push_back({at, std::min(at + element, all.end), laneOf(in, lane)});
    }
}
void addRead(std::vector<LaneBytes>& list, const Instruction& in, std::size_t source, const LaneBytes& indirect) {
    const Operand& o = in.source[source];
    if (in.opcode == Opcode::movi || (isSend(in.opcode) && o.isArf(ArchitectureRegister::scalar)))
        return list.push_back(kAllRegisters);
    if (o.isIndirect()) return list.push_back(indirect);
    if (!o.isGrf()) return;
    if (computesByLanes(in)) return addLanesRead(list, in, o);
    if (const std::uint32_t element = laneBytes(in, source); element != 0)
        return addPayloadRead(list, in, source, element);
    if (isSend(in.opcode) && in.message.function == SharedFunction::gateway)
        return list.push_back(bytesAt(placeOf(o) + kBarrierAt, kBarrierBytes, LaneBytes::kAllLanes));
    list.push_back(bytesAt(placeOf(o), bytesRead(in, source), LaneBytes::kAllLanes));
}

void addMessageWrites(std::vector<LaneBytes>& list, const Instruction& in, bool all) {
    const Operand& d = in.destination;
    const auto shape = isSend(in.opcode) ? shapeOf(in) : std::nullopt;
    if (!shape || shape->write || shape->block2d) return;
    if (shape->block) {
        if (all) list.push_back(bytesAt(placeOf(d), shape->bytes, LaneBytes::kAllLanes));
        return;
    }
    const std::uint32_t element = lsc::Descriptor(modernForm(in).message).registerBytes();
    if (in.width < kDenseLanes || element < sizeof(std::uint32_t)) return;
    const std::uint32_t components = shape->atomic ? 1 : componentsOf(in);
    for (std::uint32_t at = 0; at < components * in.width; ++at)
        list.push_back(
            bytesAt(placeOf(d) + at * element, element, all ? LaneBytes::kAllLanes : laneOf(in, at % in.width)));
}

}  // namespace

std::vector<LaneBytes> generalReads(const Instruction& in, const LaneBytes& indirect) {
    std::vector<LaneBytes> list;
    for (std::size_t source = 0; source < in.source.size(); ++source) addRead(list, in, source, indirect);
    return list;
}

std::vector<LaneBytes> generalWrites(const Instruction& in, bool together) {
    std::vector<LaneBytes> list;
    const Operand& d = in.destination;
    const bool selects = in.opcode == Opcode::sel;
    if ((in.predicate != Predicate::none && !selects) || !d.isGrf() || d.isIndirect() || d.mme >= 0) return list;
    const bool all = in.noMask || together;
    if (!computesByLanes(in)) {
        addMessageWrites(list, in, all);
        return list;
    }
    const std::uint32_t bytes = byteSize(d.type);
    const std::uint32_t stride = std::max<std::uint32_t>(d.horizontal, 1);
    for (std::uint32_t lane = 0; lane < in.width; ++lane)
        list.push_back(
            bytesAt(placeOf(d) + lane * stride * bytes, bytes, all ? LaneBytes::kAllLanes : laneOf(in, lane)));
    return list;
}

}  // namespace zetl::emulator::isa
