// How long a device that several processes use had nothing to do.
#pragma once

#include <cstdint>

namespace zetl::emulator::peers {

/// What remains of the time that passed once work is taken away. Work of several processes at the same time adds up, as
/// if one had followed the other, and is reported late: so the answer stands still while there was more work than time,
/// and until both are even again, but no longer than kMostDebt.
class IdleTime {
  public:
    static constexpr std::int64_t kMostDebt = 10'000'000;  ///< nanoseconds

    /// Both since the begin, in nanoseconds, and never less than before. Never less than the answer before.
    std::uint64_t of(std::uint64_t passed, std::uint64_t worked) noexcept;

  private:
    std::int64_t forgiven_ = 0;
    std::int64_t idle_ = 0;
};

}  // namespace zetl::emulator::peers
