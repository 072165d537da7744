/* For libraries with libstdc++ linked in that was built for glibc 2.36: what it takes from C libraries newer than 2.28,
 * and what scripts/build_polyfill's program has no replacement for. */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>
#include <time.h>

#define HIDDEN __attribute__((visibility("hidden")))

/* glibc 2.36; std::random_device. */
HIDDEN uint32_t arc4random(void) {
    uint32_t number = 0;
    if (getrandom(&number, sizeof number, 0) != (ssize_t)sizeof number) abort(); /* as glibc's does */
    return number;
}

/* glibc 2.32; true would let reference counts be changed without atomic instructions. */
HIDDEN char __libc_single_threaded = 0;

/* glibc 2.30; waits of condition variables on std::chrono::steady_clock, which looks at that clock again afterwards. So
 * a change of the system's time meanwhile makes a wait longer or shorter, but no answer wrong. */
HIDDEN int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                                  const struct timespec* end) {
    const long second = 1000000000;
    struct timespec here, there;
    if (clock_gettime(clock, &here) || clock_gettime(CLOCK_REALTIME, &there)) abort(); /* both exist everywhere */
    struct timespec until = {there.tv_sec + (end->tv_sec - here.tv_sec), there.tv_nsec + (end->tv_nsec - here.tv_nsec)};
    if (until.tv_nsec < 0) until.tv_nsec += second, --until.tv_sec;
    if (until.tv_nsec >= second) until.tv_nsec -= second, ++until.tv_sec;
    if (until.tv_sec < 0) until = (struct timespec){0, 0}; /* long ago */
    return pthread_cond_timedwait(condition, mutex, &until);
}
