// How much a test does of what it draws at random, damages or repeats: under a sanitizer, which judges each time and
// makes it many times slower, a part of it.
#pragma once

namespace zetl::test {

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

template <class Number>
constexpr Number effort(Number plain, Number sanitized) {
    return kSanitized ? sanitized : plain;
}

}  // namespace zetl::test
