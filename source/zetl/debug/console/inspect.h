// The commands that look at what stands still.
#pragma once

#include <string>

namespace zetl::debugger {

class Console;

void printFrames(Console& console, const std::string& arguments);
void selectFrame(Console& console, const std::string& arguments);
void selectCaller(Console& console, const std::string& arguments);
void selectCalled(Console& console, const std::string& arguments);
void list(Console& console, const std::string& arguments);
void disassemble(Console& console, const std::string& arguments);
void printThreads(Console& console, const std::string& arguments);
void selectThread(Console& console, const std::string& arguments);
void selectItem(Console& console, const std::string& arguments);
void selectLane(Console& console, const std::string& arguments);
void print(Console& console, const std::string& arguments);
void assign(Console& console, const std::string& arguments);
void examine(Console& console, const std::string& arguments);
void info(Console& console, const std::string& arguments);

}  // namespace zetl::debugger
