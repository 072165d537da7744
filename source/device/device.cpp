#include "device/device.h"

#include <algorithm>

namespace zetl::device {

Device::Device(Access access, zetl_device_t id, const zetl_device_info_t& info)
    : access_(access), id_(id), info_(info), uuid_() {
    std::copy(std::begin(info.uuid), std::end(info.uuid), uuid_.begin());
}

bool Device::offers(zetl_source_t source) const noexcept {
    switch (source) {
        case ZETL_SOURCE_QUERY:
            return info_.query_kind == ZETL_QUERY_IN_STREAM || info_.query_kind == ZETL_QUERY_HOST_BRACKETED;
        case ZETL_SOURCE_STREAM:
            return info_.stream_scope == ZETL_SCOPE_DEVICE || info_.stream_scope == ZETL_SCOPE_PROCESS;
        default:
            return true;
    }
}

bool Device::together(zetl_source_t one, zetl_source_t other) const noexcept {
    return ((info_.together[one] >> other) & 1) != 0;
}

std::array<std::uint32_t, 4> Device::threadCounts() const noexcept {
    std::array<std::uint32_t, 4> counts{1, 1, 1, 1};
    for (std::size_t i = 0; i < counts.size() && i < info_.level_count; ++i) counts[i] = info_.levels[i].count;
    return counts;
}

std::uint64_t Device::threads() const noexcept {
    std::uint64_t product = 1;
    for (std::uint32_t i = 0; i < info_.level_count; ++i) product *= info_.levels[i].count;
    return product;
}

std::uint64_t Device::engines() const noexcept {
    return info_.level_count == 0 ? 1 : threads() / info_.levels[info_.level_count - 1].count;
}

}  // namespace zetl::device
