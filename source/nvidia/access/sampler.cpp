#include "nvidia/access/sampler.h"

#include <utility>

#include "nvidia/cupti/result.h"

namespace zetl::nvidia::access {
namespace {

constexpr std::size_t kHardwareBytes = std::size_t{64} << 20;  // 6,500 samples of ten counters
constexpr std::uint32_t kMostSamples = 512;                    // that are decoded at a time, up to 35 KB each

}  // namespace

Sampler::Sampler(std::size_t device, const std::string& chip, std::vector<const char*> names,
                 std::vector<std::uint8_t> configuration, std::uint64_t period)
    : device_(device),
      reader_(chip, ZETL_SOURCE_STREAM, std::move(names)),
      configuration_(std::move(configuration)),
      period_(period),
      counts_(reader_.names().size()) {}

Sampler::~Sampler() { disable(); }

void Sampler::disable() {
    stop();
    if (!object_) return;
    ZETL_CUPTI_PARAMS(CUpti_PmSampling_Disable, end);
    end.pPmSamplingObject = object_;
    cupti().cuptiPmSamplingDisable(&end);
    object_ = nullptr;
}

zetl_status_t Sampler::start() {
    ZETL_CUPTI_PARAMS(CUpti_PmSampling_Enable, enable);
    enable.deviceIndex = device_;
    if (const auto bad = ZETL_CUPTI(cuptiPmSamplingEnable(&enable)); bad != ZETL_OK) return bad;
    object_ = enable.pPmSamplingObject;
    if (const auto bad = configure(); bad != ZETL_OK) return bad;
    ZETL_CUPTI_PARAMS(CUpti_PmSampling_Start, begin);
    begin.pPmSamplingObject = object_;
    const auto status = ZETL_CUPTI(cuptiPmSamplingStart(&begin));
    running_ = status == ZETL_OK;
    first_ = true;
    return status;
}

zetl_status_t Sampler::configure() {
    ZETL_CUPTI_PARAMS(CUpti_PmSampling_SetConfig, set);
    set.pPmSamplingObject = object_;
    set.configSize = configuration_.size();
    set.pConfig = configuration_.data();
    set.hardwareBufferSize = kHardwareBytes;
    set.samplingInterval = period_;
    set.triggerMode = CUPTI_PM_SAMPLING_TRIGGER_MODE_GPU_TIME_INTERVAL;
    set.hwBufferAppendMode = CUPTI_PM_SAMPLING_HARDWARE_BUFFER_APPEND_MODE_KEEP_OLDEST;
    if (const auto bad = ZETL_CUPTI(cuptiPmSamplingSetConfig(&set)); bad != ZETL_OK) return bad;
    ZETL_CUPTI_PARAMS(CUpti_PmSampling_GetCounterDataSize, size);
    size.pPmSamplingObject = object_;
    size.pMetricNames = reader_.names().data();
    size.numMetrics = reader_.names().size();
    size.maxSamples = kMostSamples;
    if (const auto bad = ZETL_CUPTI(cuptiPmSamplingGetCounterDataSize(&size)); bad != ZETL_OK) return bad;
    data_.resize(size.counterDataSize);
    return clear();
}

zetl_status_t Sampler::clear() {
    ZETL_CUPTI_PARAMS(CUpti_PmSampling_CounterDataImage_Initialize, begin);
    begin.pPmSamplingObject = object_;
    begin.counterDataSize = data_.size();
    begin.pCounterData = data_.data();
    return ZETL_CUPTI(cuptiPmSamplingCounterDataImageInitialize(&begin));
}

void Sampler::stop() {
    if (!running_) return;
    ZETL_CUPTI_PARAMS(CUpti_PmSampling_Stop, end);
    end.pPmSamplingObject = object_;
    cupti().cuptiPmSamplingStop(&end);
    running_ = false;
}

zetl_status_t Sampler::decode(bool& overflow) {
    ZETL_CUPTI_PARAMS(CUpti_PmSampling_DecodeData, get);
    get.pPmSamplingObject = object_;
    get.pCounterDataImage = data_.data();
    get.counterDataImageSize = data_.size();
    const auto result = cupti().cuptiPmSamplingDecodeData(&get);
    overflow = result == CUPTI_ERROR_OUT_OF_MEMORY || get.overflow != 0;
    return overflow ? ZETL_OK : checkCupti(result, "cuptiPmSamplingDecodeData(");
}

zetl_status_t Sampler::collect(const Take& take) {
    if (!object_) return ZETL_LOST;
    bool overflow = false;
    if (const auto bad = decode(overflow); bad != ZETL_OK) return bad;
    if (overflow) {
        disable();
        const auto bad = start();
        return bad == ZETL_OK ? ZETL_NOT_READY : bad;
    }
    ZETL_CUPTI_PARAMS(CUpti_PmSampling_GetCounterDataInfo, all);
    all.pCounterDataImage = data_.data();
    all.counterDataImageSize = data_.size();
    if (const auto bad = ZETL_CUPTI(cuptiPmSamplingGetCounterDataInfo(&all)); bad != ZETL_OK) return bad;
    for (std::size_t i = 0; i < all.numCompletedSamples; ++i) {
        if (std::exchange(first_, false)) continue;
        ZETL_CUPTI_PARAMS(CUpti_PmSampling_CounterData_GetSampleInfo, sample);
        sample.pPmSamplingObject = object_;
        sample.pCounterDataImage = data_.data();
        sample.counterDataImageSize = data_.size();
        sample.sampleIndex = i;
        if (const auto bad = ZETL_CUPTI(cuptiPmSamplingCounterDataGetSampleInfo(&sample)); bad != ZETL_OK) return bad;
        const auto length = sample.endTimestamp - sample.startTimestamp;
        if (const auto bad = reader_.read(data_, i, length, counts_.data()); bad != ZETL_OK) return bad;
        take({sample.startTimestamp, sample.endTimestamp, counts_.data()});
    }
    return all.numCompletedSamples > 0 ? clear() : ZETL_OK;
}

}  // namespace zetl::nvidia::access
