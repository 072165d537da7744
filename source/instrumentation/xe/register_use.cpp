#include "instrumentation/xe/register_use.h"

#include <algorithm>
#include <optional>

namespace zetl::instrumentation {
namespace {

namespace xe = isa::xe;
using xe::ArchitectureRegister;
using xe::Opcode;

constexpr ByteRange kAnyGeneral{place::kGeneral, place::kGeneralBytes};
constexpr ByteRange kAnyAccumulator{place::kAccumulator, place::kAccumulatorBytes};
/// Those that an instruction uses without naming them.
constexpr ByteRange kImplicitAccumulators{place::kAccumulator, 4 * place::kRegisterBytes};
constexpr ByteRange kAnyAddress{place::kAddress, place::kAddressBytes};
constexpr std::uint32_t kMaxPayloadRegisters = 31;
constexpr std::uint32_t kMessageLanes = 16;

/// Where a register operand begins; nothing for registers that carry no values between instructions.
std::optional<std::uint32_t> startOf(const xe::Operand& operand) {
    if (operand.isGrf()) return place::kGeneral + operand.number * place::kRegisterBytes + operand.subByte;
    if (operand.isAccumulator()) return place::kAccumulator + operand.number * place::kRegisterBytes + operand.subByte;
    if (operand.isArf(ArchitectureRegister::flag))
        return place::kFlag + (operand.number % place::kFlags) * place::kFlagBytes + operand.subByte;
    if (operand.isArf(ArchitectureRegister::address)) return place::kAddress + operand.subByte;
    return std::nullopt;
}

void append(std::vector<ByteRange>& ranges, ByteRange range) {
    if (!ranges.empty() && ranges.back().start + ranges.back().count == range.start)
        ranges.back().count += range.count;
    else
        ranges.push_back(range);
}

class Collector {
  public:
    explicit Collector(const xe::Instruction& instruction) : in_(instruction) {}

    RegisterUse run() {
        const xe::OpcodeInfo* const info = xe::findOpcode(static_cast<std::uint8_t>(in_.opcode));
        readMask();
        switch (info->format) {
            case xe::Format::control:
            case xe::Format::sync:
                break;
            case xe::Format::branch:
                branch();
                break;
            case xe::Format::send:
                message();
                break;
            case xe::Format::systolic:
                systolic();
                break;
            default:
                arithmetic();
        }
        return std::move(use_);
    }

  private:
    const xe::Instruction& in_;
    RegisterUse use_;

    void readMask() {
        const bool predicated = in_.predicate != xe::Predicate::none;
        if (predicated) use_.reads.push_back(wholeFlag());
        // The predicate of sel chooses a source; every lane is written.
        use_.coverage = predicated && in_.opcode != Opcode::sel ? Coverage::some
                        : in_.noMask                            ? Coverage::all
                                                                : Coverage::running;
    }

    ByteRange wholeFlag() const { return {place::kFlag + in_.flag / 2u * place::kFlagBytes, place::kFlagBytes}; }

    void source(const xe::Operand& operand) {
        if (operand.isIndirect()) {
            use_.reads.insert(use_.reads.end(), {kAnyGeneral, kAnyAddress});
            return;
        }
        const auto start = startOf(operand);
        if (!start) return;
        const std::uint32_t bytes = xe::byteSize(operand.type);
        if (operand.mme >= 0) {
            use_.reads.insert(use_.reads.end(), {ByteRange{*start, in_.width * bytes}, kAnyAccumulator});
            return;
        }
        for (std::uint32_t lane = 0; lane < in_.width; ++lane) {
            const std::uint32_t row = lane / operand.width;
            const std::uint32_t column = lane % operand.width;
            append(use_.reads, {*start + (row * operand.vertical + column * operand.horizontal) * bytes, bytes});
        }
    }

    void destination(const xe::Operand& operand) {
        if (operand.isIndirect()) {
            use_.reads.push_back(kAnyAddress);
            use_.touches.push_back(kAnyGeneral);
            return;
        }
        const auto start = startOf(operand);
        if (!start) return;
        const std::uint32_t bytes = xe::byteSize(operand.type);
        const std::uint32_t stride = std::max<std::uint32_t>(operand.horizontal, 1);
        if (operand.mme >= 0) {
            use_.touches.insert(use_.touches.end(), {ByteRange{*start, in_.width * bytes}, kAnyAccumulator});
            return;
        }
        for (std::uint32_t lane = 0; lane < in_.width; ++lane)
            append(use_.writes, {*start + lane * stride * bytes, bytes});
    }

