// What one reader sees of the samples of this process.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "emulator/machine/stalls.h"
#include "emulator/peers/shared_stalls.h"

namespace zetl::emulator::peers {

/// What Tile::stalls() says, by tile.
using StallsByTile = std::vector<std::vector<machine::InstructionStalls>>;

/// The growth since the reader came. Not thread-safe.
class StallsSince {
  public:
    StallsSince(SharedStalls shared, const StallsByTile& now);

    const SharedStalls& shared() const noexcept { return shared_; }
    /// Throws bad_alloc: the reader then sees a part of it.
    void publish(const StallsByTile& now);

  private:
    static constexpr std::size_t kNowhere = ~std::size_t{0};
    struct Place {
        std::size_t row = kNowhere;
        machine::StallCycles before{};
    };
    void raise(std::uint32_t tile, const machine::InstructionStalls& now);

    SharedStalls shared_;
    std::map<std::pair<std::uint32_t, std::uint64_t>, Place> places_;  ///< by tile and address
    bool warned_ = false;
};

}  // namespace zetl::emulator::peers
