// The commands that evaluate expressions, and look at memory.
#pragma once

#include <cstdint>
#include <string>

namespace zetl::debugger {

class Console;

/// Throws Failure if the text is not a number.
std::uint64_t requiredNumber(const std::string& text);

/// "*$pc + 16" becomes "*0x7f0010". Other places, and addresses by number or symbol, stay as they are.
std::string placeWithAddress(Console& console, const std::string& place);

void print(Console& console, const std::string& arguments);
void infoValues(Console& console, const std::string& arguments);
void printType(Console& console, const std::string& arguments);
void printWholeType(Console& console, const std::string& arguments);
void assign(Console& console, const std::string& arguments);
void examine(Console& console, const std::string& arguments);

void display(Console& console, const std::string& arguments);
void undisplay(Console& console, const std::string& arguments);
/// Shows all displays, or why one cannot be evaluated here.
void showDisplays(Console& console);

}  // namespace zetl::debugger
