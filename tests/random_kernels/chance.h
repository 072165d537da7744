// The random choices of one program: the same for the same seed on every host.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

namespace zetl::random_kernels {

class Chance {
  public:
    explicit Chance(std::uint64_t seed) : generator_(seed * 0x9e3779b97f4a7c15ull + 1) {}

    std::uint64_t bits() { return generator_(); }
    int below(int n) { return static_cast<int>(generator_() % static_cast<std::uint64_t>(n)); }
    int between(int low, int high) { return low + below(high - low + 1); }
    bool oneIn(int n) { return below(n) == 0; }
    template <class Container>
    auto& of(Container& all) {
        return all[static_cast<std::size_t>(below(static_cast<int>(std::size(all))))];
    }

  private:
    std::mt19937_64 generator_;
};

}  // namespace zetl::random_kernels
