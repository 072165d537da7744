#include "nvidia/cupti/counter_data.h"

#include <algorithm>
#include <cmath>

#include "base/log.h"
#include "nvidia/cupti/result.h"

namespace zetl::nvidia {

CounterReader::CounterReader(const std::string& chip, zetl_source_t source, std::vector<const char*> names)
    : host_(chip, source), names_(std::move(names)), doubles_(names_.size()) {
    for (const char* name : names_) shares_.push_back(isShare(name));
}

zetl_status_t CounterReader::read(std::span<const std::uint8_t> image, std::size_t index, std::uint64_t nanoseconds,
                                  std::uint64_t* values) {
    ZETL_CUPTI_PARAMS(CUpti_Profiler_Host_EvaluateToGpuValues, evaluate);
    evaluate.pHostObject = host_.object();
    evaluate.pCounterDataImage = image.data();
    evaluate.counterDataImageSize = image.size();
    evaluate.rangeIndex = index;
    evaluate.ppMetricNames = names_.data();
    evaluate.numMetrics = names_.size();
    evaluate.pMetricValues = doubles_.data();
    if (const auto bad = ZETL_CUPTI(cuptiProfilerHostEvaluateToGpuValues(&evaluate)); bad != ZETL_OK) return bad;
    for (std::size_t i = 0; i < doubles_.size(); ++i) {
        if (!std::isfinite(doubles_[i])) {
            log::warn(log::Channel::nvidia, "counter {} has no value: it was not collected in one pass", names_[i]);
            return ZETL_LOST;
        }
        // Counts up to 2^53 are whole numbers in a double.
        const double scale = shares_[i] ? static_cast<double>(nanoseconds) : 1;
        values[i] = static_cast<std::uint64_t>(std::llround(std::max(doubles_[i], 0.0) * scale));
    }
    return ZETL_OK;
}

}  // namespace zetl::nvidia
