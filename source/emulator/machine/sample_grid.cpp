#include "emulator/machine/sample_grid.h"

namespace zetl::emulator::machine {
namespace {

/// The part of the way from one value to a later one that time has gone.
class Fraction {
  public:
    Fraction(std::uint64_t gone, std::uint64_t whole) noexcept : gone_(gone), whole_(whole) {}
    std::uint64_t between(std::uint64_t earlier, std::uint64_t later) const noexcept {
        __extension__ using Wide = unsigned __int128;
        return earlier + static_cast<std::uint64_t>(Wide{later - earlier} * gone_ / whole_);
    }

  private:
    const std::uint64_t gone_;
    const std::uint64_t whole_;
};

Snapshot interpolate(const Snapshot& earlier, const Snapshot& later, std::uint64_t time) noexcept {
    const Fraction part(time - earlier.timestamp, later.timestamp - earlier.timestamp);
    Snapshot snapshot;
    snapshot.timestamp = time;
    snapshot.coreClocks = part.between(earlier.coreClocks, later.coreClocks);
    for (std::size_t i = 0; i < kCounters; ++i)
        snapshot.counts.values[i] = part.between(earlier.counts.values[i], later.counts.values[i]);
    return snapshot;
}

}  // namespace

// next_ is later than the last reading, so the two readings around it are never at the same time.
void SampleGrid::read(const Snapshot& now, std::deque<Sample>& samples) {
    for (; next_ <= now.timestamp; next_ += period_)
        samples.push_back({interpolate(last_, now, next_), false, now.timestamp - next_ >= period_});
    last_ = now;
}

}  // namespace zetl::emulator::machine
