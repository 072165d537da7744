// What a host process may run out of, at the test's command. The program that links it replaces operator new and
// pthread_create for itself and for every library in it.
#pragma once

#include <gtest/gtest.h>
#include <level_zero/ze_api.h>

#include <algorithm>
#include <initializer_list>

namespace zetl::test {

/// The n-th allocation from now on that our libraries, or others on their behalf, make by operator new fails (1: the
/// next one), and `count` of them in a row; 0: none. What the loader allocates for itself is its own business.
void failAllocation(long n, long count = 1);
/// The same for allocations by threads that run kernels, in any library.
void failWorkersAllocation(long n);
/// Whether one has failed since.
bool allocationFailed();

/// Calls with the first, the second, ... allocation failing, of many the later ones in steps, until none fails: each
/// answer is one of `answers`.
template <class F>
void withoutEachAllocation(F&& call, std::initializer_list<ze_result_t> answers) {
    for (long n = 1;; n += n < 128 ? 1 : n / 8) {
        failAllocation(n);
        const ze_result_t result = call();
        const bool failed = allocationFailed();
        failAllocation(0);
        if (failed)
            EXPECT_NE(std::find(answers.begin(), answers.end(), result), answers.end()) << n << ": " << result;
        else
            EXPECT_EQ(result, ZE_RESULT_SUCCESS);
        if (!failed || testing::Test::HasFailure()) return;
    }
}

/// From now on so many threads can be started, then pthread_create answers EAGAIN.
void allowThreads(long count);
inline constexpr long kAnyNumber = 1'000'000;

/// From now on, for ever: the kernel answers `error` to clone3, and to clone too unless `clone3Only`, for threads and
/// processes alike.
void forbidClone(int error, bool clone3Only);

}  // namespace zetl::test
