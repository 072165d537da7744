// The output of another program.
#pragma once

#include <string>

namespace zetl::command {

struct ProgramAnswer {
    bool good = false;  ///< it exited with code 0
    std::string text;   ///< the first 1023 bytes of its output
};

/// Runs a shell command.
ProgramAnswer answerOf(const std::string& command);

}  // namespace zetl::command
