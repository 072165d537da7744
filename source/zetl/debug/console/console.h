// The debugger at a prompt, or under a script.
#pragma once

#include <fmt/format.h>

#include <deque>
#include <functional>
#include <map>
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

    /// One line, and then the commands of the breakpoints where that led. False if one was refused; the words are out
    /// then.
    bool execute(const std::string& line);
    /// The lines from now on, up to "end", are the breakpoint's commands.
    void collectCommandsOf(unsigned breakpoint);
    bool isCollecting() const noexcept { return collecting_ != 0; }
    const std::vector<std::string>& commandsOf(unsigned breakpoint) { return commands_[breakpoint]; }
    bool isOver() const noexcept { return over_; }
    void end() noexcept { over_ = true; }

    /// Says why the debuggee stands still, and where.
    void report(const Stop& stop);
    void printFrame(std::size_t number);
    void printSourceLine(const SourceLine& line, bool isCurrent);

    /// Shown at every stop.
    std::vector<Display> displays;
    /// Where `list` goes on, and what it showed last began.
    struct Listing {
        std::string file;
        int next = 0;
        int first = 0;
    } listing;
    std::vector<unsigned> stoppedBy;  ///< breakpoints, by number

    unsigned scripts = 0;  ///< that are being carried out, one within the other

  private:
    bool carryOut(const std::string& line);
    bool carryOutDue();
    /// False if they want the stop to be passed over in silence.
    bool makeDue(const Stop& stop);
    void sayWhy(const Stop& stop);

    Session session_;
    const std::function<void(const std::string&)> write_;
    bool over_ = false;
    std::map<unsigned, std::vector<std::string>> commands_;  ///< by the number of their breakpoint
    unsigned collecting_ = 0;                                ///< the breakpoint whose commands are typed; 0: none
    std::deque<std::string> due_;                            ///< commands of the breakpoints of the last stop
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
