#include "emulated_gpu/debugged_child.h"

#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <iostream>

#include "support/process.h"

extern char** environ;

namespace zetl::test {

DebuggedChild::DebuggedChild(const char* scenario) {
    int in[2];
    int out[2];
    EXPECT_EQ(pipe(in), 0);
    EXPECT_EQ(pipe(out), 0);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
    for (const int end : {in[0], in[1], out[0], out[1]}) posix_spawn_file_actions_addclose(&actions, end);
    std::string program = thisProgram();
    std::string argument = std::string("--scenario=") + scenario;
    char* arguments[] = {program.data(), argument.data(), nullptr};
    setenv("ZET_ENABLE_PROGRAM_DEBUGGING", "1", 1);
    EXPECT_EQ(posix_spawn(&pid_, program.c_str(), &actions, nullptr, arguments, environ), 0);
    unsetenv("ZET_ENABLE_PROGRAM_DEBUGGING");
    posix_spawn_file_actions_destroy(&actions);
    close(in[0]);
    close(out[1]);
    in_ = in[1];
    out_ = fdopen(out[0], "r");
}

DebuggedChild::~DebuggedChild() {
    if (pid_ > 0) {
        kill(pid_, SIGKILL);
        waitpid(pid_, nullptr, 0);
    }
    close(in_);
    fclose(out_);
}

void DebuggedChild::tell(const std::string& line) const {
    const auto text = line + "\n";
    EXPECT_EQ(write(in_, text.data(), text.size()), static_cast<ssize_t>(text.size()));
}

std::string DebuggedChild::expect(const std::string& word) const {
    char line[512];
    while (fgets(line, sizeof line, out_))
        if (std::strncmp(line, word.c_str(), word.size()) == 0) return line + word.size();
    ADD_FAILURE() << "the child ended without saying " << word;
    return "";
}

int DebuggedChild::wait() {
    int status = 0;
    waitpid(pid_, &status, 0);
    pid_ = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

void say(const std::string& line) { std::cout << line << std::endl; }
void awaitWord(const std::string& word) {
    std::string line;
    while (std::getline(std::cin, line))
        if (line == word) return;
    std::exit(4);
}

}  // namespace zetl::test
