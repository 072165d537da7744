// What a host process may run out of, at the test's command. The program that links it replaces operator new and
// pthread_create for itself and for every library in it.
#pragma once

namespace zetl::test {

/// The n-th allocation from now on that our libraries, or others on their behalf, make by operator new fails (1: the
/// next one), and `count` of them in a row; 0: none. What the loader allocates for itself is its own business.
void failAllocation(long n, long count = 1);
/// Whether one has failed since.
bool allocationFailed();

/// From now on so many threads can be started, then pthread_create answers EAGAIN.
void allowThreads(long count);
inline constexpr long kAnyNumber = 1'000'000;

/// From now on, for ever: the kernel answers `error` to clone3, and to clone too unless `clone3Only`, for threads and
/// processes alike.
void forbidClone(int error, bool clone3Only);

}  // namespace zetl::test
