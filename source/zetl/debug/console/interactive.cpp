// The prompt of console.h: line editing, history and completion by libedit.
#include <editline/readline.h>
#include <poll.h>
#include <signal.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "console/commands.h"
#include "console/console.h"
#include "console/inspect.h"
#include "console/many_breakpoints.h"
#include "console/pager.h"
#include "core/failure.h"

namespace zetl::debugger {
namespace {

std::atomic<bool> interrupted{false};

void onInterrupt(int) { interrupted = true; }

/// Handles Ctrl-C while the debuggee runs.
void catchInterrupts() {
    struct sigaction action {};
    action.sa_handler = onInterrupt;
    sigaction(SIGINT, &action, nullptr);
}

char* nextCommand(const char* begun, int state) {
    static std::size_t at = 0;
    if (state == 0) at = 0;
    while (at < commands().size()) {
        const char* name = commands()[at++].name;
        if (std::strncmp(name, begun, std::strlen(begun)) == 0) return strdup(name);
    }
    return nullptr;
}

Console* completing = nullptr;

/// Completions for a place: kernels and files.
std::vector<std::string> places() {
    std::vector<std::string> all = {"entry"};
    for (const auto& module : completing->session().control().modules().all()) {
        for (const auto& kernel : module->kernels())
            if (module->entryOf(kernel.name) != 0) all.push_back(kernel.name);
        for (const auto& function : module->debug().functions()) all.push_back(function.name);
        for (const auto& file : module->debug().files())
            all.push_back(std::filesystem::path(file).filename().string() + ":");
    }
    return all;
}

std::vector<std::string> variables() try {
    std::vector<std::string> all;
    for (const auto& each : completing->session().inspector().variables()) all.push_back(each.name);
    return all;
} catch (const Failure&) {
    return {};
}

constexpr std::string_view kTakePlaces[] = {"break", "tbreak", "until", "advance", "list", "disassemble", "clear"};

/// Completions for the arguments of a command.
std::vector<std::string> wordsBehind(const std::string& command) try {
    const std::string_view name = commandFor(command).name;
    if (name == "info") return infoTopics();
    return std::ranges::find(kTakePlaces, name) != std::end(kTakePlaces) ? places() : variables();
} catch (const Failure&) {
    return {};
}

char* nextWord(const char* begun, int state) {
    static std::vector<std::string> words;
    static std::size_t at = 0;
    if (state == 0) {
        words = wordsBehind(firstWord(rl_line_buffer ? rl_line_buffer : "").first);
        at = 0;
    }
    while (at < words.size()) {
        const auto& word = words[at++];
        if (word.starts_with(begun)) return strdup(word.c_str());
    }
    return nullptr;
}

char** complete(const char* begun, int start, int) {
    return rl_completion_matches(begun, start == 0 ? nextCommand : nextWord);
}

/// The file of the history; empty: none.
std::string historyFile() {
    const char* state = std::getenv("XDG_STATE_HOME");
    const char* home = std::getenv("HOME");
    std::filesystem::path directory;
    std::error_code failure;
    if (state && *state)
        directory = state;
    else if (home && std::filesystem::is_directory(home, failure))  // one that is missing is not ours to make
        directory = std::filesystem::path(home) / ".local/state";
    else
        return "";
    std::filesystem::create_directories(directory / "zetl", failure);
    return failure ? "" : (directory / "zetl/debug_history").string();
}

/// Keeps interrupts back, so that none comes unseen between a look at `interrupted` and a wait.
class InterruptsKeptBack {
  public:
    InterruptsKeptBack() {
        sigset_t interrupt;
        sigemptyset(&interrupt);
        sigaddset(&interrupt, SIGINT);
        pthread_sigmask(SIG_BLOCK, &interrupt, &before_);
    }
    ~InterruptsKeptBack() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
    InterruptsKeptBack(const InterruptsKeptBack&) = delete;
    InterruptsKeptBack& operator=(const InterruptsKeptBack&) = delete;
    /// Whether something can be read, once it can, or false at an interrupt: one that comes during the wait ends it.
    bool waitForInput() const {
        pollfd input{STDIN_FILENO, POLLIN, 0};
        while (!interrupted.exchange(false)) {
            if (ppoll(&input, 1, nullptr, &before_) > 0) return true;
            if (errno != EINTR) return false;
        }
        return false;
    }

