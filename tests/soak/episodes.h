// What a soak thread does at random: each episode makes objects, uses them legally, checks its results, and leaves
// nothing.
#pragma once

#include <span>
#include <string_view>

#include "soak/gpu.h"
#include "soak/random.h"

namespace zetl::soak {

struct Episode {
    std::string_view name;
    /// Throws a Failure.
    void (*run)(const Gpu& gpu, Random& random);
};

std::span<const Episode> memoryEpisodes();
std::span<const Episode> executionEpisodes();
std::span<const Episode> processEpisodes();
std::span<const Episode> toolEpisodes();

}  // namespace zetl::soak
