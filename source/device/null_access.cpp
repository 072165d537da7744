#include "device/null_access.h"

#include <cstdint>

namespace zetl::device {
namespace {

template <class... A>
using Function = zetl_status_t (*)(A...);

template <class... A>
zetl_status_t refuse(A...) noexcept {
    return ZETL_UNSUPPORTED;
}

/// Becomes whatever function of the interface it initialises.
struct Refusal {
    template <class... A>
    constexpr operator Function<A...>() const noexcept {
        return &refuse<A...>;
    }
};
constexpr Refusal kNo;

zetl_status_t listNothing(std::uint32_t, zetl_device_t*, std::uint32_t* count) noexcept {
    if (!count) return ZETL_MISUSE;
    *count = 0;
    return ZETL_OK;
}
zetl_status_t describeNothing(zetl_device_t, zetl_device_info_t*) noexcept { return ZETL_GONE; }

constexpr zetl_device_functions_t kDevices = {sizeof kDevices, 0, listNothing, describeNothing};
constexpr zetl_clock_functions_t kClocks = {sizeof kClocks, 0, kNo, kNo, kNo};
constexpr zetl_counter_functions_t kCounters = {
    sizeof kCounters, 0, kNo, kNo, kNo, kNo, kNo, kNo, kNo, kNo, kNo, kNo, kNo, kNo};
constexpr zetl_stream_functions_t kStreams = {sizeof kStreams, 0, kNo, kNo, kNo, kNo, kNo, kNo, kNo};
constexpr zetl_sampling_functions_t kSampling = {sizeof kSampling, 0, kNo, kNo, kNo, kNo};
constexpr zetl_module_functions_t kModules = {sizeof kModules, 0, kNo, kNo, kNo, kNo, kNo, kNo};
constexpr zetl_target_functions_t kTargets = {
    sizeof kTargets, 0, kNo, kNo, kNo, kNo, kNo, kNo, kNo, kNo, kNo, kNo, kNo, kNo, kNo, kNo, kNo};

constexpr zetl_device_access_t kAccess = {sizeof kAccess, ZETL_DEVICE_ACCESS_VERSION,
                                          "null",         &kDevices,
                                          &kClocks,       &kCounters,
                                          &kStreams,      &kSampling,
                                          &kModules,      &kTargets};

}  // namespace

const zetl_device_access_t& nullAccess() noexcept { return kAccess; }

}  // namespace zetl::device
