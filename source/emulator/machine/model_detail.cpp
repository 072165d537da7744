#include "emulator/machine/model_detail.h"

#include <charconv>

#include "base/log.h"
#include "base/settings.h"

namespace zetl::emulator::machine {
namespace {

constexpr std::string_view kBounded = "sampled:";
constexpr std::uint32_t kWhole = 100;

/// "2%"
std::optional<std::uint32_t> percentFrom(std::string_view text) noexcept {
    if (!text.ends_with('%')) return {};
    text.remove_suffix(1);
    std::uint32_t percent = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), percent);
    if (error != std::errc() || end != text.data() + text.size() || percent == 0 || percent > kWhole) return {};
    return percent;
}

}  // namespace

std::optional<ModelSetting> modelSettingFrom(std::string_view text) noexcept {
    if (text == "full") return ModelSetting{.detail = ModelDetail::full};
    if (text == "sampled") return ModelSetting{.detail = ModelDetail::sampled};
    if (!text.starts_with(kBounded)) return {};
    const auto percent = percentFrom(text.substr(kBounded.size()));
    if (!percent) return {};
    return ModelSetting{.detail = ModelDetail::sampled, .percent = percent};
}

ModelSetting configuredModel(ModelSetting otherwise) {
    const auto text = settings::text(settings::kTimingModel);
    if (!text) return otherwise;
    const auto setting = modelSettingFrom(*text);
    if (!setting)
        log::warn(log::Channel::emulator,
                  "{}='{}' is no timing model and is ignored; use full, sampled, or sampled:N% with N from 1 to 100",
                  settings::kTimingModel, *text);
    return setting.value_or(otherwise);
}

}  // namespace zetl::emulator::machine
