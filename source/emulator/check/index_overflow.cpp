#include "emulator/check/index_overflow.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>

#include "emulator/check/register_bytes.h"

namespace zetl::emulator::check {
namespace {

using isa::DataType;
using isa::Instruction;
using isa::Opcode;
using isa::Operand;

constexpr isa::Line kNearIndex = 40;

bool isInteger(const Operand& operand) noexcept {
    return isWholeNumber(operand.type) && (operand.isImmediate() || isOfRegisters(operand));
}

/// The second half of a product of 32 bits, whose first half is in the accumulator.
bool isProduct(const Instruction& in) noexcept { return in.opcode == Opcode::macl || in.opcode == Opcode::mul; }

bool computesNumber(const Instruction& in) noexcept {
    constexpr std::array kOpcodes{Opcode::add, Opcode::add3, Opcode::mad, Opcode::macl, Opcode::mul};
    if (std::ranges::find(kOpcodes, in.opcode) == kOpcodes.end()) return false;
    if (!isOfRegisters(in.destination) || in.destination.type != DataType::d || in.saturate) return false;
    return std::all_of(in.source.begin(), in.source.begin() + in.sources, [](const Operand& source) {
        return isInteger(source) && byteSize(source.type) <= sizeof(std::int32_t);
    });
}

bool copiesNumber(const Instruction& in) noexcept {
    const Operand& from = in.source[0];
    return in.opcode == Opcode::mov && isOfRegisters(from) && isOfRegisters(in.destination) && !from.hasModifier() &&
           isWholeNumber(from.type) && isWholeNumber(in.destination.type) &&
           byteSize(from.type) == sizeof(std::int32_t) && byteSize(in.destination.type) == sizeof(std::int32_t);
}

class Search {
  public:
    explicit Search(const isa::Program& program) : program_(program), found_(program.lineCount()) {}

    std::vector<bool> run() {
        for (isa::Line line = 0; line < program_.lineCount(); ++line)
            if (computesNumber(program_.instruction(line)) && isExtended(line)) add(line);
        return std::move(found_);
    }

  private:
    /// Whether its result, or a copy, is read as a signed number by what computes with 64 bits.
    bool isExtended(isa::Line line) const {
        std::vector<RegisterBytes> places{bytesWrittenBy(program_.instruction(line))};
        const isa::Line end = std::min<isa::Line>(program_.lineCount(), line + kNearIndex);
        for (isa::Line next = line + 1; next < end && !places.empty(); ++next) {
            const Instruction& in = program_.instruction(next);
            if (leavesTheBlock(in)) return false;
            const auto isPlace = [&](const Operand& operand) {
                return isOfRegisters(operand) && std::ranges::any_of(places, [&](const RegisterBytes& place) {
                           return place.meets(bytesReadBy(in, operand));
                       });
            };
            const bool extends = byteSize(in.destination.type) == sizeof(std::int64_t) && isInteger(in.destination);
            for (std::uint32_t i = 0; i < in.sources && extends; ++i)
                if (in.source[i].type == DataType::d && isPlace(in.source[i])) return true;
            const RegisterBytes written = bytesWrittenBy(in);
            const bool copies = copiesNumber(in) && isPlace(in.source[0]);
            std::erase_if(places, [&](const RegisterBytes& place) { return place.meets(written); });
            if (copies) places.push_back(written);
        }
        return false;
    }

    void add(isa::Line line) {
        found_[line] = true;
        const Instruction& in = program_.instruction(line);
        if (isProduct(in)) return;
        for (std::uint32_t i = 0; i < in.sources; ++i)
            if (isOfRegisters(in.source[i]) && in.source[i].type == DataType::d) addProduct(line, in.source[i]);
    }

    /// The line in front of this one that has computed the operand, if that is a product.
    void addProduct(isa::Line line, const Operand& operand) {
        const RegisterBytes read = bytesReadBy(program_.instruction(line), operand);
        for (isa::Line back = 1; back <= kNearIndex && back <= line; ++back) {
            const Instruction& before = program_.instruction(line - back);
            if (leavesTheBlock(before)) return;
            if (!bytesWrittenBy(before).meets(read)) continue;
            if (!isProduct(before) || !computesNumber(before)) return;
            found_[line - back] = true;
            if (bytesWrittenBy(before).begin <= read.begin)
                return;  // of wide instructions, halves are computed in turn
        }
    }

    const isa::Program& program_;
    std::vector<bool> found_;
};

std::int64_t numberAt(const isa::Thread& thread, const Operand& operand, std::uint32_t lane) noexcept {
    const std::uint32_t bytes = byteSize(operand.type);
    std::uint64_t bits = operand.immediate;
    if (!operand.isImmediate()) {
        bits = 0;
        const std::uint32_t place = isa::placeOf(operand) + isa::elementOf(operand, lane) * bytes;
        std::memcpy(&bits, thread.state + isa::layout::kGrf + place, bytes);
    }
    const unsigned unused = 64 - bytes * 8;
    auto number = static_cast<std::int64_t>(bits << unused);
    number = isSigned(operand.type) ? number >> unused : static_cast<std::int64_t>(bits << unused >> unused);
    if (operand.absolute && number < 0) number = -number;
    return operand.negate ? -number : number;
}

}  // namespace

std::vector<bool> indexArithmeticOf(const isa::Program& program) { return Search(program).run(); }

std::uint32_t lanesThatOverflow(const isa::Thread& thread, const isa::Instruction& in, std::uint32_t lanes) noexcept {
    std::uint32_t wrong = 0;
    for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
        std::array<std::int64_t, 3> number{};
        for (std::uint32_t i = 0; i < in.sources; ++i) number[i] = numberAt(thread, in.source[i], lane);
        std::int64_t result = number[0] + number[1] + number[2];  // none has more than 32 bits
        if (isProduct(in)) result = number[0] * number[1];
        if (in.opcode == Opcode::mad) result = number[0] + number[1] * number[2];
        const bool fits =
            result >= std::numeric_limits<std::int32_t>::min() && result <= std::numeric_limits<std::int32_t>::max();
        if (!fits) wrong |= 1u << lane;
    }
    return wrong;
}

}  // namespace zetl::emulator::check
