// Messages: send and sendc, and from Xe3P sendg and its kin.
#include "isa/xe/decode_parts.h"
#include "isa/xe/lsc_descriptor.h"

namespace zetl::isa::xe {
namespace {

/// Of the extended descriptor, what the instruction holds.
std::uint32_t extendedPart(const Word& w) {
    return static_cast<std::uint32_t>(w.field(47, 35) << 11 | w.field(65, 64) << 24 | w.field(97, 96) << 26 |
                                      w.field(127, 124) << 28);
}

}  // namespace

void decodeSend(const Word& w, const Architecture& architecture, Instruction& in) {
    Message& m = in.message;
    const MessageForm form = architecture.messages;
    m.function = static_cast<SharedFunction>(w.field(95, 92));
    m.endOfThread = w.bit(34);
    m.descriptorInRegister = w.bit(48);
    m.extendedInRegister = w.bit(49);
    if (!m.descriptorInRegister)
        m.descriptor = w.field(91, 81) | w.field(121, 113) << 11 | w.field(55, 51) << 20 | w.field(71, 67) << 25 |
                       w.field(123, 122) << 30;
    setRegister(in.destination, architecture, DataType::ud, w.field(63, 56), 0, w.bit(50));
    setRegister(in.source[0], architecture, DataType::ud, w.field(79, 72), 0, w.bit(66));
    setRegister(in.source[1], architecture, DataType::ud, w.field(111, 104), 0, w.bit(98));
    if (m.extendedInRegister) m.extendedSub = static_cast<std::uint8_t>(w.field(42, 40));
    if (m.extendedInRegister && form == MessageForm::sendWithOffset && m.function == SharedFunction::ugm) {
        constexpr std::uint32_t kSubRegister = 7u << 16;  // the bits that say which part of a0
        m.extended = extendedPart(w) & ~kSubRegister;
        m.src1Registers = static_cast<std::int8_t>(w.field(103, 99));
    } else if (m.extendedInRegister) {
        m.extendedBso = w.bit(39);
        if (m.extendedBso) m.src1Registers = static_cast<std::int8_t>(w.field(103, 99));
    } else {
        m.extended = extendedPart(w);
        m.src1Registers = static_cast<std::int8_t>(w.field(103, 99));
    }
    m.hasOffset = form == MessageForm::sendWithOffset &&
                  (m.function == SharedFunction::ugm || (m.function == SharedFunction::slm && !m.extendedInRegister));
    in.sources = 2;
    if (in.source[0].isArf(ArchitectureRegister::scalar)) {  // its bytes name the registers of the whole payload
        in.source[0].subByte = static_cast<std::uint8_t>(w.field(103, 99) * 2);
        in.source[1] = {};
        m.src1Registers = 0;
        in.sources = 1;
    }
    if (!m.descriptorInRegister) m.addressOffset = lsc::addressOffset(m);
}

void decodeGeneralSend(const Word& w, const Architecture& architecture, Instruction& in) {
    Message& m = in.message;
    const bool extended = in.opcode == Opcode::sendgx || in.opcode == Opcode::sendgxc;
    m.general = true;
    m.function = static_cast<SharedFunction>(w.field(95, 92));
    m.endOfThread = w.bit(32);
    m.descriptor = w.field(127, 112) | w.field(91, 80) << 16 | w.field(97, 96) << 28 | w.field(65, 64) << 30 |
                   w.field(55, 48) << 32 | w.field(39, 36) << 40;
    if (w.bit(34)) m.scalars[0] = static_cast<std::int8_t>(w.field(45, 43));
    if (w.bit(35))
        m.scalars[1] = static_cast<std::int8_t>(w.field(40, 38));
    else
        m.descriptor |= w.field(42, 40) << 44;
    // Where the extended form has a ninth bit of a register's number, the other one says whether there is a register.
    const auto operand = [&](Operand& o, int number, int bit) {
        const std::uint64_t low = w.field(number + 7, number);
        const bool set = w.bit(bit);
        setRegister(o, architecture, DataType::ud, extended && set ? low | 256 : low, 0, extended || set);
    };
    operand(in.destination, 56, 33);
    operand(in.source[0], 72, 66);
    m.src0Registers = static_cast<std::int8_t>(w.field(71, 67));
    m.src1Registers = 0;
    if (m.function == SharedFunction::ugm || m.function == SharedFunction::slm) m.addressOffset = lsc::addressOffset(m);
    in.sources = 1;
    if (in.source[0].isArf(ArchitectureRegister::scalar)) {
        in.source[0].subByte = static_cast<std::uint8_t>(w.field(103, 99) * 2);
        return;
    }
    in.sources = 2;
    if (!extended && !w.bit(98)) return setRegister(in.source[1], architecture, DataType::ud, 0, 0, false);
    operand(in.source[1], 104, 98);
    m.src1Registers = static_cast<std::int8_t>(w.field(103, 99));
}

}  // namespace zetl::isa::xe
