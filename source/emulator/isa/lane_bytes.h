// The bytes of general registers that an instruction reads and writes, and the lane to which each of them belongs.
#pragma once

#include <cstdint>
#include <vector>

#include "emulator/isa/instruction_set.h"
#include "emulator/isa/state_layout.h"
#include "isa/xe/instruction.h"

namespace zetl::emulator::isa {

/// Bytes of the general registers, from the first to behind the last.
struct LaneBytes {
    static constexpr std::uint8_t kAllLanes = 0xfe;  ///< whatever lanes are on

    std::uint32_t begin;
    std::uint32_t end;
    std::uint8_t lane;  ///< of the thread
};

inline constexpr LaneBytes kAllRegisters{0, layout::kGrfBytes, LaneBytes::kAllLanes};

/// What it may read, at most. `indirect`: by the address register.
std::vector<LaneBytes> generalReads(const Instruction& in, const LaneBytes& indirect = kAllRegisters);
/// What it certainly writes, for the lanes that are on. `together`: these are all that the thread has.
std::vector<LaneBytes> generalWrites(const Instruction& in, bool together);

}  // namespace zetl::emulator::isa
