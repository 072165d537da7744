// The output of another program.
#pragma once

#include <cstdio>
#include <memory>
#include <string>

namespace zetl::command {

struct ProgramAnswer {
    bool good = false;  ///< it exited with code 0
    std::string text;   ///< the first 1023 bytes of its output
};

/// A program that runs beside this one until its answer is read.
class AskedProgram {
  public:
    /// Starts a shell command of one program and its arguments, in the shell's place.
    explicit AskedProgram(const std::string& command);

    /// Waits until the program ends. To be called once.
    ProgramAnswer answer();

  private:
    struct Close {
        void operator()(std::FILE* pipe) const { pclose(pipe); }
    };
    std::unique_ptr<std::FILE, Close> pipe_;  ///< none: it could not be started
};

/// Runs a shell command of one program and its arguments.
ProgramAnswer answerOf(const std::string& command);

}  // namespace zetl::command
