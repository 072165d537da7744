// libocloc's interface with a compiler behind it that does what its first argument says.
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>

namespace {

template <class T>
T* allocate(std::size_t count) {
    return static_cast<T*>(std::calloc(count, sizeof(T)));
}

/// The one output: `size` bytes.
void give(std::size_t size, std::uint8_t*** data, std::uint64_t** sizes, char*** names) {
    *data = allocate<std::uint8_t*>(1), *sizes = allocate<std::uint64_t>(1), *names = allocate<char*>(1);
    **data = allocate<std::uint8_t>(size);
    std::memset(**data, 7, size);
    **sizes = size;
    **names = strdup("module");
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int oclocInvoke(unsigned, const char** words, std::uint32_t,
                                                                  const std::uint8_t**, const std::uint64_t*,
                                                                  const char**, std::uint32_t, const std::uint8_t**,
                                                                  const std::uint64_t*, const char**,
                                                                  std::uint32_t* outputs, std::uint8_t*** data,
                                                                  std::uint64_t** sizes, char*** names) {
    const std::string what = words[1];
    if (what == "exit") std::fputs("last words", stderr), std::exit(3);
    if (what == "exit well") std::exit(0);
    if (what == "abort") std::abort();
    if (what == "tell") std::ofstream(words[2]) << getpid() << std::endl;
    for (volatile bool on = what == "loop" || what == "tell"; on;) {
    }
    *outputs = 1;
    give(std::strtoul(what.c_str(), nullptr, 10), data, sizes, names);
    return 0;
}

extern "C" __attribute__((visibility("default"))) int oclocFreeOutput(std::uint32_t*, std::uint8_t*** data,
                                                                      std::uint64_t** sizes, char*** names) {
    std::free(**data), std::free(**names);
    std::free(*data), std::free(*sizes), std::free(*names);
    return 0;
}
