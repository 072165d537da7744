// Counters in software behind libcupti's names, as the chip STAND counts them. A range counts one instruction for every
// microsecond of host time and two bytes for each; samples are as long as they were asked to be, and count as much. The
// values are arbitrary; that they come back whole, in order and once is what tests look at.
#include <cupti_pmsampling.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>
#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "scripted.h"

/// What images hold: how long each range or sample was.
struct Image {
    std::uint64_t count;
    struct Span {
        std::uint64_t begin;
        std::uint64_t end;
    } spans[1];
};

namespace {

struct Counter {
    const char* name;
    const char* description;
    const char* unit;
    const char* block;
    double each;  ///< microsecond; of a share, percent
    CUpti_MetricType type = CUPTI_METRIC_TYPE_COUNTER;
    std::size_t passes = 1;
};
constexpr Counter kCounters[] = {
    {"gpc__cycles_elapsed", "# of cycles elapsed on GPC", "gpc_cycle", "gpc", 1000},
    {"gr__cycles_active", "# of cycles where GR was active", "sys_cycle", "gr", 900},
    {"sm__cycles_active", "# of cycles with at least one warp in flight", "gpc_cycle", "sm", 500},
    {"sm__inst_executed", "# of warp instructions executed", "instruction", "sm", 1},
    {"dram__bytes_read", "# of bytes read from DRAM", "byte", "dram", 2},
    {"dram__bytes_write", "# of bytes written to DRAM", "byte", "dram", 3},
    {"sm__issue_active", "# of cycles with an issued instruction", "cycle", "sm", 12.5},
    {"sm__warps_active", "# of resident warps", "warp", "sm", 75},
    {"lts__t_sectors", "# of sectors", "sector", "lts", 31.25},
    {"dram__throughput", "DRAM throughput", "percent", "dram", 62.5, CUPTI_METRIC_TYPE_THROUGHPUT},
    {"sm__throughput", "SM throughput", "percent", "sm", 50, CUPTI_METRIC_TYPE_THROUGHPUT, 8},
    {"TriageCompute.sm__throughput", "a part of it", "percent", "sm", 50, CUPTI_METRIC_TYPE_THROUGHPUT},
};

/// Null if there is no such counter. With a rollup, or without.
const Counter* counterNamed(std::string name) {
    name = name.substr(0, name.find('.', name.find("__")));  // a dot before is of a group of units
    const auto* found = std::find_if(std::begin(kCounters), std::end(kCounters),
                                     [&](const Counter& each) { return name == each.name; });
    return found == std::end(kCounters) ? nullptr : found;
}

std::uint64_t realNow() {
    timespec time{};
    clock_gettime(CLOCK_REALTIME, &time);
    return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(time.tv_nsec);
}

/// As the real library does at both ends of a range.
void waitForTheDevice() {
    void* const cuda = dlopen(std::getenv("ZETL_CUDA_LIBRARY"), RTLD_NOW | RTLD_NOLOAD);
    reinterpret_cast<CUresult (*)()>(dlsym(cuda, "cuCtxSynchronize"))();
    dlclose(cuda);
}

constexpr std::size_t bytesOf(std::size_t spans) { return sizeof(Image) + spans * sizeof(Image::Span); }

}  // namespace

/// Each list's object.
struct CUpti_Profiler_Host_Object {
    std::vector<const char*> listed;
    std::size_t passes = 1;
};

struct CUpti_RangeProfiler_Object {
    Image* image = nullptr;
    Image::Span open{};
    bool started = false;
};

struct CUpti_PmSampling_Object {
    std::uint64_t interval = 0;
    std::uint64_t next = 0;
    std::uint64_t stopped = 0;
};

