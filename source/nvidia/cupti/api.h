// libcupti, opened at run time, when counters are first asked for.
#pragma once

#include <cupti_pcsampling.h>
#include <cupti_pmsampling.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_result.h>
#include <cupti_target.h>

#include <string>

namespace zetl::nvidia {

struct CuptiApi {
#define FUNCTION(name) decltype(&::name) name;
#include "nvidia/cupti/functions.def"
#undef FUNCTION
};

/// Valid after openCupti() succeeded. Immutable from then on.
const CuptiApi& cupti() noexcept;

/// Opens the library, once: ZETL_CUPTI_LIBRARY, or where CUDA's toolkit puts it. Empty, or why there are no counters
/// here. Thread-safe; later calls give the first answer.
const std::string& openCupti();

/// The parameters of a function of CUPTI's: zeroes, with the size that the library knows them by.
#define ZETL_CUPTI_PARAMS(type, name) \
    type##_Params name{};             \
    name.structSize = type##_Params_STRUCT_SIZE

}  // namespace zetl::nvidia
