// What was seen, in words that people understand.
#pragma once

#include <functional>
#include <string>

#include "check/finding.h"
#include "emulator/check/observations.h"
#include "emulator/machine/dispatch.h"
#include "emulator/machine/memory.h"

namespace zetl::emulator::check {

/// "file:line" of the instruction at a device address, then a line for each place at which its function was inlined;
/// empty if nothing is known.
using SourceOf = std::function<std::string(std::uint64_t address)>;

zetl::check::Finding findingOf(const Observations::Seen& seen, const machine::Launch& launch,
                               const machine::Memory& memory, const SourceOf& source);
/// A fault that ended a launch.
zetl::check::Finding findingOf(const machine::Fault& fault, const machine::Memory& memory, const SourceOf& source);

}  // namespace zetl::emulator::check
