// The choices of one soak episode, all of which follow from its seed.
#pragma once

#include <cstdint>
#include <random>

namespace zetl::soak {

class Random {
  public:
    explicit Random(std::uint64_t seed) : engine_(seed) {}

    /// In [0, count).
    std::uint32_t below(std::uint32_t count) { return static_cast<std::uint32_t>(engine_() % count); }
    /// In [first, last].
    std::uint32_t between(std::uint32_t first, std::uint32_t last) { return first + below(last - first + 1); }
    /// True once in `count` calls.
    bool once(std::uint32_t count) { return below(count) == 0; }

  private:
    std::mt19937_64 engine_;
};

}  // namespace zetl::soak
