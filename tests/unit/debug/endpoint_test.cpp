// Where agents listen: names that go with their process and programs that it executed before.
#include "debug/endpoint.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

namespace zetl::debug {
namespace {

namespace fs = std::filesystem;

TEST(Endpoint, NameGoesWithItsOwnerAndNotWithAForkedChild) {
    auto listening = listenForDebuggers();
    ASSERT_TRUE(listening.socket);
    const fs::path path = listening.path;
    EXPECT_TRUE(fs::exists(path));
    const pid_t child = fork();
    if (child == 0) {
        listening.name.reset();
        _exit(0);
    }
    waitpid(child, nullptr, 0);
    EXPECT_TRUE(fs::exists(path));
    listening.name.reset();
    EXPECT_FALSE(fs::exists(path));
}

/// A process that executes another program keeps pid and start time: the new program's agent takes the name over.
TEST(Endpoint, NameOfTheProgramBeforeIsTakenOver) {
    auto before = listenForDebuggers();
    ASSERT_TRUE(before.socket);
    auto second = listenForDebuggers();
    EXPECT_NE(second.path, before.path) << "while somebody listens it is his";
    before.socket = FileDescriptor();  // as exec closes it
    const auto after = listenForDebuggers();
    ASSERT_TRUE(after.socket);
    EXPECT_EQ(after.path, before.path);
}

}  // namespace
}  // namespace zetl::debug
