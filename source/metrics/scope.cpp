#include "metrics/scope.h"

#include "metrics/fixed_text.h"

namespace zetl::metrics {

Scope::Scope(const device::Device& device)
    : device_(device),
      id_(0),
      set_(0),
      aggregated_(true),
      name_("DEVICE_AGGREGATED"),
      description_("All tiles of the device together") {}

Scope::Scope(const device::Device& device, std::uint32_t id, std::uint32_t set, std::uint32_t tile)
    : device_(device),
      id_(id),
      set_(set),
      aggregated_(false),
      name_("COMPUTE_TILE_" + std::to_string(tile)),
      description_("Tile " + std::to_string(tile) + " of the device") {}

void Scope::fill(zet_intel_metric_scope_properties_exp_t& properties) const {
    properties.iD = static_cast<std::uint16_t>(id_);
    copyText(properties.name, name_);
    copyText(properties.description, description_);
}

}  // namespace zetl::metrics
