// Frames of devices on which each lane has a stack, where functions save registers (Architecture::laneStack).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "core/location.h"

namespace zetl::debugger {

class Memory;
class StoppedThread;
struct FrameRow;

/// How .debug_frame names the registers that functions save.
struct LaneStack {
    std::uint64_t firstNumber;  ///< DWARF's number of the first register
    std::uint64_t count;
    unsigned firstPiece;  ///< the number of that register in pieces of locations
    unsigned pointer;     ///< the register that points to the stack, by its index
    unsigned bits;        ///< of a register in each lane

    /// Nothing for other numbers.
    std::optional<unsigned> indexOf(std::uint64_t number) const noexcept {
        return number - firstNumber < count ? std::optional(static_cast<unsigned>(number - firstNumber)) : std::nullopt;
    }
};

/// Where a register of a frame is now.
struct SavedWord {
    enum class Kind { inRegister, onStack, gone } kind = Kind::gone;
    unsigned index = 0;       ///< of that register
    std::int64_t offset = 0;  ///< from the current stack pointer
};

/// What a frame's registers were when it made the call in which the thread is. Of the innermost frame: nothing.
struct LaneFrame {
    std::map<unsigned, SavedWord> words;  ///< by index; the others are where they were
    std::int64_t stackBytes = 0;          ///< the frame's stack pointer is that much above the current one
    bool called = false;                  ///< it has made a call, and its address is that behind it

    SavedWord at(unsigned index) const;
};

/// The place of a register of the frame, for one lane; gone if it was not saved, or the stack's pointer is not known.
/// The stack's pointer of a caller is a value.
Piece pieceOf(const LaneStack& stack, unsigned index, const LaneFrame& frame, StoppedThread& thread, unsigned lane);

struct LaneCaller {
    std::uint64_t address = 0;  ///< where it continues
    LaneFrame frame;
};

/// The caller of a function that this row describes. Nothing for a kernel, and if the return address cannot be read.
/// Of lanes with different callers, it is that of the first one that is active.
std::optional<LaneCaller> callerOnLaneStack(const LaneStack& stack, const FrameRow& row, const LaneFrame& callee,
                                            StoppedThread& thread, const Memory& memory);

}  // namespace zetl::debugger
