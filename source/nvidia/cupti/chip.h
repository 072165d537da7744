// The counters of a kind of GPU, as CUPTI lists and schedules them. Needs no GPU.
#pragma once

#include <ze_tools_layer/device_access.h>

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "nvidia/cupti/api.h"

namespace zetl::nvidia {

/// The hardware's configuration for a list of counters.
struct CounterConfiguration {
    std::vector<std::uint8_t> image;
    std::size_t passes = 0;
};

/// Whether the counter is a share in percent of what its units can do. Its values are that share times the nanoseconds
/// of the interval, so that they add up as counts do.
bool isShare(std::string_view counter) noexcept;

class HostProfiler;

/// A chip, by CUPTI's name for it, such as GH100. A counter's name is CUPTI's name with its rollup: ".sum" over all
/// units that count it, or ".max" for clocks, which all units of a kind count alike, or
/// ".avg.pct_of_peak_sustained_elapsed" (isShare()). Immutable; thread-safe.
class Chip {
  public:
    /// Null, with a line in the log, if CUPTI is not available or does not know the chip. The result stays valid.
    static const Chip* named(const std::string& name);

    /// In the order of the names.
    std::span<const zetl_counter_info_t> catalogue() const noexcept { return infos_; }
    /// The catalogue's entry of that name; null if there is none.
    const zetl_counter_info_t* find(std::string_view name) const;

    /// `names` are the catalogue's.
    zetl_status_t configure(zetl_source_t source, std::span<const char* const> names, CounterConfiguration& out) const;

  private:
    struct Text {
        std::string name;
        std::string description;
        std::string unit;
        std::string block;
        std::uint32_t sources = 0;
    };
    explicit Chip(std::string name) : name_(std::move(name)) {}
    zetl_status_t read(zetl_source_t source);
    zetl_status_t read(zetl_source_t source, const HostProfiler& host, CUpti_MetricType type);
    void addCounter(zetl_source_t source, const std::string& base,
                    const CUpti_Profiler_Host_GetMetricProperties_Params& of);
    void addShare(zetl_source_t source, const std::string& base,
                  const CUpti_Profiler_Host_GetMetricProperties_Params& of);
    void add(zetl_source_t source, std::string name, const CUpti_Profiler_Host_GetMetricProperties_Params& properties);
    void describe();

    const std::string name_;
    std::map<std::string, Text, std::less<>> texts_;
    std::vector<zetl_counter_info_t> infos_;
};

/// CUPTI's object for the lists and values of one chip. Not thread-safe.
class HostProfiler {
  public:
    HostProfiler(const std::string& chip, zetl_source_t source);
    ~HostProfiler();
    HostProfiler(const HostProfiler&) = delete;
    HostProfiler& operator=(const HostProfiler&) = delete;

    /// The reason why there is no object, or OK.
    zetl_status_t status() const noexcept { return status_; }
    CUpti_Profiler_Host_Object* object() const noexcept { return object_; }

  private:
    zetl_status_t status_;
    CUpti_Profiler_Host_Object* object_ = nullptr;
};

}  // namespace zetl::nvidia
