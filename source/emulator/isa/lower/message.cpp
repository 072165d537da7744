#include "emulator/isa/lower/message.h"

#include <bit>

#include "emulator/isa/decode/legacy_message.h"
#include "emulator/isa/flow.h"
#include "emulator/isa/lower/deferred_message.h"
#include "emulator/isa/register_descriptor.h"

namespace zetl::emulator::isa {

uint32_t MessageLowering::grf(const Operand& o, uint32_t bytes) {
    if (!o.isGrf()) refuseIllegal("message payload is no general register");
    const uint32_t at = o.number * layout::kRegisterBytes;
    if (at + bytes > layout::kGrfBytes) refuseIllegal("message payload beyond the register file");
    return layout::kGrf + at;
}

void emitAtomic(MessageLowering& m, const AtomicShape& shape) {
    const uint32_t lanes = m.in.width, rows = m.componentBytes(shape.slotBytes);
    constexpr uint8_t kCompareExchange = 0x12, kCompareExchangeReal = 0x17;
    const bool two = shape.op == kCompareExchange || shape.op == kCompareExchangeReal;
    const bool hasData = m.message.src1Registers != 0 && m.in.source[1].isGrf();
    const uint32_t address = m.address(lanes * shape.addressBytes);
    const uint32_t data = hasData ? m.data(rows * (two ? 2 : 1)) : layout::kNotification;
    const uint32_t result = m.result(rows);
    Step& s = m.emit(m.table.atomic[std::countr_zero(shape.elementBytes) - 1][shape.addressBytes == 8]);
    s.kind = shape.op;
    s.src[0] = address, s.src[1] = data, s.dst = result;
    s.src[2] = static_cast<uint64_t>(shape.space) | static_cast<uint64_t>(m.hasResult()) << 8;
    s.value = hasData && two ? static_cast<int32_t>(rows) : 0;
}

namespace {

class Emitter final : public MessageLowering {
  public:
    using Emit = Step& (Lowering::*)(Handler);
    using Constant = uint64_t (Lowering::*)(const std::array<uint64_t, 32>&);
    Emitter(Lowering& l, Emit emit, Constant constant, Program::Code& code, const StepTable& table,
            const Instruction& in, bool all, uint32_t window)
        : MessageLowering(code, table, in, all, window), lowering_(l), emit_(emit), constant_(constant) {}
    Step& emit(Handler run) override {
        Step& s = (lowering_.*emit_)(run);
        s.extra = window;
        return s;
    }
    uint64_t constant(uint64_t value, uint32_t bytes) override {
        std::array<uint64_t, 32> lanes;
        lanes.fill(bytes == 8 ? value : value << 32 | value);
        return (lowering_.*constant_)(lanes);
    }

  private:
    Lowering& lowering_;
    Emit emit_;
    Constant constant_;
};

}  // namespace

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

void lowerMessage(Lowering& l, const Instruction& in) {
    constexpr uint32_t kWindows = 8;
    const bool all = l.allLanesOn() && in.predicate == Predicate::none;
    const uint32_t window = l.messages_++ % kWindows;
    if (isDeferred(in.message)) {
        const auto line = static_cast<Line>(&in - l.code_.instructions.data());
        const DeferredMessage::Place place{in, line, all, window};
        auto& message = l.code_.deferred.emplace_back(std::make_shared<DeferredMessage>(l.code_, l.table_, place));
        l.emit(deferred).src[0] = reinterpret_cast<uint64_t>(message.get());
    } else {
        const Instruction modern = modernForm(in);
        Emitter m(l, &Lowering::emit, &Lowering::constant, l.code_, l.table_, modern, all, window);
        lowerByFunction(m);
    }
    if (in.message.endOfThread) l.emit(finish);
}

}  // namespace zetl::emulator::isa
