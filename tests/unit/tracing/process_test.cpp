// Forked children.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "calls.h"

namespace zetl::tracing {
namespace {

/// Runs `body` in a forked child; true if it said so within ten seconds.
template <class Body>
bool inChild(Body&& body) {
    const pid_t child = fork();
    if (child == 0) {
        alarm(10);
        _exit(body() ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

class Fork : public testing::Test {
  protected:
    void SetUp() override { resetCalls(); }
    void TearDown() override { resetCalls(); }
};

TEST_F(Fork, AnotherThreadsCallDoesNotHangTheChild) {
    std::atomic<bool> inside{false};
    std::atomic<bool> leave{false};
    onDriver([&](ze_fence_handle_t fence) {
        if (!fence) return ZE_RESULT_SUCCESS;
        inside = true;
        while (!leave) std::this_thread::yield();
        return ZE_RESULT_SUCCESS;
    });
    int seen = 0;
    Watcher watcher([&](const auto&) { ++seen; });
    watcher.enable();
    std::thread other([] { callFenceReset(reinterpret_cast<ze_fence_handle_t>(1)); });
    while (!inside) std::this_thread::yield();
    EXPECT_TRUE(inChild([&] {
        const int before = seen;
        callFenceReset();
        return seen == before + 1 && watcher.disable() == ZE_RESULT_SUCCESS && watcher.destroy() == ZE_RESULT_SUCCESS;
    }));
    leave = true;
    other.join();
}

TEST_F(Fork, InsideACallbackTheCallGoesOnInTheChild) {
    int epilogues = 0;
    bool child = false;
    Watcher watcher(
        [&](const auto&) {
            const pid_t pid = fork();
            child = pid == 0;
            if (!child) waitpid(pid, nullptr, 0);
        },
        [&](const auto&) { ++epilogues; });
    watcher.enable();
    callFenceReset();
    watcher.disable();
    const bool good = epilogues == 1 && watcher.destroy() == ZE_RESULT_SUCCESS;
    if (child) _exit(good ? 0 : 1);
    EXPECT_TRUE(good);
}

#if !defined(__SANITIZE_ADDRESS__)  // forks may leave its allocator locked in the child; the stress test forks with it
TEST_F(Fork, WritersOfOtherThreadsLeaveNoLockBehind) {
    std::atomic<bool> stop{false};
    std::thread churn([&] {
        Watcher watcher([](const auto&) {});
        while (!stop) {
            watcher.enable();
            watcher.disable();
        }
    });
    for (int i = 0; i < 50; ++i)
        EXPECT_TRUE(inChild([] {
            Watcher watcher([](const auto&) {});
            return watcher.enable() == ZE_RESULT_SUCCESS && callFenceReset() == ZE_RESULT_SUCCESS;
        }));
    stop = true;
    churn.join();
}
#endif

}  // namespace
}  // namespace zetl::tracing
