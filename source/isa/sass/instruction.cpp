#include "isa/sass/instruction.h"

#include <cstring>

namespace zetl::isa::sass {
namespace {

constexpr std::uint64_t bits(std::uint64_t word, unsigned low, unsigned count) noexcept {
    return word >> low & ((std::uint64_t{1} << count) - 1);
}

constexpr void put(std::uint64_t& word, unsigned low, unsigned count, std::uint64_t value) noexcept {
    const std::uint64_t mask = ((std::uint64_t{1} << count) - 1) << low;
    word = (word & ~mask) | (value << low & mask);
}

constexpr std::int64_t extended(std::uint64_t value, unsigned count) noexcept {
    return static_cast<std::int64_t>(value << (64 - count)) >> (64 - count);
}

constexpr Generation kGenerations[] = {
    {80, false, false, 0x118}, {86, false, false, 0x118}, {89, false, false, 0x118}, kHopper};

/// Displacements are in units of four bytes, their bits in three fields. Where a barrier is set up, the lowest one is
/// the barrier's number; before Hopper, no displacement has bits there.
constexpr unsigned kUnit = 4;
constexpr unsigned kLowest = 8;    // bits 16 to 23 of the low word
constexpr unsigned kMiddle = 30;   // bits 34 to 63 of it
constexpr unsigned kHighest = 18;  // bits 0 to 17 of the high word
constexpr unsigned kLowestAt = 16;
constexpr unsigned kMiddleAt = 34;

constexpr unsigned kAbsolute = 21;    // of the high word, in returns
constexpr unsigned kCollective = 22;  // of the high word, in warp synchronisation

bool isCollective(const Instruction& in) noexcept {
    return in.opcode() == Opcode::warpSync && bits(in.high, kCollective, 1) != 0;
}

bool isRelative(const Instruction& in) noexcept {
    switch (in.opcode()) {
        case Opcode::branch:
        case Opcode::callRelative:
        case Opcode::convergenceSet:
            return true;
        case Opcode::leave:
            return bits(in.high, kAbsolute, 1) == 0;
        case Opcode::warpSync:
            return isCollective(in);
        default:
            return false;
    }
}

/// All opcodes that change the control flow are in this range.
constexpr bool steers(Opcode opcode) noexcept {
    const auto number = static_cast<std::uint16_t>(opcode);
    return number >= 0x140 && number < 0x160;
}

}  // namespace

Flow Instruction::flow() const noexcept {
    switch (opcode()) {
        case Opcode::endCollective:
            return Flow::scatters;
        case Opcode::barrier:
            return Flow::separate;
        case Opcode::convergenceSync:
            return Flow::reconverges;
        case Opcode::callAbsolute:
        case Opcode::callRelative:
            return Flow::calls;
        case Opcode::branch:
            return Flow::branches;
        case Opcode::warpSync:
            return isCollective(*this) ? Flow::gathers : Flow::separate;
        case Opcode::exit:
        case Opcode::leave:
            return Flow::leaves;
        case Opcode::convergenceSet:
        case Opcode::convergenceBreak:
        case Opcode::yield:
        case Opcode::loadAddress:
        case Opcode::moveToBarrier:
        case Opcode::moveFromBarrier:
        case Opcode::breakpoint:
        case Opcode::sleep:
            return Flow::straight;
        default:
            return steers(opcode()) ? Flow::unknown : Flow::straight;
    }
}

bool Instruction::always() const noexcept {
    constexpr std::uint64_t kTrue = 7;
    // Its predicate; a second one with its negation, and whether lanes must diverge.
    return bits(low, 12, 4) == kTrue && bits(high, 23, 5) == kTrue;
}

const Generation* generationOf(std::uint32_t chip) noexcept {
    for (const Generation& each : kGenerations)
        if (each.chip == chip) return &each;
    return nullptr;
}

std::optional<std::int64_t> Instruction::displacement(const Generation& generation) const noexcept {
    if (!isRelative(*this)) return std::nullopt;
    const bool isWhole = opcode() == Opcode::convergenceSet || !generation.splitsDisplacements;
    const std::uint64_t upper = bits(low, kMiddleAt, kMiddle) | bits(high, 0, kHighest) << kMiddle;
    if (isWhole) return extended(upper, kMiddle + kHighest) * kUnit;
    return extended(upper << kLowest | bits(low, kLowestAt, kLowest), kLowest + kMiddle + kHighest) * kUnit;
}

bool Instruction::movable() const noexcept { return opcode() != Opcode::loadAddress && flow() != Flow::gathers; }

void Instruction::setDisplacement(std::int64_t bytes, const Generation& generation) noexcept {
    auto units = static_cast<std::uint64_t>(bytes / kUnit);
    if (opcode() != Opcode::convergenceSet && generation.splitsDisplacements) {
        put(low, kLowestAt, kLowest, units);
        units >>= kLowest;
    }
    put(low, kMiddleAt, kMiddle, units);
    put(high, 0, kHighest, units >> kMiddle);
}

/// The uniform datapath has the numbers of the ordinary one and 0x80 more; four others write its registers, too.
std::optional<std::uint32_t> Instruction::uniformTarget() const noexcept {
    const auto number = static_cast<std::uint16_t>(opcode());
    constexpr std::uint16_t kToUniform = 0xca;
    constexpr std::uint16_t kElect = 0x12f;
    constexpr std::uint16_t kSpecialToUniform = 0x1c3;
    constexpr std::uint16_t kReduce = 0x1c4;
    const bool datapath = number >= 0x80 && number < 0xc0;
    if (!datapath && number != kToUniform && number != kElect && number != kSpecialToUniform && number != kReduce)
        return std::nullopt;
    return static_cast<std::uint32_t>(bits(low, 16, 8));
}

std::vector<Instruction> instructionsIn(std::span<const std::uint8_t> code) {
    std::vector<Instruction> instructions(code.size() / kInstructionBytes);
    static_assert(sizeof(Instruction) == kInstructionBytes);
    if (instructions.empty()) return instructions;
    std::memcpy(instructions.data(), code.data(), instructions.size() * kInstructionBytes);
    while (!instructions.empty() && instructions.back().opcode() == Opcode::nop) instructions.pop_back();
    return instructions;
}

Instruction branchBy(std::int64_t displacement, const Generation& generation) noexcept {
    Instruction branch{0x7947, 0x000fea0003800000};
    branch.setDisplacement(displacement, generation);
    return branch;
}

void append(std::vector<std::uint8_t>& code, const Instruction& instruction) {
    const auto* const bytes = reinterpret_cast<const std::uint8_t*>(&instruction);
    code.insert(code.end(), bytes, bytes + kInstructionBytes);
}

}  // namespace zetl::isa::sass
