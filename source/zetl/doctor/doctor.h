// `zetl doctor`: checks everything that Level Zero, the layer and the emulated GPU need, and says what to do.
#pragma once

#include <cstddef>
#include <string>

#include "doctor/finding.h"
#include "text/table.h"

namespace zetl::command {

/// All findings, in the order of the checks.
Findings examine(const Patient& patient);

/// The findings as lines of that many characters, and how many there are.
std::string prescription(const Findings& findings, std::size_t width);
Table findingTable(const Findings& findings);
std::size_t countOf(const Findings& findings, Verdict verdict);

}  // namespace zetl::command
