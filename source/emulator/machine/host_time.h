// The host's time as this process reads it, and how it becomes the time of emulated devices.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace zetl::emulator::machine {

/// Where a device clock takes its time from. Device time is now() + shift.
///
/// All devices of a host count from one moment, so that times of different processes can be compared raw: the start of
/// the host's CLOCK_MONOTONIC_RAW. A process in a time namespace reads another value of that clock; the kernel tells it
/// the difference (/proc/self/timens_offsets, time_namespaces(7)), which is the shift. No file, no daemon and no
/// privilege is needed, so containers and users agree, too. A moment nearer to the present would need state that all
/// of them could write; and it would not spare anybody the wraps, which a 32-bit clock of 12.5 MHz makes every 343 s.
struct HostTime {
    std::uint64_t (*now)() noexcept;  ///< nanoseconds
    std::int64_t shift = 0;           ///< nanoseconds

    /// CLOCK_MONOTONIC_RAW of this process, and its shift with what ZETL_EMULATED_CLOCK_AHEAD adds.
    static HostTime ofProcess();
    /// CLOCK_MONOTONIC_RAW in nanoseconds.
    static std::uint64_t monotonicRaw() noexcept;
};

/// Nanoseconds that the monotonic clocks of a time namespace are ahead of the host's, from the text of a
/// timens_offsets file; nothing if it does not say.
std::optional<std::int64_t> namespaceOffset(std::string_view text) noexcept;

}  // namespace zetl::emulator::machine
