// What the process holds whenever all threads of a soak run are between two episodes: the measure of leaks.
#pragma once

#include <cstdint>
#include <vector>

namespace zetl::soak {

struct Holdings {
    std::uint64_t episodes = 0;
    std::uint64_t residentBytes = 0;
    std::uint64_t descriptors = 0;
    std::uint64_t threads = 0;
};

/// The process's own, read from /proc, after memory that nothing uses has gone back to the system.
Holdings holdings();

/// Growth for each thousand episodes, by least squares over the second half of the points; 0 for fewer than eight.
struct Growth {
    double kilobytes = 0;
    double descriptors = 0;
};
Growth growthOf(const std::vector<Holdings>& points);

}  // namespace zetl::soak
