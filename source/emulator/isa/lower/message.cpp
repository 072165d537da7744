#include "emulator/isa/lower/message.h"

#include <cstring>

#include "emulator/isa/flow.h"
#include "emulator/isa/lower/deferred_message.h"
#include "emulator/isa/register_descriptor.h"
#include "isa/xe/legacy_message.h"
#include "isa/xe/lsc_descriptor.h"

namespace zetl::emulator::isa {

namespace {

/// value registers, whose numbers are the bytes at src[0], become a payload.
const Step* gatherPayload(Thread& t, const Step* m) {
    const std::byte* const numbers = t.state + m->src[0];
    for (std::int32_t i = 0; i < m->value; ++i)
        std::memcpy(t.state + layout::kGathered + static_cast<std::uint32_t>(i) * layout::kRegisterBytes,
                    t.grf(std::to_integer<std::uint32_t>(numbers[i])), layout::kRegisterBytes);
    return m + 1;
}

/// Registers of a payload that the scalar register names.
std::uint32_t gatheredRegisters(const Message& m) {
    constexpr std::uint32_t kLengthShift = 25;
    constexpr std::uint32_t kLengthMask = 15;
    if (m.general) return static_cast<std::uint32_t>(m.src0Registers);
    return static_cast<std::uint32_t>(m.descriptor >> kLengthShift) & kLengthMask;
}

/// Whether a message accesses bytes or words.
bool isNarrow(const Instruction& in) {
    if (isDeferred(in.message)) return false;
    const Message m = modernForm(in).message;
    return m.function == SharedFunction::ugm && lsc::Descriptor(m).memoryBytes() < sizeof(std::uint32_t);
}

}  // namespace

std::uint32_t MessageLowering::gathered(std::uint32_t at, std::uint32_t bytes) {
    const std::uint32_t count = gatheredRegisters(message);
    const std::uint32_t numbersAt = in.source[0].subByte;
    if (numbersAt + count > code_.options.architecture->scalarBytes) refuseIllegal("payload beyond s0");
    if (at + bytes > count * layout::kRegisterBytes) refuseIllegal("message payload shorter than the message");
    if (!isCollected_) {
        Step& s = emit(gatherPayload);
        s.src[0] = layout::kScalar + numbersAt;
        s.value = static_cast<std::int32_t>(count);
        isCollected_ = true;
    }
    return layout::kGathered + at;
}

std::uint32_t MessageLowering::grf(const Operand& o, std::uint32_t bytes) const {
    if (!o.isGrf()) refuseIllegal("message payload is no general register");
    const std::uint32_t at = o.number * layout::kRegisterBytes;
    if (at + bytes > registerFileBytes(code_, in.ip)) refuseIllegal("message payload beyond the register file");
    return layout::kGrf + at;
}

Step& MessageLowering::emit(Handler run, const Meaning& meaning) {
    Step& s = appendStep(list_, run, meaning, laneMaskOf(in), in.width, place.line);
    setWindow(s, place.window);
    return s;
}

std::uint64_t MessageLowering::constant(std::uint64_t value, std::uint32_t bytes) {
    std::array<std::uint64_t, 32> lanes;
    lanes.fill(bytes == 8 ? value : value << 32 | value);
    return code_.constant(lanes);
}

void emitAtomic(MessageLowering& m, const AtomicMessage& atomic) {
    const std::uint32_t rows = m.componentBytes(atomic.slotBytes);
    const bool hasData = m.hasData();
    const bool two = hasTwoOperands(atomic.operation);
    const bool needsData = hasData || hasOperands(atomic.operation);
    m.emit(AtomicAccess{.space = atomic.space,
                        .operation = atomic.operation,
                        .wanted = m.hasResult(),
                        .addresses = atomic.addresses,
                        .operands = needsData ? m.data(rows * (two ? 2 : 1)) : layout::kZero,
                        .result = m.result(rows),
                        .secondOperand = hasData && two ? rows : 0},
           {.elementBytes = static_cast<std::uint8_t>(atomic.elementBytes),
            .addressBytes = static_cast<std::uint8_t>(atomic.addressBytes)});
}

void lowerByFunction(MessageLowering& m) {
    switch (m.message.function) {
        case SharedFunction::ugm:
        case SharedFunction::slm:
            return lowerLsc(m);
        case SharedFunction::sampler:
        case SharedFunction::tgm:
            return lowerImage(m);
        case SharedFunction::gateway:
            return lowerGateway(m);
        case SharedFunction::dc0:
            return lowerDc0(m);
        case SharedFunction::dc1:
            return lowerDc1(m);
        default:
            refuseMessage(messageName(m.message.function));
    }
}

/// Messages that use the same window take it from each other if they access different allocations: host code then
/// refuses both, each time. Bytes and words, such as quantized weights, seldom lie in an allocation of wider elements,
/// such as the numbers that they are multiplied with, so they have windows of their own.
std::uint32_t Lowering::nextWindow(const Instruction& in) {
    constexpr std::uint32_t kNarrow = 8;
    constexpr std::uint32_t kWide = kMemoryWindows - kNarrow;
    return isNarrow(in) ? kWide + narrowMessages_++ % kNarrow : wideMessages_++ % kWide;
}

void Lowering::message(const Instruction& in) {
    const MessagePlace place{
        .line = lineOf(in), .allLanesOn = allLanesOn() && in.predicate == Predicate::none, .window = nextWindow(in)};
    if (isDeferred(in.message)) {
        auto& message = code_.deferred.emplace_back(std::make_shared<DeferredMessage>(code_, table_, in, place));
        emit(deferred).src[0] = reinterpret_cast<std::uint64_t>(message.get());
    } else {
        const Instruction modern = modernForm(in);
        MessageLowering lowering(code_, table_, modern, place, body_);
        lowerByFunction(lowering);
    }
    if (in.message.endOfThread) emit(Family::finish);
}

}  // namespace zetl::emulator::isa
