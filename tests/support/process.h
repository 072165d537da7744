// Running a program in a process of its own: what the loader and the layer read from the environment they read once, so
// each arrangement needs a fresh process.
#pragma once

#include <chrono>
#include <map>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "support/effort.h"

namespace zetl::test {

struct Outcome {
    int exitCode = -1;  // -1 unless the program exited by itself
    int signal = 0;     // what killed it
    bool timedOut = false;
    std::string output;  // standard output and error, mixed
    std::chrono::duration<double> took{};

    bool good() const { return exitCode == 0; }
    /// How often the output has this text.
    std::size_t times(std::string_view text) const;
};
std::ostream& operator<<(std::ostream& out, const Outcome& outcome);

/// A program about to run. The environment is the caller's without any Level Zero or project variable, but for the
/// cache of builds that all tests share, and with a session directory of the test's own.
class Process {
  public:
    explicit Process(std::vector<std::string> command);

    Process& with(const std::string& variable, const std::string& value);
    Process& without(const std::string& variable);
    /// In front of a variable that holds a path list.
    Process& withFirst(const std::string& variable, const std::string& entry);

    /// Puts a wrapping command, such as valgrind with its options, in front.
    Process& under(const std::vector<std::string>& wrapper);
    Process& argument(const std::string& text);

    /// Starts it, waits, and kills it (SIGKILL) after the time limit. Sanitizers make programs many times as slow.
    Outcome run(std::chrono::seconds limit = std::chrono::seconds(effort(30, 120))) const;

  private:
    std::vector<std::string> command_;
    std::map<std::string, std::string> environment_;
};

/// The running program's file.
std::string thisProgram();

/// The file at this path of the build tree, found from the running program's place in it.
std::string inBuildTree(const std::string& path);

}  // namespace zetl::test
