// Instructions that read what other work-items of their sub-group computed: compiled sub-group functions.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "emulator/isa/instruction_set.h"
#include "emulator/isa/program.h"
#include "emulator/isa/thread.h"

namespace zetl::emulator::check {

/// For each line of the program the lanes whose results it combines or reads, though it was written for all lanes: of a
/// reduction or scan all of them, of a broadcast one. 0 for all other lines. A compiler also combines what lanes add to
/// one word by an atomic, in whatever flow; such lines are left out.
std::vector<std::uint32_t> lanesCrossedBy(const isa::Program& program);

/// A shuffle: each lane reads what another one has computed, which it chooses by its address register, or which lies at
/// a distance that the compiler knew.
struct Shuffle {
    std::uint32_t base = 0;    ///< byte of the registers where the first lane's result lies
    std::uint32_t stride = 0;  ///< bytes from one lane's to the next one's
    std::uint32_t fixed = 0;   ///< lanes for which it reads at the distance; 0: its address register says where
    std::int32_t distance = 0;
};
/// By line. The results that it reads were computed by lanes, right before; arrays in registers are told apart by the
/// lanes that are read, because a work-item finds its own elements in its own lane.
std::vector<std::optional<Shuffle>> shufflesOf(const isa::Program& program);
/// The lanes that the line, which is a shuffle, is about to read for these lanes.
std::uint32_t lanesShuffled(const isa::Thread& thread, const isa::Instruction& in, const Shuffle& shuffle,
                            std::uint32_t lanes) noexcept;

}  // namespace zetl::emulator::check
