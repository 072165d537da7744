// Which registers a program may write. Too many is safe, too few is not: where it is not certain, all of them.
#include <algorithm>
#include <optional>

#include "emulator/isa/code.h"
#include "emulator/isa/decode/access_shape.h"
#include "emulator/isa/register_descriptor.h"

namespace zetl::emulator::isa {
namespace {

/// Instructions that write to registers only what their destination names.
bool writesDestinationOnly(const Instruction& in) {
    constexpr Opcode kOthers[] = {Opcode::addc, Opcode::subb, Opcode::mac, Opcode::mach, Opcode::macl};
    const OpcodeInfo* info = findOpcode(static_cast<std::uint8_t>(in.opcode));
    return info != nullptr && info->format != Format::systolic &&
           std::ranges::find(kOthers, in.opcode) == std::end(kOthers);
}
std::uint32_t endOfDestination(const Instruction& in) {
    constexpr std::uint32_t kManyRegisters = 32;  // the most that a message answers, or a systolic product fills
    constexpr std::uint32_t kLanes = 32;
    constexpr std::uint32_t kElementSpread = 4;  // a byte in a dword
    const Operand& d = in.destination;
    if (!d.isGrf()) return 0;
    if (d.isIndirect()) return layout::kGrfRegisters;
    const bool sends = in.opcode == Opcode::send || in.opcode == Opcode::sendc;
    const auto shape = sends && !isDeferred(in.message) ? accessShapeOf(in) : std::nullopt;
    if (shape && !shape->block && !shape->block2d) {
        // What the descriptor says of the reply's length need not be true. Elements may take four times their bytes.
        const std::uint32_t lanes = kLanes * kElementSpread * std::max(shape->bytes, 1u) / layout::kRegisterBytes;
        return d.number + std::min(lanes, kManyRegisters);
    }
    if (sends || !writesDestinationOnly(in)) return d.number + kManyRegisters;
    const std::uint32_t elements = (in.width - 1u) * std::max<std::uint32_t>(d.horizontal, 1) + 1;
    const std::uint32_t end = d.subByte + elements * byteSize(d.type);
    return d.number + (end + layout::kRegisterBytes - 1) / layout::kRegisterBytes;
}
bool mayWriteAccumulator(const Instruction& in) {
    const Operand& d = in.destination;
    return !writesDestinationOnly(in) || d.isAccumulator() || d.mme >= 0 || (d.isIndirect() && !d.isGrf());
}

}  // namespace

Program::Written Program::written() const noexcept {
    Written written{0, false};
    for (const Instruction& in : code_->instructions) {
        written.registers = std::max(written.registers, endOfDestination(in));
        written.accumulators |= mayWriteAccumulator(in);
    }
    written.registers = std::min(written.registers, layout::kGrfRegisters);
    return written;
}

}  // namespace zetl::emulator::isa
