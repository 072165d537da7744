// Which registers a program may write. Too many is safe, too few is not: where it is not certain, all of them.
#include <algorithm>
#include <optional>

#include "emulator/isa/code.h"
#include "emulator/isa/register_descriptor.h"
#include "emulator/isa/register_use.h"
#include "isa/xe/access_shape.h"

namespace zetl::emulator::isa {

bool computesByLanes(const Instruction& in) {
    constexpr Format kByLanes[] = {Format::one, Format::two, Format::three, Format::math};
    const OpcodeInfo* info = findOpcode(static_cast<std::uint8_t>(in.opcode));
    return info != nullptr && std::ranges::find(kByLanes, info->format) != std::end(kByLanes) &&
           in.opcode != Opcode::movi && in.opcode != Opcode::shfl;
}

bool writesDestinationOnly(const Instruction& in) {
    constexpr Opcode kOthers[] = {Opcode::addc, Opcode::subb, Opcode::mac, Opcode::mach, Opcode::macl};
    const OpcodeInfo* info = findOpcode(static_cast<std::uint8_t>(in.opcode));
    return info != nullptr && info->format != Format::systolic &&
           std::ranges::find(kOthers, in.opcode) == std::end(kOthers);
}

// What the descriptor says of lengths need not be true. Elements may take four times their bytes.
std::uint32_t messageDataBytes(const Instruction& in) {
    constexpr std::uint32_t kLanes = 32;
    constexpr std::uint32_t kElementSpread = 4;  // a byte in a dword
    const auto shape = isDeferred(in.message) ? std::nullopt : accessShapeOf(in);
    if (!shape || shape->block || shape->block2d) return kManyRegisterBytes;
    return std::min(kLanes * kElementSpread * std::max(shape->bytes, 1u), kManyRegisterBytes);
}

namespace {

void addGeneral(StateSlots& slots, const Instruction& in) {
    const Operand& d = in.destination;
    // An element may lie across the end.
    if (d.isIndirect()) return slots.add(layout::kGrf, layout::kGrfBytes + byteSize(d.type));
    const auto add = [&](std::uint32_t bytes) {
        const std::uint32_t place = d.number * layout::kRegisterBytes;
        slots.add(layout::kGrf + place, std::min(bytes, layout::kGrfBytes - place));
    };
    // The return address and the call mask, wherever its operand begins.
    constexpr std::uint32_t kCallBytes = 2 * sizeof(std::uint32_t);
    if (in.opcode == Opcode::call || in.opcode == Opcode::calla)
        return slots.add(layout::kGrf + d.number * layout::kRegisterBytes, d.subByte + kCallBytes);
    const bool sends = isSend(in.opcode);
    if (sends) return add(messageDataBytes(in));
    if (!writesDestinationOnly(in)) return add(kManyRegisterBytes);
    const std::uint32_t elements = (in.width - 1u) * std::max<std::uint32_t>(d.horizontal, 1) + 1;
    const std::uint32_t behind = in.opcode == Opcode::mullh ? layout::kRegisterBytes : 0;  // the high halves
    add(d.subByte + elements * byteSize(d.type) + behind);
}
bool mayWriteAccumulator(const Instruction& in) {
    const Operand& d = in.destination;
    return !writesDestinationOnly(in) || d.isAccumulator() || d.mme >= 0 || (d.isIndirect() && !d.isGrf());
}
/// Registers of the architecture beside flags, addresses, status, control and debug, which count as written always:
/// as destinations, and those that are computed when they are read.
bool mayWriteOther(const Instruction& in) {
    using R = ArchitectureRegister;
    constexpr R kCounted[] = {R::null, R::accumulator, R::address, R::flag, R::status, R::control, R::debug, R::scalar};
    const auto isOther = [&](const Operand& o) {
        return o.kind == Operand::Kind::arf && std::ranges::find(kCounted, o.arf) == std::end(kCounted);
    };
    return isOther(in.destination) || std::ranges::any_of(in.source, isOther);
}

}  // namespace

void addWritten(StateSlots& slots, const Instruction& in) {
    slots.add(layout::kAddress, layout::kExecutionMask - layout::kAddress);
    slots.add(layout::kDebug, layout::kRegisterBytes);
    if (in.destination.isArf(ArchitectureRegister::scalar)) slots.add(layout::kScalar, layout::kRegisterBytes);
    if (in.destination.isGrf()) addGeneral(slots, in);
    if (mayWriteAccumulator(in)) slots.add(layout::kAccumulator, layout::kAddress - layout::kAccumulator);
    if (mayWriteOther(in)) slots.add(layout::kAddress, layout::kArchitectureEnd - layout::kAddress);
}

StateSlots Program::written() const noexcept {
    StateSlots slots;
    for (const Instruction& in : code_->instructions) addWritten(slots, in);
    return slots;
}

}  // namespace zetl::emulator::isa
