// What limits a kernel, by rule, from what was measured of it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "metrics/kernel_table.h"

namespace zetl::command {

/// A share in percent, and what it is a share of.
struct Share {
    std::string_view of;
    double percent = 0;
};

/// One row of a KernelTable. Values whose columns were not measured are empty.
class KernelFacts {
  public:
    /// Both must outlive this.
    KernelFacts(const KernelTable& kernels, const std::vector<Json>& row) : kernels_(kernels), row_(row) {}

    std::optional<double> number(std::string_view heading) const { return numberIn(kernels_.table, row_, heading); }
    /// Of a device with a model.
    const ModelledDevice& device() const { return *kernels_.device; }

    /// Core clock cycles.
    std::optional<double> cycles() const;
    /// The share of places for hardware threads that hold one.
    std::optional<double> occupancy() const;

    /// The pipe that is busiest, and its share of the cycles.
    std::optional<Share> compute() const;
    /// The level of memory that is nearest to its bandwidth.
    std::optional<Share> memory() const;
    /// What threads wait for most, and its share of the cycles in which places hold threads.
    std::optional<Share> topStall() const;
    /// Hardware threads and work-groups per launch.
    std::optional<double> threads() const { return perLaunch("XVE_COMPUTE_THREAD_COUNT[threads]"); }
    std::optional<double> groups() const { return perLaunch("XVE_COMPUTE_GROUP_COUNT[events]"); }

    /// Why not all places hold threads all the time; empty if they nearly do, or if it is not known.
    std::string occupancyLimit() const;
    /// One sentence; empty if too little was measured.
    std::string advice() const;

  private:
    std::optional<double> perLaunch(std::string_view heading) const;
    /// Work-groups that a sub-slice has places for; by local memory alone, if `local`.
    double groupsThatFit(bool local) const;

    const KernelTable& kernels_;
    const std::vector<Json>& row_;
};

}  // namespace zetl::command
