// The host's time in this process, and how the time of emulated devices follows from it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace zetl::emulator::machine {

/// The source of a device clock's time. Device time is now() + shift.
///
/// All devices of a host count from one moment, so that raw times of different processes can be compared: the start of
/// the host's CLOCK_MONOTONIC_RAW. A process in a time namespace reads another value of that clock; the kernel shows
/// the difference (/proc/self/timens_offsets, time_namespaces(7)), which is the shift. No file, no daemon and no
/// privilege is needed, so containers and users agree, too. A moment nearer to the present would need state that all of
/// them could write; and it would not avoid the wraps, which come every 343 s with a 32-bit clock of 12.5 MHz.
struct HostTime {
    std::uint64_t (*now)() noexcept;  ///< nanoseconds
    std::int64_t shift = 0;           ///< nanoseconds

    /// CLOCK_MONOTONIC_RAW of this process, and its shift, to which ZETL_EMULATED_CLOCK_AHEAD is added.
    static HostTime ofProcess();
    /// CLOCK_MONOTONIC_RAW in nanoseconds.
    static std::uint64_t monotonicRaw() noexcept;
};

/// The nanoseconds by which the monotonic clocks of a time namespace are ahead of the host's, from the text of a
/// timens_offsets file; nothing if the text does not contain it.
std::optional<std::int64_t> namespaceOffset(std::string_view text) noexcept;

}  // namespace zetl::emulator::machine
