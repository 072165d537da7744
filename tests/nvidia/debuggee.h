// A process that is debugged: this program with a scenario.
#pragma once

#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <string>
#include <vector>

#include "nvidia_gpu.h"

namespace zetl::test {

class Debuggee {
  public:
    /// `variables`: NAME=VALUE, besides this process's.
    explicit Debuggee(const std::string& scenario = "spinsForADebugger", std::vector<std::string> variables = {}) {
        std::string words[] = {thisProgram(), "--scenario=" + scenario};
        char* const arguments[] = {words[0].data(), words[1].data(), nullptr};
        std::vector<char*> environment;
        for (auto& each : variables) environment.push_back(each.data());
        for (char** each = environ; *each; ++each) environment.push_back(*each);
        environment.push_back(nullptr);
        EXPECT_EQ(posix_spawn(&pid_, arguments[0], nullptr, nullptr, arguments, environment.data()), 0);
    }
    ~Debuggee() {
        if (pid_ == 0) return;
        kill(pid_, SIGKILL);
        waitpid(pid_, nullptr, 0);
    }
    Debuggee(const Debuggee&) = delete;
    Debuggee& operator=(const Debuggee&) = delete;

    std::uint32_t pid() const { return static_cast<std::uint32_t>(pid_); }
    int exitCode() {
        int status = -1;
        waitpid(pid_, &status, 0);
        pid_ = 0;
        return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }

  private:
    pid_t pid_ = 0;
};

}  // namespace zetl::test
