// The commands that inspect stopped threads.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

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
/// Advances the address to the next instruction.
void printInstruction(Console& console, std::uint64_t& address);
void info(Console& console, const std::string& arguments);
/// The topics of `info`.
std::vector<std::string> infoTopics();

}  // namespace zetl::debugger
