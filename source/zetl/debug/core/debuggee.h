// The debugged process: started by us or by somebody else.
#pragma once

#include <sys/types.h>

#include <string>
#include <utility>
#include <vector>

namespace zetl::debugger {

/// How to start a program.
struct ProgramStart {
    std::vector<std::string> words;
    std::string directory;                                         ///< its working directory; empty: the current one
    std::vector<std::pair<std::string, std::string>> environment;  ///< in addition to ours
    bool capturesOutput = false;                                   ///< its standard output and error are captured
    bool keepsOutput = false;        ///< ... from its beginning to its end, without anybody reading meanwhile
    bool hasFixedAddresses = false;  ///< its memory lies at the same addresses in each run, if the system allows that
};

class Debuggee {
  public:
    /// Throws Failure if the program cannot be started. It has no standard input, and the terminal's signals do not
    /// reach it.
    static Debuggee start(const ProgramStart& start);
    /// A process that is already running, and continues after us.
    static Debuggee running(pid_t pid);

    Debuggee(Debuggee&& other) noexcept;
    Debuggee& operator=(Debuggee&& other) noexcept;
    ~Debuggee();

    pid_t pid() const noexcept { return pid_; }
    /// The process, its children, their children and so on.
    std::vector<pid_t> family() const;
    bool isOurs() const noexcept { return isOurs_; }
    bool hasEnded();
    /// Whether the process's first thread ends: then all of a program that was killed do, which takes a while.
    static bool isEnding(pid_t process);
    /// The exit code of our program, as a shell reports it.
    int exitCode() const noexcept { return exitCode_; }
    void kill();
    /// The same without waiting for its end. While it has another debugger, only that one sees its end.
    void beginKill();
    /// From now on it is treated as a process that somebody else started.
    void letGo() noexcept { isOurs_ = false; }
    /// Its output since the last call, if the output is captured or kept.
    std::string output();

  private:
    Debuggee(pid_t pid, bool isOurs, int output) : pid_(pid), isOurs_(isOurs), output_(output) {}

    pid_t pid_ = 0;
    bool isOurs_ = false;
    int output_ = -1;
    bool ended_ = false;
    int exitCode_ = 0;
};

}  // namespace zetl::debugger
