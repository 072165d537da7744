// Queries around the launches of a process, and their results, kernel by kernel.
#pragma once

#include <level_zero/zet_api.h>

#include <array>
#include <map>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "activity/launch_observer.h"
#include "injected/query_format.h"

namespace zetl::queries {

/// The loader's functions, looked up at the first launch, because this library is not linked to a loader.
struct LoaderFunctions;

/// The queries around one launch, one per group, from the launch to the end of its list. A closed list may execute
/// often.
struct Bracket {
    std::vector<zet_metric_group_handle_t> groups;
    std::vector<zet_metric_query_handle_t> queries;
    ze_command_list_handle_t list = nullptr;
    std::string kernel;
    std::uint64_t localBytes = 0;  ///< local memory of a work-group
    std::uint64_t number = 0;      ///< of the launch, from 1 on; 0 if launches of a kernel are added up
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
    /// Adds what the rows of a graph need.
    void describe(std::span<const ze_kernel_handle_t> kernels, activity::CapturedKernels& all);
    /// Takes the data of every query that has ended.
    void collect();
    /// Appends a block to the file, if anything was launched.
    void write(const char* file);
    bool complete() const;

  private:
    /// A group that is measured on a device, and the pool of its queries in one context.
    struct Source {
        zet_metric_group_handle_t group = nullptr;
        zet_metric_query_pool_handle_t pool = nullptr;
        std::uint32_t used = 0;
    };
    /// One per group; empty if nothing can be measured.
    using Sources = std::vector<Source>;
    struct Column {
        std::string heading;
        bool share = false;    ///< weighted by core clock cycles
        bool written = false;  ///< false: cannot be added up, or another group before has it
    };
    struct Columns {
        std::vector<Column> all;
        std::map<std::string, std::size_t> places;  ///< by heading
        std::size_t cycles = SIZE_MAX;              ///< the place of the core clock cycles
    };
    /// Sums of one group.
    struct Sums {
        std::vector<double> values;  ///< for shares, sums of share times core clock cycles
        double cycles = 0;
    };
    struct Totals {
        std::uint64_t launches = 0;
        std::uint64_t localBytes = 0;  ///< the most
        std::vector<Sums> groups;
    };

    Sources& sourcesOf(const activity::Launch& launch);
    /// Empty, with a message, if one of them does not exist.
    std::vector<zet_metric_group_handle_t> findGroups(ze_device_handle_t device);
    bool activate(const activity::Launch& launch, std::vector<zet_metric_group_handle_t>& groups);
    /// Facts of a device whose clock cycles are those of a model.
    void readDevice(ze_device_handle_t device);
    zet_metric_query_handle_t nextQuery(Source& source, const activity::Launch& launch);
    /// False if the loader cannot measure; says so once.
    bool findFunctions();
    /// Adds the names that are not there yet.
    void addNames(std::span<const ze_kernel_handle_t> kernels, std::vector<std::string>& names) const;
    std::uint64_t localBytesOf(std::span<const ze_kernel_handle_t> kernels) const;
    void readColumns(std::span<const zet_metric_group_handle_t> groups);
    Columns columnsOf(zet_metric_group_handle_t group) const;
    /// False if it has not ended.
    bool read(zet_metric_group_handle_t group, zet_metric_query_handle_t query, std::size_t columns,
              std::vector<zet_typed_value_t>& values) const;
    void take(Bracket& bracket);
    /// The value of a column, of several launches. Of groups that have it, the one with the model's clock counts.
    double valueOf(const Totals& totals, std::size_t group, std::size_t column) const;
    /// The group whose core clock cycles are those of the model, if one is: groups that only count have fewer.
    std::size_t groupOfCycles(const Totals& totals) const;
    void collectLocked();
    void giveUp(const char* why);

    mutable std::mutex mutex_;
    const LoaderFunctions* functions_ = nullptr;
    bool hopeless_ = false;
    std::map<std::pair<ze_context_handle_t, ze_device_handle_t>, Sources> sources_;
    std::set<Bracket*> brackets_;
    std::vector<Columns> columns_;  ///< one per group
    bool modelled_ = false;
    std::array<double, command::kDeviceNumbers> device_{};  ///< if modelled
    const bool perLaunch_;
    std::uint64_t launches_ = 0;
    std::map<std::pair<std::uint64_t, std::string>, Totals> kernels_;  ///< by number and name
};

}  // namespace zetl::queries
