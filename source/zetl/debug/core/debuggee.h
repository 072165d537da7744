// The process that is debugged: started by us, or somebody's.
#pragma once

#include <sys/types.h>

#include <string>
#include <utility>
#include <vector>

namespace zetl::debugger {

/// What a program needs to be started.
struct ProgramStart {
    std::vector<std::string> words;
    std::string directory;                                         ///< where it is started; empty: here
    std::vector<std::pair<std::string, std::string>> environment;  ///< in addition to ours
    bool capturesOutput = false;  ///< its standard output and error come to us, instead of going where ours go
};

class Debuggee {
  public:
    /// Throws Failure if the program cannot be started. It reads nothing from our standard input, and the terminal's
    /// signals do not reach it.
    static Debuggee start(const ProgramStart& start);
    /// One that runs already, and is left alone at the end.
    static Debuggee running(pid_t pid);

    Debuggee(Debuggee&& other) noexcept;
    Debuggee& operator=(Debuggee&& other) noexcept;
    ~Debuggee();

    pid_t pid() const noexcept { return pid_; }
    bool isOurs() const noexcept { return isOurs_; }
    bool hasEnded();
    /// Of a program of ours that ended: as a shell would say it.
    int exitCode() const noexcept { return exitCode_; }
    void kill();
    /// The same without waiting for its end, which nobody sees who is not its debugger while it has one.
    void beginKill();
    /// From now on it is as one that somebody else started.
    void letGo() noexcept { isOurs_ = false; }
    /// What it wrote since the last call; only if its output is captured.
    std::string output();
    int outputDescriptor() const noexcept { return output_; }

  private:
    Debuggee(pid_t pid, bool isOurs, int output) : pid_(pid), isOurs_(isOurs), output_(output) {}

    pid_t pid_ = 0;
    bool isOurs_ = false;
    int output_ = -1;
    bool ended_ = false;
    int exitCode_ = 0;
};

}  // namespace zetl::debugger