    void arithmetic() {
        for (int i = 0; i < in_.sources; ++i) source(in_.source[i]);
        destination(in_.destination);
        const bool accumulates = in_.opcode == Opcode::mac || in_.opcode == Opcode::mach || in_.opcode == Opcode::macl;
        if (accumulates) use_.reads.push_back(kImplicitAccumulators);
        if (accumulates || in_.opcode == Opcode::addc || in_.opcode == Opcode::subb)
            use_.touches.push_back(kImplicitAccumulators);
        const bool rootMacro = in_.opcode == Opcode::math && in_.function >= xe::math_function::kInvm;
        if (in_.condition != xe::Condition::none || rootMacro) condition();
        finish();
    }

    /// A flag has one bit per lane, so only whole bytes are sure to be written.
    void condition() {
        if (in_.opcode == Opcode::sel || in_.opcode == Opcode::csel) return;
        constexpr std::uint32_t kLanesPerByte = 8;
        constexpr std::uint32_t kBytesPerHalf = 2;
        const std::uint32_t start =
            place::kFlag + in_.flag * kBytesPerHalf + (in_.flag % 2 == 0 ? in_.offset / kLanesPerByte : 0u);
        use_.touches.push_back(wholeFlag());
        if (in_.width >= kLanesPerByte && in_.flag % 2 == 0) use_.writes.push_back({start, in_.width / kLanesPerByte});
    }

    void branch() {
        if (in_.targetInRegister) {
            const auto start = startOf(in_.source[0]);
            constexpr std::uint32_t kAddressAndMask = 8;
            if (start) use_.reads.push_back({*start, kAddressAndMask});
        }
        if (in_.opcode == Opcode::call || in_.opcode == Opcode::calla) {
            const auto start = startOf(in_.destination);
            if (start) use_.touches.push_back({*start, 8});
        }
    }

    void registers(std::vector<ByteRange>& ranges, const xe::Operand& operand, std::uint32_t count) {
        const auto start = startOf(operand);
        if (start) ranges.push_back({*start, count * place::kRegisterBytes});
    }

    void message() {
        const xe::Message& m = in_.message;
        const std::uint32_t length = m.descriptor >> 25 & 15;
        const std::uint32_t answer = m.descriptor >> 20 & 31;
        registers(use_.reads, in_.source[0], m.descriptorInRegister ? kMaxPayloadRegisters : length);
        registers(use_.reads, in_.source[1],
                  m.src1Registers < 0 ? kMaxPayloadRegisters : static_cast<std::uint32_t>(m.src1Registers));
        if (m.descriptorInRegister || m.extendedInRegister) use_.reads.push_back(kAnyAddress);
        registers(use_.touches, in_.destination, m.descriptorInRegister ? kMaxPayloadRegisters : answer);
        if (!m.descriptorInRegister && m.function == xe::SharedFunction::ugm) load(m.descriptor);
        finish();
    }

    /// A load is sure to write the elements of its lanes; other messages are not looked into.
    void load(std::uint32_t descriptor) {
        constexpr std::uint32_t kLoad = 0;
        if ((descriptor & 63) != kLoad) return;
        constexpr std::uint8_t kElementBytes[] = {1, 2, 4, 8, 4, 4, 4, 0};
        constexpr std::uint8_t kVector[] = {1, 2, 3, 4, 8, 16, 32, 64};
        const std::uint32_t bytes = kElementBytes[descriptor >> 9 & 7];
        const std::uint32_t vector = kVector[descriptor >> 12 & 7];
        const bool transposed = descriptor >> 15 & 1;
        const auto start = startOf(in_.destination);
        if (!start || bytes < 4) return;
        if (transposed) {
            use_.writes.push_back({*start, vector * bytes});
            return;
        }
        const std::uint32_t component = std::max<std::uint32_t>(in_.width, kMessageLanes) * bytes;
        for (std::uint32_t i = 0; i < vector; ++i) use_.writes.push_back({*start + i * component, in_.width * bytes});
    }

    /// Whole registers: rows of the result, eight rows of the second source a stage, and what the third one takes.
    void systolic() {
        const std::uint32_t rows = in_.repeatCount;
        const std::uint32_t depth = in_.systolicDepth;
        const auto accumulatorBytes = rows * in_.width * xe::byteSize(in_.source[0].type);
        if (const auto start = startOf(in_.source[0])) use_.reads.push_back({*start, accumulatorBytes});
        registers(use_.reads, in_.source[1], depth);
        if (const auto start = startOf(in_.source[2])) use_.reads.push_back({*start, rows * depth * 4});
        if (const auto start = startOf(in_.destination))
            use_.writes.push_back({*start, rows * in_.width * xe::byteSize(in_.destination.type)});
        finish();
    }

    void finish() { use_.touches.insert(use_.touches.end(), use_.writes.begin(), use_.writes.end()); }
};

}  // namespace

RegisterUse useOf(const xe::Instruction& instruction) { return Collector(instruction).run(); }

}  // namespace zetl::instrumentation
