#include "emulator/isa/lower/message.h"

#include "emulator/isa/flow.h"
#include "emulator/isa/lower/deferred_message.h"
#include "emulator/isa/register_descriptor.h"
#include "isa/xe/legacy_message.h"

namespace zetl::emulator::isa {

std::uint32_t MessageLowering::grf(const Operand& o, std::uint32_t bytes) {
    if (!o.isGrf()) refuseIllegal("message payload is no general register");
    const std::uint32_t at = o.number * layout::kRegisterBytes;
    if (at + bytes > layout::kGrfBytes) refuseIllegal("message payload beyond the register file");
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
    const bool hasData = m.message.src1Registers != 0 && m.in.source[1].isGrf();
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

void Lowering::message(const Instruction& in) {
    const MessagePlace place{.line = lineOf(in),
                             .allLanesOn = allLanesOn() && in.predicate == Predicate::none,
                             .window = messages_++ % kMemoryWindows};
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
