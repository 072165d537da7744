// Queries around the launches of a process, and their results, kernel by kernel.
#pragma once

#include <level_zero/zet_api.h>

#include <map>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "activity/launch_observer.h"

namespace zetl::queries {

/// The loader's functions, looked up at the first launch, because this library is not linked to a loader.
struct LoaderFunctions;

/// One query, from the launch that it brackets to the end of its list. A closed list may execute often.
struct Bracket {
    zet_metric_group_handle_t group = nullptr;
    zet_metric_query_handle_t query = nullptr;
    ze_command_list_handle_t list = nullptr;
    std::string kernel;
    std::uint64_t number = 0;  ///< of the launch, from 1 on; 0 if launches of a kernel are added up
    bool immediate = false;
    bool measured = false;  ///< at least once
};

/// One per process, never destroyed. Thread-safe.
class Launches {
  public:
    Launches();
    static Launches& instance();

    /// The list is reset or destroyed; its commands will not execute again.
    void listEnds(ze_command_list_handle_t list);
    /// Null if the launch cannot be measured.
    Bracket* begin(const activity::Launch& launch);
    void end(Bracket* bracket);
    /// Takes the data of every query that has ended.
    void collect();
    /// Appends a block to the file, if anything was launched.
    void write(const char* file);
    bool complete() const;

  private:
    /// The group that is measured on a device, and the pools of its queries in one context.
    struct Source {
        zet_metric_group_handle_t group = nullptr;
        zet_metric_query_pool_handle_t pool = nullptr;
        std::uint32_t used = 0;
    };
    struct Totals {
        std::uint64_t launches = 0;
        std::vector<double> values;  ///< sums; for shares, sums of share times core clock cycles
        double cycles = 0;
    };

    Source* sourceOf(const activity::Launch& launch);
    zet_metric_group_handle_t findGroup(ze_device_handle_t device);
    zet_metric_query_handle_t nextQuery(Source& source, const activity::Launch& launch);
    /// Joined by " + ", each name once.
    std::string namesOf(std::span<const ze_kernel_handle_t> kernels) const;
    void readColumns(zet_metric_group_handle_t group);
    void take(Bracket& bracket);
    void collectLocked();
    void giveUp(const char* why);

    mutable std::mutex mutex_;
    const LoaderFunctions* functions_ = nullptr;
    bool hopeless_ = false;
    std::map<std::pair<ze_context_handle_t, ze_device_handle_t>, Source> sources_;
    std::set<Bracket*> brackets_;
    std::vector<std::string> columns_;
    std::vector<bool> shares_;
    std::vector<bool> written_;  ///< false for times, which cannot be added up
    std::size_t cyclesColumn_ = SIZE_MAX;
    double modelMhz_ = 0;  ///< core clock of a device whose clock cycles are those of a model
    const bool perLaunch_;
    std::uint64_t launches_ = 0;
    std::map<std::pair<std::uint64_t, std::string>, Totals> kernels_;  ///< by number and name
};

}  // namespace zetl::queries
