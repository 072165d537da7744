// The rank of this process in a parallel program, as its launcher says.
#pragma once

#include <cstdint>

namespace zetl::command {

struct Rank {
    std::int32_t number = -1;  ///< -1: no launcher gave one
    std::uint32_t of = 0;      ///< ranks of the program; 0: unknown

    bool any() const noexcept { return number >= 0; }
    /// Other ranks may write to the same places.
    bool hasOthers() const noexcept { return any() && of != 1; }
};

/// From the environment: Open MPI, PMI (MPICH, Intel MPI), PMIx, Slurm's steps. Allocates nothing.
Rank currentRank() noexcept;

/// What the launcher calls this program, as a hash that all its ranks have; 0: it does not say.
std::uint64_t currentJob() noexcept;

}  // namespace zetl::command
