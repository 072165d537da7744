// The prompt on a terminal: history, completion, interrupts.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <poll.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

#include "debugged.h"
#include "support/pattern.h"
#include "support/wait_for.h"

namespace zetl::test {
namespace {

using testing::HasSubstr;

/// A program whose terminal is the test.
class Terminal {
  public:
    Terminal(std::vector<std::string> command, const std::string& home) {
        std::vector<char*> words;
        for (auto& each : command) words.push_back(each.data());
        words.push_back(nullptr);
        pid_ = forkpty(&master_, nullptr, nullptr, nullptr);
        if (pid_ == 0) {
            setenv("HOME", home.c_str(), 1);
            setenv("TERM", "dumb", 1);
            unsetenv("XDG_STATE_HOME");
            execv(words[0], words.data());
            _exit(127);
        }
        EXPECT_GT(pid_, 0);
    }
    ~Terminal() {
        close(master_);
        if (pid_ > 0) {
            kill(pid_, SIGKILL);
            waitpid(pid_, nullptr, 0);
        }
    }
    void type(const std::string& keys) const {
        EXPECT_EQ(write(master_, keys.data(), keys.size()), static_cast<ssize_t>(keys.size()));
    }
    /// What appears up to the text, this included; the test fails if it does not come.
    std::string until(const std::string& text) {
        constexpr int kLimitMs = 60'000;
        for (;;) {
            if (const auto at = seen_.find(text); at != std::string::npos) {
                const auto end = at + text.size();
                auto shown = seen_.substr(0, end);
                seen_.erase(0, end);
                return shown;
            }
            pollfd entry{master_, POLLIN, 0};
            char buffer[4096];
            const auto got = poll(&entry, 1, kLimitMs) > 0 ? read(master_, buffer, sizeof buffer) : 0;
            if (got <= 0) {
                ADD_FAILURE() << "\"" << text << "\" did not appear in: " << seen_;
                return "";
            }
            seen_.append(buffer, static_cast<std::size_t>(got));
        }
    }
    void hasRows(unsigned short rows) const {
        const winsize size{rows, 200, 0, 0};
        EXPECT_EQ(ioctl(master_, TIOCSWINSZ, &size), 0);
    }
    std::string ask(const std::string& line) {
        type(line + "\n");
        return until(kPrompt);
    }
    /// Keys for the line editor, which takes the terminal after it wrote its prompt. Before that, the kernel takes keys
    /// such as the end of the input, and throws away what was typed when an interrupt follows.
    void typeToEditor(const std::string& keys) const {
        EXPECT_TRUE(waitFor([this] { return editorHasTheTerminal(); }));
        type(keys);
    }
    void endOfInput() const { typeToEditor("\x04"); }
    /// Whether a line is edited, and not a command at work.
    bool editorHasTheTerminal() const {
        termios mode{};
        return tcgetattr(master_, &mode) != 0 || !(mode.c_lflag & ICANON);
    }
    int wait() {
        int status = 0;
        char rest[4096];
        while (read(master_, rest, sizeof rest) > 0) continue;
        waitpid(pid_, &status, 0);
        pid_ = 0;
        return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }
    static constexpr const char* kPrompt = "(zetl) ";

