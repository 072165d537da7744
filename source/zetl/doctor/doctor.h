// `zetl doctor`: looks at everything that Level Zero, the layer and the emulated GPU need, and says what to do.
#pragma once

#include "doctor/finding.h"

namespace zetl::command {

/// All findings, in the order of the checks.
Findings examine(const Patient& patient);

/// Prints them; with `onlyTrouble` leaves out good news. Returns the exit code: 1 if there is a problem, else 0.
int prescribe(const Findings& findings, bool onlyTrouble);

}  // namespace zetl::command
