// Done once by all threads, again after a failure, and without ending a process that has no memory left.
#include "base/once.h"

#include <gtest/gtest.h>

#include <atomic>
#include <new>
#include <stdexcept>
#include <thread>
#include <vector>

#include "unit/base/exhausted_memory.h"

namespace zetl {
namespace {

TEST(Once, IsDoneByOneOfManyThreads) {
    Once once;
    std::atomic<int> times{0};
    std::vector<std::jthread> threads;
    for (int i = 0; i < 8; ++i) threads.emplace_back([&] { once.call([&] { ++times; }); });
    threads.clear();
    EXPECT_EQ(times, 1);
}

TEST(Once, IsTriedAgainAfterAFailure) {
    Once once;
    int times = 0;
    const auto failing = [&] {
        if (++times == 1) throw std::runtime_error("first");
    };
    EXPECT_THROW(once.call(failing), std::runtime_error);
    EXPECT_NO_THROW(once.call(failing));
    EXPECT_NO_THROW(once.call(failing));
    EXPECT_EQ(times, 2);
}

TEST(Once, PassesBadAllocOnWhereMemoryIsExhausted) {
    if (!test::kMemoryCanBeExhausted) GTEST_SKIP() << "a sanitizer ends a process without memory";
    const int code = test::exitCodeOfChild([] {
        Once once;
        test::exhaustMemory();
        try {
            once.call([] { throw std::bad_alloc(); });
        } catch (const std::bad_alloc&) {
            return 0;
        }
        return 1;
    });
    EXPECT_EQ(code, 0);
}

}  // namespace
}  // namespace zetl
