// The commands that evaluate expressions, and look at memory.
#pragma once

#include <cstdint>
#include <string>

namespace zetl::debugger {

class Console;

/// Throws Failure for what is no number.
std::uint64_t requiredNumber(const std::string& text);

/// "*$pc + 16" as "*0x7f0010"; other places, and addresses that are numbers or of a symbol, as they are.
std::string placeWithAddress(Console& console, const std::string& place);

void print(Console& console, const std::string& arguments);
void infoValues(Console& console, const std::string& arguments);
void printType(Console& console, const std::string& arguments);
void printWholeType(Console& console, const std::string& arguments);
void assign(Console& console, const std::string& arguments);
void examine(Console& console, const std::string& arguments);

void display(Console& console, const std::string& arguments);
void undisplay(Console& console, const std::string& arguments);
/// All of them; one that cannot be evaluated here says so.
void showDisplays(Console& console);

}  // namespace zetl::debugger
