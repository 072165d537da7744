// The debugger at a prompt, or under a script.
#pragma once

#include <fmt/format.h>

#include <functional>
#include <string>
#include <vector>

#include "core/session.h"

namespace zetl::debugger {

/// An expression, with its format in front.
struct Display {
    std::uint64_t number = 0;
    std::string expression;
};

class Console {
  public:
    /// `write` gets all that the console says.
    Console(Options options, std::function<void(const std::string&)> write, std::function<bool()> wantsInterrupt);

    Session& session() noexcept { return session_; }

    template <class... A>
    void print(fmt::format_string<A...> format, A&&... arguments) {
        write_(fmt::format(format, std::forward<A>(arguments)...));
    }

    /// One line. False if it was refused; the words are out then.
    bool execute(const std::string& line);
    bool isOver() const noexcept { return over_; }
    void end() noexcept { over_ = true; }

    /// Says why the debuggee stands still, and where.
    void report(const Stop& stop);
    void printFrame(std::size_t number);
    void printSourceLine(const SourceLine& line, bool isCurrent);

    /// Shown at every stop.
    std::vector<Display> displays;
    /// Where `list` goes on.
    struct Listing {
        std::string file;
        int next = 0;
    } listing;

  private:
    Session session_;
    const std::function<void(const std::string&)> write_;
    bool over_ = false;
};

/// How `zetl debug` was called.
struct ConsoleOptions {
    Options session;
    std::vector<std::string> scripts;   ///< files of commands
    std::vector<std::string> commands;  ///< after the files'
    bool batch = false;                 ///< end after them
};

/// Returns the exit code: the program's if it ran to its end in a batch, 1 if a command of a batch was refused.
int runConsole(const ConsoleOptions& options);

}  // namespace zetl::debugger