CUptiResult cuptiGetResultString(CUptiResult, const char** text) {
    *text = "so the script says";
    return CUPTI_SUCCESS;
}
CUptiResult cuptiProfilerInitialize(CUpti_Profiler_Initialize_Params*) { return CUPTI_SUCCESS; }
CUptiResult cuptiDeviceGetChipName(CUpti_Device_GetChipName_Params* given) {
    ANSWER_AS_SCRIPTED;
    given->pChipName = "STAND";
    return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostInitialize(CUpti_Profiler_Host_Initialize_Params* given) {
    ANSWER_AS_SCRIPTED;
    if (std::strcmp(given->pChipName, "STAND") != 0) return CUPTI_ERROR_INVALID_PARAMETER;
    given->pHostObject = new CUpti_Profiler_Host_Object;
    return CUPTI_SUCCESS;
}
CUptiResult cuptiProfilerHostDeinitialize(CUpti_Profiler_Host_Deinitialize_Params* given) {
    delete given->pHostObject;
    return CUPTI_SUCCESS;
}
CUptiResult cuptiProfilerHostGetBaseMetrics(CUpti_Profiler_Host_GetBaseMetrics_Params* given) {
    auto& names = given->pHostObject->listed;
    names.clear();
    for (const auto& each : kCounters)
        if (each.type == given->metricType) names.push_back(each.name);
    given->ppMetricNames = names.data();
    given->numMetrics = names.size();
    return CUPTI_SUCCESS;
}
CUptiResult cuptiProfilerHostGetMetricProperties(CUpti_Profiler_Host_GetMetricProperties_Params* given) {
    const auto* counter = counterNamed(given->pMetricName);
    if (!counter) return CUPTI_ERROR_INVALID_METRIC_NAME;
    given->pDescription = counter->description;
    given->pHwUnit = counter->block;
    given->pDimUnit = counter->unit;
    return CUPTI_SUCCESS;
}
CUptiResult cuptiProfilerHostConfigAddMetrics(CUpti_Profiler_Host_ConfigAddMetrics_Params* given) {
    for (std::size_t i = 0; i < given->numMetrics; ++i) {
        const auto* const counter = counterNamed(given->ppMetricNames[i]);
        if (!counter) return CUPTI_ERROR_INVALID_METRIC_NAME;
        given->pHostObject->passes = std::max(given->pHostObject->passes, counter->passes);
    }
    return CUPTI_SUCCESS;
}
CUptiResult cuptiProfilerHostGetConfigImageSize(CUpti_Profiler_Host_GetConfigImageSize_Params* given) {
    given->configImageSize = 64;
    return CUPTI_SUCCESS;
}
/// The image says how many passes it takes.
CUptiResult cuptiProfilerHostGetConfigImage(CUpti_Profiler_Host_GetConfigImage_Params* given) {
    std::memset(given->pConfigImage, 0, given->configImageSize);
    given->pConfigImage[0] = static_cast<std::uint8_t>(given->pHostObject->passes);
    return CUPTI_SUCCESS;
}
CUptiResult cuptiProfilerHostGetNumOfPasses(CUpti_Profiler_Host_GetNumOfPasses_Params* given) {
    given->numOfPasses = given->pConfigImage[0];
    return CUPTI_SUCCESS;
}
CUptiResult cuptiProfilerHostEvaluateToGpuValues(CUpti_Profiler_Host_EvaluateToGpuValues_Params* given) {
    const auto* image = reinterpret_cast<const Image*>(given->pCounterDataImage);
    if (given->rangeIndex >= image->count) return CUPTI_ERROR_INVALID_PARAMETER;
    const auto& span = image->spans[given->rangeIndex];
    for (std::size_t i = 0; i < given->numMetrics; ++i) {
        const std::string_view name = given->ppMetricNames[i];
        const bool share = name.ends_with(".avg.pct_of_peak_sustained_elapsed");
        const double times = share ? 1 : static_cast<double>((span.end - span.begin) / 1000);
        given->pMetricValues[i] = counterNamed(std::string(name))->each * times;
    }
    return CUPTI_SUCCESS;
}

/// Whose device was lost are never given back.
std::set<CUpti_RangeProfiler_Object*>& profilers() {
    static auto* const enabled = new std::set<CUpti_RangeProfiler_Object*>;
    return *enabled;
}
CUptiResult cuptiRangeProfilerEnable(CUpti_RangeProfiler_Enable_Params* given) {
    ANSWER_AS_SCRIPTED;
    given->pRangeProfilerObject = new CUpti_RangeProfiler_Object;
    profilers().insert(given->pRangeProfilerObject);
    return CUPTI_SUCCESS;
}
CUptiResult cuptiRangeProfilerDisable(CUpti_RangeProfiler_Disable_Params* given) {
    profilers().erase(given->pRangeProfilerObject);
    delete given->pRangeProfilerObject;
    return CUPTI_SUCCESS;
}
CUptiResult cuptiRangeProfilerGetCounterDataSize(CUpti_RangeProfiler_GetCounterDataSize_Params* given) {
    given->counterDataSize = bytesOf(given->maxNumOfRanges);
    return CUPTI_SUCCESS;
}
CUptiResult cuptiRangeProfilerCounterDataImageInitialize(
    CUpti_RangeProfiler_CounterDataImage_Initialize_Params* given) {
    std::memset(given->pCounterData, 0, given->counterDataSize);
    return CUPTI_SUCCESS;
}
CUptiResult cuptiRangeProfilerSetConfig(CUpti_RangeProfiler_SetConfig_Params* given) {
    ANSWER_AS_SCRIPTED;
    if (given->pRangeProfilerObject->started) return CUPTI_ERROR_INVALID_OPERATION;
    given->pRangeProfilerObject->image = reinterpret_cast<Image*>(given->pCounterDataImage);
    return CUPTI_SUCCESS;
}
CUptiResult cuptiRangeProfilerStart(CUpti_RangeProfiler_Start_Params* given) {
    ANSWER_AS_SCRIPTED;
    given->pRangeProfilerObject->started = true;
    return CUPTI_SUCCESS;
}
CUptiResult cuptiRangeProfilerStop(CUpti_RangeProfiler_Stop_Params* given) {
    given->pRangeProfilerObject->started = false;
    return CUPTI_SUCCESS;
}
CUptiResult cuptiRangeProfilerPushRange(CUpti_RangeProfiler_PushRange_Params* given) {
    ANSWER_AS_SCRIPTED;
    waitForTheDevice();
    given->pRangeProfilerObject->open.begin = realNow();
    return CUPTI_SUCCESS;
}
CUptiResult cuptiRangeProfilerPopRange(CUpti_RangeProfiler_PopRange_Params* given) {
    ANSWER_AS_SCRIPTED;
    waitForTheDevice();
    given->pRangeProfilerObject->open.end = realNow();
    return CUPTI_SUCCESS;
}
CUptiResult cuptiRangeProfilerDecodeData(CUpti_RangeProfiler_DecodeData_Params* given) {
    ANSWER_AS_SCRIPTED;
    auto& object = *given->pRangeProfilerObject;
    object.image->spans[object.image->count++] = object.open;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiPmSamplingEnable(CUpti_PmSampling_Enable_Params* given) {
    ANSWER_AS_SCRIPTED;
    given->pPmSamplingObject = new CUpti_PmSampling_Object;
    return CUPTI_SUCCESS;
}
CUptiResult cuptiPmSamplingDisable(CUpti_PmSampling_Disable_Params* given) {
    delete given->pPmSamplingObject;
    return CUPTI_SUCCESS;
}
/// The first sample begins here.
CUptiResult cuptiPmSamplingSetConfig(CUpti_PmSampling_SetConfig_Params* given) {
    ANSWER_AS_SCRIPTED;
    given->pPmSamplingObject->interval = given->samplingInterval;
    given->pPmSamplingObject->next = realNow() - 1'000'000'000;
    return CUPTI_SUCCESS;
}
CUptiResult cuptiPmSamplingStart(CUpti_PmSampling_Start_Params*) {
    ANSWER_AS_SCRIPTED;
    return CUPTI_SUCCESS;
}
CUptiResult cuptiPmSamplingStop(CUpti_PmSampling_Stop_Params* given) {
    given->pPmSamplingObject->stopped = realNow();
    return CUPTI_SUCCESS;
}
CUptiResult cuptiPmSamplingGetCounterDataSize(CUpti_PmSampling_GetCounterDataSize_Params* given) {
    given->counterDataSize = bytesOf(given->maxSamples);
    return CUPTI_SUCCESS;
}
CUptiResult cuptiPmSamplingCounterDataImageInitialize(CUpti_PmSampling_CounterDataImage_Initialize_Params* given) {
    std::memset(given->pCounterData, 0, given->counterDataSize);
    return CUPTI_SUCCESS;
}
/// Keeps the oldest that fit, and drops what more is there.
CUptiResult cuptiPmSamplingDecodeData(CUpti_PmSampling_DecodeData_Params* given) {
    ANSWER_AS_SCRIPTED;
    auto& object = *given->pPmSamplingObject;
    auto& image = *reinterpret_cast<Image*>(given->pCounterDataImage);
    const auto room = (given->counterDataImageSize - sizeof(Image)) / sizeof(Image::Span);
    const auto now = object.stopped != 0 ? object.stopped : realNow();
    const bool fresh = now - object.next > 500'000'000;
    if (fresh) {
        const auto begin = now - object.interval;
        image.spans[image.count++] = {object.next, begin};
        object.next = begin;
    }
    for (; object.next + object.interval <= now; object.next += object.interval)
        if (image.count < room) image.spans[image.count++] = {object.next, object.next + object.interval};
    given->decodeStopReason = CUPTI_PM_SAMPLING_DECODE_STOP_REASON_END_OF_RECORDS;
    given->overflow = 0;
    return CUPTI_SUCCESS;
}
CUptiResult cuptiPmSamplingGetCounterDataInfo(CUpti_PmSampling_GetCounterDataInfo_Params* given) {
    const auto* image = reinterpret_cast<const Image*>(given->pCounterDataImage);
    given->numPopulatedSamples = given->numCompletedSamples = image->count;
    return CUPTI_SUCCESS;
}
CUptiResult cuptiPmSamplingCounterDataGetSampleInfo(CUpti_PmSampling_CounterData_GetSampleInfo_Params* given) {
    const auto& span = reinterpret_cast<const Image*>(given->pCounterDataImage)->spans[given->sampleIndex];
    given->startTimestamp = span.begin;
    given->endTimestamp = span.end;
    return CUPTI_SUCCESS;
}
