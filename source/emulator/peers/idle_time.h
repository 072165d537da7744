// How long a device that several processes use was idle.
#pragma once

#include <cstdint>

namespace zetl::emulator::peers {

/// What remains of the time that passed once work is taken away. Work of several processes at the same time adds up, as
/// if one had followed the other, and is reported late: so the answer stands still while there was more work than time,
/// and until both are even again, but no longer than kMostDebt.
class IdleTime {
  public:
    static constexpr std::int64_t kMostDebt = 10'000'000;  ///< nanoseconds

    /// Both are nanoseconds since the begin and never decrease. The result never decreases, either.
    std::uint64_t of(std::uint64_t passed, std::uint64_t worked) noexcept;

  private:
    std::int64_t forgiven_ = 0;
    std::int64_t idle_ = 0;
};

}  // namespace zetl::emulator::peers