  private:
    pid_t pid_ = 0;
    int master_ = -1;
    std::string seen_;
};

class Prompt : public testing::Test {
  protected:
    Prompt() { std::filesystem::create_directories(home_); }
    ~Prompt() override { std::filesystem::remove_all(home_); }
    Terminal debugger(const std::vector<std::string>& program) const {
        std::vector<std::string> command = {inBuildTree("bin/zetl"), "debug", "--device", "tiny", "--"};
        command.insert(command.end(), program.begin(), program.end());
        return {std::move(command), home_};
    }
    const std::string home_ = testing::TempDir() + "zetl-prompt-" + std::to_string(getpid());
};

TEST_F(Prompt, CompletesCommandsKernelsAndVariables) {
    auto terminal = debugger(saxpyProgram(kUnoptimised));
    terminal.until(Terminal::kPrompt);
    terminal.type("disass\t");
    terminal.until("disassemble");
    terminal.type("\x15");  // the line is given up
    terminal.until(Terminal::kPrompt);
    terminal.ask("break entry");
    EXPECT_THAT(terminal.ask("run"), HasSubstr("Breakpoint 1"));
    terminal.type("break sca\t");
    terminal.until("break scaled");
    terminal.type("\n");
    EXPECT_THAT(terminal.until(Terminal::kPrompt), HasSubstr("Breakpoint 2 at"));
    terminal.ask("delete 1");
    EXPECT_THAT(terminal.ask("continue"), HasSubstr("in scaled"));
    terminal.type("print fac\t");
    terminal.until("print factor");
    terminal.type("\n");
    EXPECT_THAT(terminal.until(Terminal::kPrompt), HasSubstr("factor = "));
    terminal.type("info dev\t");
    terminal.until("info devices");
    terminal.type("\n");
    EXPECT_THAT(terminal.until(Terminal::kPrompt), HasSubstr("hardware threads"));
    terminal.type("quit\n");
    terminal.wait();
}

/// Two instructions behind the first stop of all, where other threads come by.
TEST_F(Prompt, BreaksAtAnAddress) {
    auto terminal = debugger(saxpyProgram(kUnoptimised));
    terminal.until(Terminal::kPrompt);
    terminal.ask("tbreak saxpy");
    terminal.ask("run");
    terminal.ask("stepi 2");
    const auto said = terminal.ask("p $pc");
    const auto addresses = matchesOf("0x[0-9a-f]+", said);
    ASSERT_FALSE(addresses.empty()) << said;
    EXPECT_THAT(terminal.ask("break *$pc"), HasSubstr("Breakpoint 2 at "));
    const auto stopped = terminal.ask("continue");
    EXPECT_THAT(stopped, HasSubstr("Breakpoint 2, thread "));
    EXPECT_THAT(terminal.ask("p $pc"), HasSubstr(addresses[0][0]));
    terminal.ask("kill");
    terminal.type("quit\n");
    terminal.wait();
}

TEST_F(Prompt, AnEmptyLineRepeatsAndTheHistoryIsKept) {
    {
        auto terminal = debugger(saxpyProgram(kUnoptimised));
        terminal.until(Terminal::kPrompt);
        EXPECT_THAT(terminal.ask("info devices"), HasSubstr("emulated"));
        EXPECT_THAT(terminal.ask(""), HasSubstr("emulated"));
        terminal.type("quit\n");
        terminal.wait();
    }
    EXPECT_TRUE(std::filesystem::exists(home_ + "/.local/state/zetl/debug_history"));
    auto terminal = debugger(saxpyProgram(kUnoptimised));
    terminal.until(Terminal::kPrompt);
    terminal.type("\x10\x10");  // back in the history: quit, info devices
    terminal.until("info devices");
    terminal.type("\n");
    EXPECT_THAT(terminal.until(Terminal::kPrompt), HasSubstr("emulated"));
    terminal.endOfInput();
    terminal.wait();
}

TEST_F(Prompt, AnInterruptStopsWhatSpins) {
    auto terminal = debugger({inBuildTree("tests/zetl/debugged_program"), "spin", ""});
    terminal.until(Terminal::kPrompt);
    terminal.ask("break entry");
    EXPECT_THAT(terminal.ask("run"), HasSubstr("Breakpoint 1"));
    terminal.typeToEditor("continue\n");
    EXPECT_TRUE(waitFor([&] { return !terminal.editorHasTheTerminal(); })) << "the kernel runs";
    terminal.type("\x03");
    EXPECT_THAT(terminal.until(Terminal::kPrompt), HasSubstr("spin"));
    EXPECT_THAT(terminal.ask("kill"), HasSubstr(""));
    terminal.type("quit\n");
    terminal.wait();
}

/// What the kernel throws away at an interrupt, unless it is asked not to.
TEST_F(Prompt, AnInterruptKeepsWhatWasTyped) {
    auto terminal = debugger({inBuildTree("tests/zetl/debugged_program"), "spin", ""});
    terminal.until(Terminal::kPrompt);
    terminal.ask("break entry");
    EXPECT_THAT(terminal.ask("run"), HasSubstr("Breakpoint 1"));
    terminal.ask("delete");
    for (const std::string number : {"71", "72", "73"}) {
        terminal.typeToEditor("continue\n");
        EXPECT_TRUE(waitFor([&] { return !terminal.editorHasTheTerminal(); })) << "the kernel runs";
        terminal.type("p 1" + number + "\np 2");  // the second line is begun before the interrupt, and ended after it
        terminal.type("\x03");
        terminal.until("spin");
        terminal.until(": 1" + number + " = 1" + number);
        terminal.until(Terminal::kPrompt);
        terminal.typeToEditor(number + "\n");
        terminal.until(": 2" + number + " = 2" + number);
        terminal.until(Terminal::kPrompt);
    }
    terminal.ask("kill");
    terminal.type("quit\n");
    terminal.wait();
}

/// The memory that it waits for does not change while the others stand.
TEST_F(Prompt, AnInterruptTakesACallBack) {
    auto terminal = debugger({inBuildTree("tests/zetl/debugged_program"), "called", kUnoptimised});
    terminal.until(Terminal::kPrompt);
    terminal.ask("break called.cl:" + lineIn(ZETL_TEST_CALLED_SOURCE, "data[i] = all") + " if $global_x == 37");
    EXPECT_THAT(terminal.ask("run"), HasSubstr("Breakpoint 1"));
    terminal.typeToEditor("p endless(data)\n");
    EXPECT_TRUE(waitFor([&] { return !terminal.editorHasTheTerminal(); })) << "it is called";
    terminal.type("\x03");
    EXPECT_THAT(terminal.until(Terminal::kPrompt), HasSubstr("endless stopped at endless+0x"));
    EXPECT_THAT(terminal.ask("p twice(i)"), HasSubstr(": twice(i) = 74"));
    EXPECT_THAT(terminal.ask("continue"), HasSubstr("The program ended."));
    terminal.type("quit\n");
    terminal.wait();
}

TEST_F(Prompt, LongOutputWaitsForTheUser) {
    constexpr const char* kMore = "--Type <RET> for more, q to quit, c to continue without paging--";
    auto terminal = debugger(saxpyProgram(kUnoptimised));
    terminal.hasRows(10);
    terminal.until(Terminal::kPrompt);
    terminal.type("help\n");
    EXPECT_THAT(terminal.until(kMore), HasSubstr("run"));
    terminal.type("\n");
    EXPECT_THAT(terminal.until(kMore), testing::Not(HasSubstr("quit [")));
    terminal.type("q\n");
    EXPECT_THAT(terminal.until(Terminal::kPrompt), HasSubstr("Quit"));
    terminal.type("help\n");
    terminal.until(kMore);
    terminal.type("c\n");
    EXPECT_THAT(terminal.until(Terminal::kPrompt), testing::Not(HasSubstr(kMore)));
    terminal.ask("set pagination off");
    EXPECT_THAT(terminal.ask("show pagination"), HasSubstr("pagination: off"));
    EXPECT_THAT(terminal.ask("help"), testing::Not(HasSubstr(kMore)));
    terminal.ask("set pagination on");
    terminal.type("help\n");
    terminal.until(kMore);
    terminal.type("\x03");
    EXPECT_THAT(terminal.until(Terminal::kPrompt), HasSubstr("Quit"));
    EXPECT_THAT(terminal.ask("layout src"), HasSubstr("libedit"));
    EXPECT_THAT(terminal.ask("set pagination sometimes"), HasSubstr("type on or off"));
    terminal.type("quit\n");
    terminal.wait();
}

}  // namespace
}  // namespace zetl::test
