// The debugger with a prompt or a script.
#pragma once

#include <fmt/format.h>

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "console/checks.h"
#include "core/session.h"

namespace zetl::debugger {

/// An expression after its format.
struct Display {
    std::uint64_t number = 0;
    std::string expression;
};

class Console {
  public:
    /// `write` receives all output of the console.
    Console(Options options, std::function<void(const std::string&)> write, std::function<bool()> wantsInterrupt);
    /// In the session of another front end, which shows the stops and keeps the commands that are not forGuests.
    Console(Session& session, std::function<void(const std::string&)> write, std::function<void(const Stop&)> onStop);

    Session& session() noexcept { return session_; }

    template <class... A>
    void print(fmt::format_string<A...> format, A&&... arguments) {
        write_(fmt::format(format, std::forward<A>(arguments)...));
    }

    /// Executes one line, and then the commands of the breakpoints that it stopped at. False, after printing the
    /// reason, if one failed.
    bool execute(const std::string& line);
    /// The following lines, up to "end", are the breakpoint's commands.
    void collectCommandsOf(unsigned breakpoint);
    bool isCollecting() const noexcept { return collecting_ != 0; }
    const std::vector<std::string>& commandsOf(unsigned breakpoint) { return commands_[breakpoint]; }
    bool isOver() const noexcept { return over_; }
    void end() noexcept { over_ = true; }

    /// Prints why and where the debuggee stopped.
    void report(const Stop& stop);
    void printFrame(std::size_t number);
    void printSourceLine(const SourceLine& line, bool isCurrent);

    /// Shown at every stop.
    std::vector<Display> displays;
    /// Where `list` continues, and where its last output began.
    struct Listing {
        std::string file;
        int next = 0;
        int first = 0;
    } listing;
    std::vector<unsigned> stoppedBy;  ///< breakpoints, by number

    bool pages = true;         ///< long output waits for the user, at a prompt
    unsigned scripts = 0;      ///< the depth of nested scripts
    Checks* checks = nullptr;  ///< null: there are none

  private:
    bool carryOut(const std::string& line);
    bool carryOutDue();
    /// False if the commands want the stop not to be shown.
    bool makeDue(const Stop& stop);
    void sayWhy(const Stop& stop);
    /// What a person should know of the code where the program stopped; once for each module.
    void warnOf(const Module& module);

    const std::unique_ptr<Session> own_;
    Session& session_;
    const std::function<void(const std::string&)> write_;
    const std::function<void(const Stop&)> onStop_;  ///< empty: the stops are shown here
    bool over_ = false;
    std::map<unsigned, std::vector<std::string>> commands_;  ///< by the number of their breakpoint
    unsigned collecting_ = 0;                                ///< the breakpoint whose commands are being typed; 0: none
    std::set<unsigned> known_;                               ///< modules that were warned of, by number
    std::deque<std::string> due_;                            ///< commands of the breakpoints of the last stop
};

/// The options of `zetl debug`.
struct ConsoleOptions {
    Options session;
    std::vector<std::string> scripts;   ///< files of commands
    std::vector<std::string> commands;  ///< run after the files
    bool batch = false;                 ///< exit after them
    std::shared_ptr<Checks> checks;     ///< null: there are none
};

/// Returns the exit code. In a batch, that is the program's if it ended, or 1 if a command failed.
int runConsole(const ConsoleOptions& options);

}  // namespace zetl::debugger
