// Counter snapshots at a fixed period, for streamers.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "emulator/machine/counters.h"

namespace zetl::emulator::machine {

class Tile;

struct Sample {
    Snapshot snapshot;
    bool marker = false;  ///< made by mark(), with its value
    uint32_t value = 0;
};

/// Samples a tile from construction to destruction, also while it idles, into a ring that drops the oldest. Several may
/// sample a tile at once and see the same counts. Thread-safe.
class Timeline {
  public:
    /// The period is rounded up to what the host's timers can do (see period()).
    Timeline(Tile& tile, uint64_t periodNanoseconds, size_t capacity);
    ~Timeline();
    Timeline(const Timeline&) = delete;
    Timeline& operator=(const Timeline&) = delete;

    uint64_t period() const noexcept;
    size_t pending() const;
    /// Moves out up to `most` samples, oldest first. `lost` is the number dropped since the last drain.
    std::vector<Sample> drain(size_t most, uint64_t* lost);
    /// A sample now, marked with the value.
    void mark(uint32_t value);

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace zetl::emulator::machine
