#include "nvidia/cupti/chip.h"

#include <algorithm>
#include <memory>

#include "base/log.h"
#include "base/mutex.h"
#include "base/never_destroyed.h"
#include "nvidia/cupti/result.h"

namespace zetl::nvidia {
namespace {

constexpr const char* kSum = ".sum";
constexpr const char* kMost = ".max";
constexpr std::string_view kClock = "__cycles_elapsed";
constexpr const char* kShare = ".avg.pct_of_peak_sustained_elapsed";

/// The counters of which shares are offered, beside CUPTI's throughputs: most of those consist of such shares, and need
/// several passes. Each of these needs one on chips since Ampere.
constexpr std::string_view kShared[] = {"l1tex__data_pipe_lsu_wavefronts",
                                        "l1tex__f_wavefronts",
                                        "lts__t_sectors",
                                        "sm__inst_executed_pipe_alu",
                                        "sm__inst_executed_pipe_fma",
                                        "sm__inst_executed_pipe_lsu",
                                        "sm__inst_executed_pipe_tensor",
                                        "sm__inst_executed_pipe_xu",
                                        "sm__issue_active",
                                        "sm__warps_active"};

CUpti_ProfilerType typeOf(zetl_source_t source) noexcept {
    return source == ZETL_SOURCE_STREAM ? CUPTI_PROFILER_TYPE_PM_SAMPLING : CUPTI_PROFILER_TYPE_RANGE_PROFILER;
}

/// CUPTI's own word for many, and one for a name that has none.
std::string textOf(const char* given, const char* otherwise) { return given && *given ? given : otherwise; }

std::string unitsOf(const char* given) {
    if (!given || !*given) return "events";
    const std::string_view unit(given);
    if (unit == "nanosecond") return "ns";
    if (unit.ends_with("cycle")) return "cycles";
    return std::string(unit) + "s";
}

}  // namespace

bool isShare(std::string_view counter) noexcept { return counter.ends_with(kShare); }

HostProfiler::HostProfiler(const std::string& chip, zetl_source_t source) {
    ZETL_CUPTI_PARAMS(CUpti_Profiler_Host_Initialize, start);
    start.profilerType = typeOf(source);
    start.pChipName = chip.c_str();
    status_ = ZETL_CUPTI(cuptiProfilerHostInitialize(&start));
    object_ = start.pHostObject;
}

HostProfiler::~HostProfiler() {
    if (status_ != ZETL_OK) return;
    ZETL_CUPTI_PARAMS(CUpti_Profiler_Host_Deinitialize, end);
    end.pHostObject = object_;
    cupti().cuptiProfilerHostDeinitialize(&end);
}

const Chip* Chip::named(const std::string& name) {
    struct Known {
        Mutex mutex;
        std::map<std::string, std::unique_ptr<const Chip>> chips ZETL_GUARDED_BY(mutex);
    };
    static NeverDestroyed<Known> all;
    auto& known = *all;
    if (const auto& problem = openCupti(); !problem.empty()) {
        log::warn(log::Channel::nvidia, "no counters: {}", problem);
        return nullptr;
    }
    const Lock guard(known.mutex);
    if (const auto found = known.chips.find(name); found != known.chips.end()) return found->second.get();
    std::unique_ptr<Chip> chip(new Chip(name));
    for (const auto source : {ZETL_SOURCE_QUERY, ZETL_SOURCE_STREAM})
        if (chip->read(source) != ZETL_OK) return nullptr;
    chip->describe();
    return (known.chips[name] = std::move(chip)).get();
}

zetl_status_t Chip::read(zetl_source_t source) {
    const HostProfiler host(name_, source);
    if (host.status() != ZETL_OK) return host.status();
    for (const auto type : {CUPTI_METRIC_TYPE_COUNTER, CUPTI_METRIC_TYPE_THROUGHPUT})
        if (const auto bad = read(source, host, type); bad != ZETL_OK) return bad;
    return ZETL_OK;
}

zetl_status_t Chip::read(zetl_source_t source, const HostProfiler& host, CUpti_MetricType type) {
    ZETL_CUPTI_PARAMS(CUpti_Profiler_Host_GetBaseMetrics, all);
    all.pHostObject = host.object();
    all.metricType = type;
    if (const auto bad = ZETL_CUPTI(cuptiProfilerHostGetBaseMetrics(&all)); bad != ZETL_OK) return bad;
    for (std::size_t i = 0; i < all.numMetrics; ++i) {
        ZETL_CUPTI_PARAMS(CUpti_Profiler_Host_GetMetricProperties, properties);
        properties.pHostObject = host.object();
        properties.pMetricName = all.ppMetricNames[i];
        if (cupti().cuptiProfilerHostGetMetricProperties(&properties) != CUPTI_SUCCESS) continue;
        const std::string base = all.ppMetricNames[i];
        if (type == CUPTI_METRIC_TYPE_COUNTER)
            addCounter(source, base, properties);
        else if (base.find('.') == std::string::npos)  // others are parts of it, under the name of a group of units
            addShare(source, base, properties);
    }
    return ZETL_OK;
}

void Chip::addCounter(zetl_source_t source, const std::string& base,
                      const CUpti_Profiler_Host_GetMetricProperties_Params& of) {
    add(source, base + kSum, of);
    if (base.ends_with(kClock)) add(source, base + kMost, of);
    if (std::ranges::find(kShared, base) != std::end(kShared)) addShare(source, base, of);
}

void Chip::addShare(zetl_source_t source, const std::string& base,
                    const CUpti_Profiler_Host_GetMetricProperties_Params& of) {
    const auto name = base + kShare;
    add(source, name, of);
    auto& text = texts_[name];
    text.description = "share of the peak rate, times the time: " + textOf(of.pDescription, base.c_str());
    text.unit = "percent ns";
}

void Chip::add(zetl_source_t source, std::string name, const CUpti_Profiler_Host_GetMetricProperties_Params& of) {
    auto& text = texts_[name];
    text.name = std::move(name);
    text.description = textOf(of.pDescription, "not described by CUPTI");
    text.unit = unitsOf(of.pDimUnit);
    text.block = textOf(of.pHwUnit, "gpu");
    text.sources |= 1u << source;
}

void Chip::describe() {
    for (const auto& [name, text] : texts_)
        infos_.push_back({.size = sizeof(zetl_counter_info_t),
                          .kind = ZETL_COUNTER_DELTA,
                          .name = text.name.c_str(),
                          .description = text.description.c_str(),
                          .unit = text.unit.c_str(),
                          .block = text.block.c_str(),
                          .value_type = ZETL_VALUE_UINT64,
                          .accuracy = ZETL_EXACT,
                          .sources = text.sources,
                          .intrusive = 0});
}

const zetl_counter_info_t* Chip::find(std::string_view name) const {
    const auto found = std::lower_bound(
        infos_.begin(), infos_.end(), name,
        [](const auto& info, std::string_view wanted) { return std::string_view(info.name) < wanted; });
    return found != infos_.end() && found->name == name ? &*found : nullptr;
}

zetl_status_t Chip::configure(zetl_source_t source, std::span<const char* const> names,
                              CounterConfiguration& out) const {
    const HostProfiler host(name_, source);
    if (host.status() != ZETL_OK) return host.status();
    ZETL_CUPTI_PARAMS(CUpti_Profiler_Host_ConfigAddMetrics, add);
    add.pHostObject = host.object();
    add.ppMetricNames = const_cast<const char**>(names.data());
    add.numMetrics = names.size();
    if (const auto bad = ZETL_CUPTI(cuptiProfilerHostConfigAddMetrics(&add)); bad != ZETL_OK) return bad;
    ZETL_CUPTI_PARAMS(CUpti_Profiler_Host_GetConfigImageSize, size);
    size.pHostObject = host.object();
    if (const auto bad = ZETL_CUPTI(cuptiProfilerHostGetConfigImageSize(&size)); bad != ZETL_OK) return bad;
    out.image.resize(size.configImageSize);
    ZETL_CUPTI_PARAMS(CUpti_Profiler_Host_GetConfigImage, get);
    get.pHostObject = host.object();
    get.configImageSize = out.image.size();
    get.pConfigImage = out.image.data();
    if (const auto bad = ZETL_CUPTI(cuptiProfilerHostGetConfigImage(&get)); bad != ZETL_OK) return bad;
    ZETL_CUPTI_PARAMS(CUpti_Profiler_Host_GetNumOfPasses, passes);
    passes.configImageSize = out.image.size();
    passes.pConfigImage = out.image.data();
    if (const auto bad = ZETL_CUPTI(cuptiProfilerHostGetNumOfPasses(&passes)); bad != ZETL_OK) return bad;
    out.passes = passes.numOfPasses;
    return ZETL_OK;
}

}  // namespace zetl::nvidia
