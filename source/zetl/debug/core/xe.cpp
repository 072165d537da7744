#include "core/xe.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <span>

#include "core/address.h"
#include "core/failure.h"
#include "core/inspector.h"
#include "core/xe_registers.h"
#include "correlation/iga.h"
#include "isa/xe/decode.h"

namespace zetl::debugger {
namespace {

namespace encoding = isa::xe;

constexpr unsigned kShort = 8;  // bytes
constexpr unsigned kLong = 16;
constexpr unsigned kMostNumbered = 256;  // registers that locations name

// All but the first, which is any that is no argument, are those of vISA's convention for calls with a stack.
constexpr CallConvention kCalls{.targetRegister = 25,
                                .firstRegister = 26,
                                .argumentRegisters = 32,
                                .resultRegisters = 12,
                                .linkRegister = 127,
                                .stackDword = 2,
                                .frameQword = 3,
                                .unsafeBytes = 128};
constexpr CallConvention kCallsOfXe3P = [] {
    CallConvention calls = kCalls;
    calls.linkDword = 4;
    calls.frameQword = 5;
    calls.spillQword = 7;
    return calls;
}();
// "(f0.0) calla (1|M0) r127.0 r25.0", "illegal", and "ret (1|M0) r127.0".
constexpr std::uint64_t kCallWords[] = {0x7f04'0000'0400'002b, 0x1904};
constexpr std::uint64_t kReturnWords[] = {0x2d, 0x7f04};
constexpr unsigned kWidthBit = 18;      ///< where the binary logarithm of the width is
constexpr unsigned kCallLinkBit = 52;   ///< where a call's first word has the link's dword ...
constexpr unsigned kReturnLinkBit = 4;  ///< ... and a return's second

bool isCompacted(std::uint64_t word) { return (word >> 29 & 1) != 0; }

std::array<std::uint32_t, 4> controlOf(StoppedThread& thread) {
    std::array<std::uint32_t, 4> values{};
    const auto bytes = thread.must(registers::kControl, 0, 1);
    std::memcpy(values.data(), bytes.data(), std::min(bytes.size(), sizeof values));
    return values;
}

}  // namespace

std::uint64_t registers::stateBase(StoppedThread& thread, unsigned which) {
    return bitsOf(thread.must(kStateBase, 0, kScratchBase + 1), std::uint64_t{which} * 64, 64);
}

std::uint32_t registers::general32(StoppedThread& thread, unsigned number, unsigned word) {
    return static_cast<std::uint32_t>(bitsOf(thread.must(kGeneral, number, 1), std::uint64_t{word} * 32, 32));
}

unsigned Xe::bytesOf(std::uint64_t firstWord) const { return isCompacted(firstWord) ? kShort : kLong; }

Instruction Xe::decode(const std::array<std::uint64_t, 2>& words) const {
    Instruction instruction{.words = words, .bytes = bytesOf(words[0])};
    const auto decoded = encoding::decode(architecture_, std::as_bytes(std::span(words)), 0);
    if (!decoded) return instruction;
    const auto opcode = decoded->opcode;
    instruction.isCall = opcode == encoding::Opcode::call || opcode == encoding::Opcode::calla;
    instruction.isReturn = opcode == encoding::Opcode::ret;
    instruction.mayWrite = encoding::isSend(opcode);
    instruction.mayWait = opcode == encoding::Opcode::sync;  // for example for a barrier
    instruction.endsThread = decoded->message.endOfThread;
    instruction.signalsBarrier = instruction.mayWrite && !instruction.endsThread &&
                                 decoded->message.function == encoding::SharedFunction::gateway;
    instruction.waitsAtBarrier =
        opcode == encoding::Opcode::sync && decoded->function == encoding::sync_function::kBarrier;
    instruction.width = decoded->width;
    if (opcode == encoding::Opcode::call && !decoded->targetInRegister) instruction.distance = decoded->jip;
    if (decoded->destination.isGrf()) instruction.written = decoded->destination.number;
    const auto& link = instruction.isCall ? decoded->destination : decoded->source[0];
    if ((instruction.isCall || instruction.isReturn) && link.isGrf()) instruction.link = link.number;
    return instruction;
}

std::optional<BreakpointCode> Xe::breakpointIn(const Instruction& instruction) const {
    const auto bit = std::uint64_t{1} << encoding::breakpointBit(instruction.bytes);
    return BreakpointCode{.bytes = 4, .mask = {bit, 0}, .on = {bit, 0}, .off = {0, 0}};
}

std::string Xe::textOf(const Instruction& instruction) const {
    std::uint8_t bytes[sizeof instruction.words];
    std::memcpy(bytes, instruction.words.data(), sizeof bytes);
    if (auto text = correlation::igaText(architecture_, bytes); !text.empty()) return text;
    if (const auto known = encoding::decode(architecture_, std::as_bytes(std::span(instruction.words)), 0))
        return encoding::text(architecture_, *known);
    return instruction.bytes == kShort ? fmt::format("{:#018x}", instruction.words[0])
                                       : fmt::format("{:#018x} {:#018x}", instruction.words[0], instruction.words[1]);
}

std::span<const RegisterSetName> Xe::setNames() const {
    static constexpr RegisterSetName kNames[] = {{""},    {"r", true, false},
                                                 {"a"},   {"f"},
                                                 {"ce"},  {"sr"},
                                                 {"cr"},  {"tdr"},
                                                 {"acc"}, {"mme"},
                                                 {"sp"},  {"sba"},
                                                 {"dbg"}, {""},
                                                 {""},    {""},
                                                 {""},    {""},
                                                 {"s0."}};
    const std::span<const RegisterSetName> all(kNames);
    return architecture_.scalarBytes != 0 ? all : all.first(registers::kDebug + 1);
}

std::uint32_t Xe::mostRegisters(std::uint32_t set, std::uint32_t usual) const {
    return set == registers::kGeneral ? std::max(usual, architecture_.registerCounts.back()) : usual;
}

std::string Xe::gdbFeature() const { return fmt::format("org.zetl.{}", architecture_.name); }

std::uint32_t Xe::surestSet() const { return registers::kControl; }

Value Xe::registerNamed(const std::string& name, const Inspector& inspector) const {
    const auto index = name.starts_with("r") ? numberFrom(name.substr(1)) : std::nullopt;
    if (!index)
        fail("there is no ${}; known are $pc, $lane, $r0 and up, $group_x, $local_x, $global_x and so on", name);
    const auto number = kFirstGeneralRegister + static_cast<unsigned>(*index);
    return inspector.at(types::kRegister, {{{Piece::Kind::registerBits, 0, number, 0, 512, 0}}, false});
}

std::optional<Bytes> Xe::readNumbered(StoppedThread& thread, unsigned number) const {
    if (number == registers::kScratchBaseByDwarf) return thread.read(registers::kStateBase, registers::kScratchBase, 1);
    if (number < kFirstGeneralRegister || number >= kFirstGeneralRegister + kMostNumbered) return std::nullopt;
    return thread.read(registers::kGeneral, number - kFirstGeneralRegister, 1);
}

void Xe::writeNumbered(StoppedThread& thread, unsigned number, const Bytes& value) const {
    thread.write(registers::kGeneral, number - kFirstGeneralRegister, 1, value);
}

unsigned Xe::numberedBits() const { return encoding::kRegisterBytes * 8; }

std::uint64_t Xe::addressOf(StoppedThread& thread) const { return codeBase(thread) + controlOf(thread)[2]; }

Exceptions Xe::exceptionsOf(StoppedThread& thread) const {
    const auto bits = controlOf(thread)[1];
    return {.fault = (bits & registers::kFault) != 0,
            .breakpointOrStep = (bits & registers::kBreakpointOrStep) != 0,
            .illegal = (bits & registers::kIllegal) != 0,
            .software = (bits & registers::kSoftware) != 0};
}

std::uint32_t Xe::dispatchedLanes(StoppedThread& thread) const {
    return static_cast<std::uint32_t>(bitsOf(thread.must(registers::kStatus, 0, 1), 64, 32));
}

std::uint32_t Xe::activeLanes(StoppedThread& thread) const {
    return static_cast<std::uint32_t>(bitsOf(thread.must(registers::kChannelEnable, 0, 1), 0, 32)) &
           dispatchedLanes(thread);
}

Triple Xe::groupOf(StoppedThread& thread) const {
    const auto& dwords = architecture_.start.group;
    return {registers::general32(thread, 0, dwords[0]), registers::general32(thread, 0, dwords[1]),
            registers::general32(thread, 0, dwords[2])};
}

void Xe::prepare(StoppedThread& thread, bool stopAgain) const {
    auto values = controlOf(thread);
    values[0] |= registers::kSuppressBreakpoint;
    values[1] &= ~(registers::kBreakpointOrStep | registers::kHalted | registers::kIllegal | registers::kSoftware |
                   registers::kFault);
    if (stopAgain) values[1] |= registers::kBreakpointOrStep;
    Bytes bytes(sizeof values);
    std::memcpy(bytes.data(), values.data(), sizeof values);
    thread.write(registers::kControl, 0, 1, bytes);
}

// The highest byte selects the memory.
Address Xe::addressFrom(std::uint64_t tagged, StoppedThread& thread) const {
    constexpr std::uint64_t kScratchTag = 0x09;
    constexpr std::uint64_t kLocalTag = 0x0a;
    constexpr std::uint64_t kScratchOffset = 0xffff'ffff;
    if (tagged >> 56 == kLocalTag) return {Address::Space::local, tagged & kLocalOffset};
    if (tagged >> 56 != kScratchTag) return {Address::Space::global, tagged};
    return {Address::Space::global, registers::stateBase(thread, registers::kScratchBase) + (tagged & kScratchOffset)};
}

const CallConvention* Xe::callConvention() const {
    return &architecture_ == &encoding::kXe3P ? &kCallsOfXe3P : &kCalls;
}

CallCode Xe::callCode(unsigned width) const {
    const std::uint64_t wide = std::uint64_t(std::countr_zero(width)) << kWidthBit;
    const std::uint64_t link = callConvention()->linkDword;
    const std::uint64_t words[] = {
        kCallWords[0] | wide | link << kCallLinkBit, kCallWords[1], 0, 0, kReturnWords[0] | wide,
        kReturnWords[1] | link << kReturnLinkBit};
    CallCode code{.bytes = {}, .behind = kLong, .comeBack = 2 * kLong};
    code.bytes.resize(sizeof words);
    std::memcpy(code.bytes.data(), words, sizeof words);
    return code;
}

std::uint64_t Xe::codeBase(StoppedThread& thread) const {
    return registers::stateBase(thread, registers::kInstructionBase);
}

}  // namespace zetl::debugger
