// Assembly text of one instruction.
#include <fmt/format.h>
#include <fmt/ranges.h>

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

std::string sendText(const Architecture& architecture, const Instruction& in) {
    const Message& m = in.message;
    const std::string length = m.src1Registers < 0 ? "" : fmt::format(":{}", m.src1Registers);
    std::string extended = m.extended != 0 || !m.extendedInRegister ? fmt::format("0x{:X}", m.extended) : "";
    if (m.extendedInRegister) extended += fmt::format("{}a0.{}", extended.empty() ? "" : ":", m.extendedSub);
    const std::string descriptor = m.descriptorInRegister ? "a0.0" : fmt::format("0x{:08X}", m.descriptor);
    std::string options = m.extendedBso ? "ExBSO" : "";
    if (m.endOfThread) options += options.empty() ? "EOT" : ",EOT";
    if (!options.empty()) options = fmt::format(" {{{}}}", options);
    return fmt::format("{}{}.{} {} {} {} {}{} {} {}{}", predicate(in),
                       findOpcode(static_cast<std::uint8_t>(in.opcode))->mnemonic,
                       architecture.functionNames[static_cast<std::size_t>(m.function)], lanes(in),
                       registerName(architecture, in.destination), registerName(architecture, in.source[0]),
                       registerName(architecture, in.source[1]), length, extended, descriptor, options);
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
    if (in.source[0].isImmediate()) operand = fmt::format("0x{:X}", in.source[0].immediate);
    if (in.source[0].isImmediate() && tokens)
        operand = fmt::format("({})", fmt::join(scoreboardTokens(in.source[0].immediate), ","));
    return fmt::format("{}sync.{} {}", predicate(in), functions[in.function], operand);
}

std::string arithmeticText(const Architecture& architecture, const Instruction& in, std::string name, Format format) {
    constexpr const char* math[] = {"?", "inv",  "log", "exp",  "sqt",  "rsqt", "sin",  "cos",
                                    "?", "fdiv", "pow", "idiv", "iqot", "irem", "invm", "rsqtm"};
    constexpr const char* conditions[] = {"",   "eq", "ne", "gt", "ge", "lt", "le", "?",
                                          "ov", "un", "?",  "?",  "?",  "?",  "?",  "?"};
    if (format == Format::math) name += fmt::format(".{}", math[in.function & 15]);
    if (in.opcode == Opcode::bfn) name += fmt::format(".0x{:X}", in.function);
    std::string text = fmt::format("{}{} {}", predicate(in), name, lanes(in));
    const std::string flag = fmt::format("f{}.{}", in.flag / 2, in.flag & 1);
    if (in.condition != Condition::none)
        text += fmt::format(" ({}){}", conditions[static_cast<int>(in.condition) & 15], flag);
    if (format == Format::math && in.function >= math_function::kInvm) text += fmt::format(" (eo){}", flag);
    const Operand& d = in.destination;
    text += fmt::format(" {}{}{}:{}", in.saturate ? "(sat)" : "", place(architecture, d),
                        d.mme >= 0 ? "" : fmt::format("<{}>", d.horizontal), nameOf(d.type));
    for (int k = 0; k < in.sources; ++k) text += fmt::format(" {}", source(architecture, in, k, format));
    return text;
}

std::string systolicText(const Architecture& architecture, const Instruction& in) {
    const auto operand = [&](const Operand& o) {
        const bool last = &o == &in.source[2];
        const std::uint32_t bits = o.elementBits ? o.elementBits : byteSize(o.type) * 8;
        const std::uint32_t element = o.subByte * 8 / bits;
        const std::string sub = element || last ? fmt::format(".{}", element) : "";
        const std::string place = registerName(architecture, o) + sub;
        if (o.elementBits == 0) return fmt::format("{}:{}", place, nameOf(o.type));
        return fmt::format("{}:{}{}", place, isSigned(o.type) ? 's' : 'u', o.elementBits);
    };
    return fmt::format("{}dpas.{}x{} {} {} {} {} {}", predicate(in), in.systolicDepth, in.repeatCount, lanes(in),
                       operand(in.destination), operand(in.source[0]), operand(in.source[1]), operand(in.source[2]));
}

}  // namespace

std::string text(const Architecture& architecture, const Instruction& in) {
    const OpcodeInfo& info = *findOpcode(static_cast<std::uint8_t>(in.opcode));
    switch (info.format) {
        case Format::control:
            return std::string(info.mnemonic);
        case Format::systolic:
            return systolicText(architecture, in);
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
