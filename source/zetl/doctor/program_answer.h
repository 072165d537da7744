// What another program prints.
#pragma once

#include <string>

namespace zetl::command {

struct ProgramAnswer {
    bool good = false;  ///< it ended with code 0
    std::string text;   ///< at most 1023 bytes of what it printed first
};

/// Of a shell's command.
ProgramAnswer answerOf(const std::string& command);

}  // namespace zetl::command
