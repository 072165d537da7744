// Starts sessions of `zetl debug` for tests.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "debugged.h"
#include "support/process.h"

namespace zetl::test {

class Console : public testing::Test {
  protected:
    /// A process that this one has started; 0 if there is none.
    static pid_t childOf(pid_t parent) {
        for (const auto& thread : std::filesystem::directory_iterator("/proc/" + std::to_string(parent) + "/task")) {
            pid_t child = 0;
            if (std::ifstream(thread.path() / "children") >> child) return child;
        }
        return 0;
    }
    /// What it says to the commands, with the program behind `--`.
    static Outcome debugged(const std::vector<std::string>& commands, const std::vector<std::string>& program) {
        std::vector<std::string> words = {inBuildTree("bin/zetl"), "debug", "--device", "tiny", "--batch"};
        for (const auto& each : commands) words.insert(words.end(), {"-e", each});
        words.emplace_back("--");
        words.insert(words.end(), program.begin(), program.end());
        return Process(words).run(std::chrono::seconds(120));
    }
};

}  // namespace zetl::test
