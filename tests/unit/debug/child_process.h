// A debuggee in another process: the scripted device runs in a child.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>

#include "debug/debugger.h"
#include "support/fake_core.h"

namespace zetl::debug {

/// A child process with the scripted device and, if asked, a debug agent. Each call of step() makes it do `act` once.
class ChildProcess {
  public:
    /// `become`: what the child does before it has a device, such as taking another user.
    explicit ChildProcess(
        Debuggee mode, std::function<void(int)> act = [](int) {}, std::function<void()> become = [] {}) {
        EXPECT_EQ(pipe2(commands_, O_CLOEXEC), 0);
        EXPECT_EQ(pipe2(answers_, O_CLOEXEC), 0);
        pid_ = fork();
        if (pid_ == 0) child(mode, act, become);
        waitForAnswer();
    }
    ~ChildProcess() {
        kill();
        for (const int end : {commands_[0], commands_[1], answers_[0], answers_[1]}) close(end);
    }
    std::uint32_t pid() const { return static_cast<std::uint32_t>(pid_); }
    void step() {
        EXPECT_EQ(write(commands_[1], "s", 1), 1);
        waitForAnswer();
    }
    void kill() {
        if (pid_ <= 0) return;
        ::kill(pid_, SIGKILL);
        waitpid(pid_, nullptr, 0);
        pid_ = 0;
    }

  private:
    void waitForAnswer() {
        char answer = 0;
        EXPECT_EQ(read(answers_[0], &answer, 1), 1);
    }
    [[noreturn]] void child(Debuggee mode, const std::function<void(int)>& act, const std::function<void()>& become) {
        become();
        prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);  // where Yama restricts debuggers: theirs are no ancestors
        device::Devices devices(test::fake::coreCalls());
        test::fake::addTo(devices);
        Debug debug(devices, mode);
        char command = 0;
        int steps = 0;
        do {
            if (write(answers_[1], "r", 1) != 1) _exit(1);
            if (read(commands_[0], &command, 1) != 1) _exit(0);
            act(steps++);
        } while (true);
    }
    int commands_[2];
    int answers_[2];
    pid_t pid_ = 0;
};

}  // namespace zetl::debug
