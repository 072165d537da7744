/* For libraries with libstdc++ linked in that was built for glibc 2.36 or newer: std::random_device takes this function
 * from the C library, and would be the only reason why they need one so new. */
#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>

__attribute__((visibility("hidden"))) uint32_t arc4random(void) {
    uint32_t number = 0;
    if (getrandom(&number, sizeof number, 0) != (ssize_t)sizeof number) abort(); /* as glibc's does */
    return number;
}
