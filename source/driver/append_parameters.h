// The pNext chains of the functions that end in WithParameters or WithArguments.
#pragma once

#include "base/result.h"
#include "driver/chain.h"
#include "ze_tools_layer/level_zero.h"

namespace zetl::driver {

/// The options of a launch besides its arguments.
struct LaunchParameters {
    bool cooperative = false;
};

/// UNSUPPORTED_FEATURE for an unknown struct: here, unlike elsewhere, the specification forbids ignoring it.
inline Status readParameters(const void* first, LaunchParameters* launch) {
    constexpr int kLongest = 32;
    const auto* link = linkAt(first, chainReader());
    for (int i = 0; link && i < kLongest; ++i, link = linkAt(link->pNext, chainReader())) {
        if (!launch || link->stype != ZE_STRUCTURE_TYPE_COMMAND_LIST_APPEND_PARAM_COOPERATIVE_DESC)
            return refuse(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE, "chained parameter of type {:#x} is not known",
                          static_cast<unsigned>(link->stype));
        launch->cooperative =
            reinterpret_cast<const ze_command_list_append_launch_kernel_param_cooperative_desc_t*>(link)->isCooperative;
    }
    return ZE_RESULT_SUCCESS;
}

/// For functions that take no parameters yet.
inline Status noParameters(const void* first) { return readParameters(first, nullptr); }

}  // namespace zetl::driver
