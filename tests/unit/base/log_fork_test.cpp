// A child that is forked while another thread is at the log's first use, or holds its file, can use the log.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <string>
#include <thread>

#include "base/log.h"
#include "base/settings.h"
#include "support/slow_variable.h"
#include "support/wait_for.h"

namespace zetl {
namespace {

/// The tests below are one process each: a first use comes once (CMakeLists.txt).
class LogFork : public testing::Test {
  protected:
    LogFork() {
        setenv("ZETL_LOG", "info", 1);
        setenv("ZETL_LOG_FILE", file_.c_str(), 1);
    }
    ~LogFork() override { std::filesystem::remove(file_); }

    static int logs() {
        log::info(log::Channel::layer, "from the child");
        return 0;
    }
    static int childThatLogs() { return test::exitOfChild(logs); }
    static void forkAtFirstUse(const char* variable) {
        const auto first = [] { log::info(log::Channel::layer, "from a thread"); };
        EXPECT_EQ(test::exitOfChildMeanwhile(variable, first, logs), 0);
    }

    const std::string file_ = std::filesystem::temp_directory_path() / ("log_fork." + std::to_string(getpid()));
};

TEST_F(LogFork, WhileTheLevelsAreRead) { forkAtFirstUse(settings::kLog); }

TEST_F(LogFork, WhileTheFileIsOpened) { forkAtFirstUse(settings::kLogFile); }

/// A pipe that nobody reads holds the writer up, with the lock of the file.
TEST_F(LogFork, WhileALineIsWritten) {
    ASSERT_EQ(mkfifo(file_.c_str(), 0600), 0);
    const int reader = open(file_.c_str(), O_RDONLY | O_NONBLOCK);
    log::info(log::Channel::layer, "opens the pipe");
    const std::string longLine(200'000, 'x');
    std::atomic<pid_t> waits{0};
    std::thread writer([&] {
        waits = gettid();
        log::info(log::Channel::layer, "{}", longLine);
    });
    char byte = 0;
    while (read(reader, &byte, 1) != 1) std::this_thread::yield();
    EXPECT_TRUE(test::waitFor([&] { return test::isAsleep(waits); })) << "the pipe is full";
    setenv("ZETL_LOG_FILE", "/dev/null", 1);  // where the child opens its own
    EXPECT_EQ(childThatLogs(), 0);
    std::string rest(1 << 16, ' ');
    std::atomic<bool> done{false};
    std::thread drain([&] {
        while (!done)
            if (read(reader, rest.data(), rest.size()) <= 0) std::this_thread::yield();
    });
    writer.join();
    done = true;
    drain.join();
    close(reader);
}

/// Of 20 children some are forked while the thread has the C library's lock on time zones.
TEST_F(LogFork, WhileSomebodyAsksForTheLocalTime) {
    log::info(log::Channel::layer, "opens the file");
    std::atomic<bool> done{false};
    std::thread clock([&] {
        std::tm local{};
        for (const std::time_t now = std::time(nullptr); !done;) localtime_r(&now, &local);
    });
    for (int i = 0; i < 20; ++i) EXPECT_EQ(childThatLogs(), 0);
    done = true;
    clock.join();
}

}  // namespace
}  // namespace zetl
