// zes_ras_handle_t (sysman specification, "RAS"): the counts of one kind of hardware error on one tile.
#pragma once

#include <array>
#include <cstdint>

#include "base/synchronized.h"
#include "emulator/driver/shared_parts.h"
#include "emulator/driver/sysman/component.h"

namespace zetl::emulator::driver {

/// Emulated hardware makes no errors, so that all counts are 0 and no threshold is ever reached. Thread-safe.
class RasErrorSet : public Object<RasErrorSet, zes_ras_handle_t> {
  public:
    static constexpr const char* kNoun = "RAS error set";
    /// Correctable errors, uncorrectable ones.
    static constexpr std::uint32_t kPerTile = 2;

    RasErrorSet(const TileOfDevice& place, std::uint32_t kind) noexcept;
    const TileOfDevice& place() const noexcept { return place_; }

    void describe(zes_ras_properties_t& out) const noexcept;
    /// Thresholds are those of this process; at first there is none.
    void config(zes_ras_config_t& out) const;
    void setConfig(const zes_ras_config_t& config);
    void state(ze_bool_t clear, zes_ras_state_t& out) const noexcept;
    std::array<zes_ras_state_exp_t, ZES_MAX_RAS_ERROR_CATEGORY_COUNT> categories() const noexcept;
    /// INVALID_ENUMERATION for a category that does not exist.
    Status clear(zes_ras_error_category_exp_t category) const noexcept;

  private:
    struct Thresholds {
        std::uint64_t total = 0;
        std::array<std::uint64_t, ZES_MAX_RAS_ERROR_CATEGORY_COUNT> ofCategory{};
    };

    const TileOfDevice place_;
    const zes_ras_error_type_t type_;
    Synchronized<Thresholds> thresholds_;
};

}  // namespace zetl::emulator::driver
