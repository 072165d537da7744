// The debugger's commands, for the console, scripts and DAP's debug console.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/session.h"

namespace zetl::debugger {

class Console;

struct Command {
    const char* name;
    const char* shortName = nullptr;  ///< null: none
    const char* arguments = "";
    const char* help;
    void (*run)(Console& console, const std::string& arguments);
    bool forGuests = true;  ///< false: begins or ends what the front end that owns the session knows about
};

std::span<const Command> commands();
/// By name, short name, or an unambiguous beginning. Throws Failure for an unknown word.
const Command& commandFor(const std::string& word);

/// Ends the former run of a program that was started here. Throws Failure if the process belongs to somebody else.
void endFormerRun(Console& console);

/// The first word, and the rest, without spaces around them.
std::pair<std::string, std::string> firstWord(const std::string& text);
/// The command as it was typed, for messages.
std::string asTyped(const std::string& command, const std::string& arguments);
/// Splits the text as a shell does, without command substitution.
std::vector<std::string> shellWords(const std::string& text);

}  // namespace zetl::debugger
