// Commands about many breakpoints at once.
#pragma once

#include <string>

namespace zetl::debugger {

class Console;

inline constexpr const char* kNoBreakpoint = "there is no breakpoint; break PLACE sets one";

/// Stops in every function whose name matches a regular expression.
void breakByPattern(Console& console, const std::string& arguments);
/// "breakpoints FILE": writes commands that set the breakpoints again.
void save(Console& console, const std::string& arguments);
/// A breakpoint's number, or "$bpnum" for the one that was set last.
unsigned breakpointIn(Console& console, const std::string& text);
/// Runs the user's .zetldebugrc. Says so if there is one in this directory, which is not run: it may be anybody's.
void runOwnScript(Console& console);

}  // namespace zetl::debugger
