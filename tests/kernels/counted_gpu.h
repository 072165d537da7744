// What tests/kernels/counted_gpu.cpp adds to the emulated GPU.
#pragma once

#include <cstddef>
#include <cstdint>

struct CountedInstruction {
    std::uint64_t address;
    std::uint64_t executed;
};

/// Writes at most `capacity` entries, one an instruction and tile, and returns how many there are.
extern "C" std::size_t countedInstructions(std::size_t capacity, CountedInstruction* counts);
