#include "metrics/buffer_size.h"

#include "base/chain.h"

namespace zetl::metrics {

zet_intel_metric_hw_buffer_size_exp_desc_t* bufferSizeIn(const void* chain, const char* function) noexcept {
    zet_intel_metric_hw_buffer_size_exp_desc_t* found = nullptr;
    forEachLink(chain, {function, log::Channel::metrics}, [&](ChainLink& link) {
        if (static_cast<std::uint32_t>(link.stype) != ZET_INTEL_STRUCTURE_TYPE_METRIC_HW_BUFFER_SIZE_EXP_DESC)
            return false;
        if (!found) found = reinterpret_cast<zet_intel_metric_hw_buffer_size_exp_desc_t*>(&link);
        return true;
    });
    return found;
}

}  // namespace zetl::metrics
