// Counter snapshots at a fixed period, for streamers.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "emulator/machine/sample_grid.h"

namespace zetl::emulator::machine {

class Tile;

/// The samples that were dropped because they were not drained: their number, and the times of the first and the last.
struct SampleLoss {
    std::uint64_t samples = 0;
    std::uint64_t markers = 0;  ///< number of markers among them
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
};

/// Samples a tile from construction to destruction, also while it idles, into a ring that drops the oldest. Every
/// period gets its sample (SampleGrid): a thread takes a reading each period as far as the host lets it, and so does
/// each call that reads the timeline; samples that both came too late for are interpolated. Several timelines may
/// sample a tile at once and see the same counts. Thread-safe.
class Timeline {
  public:
    /// Rounds the period to whole ticks of the device clock, and to at least what a host's timer can do.
    static std::uint64_t periodOf(Tile& tile, std::uint64_t nanoseconds) noexcept;

    /// `counters` is called in the place of the tile's; like those, its values must never go back. It is given the time
    /// of the reading before: if several later moments are known, it answers with the first, which says so.
    using Counters = std::function<Snapshot(std::uint64_t)>;
    Timeline(Tile& tile, std::uint64_t periodNanoseconds, std::size_t capacity, Counters counters = {});
    ~Timeline();
    Timeline(const Timeline&) = delete;
    Timeline& operator=(const Timeline&) = delete;

    std::uint64_t period() const noexcept;  ///< nanoseconds, as rounded by periodOf()
    /// Forgets all samples and losses; the first sample comes a period from now.
    void restart();
    /// The number of samples that wait at this moment.
    std::size_t pending() const;
    /// Moves out up to `most` samples, oldest first. `loss` reports the samples dropped since the last drain, which lie
    /// before them. If a marker would come first, the sample drained before it is repeated in front of it, if both fit:
    /// an interval is made of two samples, and the marker's would otherwise be in none.
    std::vector<Sample> drain(std::size_t most, SampleLoss* loss);
    /// Takes a sample now and marks it with the value.
    void mark(std::uint32_t value);

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace zetl::emulator::machine