  private:
    sigset_t before_{};
};

/// The terminal's answer to a question; Ctrl-C is no.
std::string askedOnTerminal(const char* question) {
    std::fputs(question, stdout);
    std::fflush(stdout);
    const InterruptsKeptBack keptBack;
    std::string line;
    for (char next = 0; keptBack.waitForInput() && read(STDIN_FILENO, &next, 1) == 1;) {
        if (next == '\n') return line;
        line += next;
    }
    std::fputs("\n", stdout);
    return "q";
}

/// As long as it lives, Ctrl-C does not make the kernel throw away what was typed before, nor what was printed and is
/// not yet shown, which may be the prompt.
class NothingFlushed {
  public:
    NothingFlushed() : isKnown_(tcgetattr(STDIN_FILENO, &before_) == 0) {
        termios kept = before_;
        kept.c_lflag |= NOFLSH;
        if (isKnown_) tcsetattr(STDIN_FILENO, TCSANOW, &kept);
        for (const char* mode : {"-d", "-x"})  // libedit clears the flag in its modes: for lines, and for programs
            rl_parse_and_bind(fmt::format("setty {} +noflsh", mode).c_str());
    }
    ~NothingFlushed() {
        if (isKnown_) tcsetattr(STDIN_FILENO, TCSANOW, &before_);
    }
    NothingFlushed(const NothingFlushed&) = delete;
    NothingFlushed& operator=(const NothingFlushed&) = delete;

  private:
    termios before_{};
    const bool isKnown_;
};

void prompt(Console& console, Pager& pager) {
    constexpr int kMostHistory = 1000;
    completing = &console;
    rl_readline_name = const_cast<char*>("zetl");
    rl_initialize();
    const NothingFlushed nothingFlushed;
    rl_attempted_completion_function = complete;
    stifle_history(kMostHistory);
    const auto file = historyFile();
    if (!file.empty()) read_history(file.c_str());
    std::string last;
    while (!console.isOver()) {
        interrupted = false;
        char* const typed = readline(console.isCollecting() ? "> " : "(zetl) ");
        if (!typed) {
            if (interrupted) continue;
            break;
        }
        std::string line(typed);
        std::free(typed);
        const bool isBlank = line.find_first_not_of(" \t") == std::string::npos;
        if (isBlank && !console.isCollecting()) line = last;  // as in gdb
        if (line != last && !line.empty()) add_history(line.c_str());
        last = line;
        pager.begin(console.pages ? terminalSize() : TerminalSize());
        console.execute(line);
        pager.end();
        std::fflush(stdout);
    }
    if (!file.empty()) write_history(file.c_str());
}

/// Commands from a pipe, like a script, except that an error does not skip the following commands.
void readAll(Console& console) {
    std::string line;
    for (int each = 0; !console.isOver() && (each = std::getchar()) != EOF;) {
        if (each != '\n') {
            line += static_cast<char>(each);
            continue;
        }
        console.execute(line);
        std::fflush(stdout);
        line.clear();
    }
    if (!line.empty() && !console.isOver()) console.execute(line);
}

bool runScripts(Console& console, const ConsoleOptions& options) {
    for (const auto& file : options.scripts)
        if (!console.execute("source " + file)) return false;
    for (const auto& each : options.commands)
        if (!console.isOver() && !console.execute(each)) return false;
    return true;
}

}  // namespace

int runConsole(const ConsoleOptions& options) {
    catchInterrupts();
    Pager pager(
        [](std::string_view text) {
            std::fwrite(text.data(), 1, text.size(), stdout);
            std::fflush(stdout);
        },
        askedOnTerminal);
    Console console(
        options.session, [&pager](const std::string& text) { pager.write(text); },
        [] { return interrupted.exchange(false); });
    console.checks = options.checks.get();
    bool good = true;
    if (!options.batch) runOwnScript(console);
    if (options.session.pid != 0) good = console.execute(fmt::format("attach {}", options.session.pid));
    if (!good && options.batch) return 1;
    good = runScripts(console, options) && good;
    if (options.batch || console.isOver()) return good ? console.session().exitCode() : 1;
    if (isatty(STDIN_FILENO))
        prompt(console, pager);
    else
        readAll(console);
    return console.session().exitCode();
}

}  // namespace zetl::debugger
