// Calls that do not end by returning: exceptions, threads that end inside a callback.
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <stdexcept>
#include <thread>

#include "calls.h"
#include "support/wait_for.h"

namespace zetl::tracing {
namespace {

void runOnThread(void* (*body)(void*), void* argument) {
    pthread_t thread;
    ASSERT_EQ(pthread_create(&thread, nullptr, body, argument), 0);
    pthread_join(thread, nullptr);
}

class InterruptedCall : public testing::Test {
  protected:
    void SetUp() override { resetCalls(); }
};

TEST_F(InterruptedCall, AnExceptionLeavesTheThreadTraceable) {
    for (const bool inPrologue : {true, false}) {
        int seen = 0;
        const auto fail = [&](const auto&) {
            if (++seen == 1) throw std::runtime_error("callback");
        };
        Watcher watcher(inPrologue ? fail : Watcher::Body(), inPrologue ? Watcher::Body() : fail);
        watcher.enable();
        EXPECT_THROW(callFenceReset(), std::runtime_error);
        EXPECT_EQ(callFenceReset(), ZE_RESULT_SUCCESS);
        EXPECT_EQ(seen, 2);
        watcher.disable();
        EXPECT_EQ(watcher.destroy(), ZE_RESULT_SUCCESS);
    }
}

TEST_F(InterruptedCall, AThreadMayEndInACallback) {
    Watcher watcher([&](const Watcher::Seen& seen) {
        if (*seen.parameters->phFence) pthread_exit(nullptr);
    });
    watcher.enable();
    runOnThread(
        [](void*) -> void* {
            callFenceReset(reinterpret_cast<ze_fence_handle_t>(1));
            return nullptr;
        },
        nullptr);
    EXPECT_EQ(callFenceReset(), ZE_RESULT_SUCCESS);
    watcher.disable();
    EXPECT_EQ(watcher.destroy(), ZE_RESULT_SUCCESS);
}

TEST_F(InterruptedCall, AThreadMayBeCancelledInTheDriver) {
    Watcher watcher([](const auto&) {}, [](const auto&) {});
    watcher.enable();
    onDriver([](ze_fence_handle_t fence) {
        while (fence) pause();
        return ZE_RESULT_SUCCESS;
    });
    pthread_t thread;
    ASSERT_EQ(pthread_create(
                  &thread, nullptr,
                  [](void*) -> void* {
                      callFenceReset(reinterpret_cast<ze_fence_handle_t>(1));
                      return nullptr;
                  },
                  nullptr),
              0);
    pthread_cancel(thread);
    pthread_join(thread, nullptr);
    watcher.disable();
    EXPECT_EQ(watcher.destroy(), ZE_RESULT_SUCCESS);
}

TEST_F(InterruptedCall, AThreadThatVanishesIsNotWaitedFor) {
    // Without unwinding and without destructors: the only trace of the thread is a record that claims to be in a call.
    static std::atomic<pid_t> vanished;
    vanished = 0;
    Watcher watcher([](const Watcher::Seen& seen) {
        if (!*seen.parameters->phFence) return;
        vanished = gettid();
        syscall(SYS_exit, 0);
    });
    watcher.enable();
    pthread_t thread;
    ASSERT_EQ(pthread_create(
                  &thread, nullptr,
                  [](void*) -> void* {
                      callFenceReset(reinterpret_cast<ze_fence_handle_t>(1));
                      return nullptr;
                  },
                  nullptr),
              0);
    pthread_detach(thread);
    EXPECT_TRUE(test::waitFor([] { return vanished != 0 && syscall(SYS_tgkill, getpid(), vanished.load(), 0) != 0; }));
    watcher.disable();
    EXPECT_EQ(watcher.destroy(), ZE_RESULT_SUCCESS);
}

TEST_F(InterruptedCall, CallsOfAThreadsLastDestructorsAreTraced) {
    static int seen;
    seen = 0;
    Watcher watcher([](const auto&) { ++seen; });
    watcher.enable();
    struct Late {
        ~Late() { callFenceReset(); }
    };
    std::thread([] {
        callFenceReset();
        pthread_key_t key;
        pthread_key_create(&key, [](void*) { callFenceReset(); });
        pthread_setspecific(key, &seen);
        thread_local Late late;
        (void)late;
    }).join();
    EXPECT_EQ(seen, 3);
}

}  // namespace
}  // namespace zetl::tracing
