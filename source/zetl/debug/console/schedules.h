#pragma once

#include <string>

namespace zetl::debugger {

class Console;

/// "20", or "20 FIRST": runs the program under so many schedules, up to the first that shows a mistake.
void searchSchedules(Console& console, const std::string& arguments);

}  // namespace zetl::debugger
