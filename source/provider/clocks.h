// Section "clocks".
#pragma once

#include "provider/backend.h"
#include "provider/clock_kind.h"
#include "provider/filled.h"

namespace zetl::provider {

/// Kinds of clocks are valid.
template <Backend B>
class Clocks {
  public:
    using Provider = B;
    using Device = typename B::Device;

    /// `info` is empty, except for its size and kind.
    virtual zetl_status_t describe(Device& device, std::uint32_t kind, zetl_clock_info_t& info) const = 0;
    /// `pair` is empty, except for its size.
    virtual zetl_status_t snapshot(Device& device, std::uint32_t a, std::uint32_t b, zetl_clock_pair_t& pair) const = 0;
    virtual zetl_status_t convert(Device& device, std::uint32_t from, std::uint32_t to, std::uint64_t ticks,
                                  std::uint64_t& result, std::uint64_t& uncertaintyNs) const = 0;

  protected:
    ~Clocks() = default;
};

template <class Section>
class ClockTable {
    using B = typename Section::Provider;
    static constexpr Section kSection{};

    static zetl_status_t describe(zetl_device_t id, std::uint32_t kind, zetl_clock_info_t* info) noexcept {
        return onDevice<B>(id, [&](auto& device) {
            if (!canBeFilled(info) || !isClock(kind)) return ZETL_MISUSE;
            *info = {};
            info->size = sizeof *info;
            info->kind = kind;
            return kSection.describe(device, kind, *info);
        });
    }
    static zetl_status_t snapshot(zetl_device_t id, std::uint32_t a, std::uint32_t b,
                                  zetl_clock_pair_t* pair) noexcept {
        return onDevice<B>(id, [&](auto& device) {
            if (!pair || !isClock(a) || !isClock(b)) return ZETL_MISUSE;
            *pair = {};
            pair->size = sizeof *pair;
            return kSection.snapshot(device, a, b, *pair);
        });
    }
    static zetl_status_t convert(zetl_device_t id, std::uint32_t from, std::uint32_t to, std::uint64_t ticks,
                                 std::uint64_t* result, std::uint64_t* uncertaintyNs) noexcept {
        return onDevice<B>(id, [&](auto& device) {
            if (!result || !uncertaintyNs || !isClock(from) || !isClock(to)) return ZETL_MISUSE;
            return kSection.convert(device, from, to, ticks, *result, *uncertaintyNs);
        });
    }

  public:
    static constexpr zetl_clock_functions_t kFunctions = {
        .size = sizeof(zetl_clock_functions_t),
        .reserved = 0,
        .describe = describe,
        .snapshot = snapshot,
        .convert = convert,
    };
};

}  // namespace zetl::provider
