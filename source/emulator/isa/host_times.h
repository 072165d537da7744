// Where the time of a program's threads goes, in ticks of the host's time-stamp counter.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace zetl::emulator::isa {

/// Workers and host code add to the sums, from any thread; the report of a launch takes them.
struct HostTimes {
    explicit HostTimes(std::size_t lines) : called(lines) {}

    std::atomic<std::uint64_t> turns{0};             ///< of workers that executed its groups: everything below, too
    std::atomic<std::uint64_t> hostCode{0};          ///< with the steps that it called
    std::vector<std::atomic<std::uint64_t>> called;  ///< by line: in its steps, called by host code
};

}  // namespace zetl::emulator::isa
