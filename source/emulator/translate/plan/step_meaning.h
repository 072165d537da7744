// What translation asks about the meaning of a step.
#pragma once

#include "emulator/isa/meaning.h"

namespace zetl::emulator::translate {

using isa::Family;
using isa::Meaning;
using isa::Whole;

/// The number of the step's sources that a row reads.
std::uint32_t operandsOf(const Meaning& meaning);
/// The size of an element in memory, of which a lane has one or several; in registers it takes at least four bytes. 0
/// for an unknown form.
std::uint32_t elementBytes(const isa::LaneAccess::Form& form);

}  // namespace zetl::emulator::translate
