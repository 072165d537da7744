#include "nvidia/access/range_profiler.h"

#include <map>

#include "base/log.h"
#include "base/never_destroyed.h"
#include "nvidia/cuda/current.h"
#include "nvidia/cupti/result.h"

namespace zetl::nvidia::access {
namespace {

constexpr const char* kRange = "query";

struct Known {
    Mutex mutex;
    std::map<CUcontext, std::weak_ptr<RangeProfiler>> profilers ZETL_GUARDED_BY(mutex);
};
NeverDestroyed<Known> knownProfilers;

}  // namespace

std::shared_ptr<RangeProfiler> RangeProfiler::of(CUcontext context) {
    Known& all = *knownProfilers;
    const Lock guard(all.mutex);
    auto& kept = all.profilers[context];
    auto profiler = kept.lock();
    if (!profiler) kept = profiler = std::make_shared<RangeProfiler>(context);
    return profiler;
}

RangeProfiler::~RangeProfiler() {
    const Lock guard(mutex_);
    if (!object_) return;
    const Current current(context_);
    if (open_) stop();
    ZETL_CUPTI_PARAMS(CUpti_RangeProfiler_Disable, end);
    end.pRangeProfilerObject = object_;
    cupti().cuptiRangeProfilerDisable(&end);
}

zetl_status_t RangeProfiler::enable() {
    if (object_) return ZETL_OK;
    ZETL_CUPTI_PARAMS(CUpti_RangeProfiler_Enable, start);
    start.ctx = context_;
    const auto status = ZETL_CUPTI(cuptiRangeProfilerEnable(&start));
    if (status == ZETL_OK) object_ = start.pRangeProfilerObject;
    return status;
}

zetl_status_t RangeProfiler::prepare(RangeSetup& setup) {
    if (setup.data.empty()) {
        ZETL_CUPTI_PARAMS(CUpti_RangeProfiler_GetCounterDataSize, size);
        size.pRangeProfilerObject = object_;
        size.pMetricNames = setup.names.data();
        size.numMetrics = setup.names.size();
        size.maxNumOfRanges = 1;
        size.maxNumRangeTreeNodes = 1;
        if (const auto bad = ZETL_CUPTI(cuptiRangeProfilerGetCounterDataSize(&size)); bad != ZETL_OK) return bad;
        setup.data.resize(size.counterDataSize);
    }
    ZETL_CUPTI_PARAMS(CUpti_RangeProfiler_CounterDataImage_Initialize, clear);
    clear.pRangeProfilerObject = object_;
    clear.counterDataSize = setup.data.size();
    clear.pCounterData = setup.data.data();
    if (const auto bad = ZETL_CUPTI(cuptiRangeProfilerCounterDataImageInitialize(&clear)); bad != ZETL_OK) return bad;
    ZETL_CUPTI_PARAMS(CUpti_RangeProfiler_SetConfig, set);
    set.pRangeProfilerObject = object_;
    set.configSize = setup.configuration.size();
    set.pConfig = setup.configuration.data();
    set.counterDataImageSize = setup.data.size();
    set.pCounterDataImage = setup.data.data();
    set.range = CUPTI_UserRange;
    set.replayMode = CUPTI_UserReplay;
    set.maxRangesPerPass = 1;
    set.numNestingLevels = 1;
    set.minNestingLevel = 1;
    set.targetNestingLevel = 1;
    return ZETL_CUPTI(cuptiRangeProfilerSetConfig(&set));
}

zetl_status_t RangeProfiler::begin(RangeSetup& setup) {
    const Lock guard(mutex_);
    const Current current(context_);
    if (open_) {
        log::warn(log::Channel::nvidia,
                  "a query has begun already: queries of a device follow each other, end it first");
        return ZETL_BUSY;
    }
    if (const auto bad = enable(); bad != ZETL_OK) return bad;
    if (const auto bad = prepare(setup); bad != ZETL_OK) return bad;
    ZETL_CUPTI_PARAMS(CUpti_RangeProfiler_Start, start);
    start.pRangeProfilerObject = object_;
    if (const auto bad = ZETL_CUPTI(cuptiRangeProfilerStart(&start)); bad != ZETL_OK) return bad;
    open_ = true;
    ZETL_CUPTI_PARAMS(CUpti_RangeProfiler_PushRange, push);
    push.pRangeProfilerObject = object_;
    push.pRangeName = kRange;
    const auto status = ZETL_CUPTI(cuptiRangeProfilerPushRange(&push));
    if (status != ZETL_OK) stop();
    return status;
}

void RangeProfiler::stop() {
    ZETL_CUPTI_PARAMS(CUpti_RangeProfiler_Stop, end);
    end.pRangeProfilerObject = object_;
    cupti().cuptiRangeProfilerStop(&end);
    open_ = false;
}

zetl_status_t RangeProfiler::end() {
    const Lock guard(mutex_);
    const Current current(context_);
    ZETL_CUPTI_PARAMS(CUpti_RangeProfiler_PopRange, pop);
    pop.pRangeProfilerObject = object_;
    const auto status = ZETL_CUPTI(cuptiRangeProfilerPopRange(&pop));
    if (status != ZETL_OK) stop();
    return status;
}

void RangeProfiler::abandon() {
    const Lock guard(mutex_);
    open_ = false;
    object_ = nullptr;
}

zetl_status_t RangeProfiler::decode() {
    const Lock guard(mutex_);
    const Current current(context_);
    stop();
    ZETL_CUPTI_PARAMS(CUpti_RangeProfiler_DecodeData, decode);
    decode.pRangeProfilerObject = object_;
    return ZETL_CUPTI(cuptiRangeProfilerDecodeData(&decode));
}

}  // namespace zetl::nvidia::access
