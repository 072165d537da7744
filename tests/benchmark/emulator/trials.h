// Kernels that show one property of the modelled hardware each.
#pragma once

#include "lab.h"

namespace zetl::benchmark::emulator {

/// What it measures: cycles per load, or bytes or operations per cycle of the device.
using Trial = double (*)(Lab& lab);

double chaseL1(Lab& lab);
double chaseL3(Lab& lab);
double chaseMemory(Lab& lab);

// Arrays of doubles that exceed the last cache; bytes that the program reads and writes.
double scaleStream(Lab& lab);
double addStream(Lab& lab);
double triadStream(Lab& lab);
double dotStream(Lab& lab);
double readStream(Lab& lab);
double writeStream(Lab& lab);
/// Bytes per cycle of one sub-slice whose threads read what its first-level cache holds.
double readL1(Lab& lab);

// Chains of multiply-adds in registers, two operations each.
double rateOfFloats(Lab& lab);
double rateOfDoubles(Lab& lab);
double rateOfHalves(Lab& lab);
double rateOfInts(Lab& lab);
double rateOfShorts(Lab& lab);
// The same with matrices.
double dpasOfHalves(Lab& lab);
double dpasOfBrains(Lab& lab);
double dpasOfBytes(Lab& lab);

// Products of matrices in memory.
double gemmOfFloats(Lab& lab);
double gemmOfDoubles(Lab& lab);
double gemmOfHalves(Lab& lab);
double gemmOfBrains(Lab& lab);
double gemmOfBytes(Lab& lab);

}  // namespace zetl::benchmark::emulator
