// Section "devices": topology and identity.
#pragma once

#include <numeric>
#include <vector>

#include "provider/backend.h"
#include "provider/filled.h"
#include "provider/listing.h"

namespace zetl::provider {

template <Backend B>
class Devices {
  public:
    using Provider = B;
    using Device = typename B::Device;

    /// `info` is empty, except for its size.
    virtual void describe(Device& device, zetl_device_info_t& info) const = 0;

  protected:
    ~Devices() = default;
};

template <class Section>
class DeviceTable {
    using B = typename Section::Provider;
    static constexpr Section kSection{};

    static zetl_status_t list(std::uint32_t capacity, zetl_device_t* devices, std::uint32_t* count) noexcept {
        return guarded(B::kChannel, [&] {
            std::vector<zetl_device_t> all(B::deviceCount());
            std::iota(all.begin(), all.end(), zetl_device_t{1});
            return provider::list(all, capacity, devices, count);
        });
    }
    static zetl_status_t describe(zetl_device_t id, zetl_device_info_t* info) noexcept {
        return onDevice<B>(id, [&](auto& device) {
            if (!canBeFilled(info)) return ZETL_MISUSE;
            *info = {};
            info->size = sizeof *info;
            kSection.describe(device, *info);
            return ZETL_OK;
        });
    }

  public:
    static constexpr zetl_device_functions_t kFunctions = {
        .size = sizeof(zetl_device_functions_t),
        .reserved = 0,
        .list = list,
        .describe = describe,
    };
};

}  // namespace zetl::provider
