// One instruction of SASS, NVIDIA's machine code from Volta on: two words. NVIDIA documents no encoding; these facts
// were found by comparing the output of its compiler with nvdisasm's text for it (CUDA 13.0, sm_90).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace zetl::isa::sass {

/// Bits 0 to 8. Bits 9 to 11 tell which operands are registers, constants and immediate values.
enum class Opcode : std::uint16_t {
    nop = 0x118,
    endCollective = 0x11b,
    barrier = 0x11d,
    convergenceSync = 0x141,
    convergenceBreak = 0x142,
    callAbsolute = 0x143,
    callRelative = 0x144,
    convergenceSet = 0x145,
    yield = 0x146,
    branch = 0x147,
    warpSync = 0x148,
    exit = 0x14d,
    loadAddress = 0x14e,
    leave = 0x150,
    moveToBarrier = 0x155,
    moveFromBarrier = 0x156,
    breakpoint = 0x15c,
    sleep = 0x15d,
};

/// Where lanes go on behind an instruction.
enum class Flow : std::uint8_t {
    straight,     ///< at the next one
    separate,     ///< at the next one, perhaps not with the same lanes
    branches,     ///< at the target; under a predicate at the next one, too
    reconverges,  ///< where the barrier was set up for them
    calls,        ///< elsewhere, and then at the next one
    leaves,       ///< nowhere, or elsewhere; under a predicate at the next one
    gathers,      ///< at the next one, together with lanes of other branches, which also start here
    scatters,     ///< at the target of the instruction that gathered them
    unknown,
};

inline constexpr std::uint32_t kInstructionBytes = 16;

/// What differs between chips whose instructions are otherwise encoded alike, by nvdisasm's text for the code of
/// CUDA 13.0's compiler.
struct Generation {
    std::uint32_t chip = 0;              ///< 90: sm_90
    bool splitsDisplacements = false;    ///< the lowest bits of most displacements lie apart from the others
    bool gathersLanes = false;           ///< WARPSYNC.COLLECTIVE, where others have WARPSYNC.EXCLUSIVE
    std::uint32_t memoryDescriptor = 0;  ///< of global memory: its offset in constant bank 0
};
inline constexpr Generation kHopper{90, true, true, 0x208};
/// Null for a chip that is not known.
const Generation* generationOf(std::uint32_t chip) noexcept;

struct Instruction {
    std::uint64_t low = 0;
    std::uint64_t high = 0;

    Opcode opcode() const noexcept { return Opcode(low & 0x1ff); }
    Flow flow() const noexcept;
    /// True without a predicate.
    bool always() const noexcept;
    /// The distance from its end to the place that it names relative to itself. Branches have one, and some others.
    std::optional<std::int64_t> displacement(const Generation& generation) const noexcept;
    /// Only for instructions that have one.
    void setDisplacement(std::int64_t bytes, const Generation& generation) noexcept;
    /// It has the same meaning at another place, once its displacement is set anew.
    bool movable() const noexcept;
    /// The first of the uniform registers that it writes.
    std::optional<std::uint32_t> uniformTarget() const noexcept;
    /// Lets no operand be kept for the instruction behind it.
    void keepNoOperands() noexcept { high &= ~(0xfull << 58); }

    bool operator==(const Instruction&) const = default;
};

/// Whole instructions, up to those without effect that fill the section's end.
std::vector<Instruction> instructionsIn(std::span<const std::uint8_t> code);

/// An unconditional branch.
Instruction branchBy(std::int64_t displacement, const Generation& generation) noexcept;

void append(std::vector<std::uint8_t>& code, const Instruction& instruction);

inline constexpr Instruction kNop{0x7918, 0x000fc00000000000};
/// BPT, as cuda-gdb writes it over an instruction.
inline constexpr Instruction kBreakpoint{0x000000040000795c, 0x000fea0000300000};

}  // namespace zetl::isa::sass
