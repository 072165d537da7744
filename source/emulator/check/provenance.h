// Which pointer the addresses of a message were made from, as far as the instructions in front of it show.
#pragma once

#include <cstdint>
#include <vector>

#include "emulator/isa/program.h"

namespace zetl::emulator::check {

/// By line: the byte of the registers at which the pointer lies that the addresses of the line's message are an index
/// of at most 32 bits away from; kUnknownPointer for all other lines. The pointer is one that the thread was given, and
/// stays in its register until the thread ends. Or it is one for each lane, loaded just before, as unoptimized code
/// does from where it keeps its arguments: it may be anything.
///
/// Code that indexes a pointer stays within the object that it points to. Differences of pointers are not followed as
/// long as they have 64 bits: compilers make one pointer from another by them.
struct Pointers {
    std::vector<std::int32_t> places;
    /// Of these lines, those whose pointer is an argument: it is the same for all threads of a launch.
    std::vector<bool> ofArguments;
    /// Of these lines, those whose pointers were loaded, one for each lane.
    std::vector<bool> byLanes;
};
Pointers pointersOf(const isa::Program& program);

inline constexpr std::int32_t kUnknownPointer = -1;

}  // namespace zetl::emulator::check
