// Assembly text of one instruction.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iterator>
#include <vector>

#include "isa/xe/decode.h"

namespace zetl::isa::xe {
namespace {

constexpr std::uint8_t kNoMme = 8;

std::string registerName(const Architecture& architecture, const Operand& o) {
    if (o.isGrf()) return fmt::format("r{}", o.number);
    const std::string_view name = architecture.registerNames[static_cast<std::size_t>(o.arf)];
    if (o.isNull() || o.arf == ArchitectureRegister::ip) return std::string(name);
    return fmt::format("{}{}", name, o.number);
}
std::string place(const Architecture& architecture, const Operand& o) {
    if (o.isIndirect()) {
        const std::string offset = o.addressOffset ? fmt::format(",{}", o.addressOffset) : "";
        return fmt::format("r[a0.{}{}]", o.addressSub, offset);
    }
    std::string name = registerName(architecture, o);
    if (o.mme >= 0) return o.mme == kNoMme ? name + ".nomme" : fmt::format("{}.mme{}", name, o.mme);
    if (o.isNull() || o.isArf(ArchitectureRegister::ip)) return name;
    return fmt::format("{}.{}", name, o.subByte / byteSize(o.type));
}
std::string immediate(const Operand& o) {
    const std::uint64_t bits = byteSize(o.type) == 8 ? o.immediate : o.immediate & ((1ull << byteSize(o.type) * 8) - 1);
    switch (o.type) {
        case DataType::w:
            return fmt::format("{}:w", static_cast<std::int16_t>(bits));
        case DataType::d:
            return fmt::format("{}:d", static_cast<std::int32_t>(bits));
        case DataType::q:
            return fmt::format("{}:q", static_cast<std::int64_t>(bits));
        default:
            return fmt::format("0x{:X}:{}", bits, nameOf(o.type));
    }
}
std::string region(const Operand& o, Format format, int index) {
    if (o.mme >= 0) return "";
    if (format == Format::three)
        return index == 2 ? fmt::format("<{}>", o.horizontal) : fmt::format("<{};{}>", o.vertical, o.horizontal);
    if (o.addressing == Operand::Addressing::indirectPerRow) return fmt::format("<{},{}>", o.width, o.horizontal);
    return fmt::format("<{};{},{}>", o.vertical, o.width, o.horizontal);
}
std::string source(const Architecture& architecture, const Instruction& in, int index, Format format) {
    const Operand& o = in.source[index];
    if (o.isImmediate()) return immediate(o);
    const bool logic = in.opcode >= Opcode::bitNot && in.opcode <= Opcode::bitXor;
    const char* sign = o.negate ? (logic ? "~" : "-") : "";
    return fmt::format("{}{}{}{}:{}", sign, o.absolute ? "(abs)" : "", place(architecture, o), region(o, format, index),
                       nameOf(o.type));
}

std::string predicate(const Instruction& in) {
    if (!in.noMask && in.predicate == Predicate::none) return "";
    std::string flag;
    if (in.predicate != Predicate::none) {
        flag = fmt::format("{}f{}.{}", in.inverted ? "~" : "", in.flag / 2, in.flag & 1);
        if (in.predicate == Predicate::any) flag += ".any";
        if (in.predicate == Predicate::all) flag += ".all";
    }
    return fmt::format("({}{}{}) ", in.noMask ? "W" : "", in.noMask && !flag.empty() ? "&" : "", flag);
}
std::string lanes(const Instruction& in) { return fmt::format("({}|M{})", in.width, in.offset); }

/// The payload, or the bytes of the scalar register that name its registers.
std::string payload(const Architecture& architecture, const Operand& o) {
    const std::string name = registerName(architecture, o);
    return o.isArf(ArchitectureRegister::scalar) ? fmt::format("r[{}.{}]", name, o.subByte) : name;
}
std::string generalSendText(const Architecture& architecture, const Instruction& in, std::string text) {
    constexpr int kQword = 8;
    const Message& m = in.message;
    text += fmt::format(" {} {}:{}", registerName(architecture, in.destination), payload(architecture, in.source[0]),
                        m.src0Registers);
    if (in.sources > 1) text += fmt::format(" {}:{}", registerName(architecture, in.source[1]), m.src1Registers);
    for (const std::int8_t qword : m.scalars)
        if (qword >= 0) text += fmt::format(" s0.{}", qword * kQword);
    return text + fmt::format(" 0x{:X}{}", m.descriptor, m.endOfThread ? " {EOT}" : "");
}
std::string sendText(const Architecture& architecture, const Instruction& in) {
    const Message& m = in.message;
    const std::string name =
        fmt::format("{}{}.{} {}", predicate(in), findOpcode(static_cast<std::uint8_t>(in.opcode))->mnemonic,
                    architecture.functionNames[static_cast<std::size_t>(m.function)], lanes(in));
    if (m.general) return generalSendText(architecture, in, name);
    const std::string length = m.src1Registers < 0 ? "" : fmt::format(":{}", m.src1Registers);
    std::string extended = m.extended != 0 || !m.extendedInRegister ? fmt::format("0x{:X}", m.extended) : "";
    if (m.extendedInRegister) extended += fmt::format("{}a0.{}", extended.empty() ? "" : ":", m.extendedSub);
    const std::string descriptor = m.descriptorInRegister ? "a0.0" : fmt::format("0x{:08X}", m.descriptor);
    std::string options = m.extendedBso ? "ExBSO" : "";
    if (m.endOfThread) options += options.empty() ? "EOT" : ",EOT";
    if (!options.empty()) options = fmt::format(" {{{}}}", options);
    std::string payloads = payload(architecture, in.source[0]);
    if (in.sources > 1) payloads += fmt::format(" {}{}", registerName(architecture, in.source[1]), length);
    return fmt::format("{} {} {} {} {}{}", name, registerName(architecture, in.destination), payloads, extended,
                       descriptor, options);
}

std::string branchText(const Architecture& architecture, const Instruction& in, std::string name) {
    const bool calls = in.opcode == Opcode::call || in.opcode == Opcode::calla;
    const bool two = in.opcode == Opcode::jumpTo || in.opcode == Opcode::brc || in.opcode == Opcode::branchIf ||
                     in.opcode == Opcode::branchElse || in.opcode == Opcode::breakLoop ||
                     in.opcode == Opcode::continueLoop || in.opcode == Opcode::halt;
    if (in.branchControl) name += ".b";
    std::string text = predicate(in) + name;
    if (in.opcode != Opcode::jmpi) text += fmt::format(" {}", lanes(in));
    if (calls) text += fmt::format(" {}.{}", registerName(architecture, in.destination), in.destination.subByte / 4);
    if (in.targetInRegister)
        return text + fmt::format(" {}.{}", registerName(architecture, in.source[0]), in.source[0].subByte / 4);
    text += fmt::format(" {}", in.jip);
    return two ? text + fmt::format(" {}", in.uip) : text;
}

std::vector<std::string> scoreboardTokens(std::uint64_t mask) {
    std::vector<std::string> list;
    for (unsigned i = 0; i < 32; ++i)
        if (mask >> i & 1) list.push_back(fmt::format("${}", i));
    return list;
}
std::string syncText(const Architecture& architecture, const Instruction& in) {
    constexpr const char* functions[] = {"nop", "?", "allrd", "allwr", "?", "?",     "?",   "?",
                                         "?",   "?", "?",     "?",     "?", "fence", "bar", "host"};
    const bool tokens = in.function == 2 || in.function == 3;
    std::string operand = "null";
    if (in.sources != 0) operand = fmt::format("{}:{}", place(architecture, in.source[0]), nameOf(in.source[0].type));
    if (in.source[0].isImmediate()) {
        const bool plain = in.source[0].type == DataType::ud;
        operand = plain ? fmt::format("0x{:X}", in.source[0].immediate) : immediate(in.source[0]);
    }
    if (in.source[0].isImmediate() && tokens)
        operand = fmt::format("({})", fmt::join(scoreboardTokens(in.source[0].immediate), ","));
    return fmt::format("{}sync.{} {}", predicate(in), functions[in.function], operand);
}

/// What follows the mnemonic of an instruction with several functions.
std::string functionName(const Instruction& in) {
    constexpr const char* math[] = {"?",    "inv", "log",  "exp",  "sqt",  "rsqt", "sin",   "cos",  "?",
                                    "fdiv", "pow", "idiv", "iqot", "irem", "invm", "rsqtm", "tanh", "sigm"};
    constexpr const char* shifted[] = {"b32", "b16v2", "b8v4", "?"};
    constexpr const char* shuffled[] = {"up", "upz", "dn", "dnz", "xor", "idx", "idx4", "?"};
    constexpr const char* scaled[] = {"?", "hftoe2m1", "hftoint4", "?", "?", "bftoe2m1", "bftoint4", "?"};
    switch (in.opcode) {
        case Opcode::math:
            return fmt::format(".{}", math[in.function % std::size(math)]);
        case Opcode::bfn:
            return fmt::format(".0x{:02X}", in.function);
        case Opcode::lfsr:
            return fmt::format(".{}", shifted[in.function & 3]);
        case Opcode::shfl:
            return fmt::format(".{}", shuffled[in.function & 7]);
        case Opcode::dnscl:
            return fmt::format(".{}.mode{}.{}", scaled[in.function & 7], in.function >> 4 & 3,
                               in.function & 8 ? "rne" : "srnd");
        default:
            return "";
    }
}

std::string arithmeticText(const Architecture& architecture, const Instruction& in, std::string name, Format format) {
    constexpr const char* conditions[] = {"",   "eq", "ne", "gt", "ge", "lt", "le", "?",
                                          "ov", "un", "?",  "?",  "?",  "?",  "?",  "?"};
    name += functionName(in);
    std::string text = fmt::format("{}{} {}", predicate(in), name, lanes(in));
    const std::string flag = fmt::format("f{}.{}", in.flag / 2, in.flag & 1);
    if (in.condition != Condition::none)
        text += fmt::format(" ({}){}", conditions[static_cast<int>(in.condition) & 15], flag);
    const bool macro = in.function == math_function::kInvm || in.function == math_function::kRsqtm;
    if (format == Format::math && macro) text += fmt::format(" (eo){}", flag);
    const Operand& d = in.destination;
    text += fmt::format(" {}{}{}:{}", in.saturate ? "(sat)" : "", place(architecture, d),
                        d.mme >= 0 ? "" : fmt::format("<{}>", d.horizontal), nameOf(d.type));
    for (int k = 0; k < in.sources; ++k) text += fmt::format(" {}", source(architecture, in, k, format));
    return text;
}

std::string systolicText(const Architecture& architecture, const Instruction& in, std::string_view name) {
    const auto operand = [&](const Operand& o) {
        const bool last = &o >= &in.source[2];  // and scales
        const std::uint32_t bits = o.elementBits ? o.elementBits : byteSize(o.type) * 8;
        const std::uint32_t element = o.subByte * 8 / bits;
        const std::string sub = element || last ? fmt::format(".{}", element) : "";
        const std::string place = o.isNull() ? "null" : registerName(architecture, o) + sub;
        if (o.elementBits != 0 && isReal(o.type)) return place + ":e2m1";
        if (o.elementBits == 0) return fmt::format("{}:{}", place, nameOf(o.type));
        return fmt::format("{}:{}{}", place, isSigned(o.type) ? 's' : 'u', o.elementBits);
    };
    std::string text = fmt::format("{}{}.{}x{} {} {}", predicate(in), name, in.systolicDepth, in.repeatCount, lanes(in),
                                   operand(in.destination));
    for (const Operand& o : in.source) text += " " + operand(o);
    if (in.opcode == Opcode::bdpas)
        for (const Operand& o : in.scale) text += " " + operand(o);
    return text;
}

}  // namespace

std::string text(const Architecture& architecture, const Instruction& in) {
    const OpcodeInfo& info = *findOpcode(static_cast<std::uint8_t>(in.opcode));
    switch (info.format) {
        case Format::control:
            return std::string(info.mnemonic);
        case Format::systolic:
            return systolicText(architecture, in, info.mnemonic);
        case Format::sync:
            return syncText(architecture, in);
        case Format::branch:
            return branchText(architecture, in, std::string(info.mnemonic));
        case Format::send:
            return sendText(architecture, in);
        default:
            return arithmeticText(architecture, in, std::string(info.mnemonic), info.format);
    }
}

}  // namespace zetl::isa::xe
