// What was seen in a launch, told apart by instructions, with how often. Facts in the machine's own terms.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "base/mutex.h"
#include "check/kinds.h"
#include "emulator/check/toucher.h"
#include "emulator/machine/code/loaded_program.h"
#include "emulator/machine/memory.h"
#include "isa/xe/surface_state.h"

namespace zetl::emulator::check {

/// The image of an access to texels.
struct SeenImage {
    std::uint32_t surface = 0;  ///< offset of its state
    zetl::isa::xe::SurfaceState state;
    std::array<std::int64_t, 3> at{};  ///< coordinates, and behind them the number of the layer
    bool bySampler = false;            ///< the message is one to the sampler
};

struct Observation {
    zetl::check::Kind kind{};
    std::uint64_t launch = 0;  ///< Dispatch::id
    const machine::LoadedProgram* program = nullptr;
    Toucher now;
    std::uint64_t command = 0;      ///< if it was seen in a command that is no launch
    std::optional<Toucher> before;  ///< the other side of a race
    bool beforeWrote = false;
    std::uint64_t beforeCommand = 0;  ///< of the other side, if it is another one
    std::uint64_t address = 0;        ///< or the offset in local memory
    std::uint32_t bytes = 0;
    std::optional<machine::Allocation> allocation;
    std::optional<SeenImage> image;
};

/// Thread-safe. At most kMost are kept until they are taken; further ones are counted.
class Observations {
  public:
    static constexpr std::size_t kMost = 1000;

    struct Seen {
        Observation first;
        std::uint64_t count = 0;
    };

    /// The first one of its kind at these instructions is kept. Keeps none if the host has no memory.
    void add(const Observation& observation) noexcept;
    /// Takes out those of a launch.
    std::vector<Seen> take(std::uint64_t launch);
    /// How many were not kept since the last call.
    std::uint64_t takeLost() noexcept;

  private:
    using Key = std::tuple<std::uint64_t, zetl::check::Kind, const machine::LoadedProgram*, isa::Line, isa::Line>;
    static Key keyOf(const Observation& observation) noexcept;

    Mutex mutex_;
    std::map<Key, Seen> seen_ ZETL_GUARDED_BY(mutex_);
    std::uint64_t lost_ ZETL_GUARDED_BY(mutex_) = 0;
};

}  // namespace zetl::emulator::check
