// Which registers a thread may read before it has written them. Too many is safe, too few is not: what is written
// counts only along the straight code that every thread begins with, and only whole.
#include <algorithm>
#include <bitset>

#include "emulator/isa/code.h"
#include "emulator/isa/decode/access_shape.h"
#include "emulator/isa/decode/legacy_message.h"
#include "emulator/isa/decode/lsc_descriptor.h"
#include "emulator/isa/register_descriptor.h"
#include "emulator/isa/register_use.h"

namespace zetl::emulator::isa {
namespace {

/// Bytes of the general registers, from the first to behind the last.
struct Extent {
    std::uint32_t begin;
    std::uint32_t end;
};
Extent extentFrom(const Operand& o, std::uint32_t bytes) {
    const std::uint32_t begin = o.number * layout::kRegisterBytes + o.subByte;
    return {begin, std::min(begin + bytes, layout::kGrfBytes)};
}

bool isMessage(const Instruction& in) { return in.opcode == Opcode::send || in.opcode == Opcode::sendc; }
Format formatOf(const Instruction& in) {
    const OpcodeInfo* info = findOpcode(static_cast<std::uint8_t>(in.opcode));
    return info == nullptr ? Format::control : info->format;
}
bool endsThread(const Instruction& in) { return isMessage(in) && in.message.endOfThread; }
bool isFirstStraight(const Instruction& in) {
    return formatOf(in) != Format::branch && in.opcode != Opcode::illegal && !endsThread(in);
}

std::uint32_t addressPayloadBytes(const Instruction& in) {
    constexpr std::uint32_t kLanes = 32;
    constexpr std::uint32_t kWidestAddress = 8;
    if (in.message.function == SharedFunction::gateway) return layout::kRegisterBytes;
    const auto shape = isDeferred(in.message) ? std::nullopt : accessShapeOf(in);
    if (!shape) return kManyRegisterBytes;
    return shape->block || shape->block2d ? layout::kRegisterBytes : kLanes * kWidestAddress;
}
/// From the operand's first byte.
std::uint32_t bytesRead(const Instruction& in, std::size_t source) {
    const Operand& o = in.source[source];
    if (isMessage(in)) return source == 0 ? addressPayloadBytes(in) : messageDataBytes(in);
    if (formatOf(in) == Format::systolic) return kManyRegisterBytes;
    if (formatOf(in) == Format::branch || formatOf(in) == Format::sync) return layout::kRegisterBytes;
    const std::uint32_t width = std::max<std::uint32_t>(o.width, 1);
    std::uint32_t last = 0;
    for (std::uint32_t lane = 0; lane < in.width; ++lane)
        last = std::max<std::uint32_t>(last, lane / width * o.vertical + lane % width * o.horizontal);
    return (last + 1) * byteSize(o.type);
}

class Reader {
  public:
    /// All threads execute it, with `lanes` on, before anything that is not first straight code.
    void first(const Instruction& in, std::uint32_t lanes) {
        read(in);
        if (in.predicate != Predicate::none || !in.destination.isGrf() || in.destination.isIndirect()) return;
        if (!in.noMask && in.offset + in.width > lanes) return;
        const Extent whole = extentFrom(in.destination, bytesWritten(in));
        for (std::uint32_t byte = whole.begin; byte < whole.end; ++byte) written_.set(byte);
    }
    void read(const Instruction& in) {
        if (in.predicate != Predicate::none || in.condition != Condition::none) slots_.add(layout::kFlags, 1);
        if (in.message.descriptorInRegister || in.message.extendedInRegister) slots_.add(layout::kAddress, 1);
        if (in.destination.isIndirect()) slots_.add(layout::kAddress, 1);
        if (!writesDestinationOnly(in)) addAccumulators();
        for (std::size_t source = 0; source < in.source.size(); ++source) read(in, source);
    }
    const StateSlots& slots() const noexcept { return slots_; }

  private:
    void addAccumulators() { slots_.add(layout::kAccumulator, layout::kAddress - layout::kAccumulator); }
    void read(const Instruction& in, std::size_t source) {
        const Operand& o = in.source[source];
        if (o.isIndirect() || in.opcode == Opcode::movi) {
            slots_.add(layout::kAddress, 1);
            return addGeneral({0, layout::kGrfBytes});
        }
        if (o.isGrf()) addGeneral(extentFrom(o, bytesRead(in, source)));
        if (o.mme >= 0) addAccumulators();
        if (o.kind == Operand::Kind::arf) addArchitecture(o.arf);
    }
    void addGeneral(const Extent& bytes) {
        for (std::uint32_t byte = bytes.begin; byte < bytes.end; ++byte)
            if (!written_.test(byte)) slots_.add(layout::kGrf + byte, 1);
    }
    void addArchitecture(ArchitectureRegister which) {
        switch (which) {
            case ArchitectureRegister::null:
                return;
            case ArchitectureRegister::accumulator:
                return addAccumulators();
            case ArchitectureRegister::address:
                return slots_.add(layout::kAddress, 1);
            case ArchitectureRegister::flag:
                return slots_.add(layout::kFlags, 1);
            case ArchitectureRegister::status:
                return slots_.add(layout::kStatus, 1);
            case ArchitectureRegister::control:
                return slots_.add(layout::kControl, 1);
            default:
                return slots_.add(layout::kAddress, layout::kArchitectureEnd - layout::kAddress);
        }
    }
    /// Without gaps, by lanes that are all on.
    static std::uint32_t bytesWritten(const Instruction& in) {
        if (isMessage(in)) return bytesAnswered(in);
        constexpr Format kPlain[] = {Format::one, Format::two, Format::three};
        const Operand& d = in.destination;
        const bool dense = in.width == 1 || d.horizontal == 1;
        const bool plain = std::ranges::find(kPlain, formatOf(in)) != std::end(kPlain) && in.opcode != Opcode::movi;
        return dense && plain && d.mme < 0 ? in.width * byteSize(d.type) : 0;
    }
    static std::uint32_t bytesAnswered(const Instruction& in) {
        const auto shape = isDeferred(in.message) ? std::nullopt : accessShapeOf(in);
        if (!shape || shape->write || shape->block2d) return 0;
        return shape->block ? shape->bytes : firstComponentBytes(modernForm(in));
    }
    /// From sixteen lanes of dwords on a component has no gaps.
    static std::uint32_t firstComponentBytes(const Instruction& in) {
        constexpr std::uint32_t kDenseLanes = 16;
        const std::uint32_t element = lsc::Descriptor(in.message).registerBytes();
        return in.width >= kDenseLanes && element >= sizeof(std::uint32_t) ? in.width * element : 0;
    }

    StateSlots slots_;
    std::bitset<layout::kGrfBytes> written_;
};

}  // namespace

StateSlots Program::readFirst(std::uint32_t ip, std::uint32_t lanes) const {
    const Line entry = lineAt(ip);
    if (entry == kNoLine) return StateSlots::all();
    Reader reader;
    Line line = entry;
    for (; line < code_->lines() && isFirstStraight(code_->instructions[line]); ++line)
        reader.first(code_->instructions[line], lanes);
    if (line < code_->lines() && endsThread(code_->instructions[line])) {
        reader.read(code_->instructions[line]);
        return reader.slots();
    }
    for (const Instruction& in : code_->instructions) reader.read(in);
    return reader.slots();
}

}  // namespace zetl::emulator::isa
