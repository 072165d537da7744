// Where a variable is: DWARF expressions as Intel's compiler writes them, for one lane of a stopped thread.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace zetl::debugger {

using Bytes = std::vector<std::uint8_t>;

/// DWARF number of general register 0.
inline constexpr unsigned kFirstGeneralRegister = 16;

/// Intel's own operations.
namespace location_operation {
inline constexpr std::uint8_t kRegisterFromStack = 0xeb;
inline constexpr std::uint8_t kBitPieceFromStack = 0xec;
inline constexpr std::uint8_t kPushLane = 0xed;
inline constexpr std::uint8_t kRegisterBits = 0xfe;  // of newer compilers: a register's number, a bit are on the stack
}  // namespace location_operation

/// The input of an expression.
struct Surroundings {
    unsigned lane = 0;
    Bytes frameBase;  ///< the expression for DW_OP_fbreg
    /// The bytes of a register by its DWARF number; nothing if it cannot be read.
    std::function<std::optional<Bytes>(unsigned number)> readRegister;
    std::function<std::optional<Bytes>(std::uint64_t address, std::size_t bytes)> readMemory;
};

/// A part of an object, or all of it (bits 0).
struct Piece {
    /// `laneMemory`: the lane's own; `parameter`: the arguments of the kernel. Both only where they are no global
    /// memory.
    enum class Kind { memory, registerBits, value, gone, laneMemory, parameter } kind = Kind::gone;
    std::uint64_t address = 0;  ///< of memory of any kind
    unsigned number = 0;        ///< register, by its DWARF number
    std::uint64_t firstBit = 0;
    std::uint64_t bits = 0;
    std::uint64_t value = 0;

    bool isMemory() const noexcept {
        return kind == Kind::memory || kind == Kind::laneMemory || kind == Kind::parameter;
    }
};

/// Where a variable is.
struct VariablePlace {
    std::vector<Piece> pieces;
    bool isLocal = false;  ///< memory pieces are offsets in the work-group's memory
    std::string problem;   ///< why there are no pieces
};

struct Location {
    std::vector<Piece> pieces;  ///< one, or several for an object in several places
    std::string problem;        ///< why the expression has no result; then there are no pieces
    std::vector<Piece> used;    ///< bits of registers from which it was computed
};

/// Never reads beyond the expression. An invalid one, or one of more than 10,000 operations, is a problem.
Location evaluate(std::span<const std::uint8_t> expression, const Surroundings& surroundings);

/// Bits [first, first + count) of little-endian data, at most 64. Zero beyond its end.
std::uint64_t bitsOf(std::span<const std::uint8_t> data, std::uint64_t first, unsigned count);
void setBits(std::span<std::uint8_t> data, std::uint64_t first, unsigned count, std::uint64_t value);

}  // namespace zetl::debugger
