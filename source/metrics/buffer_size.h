// The structure of Intel's driver with which programs ask for the size of the buffer behind a streamer or a tracer.
#pragma once

#include <cstddef>

#include "ze_tools_layer/level_zero/intel_metrics.h"

namespace zetl::metrics {

/// The structure in the chain of a description that was given to `function`; null if there is none.
zet_intel_metric_hw_buffer_size_exp_desc_t* bufferSizeIn(const void* chain, const char* function) noexcept;

}  // namespace zetl::metrics
