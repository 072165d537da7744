// What the user sets for the debugger itself, beside variables of the program.
#pragma once

#include <string>

namespace zetl::debugger {

class Console;

/// "scheduler-locking on", "schedule 7", or "VARIABLE = EXPRESSION".
void set(Console& console, const std::string& arguments);
void show(Console& console, const std::string& arguments);

}  // namespace zetl::debugger
