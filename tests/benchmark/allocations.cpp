#include "benchmark/allocations.h"

#include <cstddef>

// glibc's own allocator, which it exports under these names for programs that replace malloc.
extern "C" void* __libc_malloc(std::size_t size);
extern "C" void* __libc_calloc(std::size_t count, std::size_t size);

namespace {
thread_local long count = 0;
}

namespace zetl::test {
long allocations() { return count; }
}  // namespace zetl::test

extern "C" {
__attribute__((visibility("default"))) void* malloc(std::size_t size) {
    ++count;
    return __libc_malloc(size);
}
__attribute__((visibility("default"))) void* calloc(std::size_t number, std::size_t size) {
    ++count;
    return __libc_calloc(number, size);
}
}
