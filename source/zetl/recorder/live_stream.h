// Sends records to LTTng while the program runs.
#pragma once

#include <cstdint>
#include <string_view>

namespace zetl::recorder {

/// Through liblttng-ust, which is opened at run time. Events are lttng_ust_tracef:event, with one text each. All
/// functions may be called from any thread, and do nothing before start().
class LiveStream {
  public:
    /// Call it once, before the application's first call. Prints a line on standard error if the library is missing.
    static void start() noexcept;
    static bool isOn() noexcept;

    // Times are nanoseconds of now().
    static void call(std::uint16_t function, std::uint64_t begin, std::uint64_t end, std::uint64_t result) noexcept;
    static void range(const char* name, std::uint64_t begin, std::uint64_t end) noexcept;
    /// What a device did; the name of a kernel may be cut.
    static void work(std::string_view name, std::uint32_t stream, std::uint64_t begin, std::uint64_t end) noexcept;
};

}  // namespace zetl::recorder
