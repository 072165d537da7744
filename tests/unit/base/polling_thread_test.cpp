// Service threads that are woken to end, and what a forked child does with them.
#include "base/polling_thread.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>

#include <memory>

namespace zetl {
namespace {

/// As services are: its thread is its last member.
class Service {
  public:
    explicit Service(int& ends) : ends_(ends), thread_(PollingThread::makeWake()) {}
    bool begin() {
        return thread_.start(log::Channel::debug, "zetl-test", [this]() noexcept { run(); });
    }

  private:
    void run() noexcept {
        while (!thread_.ending()) {
            pollfd wake{thread_.wake(), POLLIN, 0};
            poll(&wake, 1, -1);
        }
        ++ends_;
    }

    int& ends_;
    PollingThread thread_;
};

TEST(PollingThread, EndsWhenItsOwnerGoes) {
    int ends = 0;
    {
        Service service(ends);
        ASSERT_TRUE(service.begin());
    }
    EXPECT_EQ(ends, 1);
}

TEST(PollingThread, OneThatWasNeverStartedIsNotWaitedFor) {
    int ends = 0;
    { const Service service(ends); }
    EXPECT_EQ(ends, 0);
}

TEST(PollingThread, WakesUntilItIsDrained) {
    PollingThread thread(PollingThread::makeWake());
    const std::uint64_t one = 1;
    ASSERT_EQ(write(thread.wake(), &one, sizeof one), ssize_t{sizeof one});
    pollfd wake{thread.wake(), POLLIN, 0};
    EXPECT_EQ(poll(&wake, 1, 0), 1);
    thread.drainWake();
    EXPECT_EQ(poll(&wake, 1, 0), 0);
    thread.drainWake();  // and does not wait when nobody woke it
}

/// A child that joined the parent's thread would hang.
TEST(PollingThread, AForkedChildLeavesItToItsParent) {
    int ends = 0;
    std::unique_ptr<Service, DeletedByMaker<Service>> service(new Service(ends));
    ASSERT_TRUE(service->begin());
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        alarm(10);
        service.reset();
        _exit(ends == 0 ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(ends, 0);
    service.reset();
    EXPECT_EQ(ends, 1);
}

}  // namespace
}  // namespace zetl
