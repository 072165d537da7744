#include "emulator/machine/model_detail.h"

#include "base/log.h"
#include "base/settings.h"

namespace zetl::emulator::machine {

std::optional<ModelDetail> modelDetailNamed(std::string_view name) noexcept {
    if (name == "full") return ModelDetail::full;
    if (name == "sampled") return ModelDetail::sampled;
    return {};
}

ModelDetail configuredModelDetail() {
    const auto text = settings::text(settings::kTimingModel);
    if (!text) return ModelDetail::full;
    const auto detail = modelDetailNamed(*text);
    if (!detail)
        log::warn(log::Channel::emulator,
                  "{}='{}' is no timing model, so every work-group is modelled; use full or sampled",
                  settings::kTimingModel, *text);
    return detail.value_or(ModelDetail::full);
}

}  // namespace zetl::emulator::machine
