// `zetl doctor`: checks everything that Level Zero, the layer and the emulated GPU need, and says what to do.
#pragma once

#include "doctor/finding.h"

namespace zetl::command {

/// All findings, in the order of the checks.
Findings examine(const Patient& patient);

/// Prints the findings; with `onlyTrouble` only notes and problems. Returns the exit code: 1 if there is a problem.
int prescribe(const Findings& findings, bool onlyTrouble);

}  // namespace zetl::command
