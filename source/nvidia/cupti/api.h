// libcupti, opened at run time when counters are first needed.
#pragma once

#include <cupti_activity.h>
#include <cupti_callbacks.h>
#include <cupti_driver_cbid.h>
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

/// Opens the library once: ZETL_CUPTI_LIBRARY, or the one of CUDA's toolkit. Returns an empty text, or the reason why
/// there are no counters. Thread-safe; later calls return the first answer.
const std::string& openCupti();

/// The parameters of a CUPTI function: zeroes, with the size by which the library recognises them.
#define ZETL_CUPTI_PARAMS(type, name) \
    type##_Params name{};             \
    name.structSize = type##_Params_STRUCT_SIZE

}  // namespace zetl::nvidia
