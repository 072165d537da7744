#include "emulator/driver/sysman/ras_error_set.h"

#include <algorithm>

namespace zetl::emulator::driver {

RasErrorSet::RasErrorSet(const TileOfDevice& place, std::uint32_t kind) noexcept
    : place_(place), type_(kind == 0 ? ZES_RAS_ERROR_TYPE_CORRECTABLE : ZES_RAS_ERROR_TYPE_UNCORRECTABLE) {}

void RasErrorSet::describe(zes_ras_properties_t& out) const noexcept {
    out.type = type_;
    place_.place(out);
}

void RasErrorSet::config(zes_ras_config_t& out) const {
    thresholds_.read([&](const Thresholds& set) {
        out.totalThreshold = set.total;
        std::ranges::copy(set.ofCategory, out.detailedThresholds.category);
    });
}

void RasErrorSet::setConfig(const zes_ras_config_t& config) {
    thresholds_.write([&](Thresholds& set) {
        set.total = config.totalThreshold;
        std::ranges::copy(config.detailedThresholds.category, set.ofCategory.begin());
    });
}

void RasErrorSet::state(ze_bool_t, zes_ras_state_t& out) const noexcept { std::ranges::fill(out.category, 0); }

std::array<zes_ras_state_exp_t, ZES_MAX_RAS_ERROR_CATEGORY_COUNT> RasErrorSet::categories() const noexcept {
    std::array<zes_ras_state_exp_t, ZES_MAX_RAS_ERROR_CATEGORY_COUNT> all{};
    for (std::uint32_t i = 0; i < all.size(); ++i) all[i].category = static_cast<zes_ras_error_category_exp_t>(i);
    return all;
}

Status RasErrorSet::clear(zes_ras_error_category_exp_t category) const noexcept {
    return category < ZES_MAX_RAS_ERROR_CATEGORY_COUNT ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_INVALID_ENUMERATION;
}

}  // namespace zetl::emulator::driver
