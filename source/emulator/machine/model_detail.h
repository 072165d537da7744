// How much of a dispatch the timing model replays.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace zetl::emulator::machine {

enum class ModelDetail : std::uint8_t {
    full,     ///< every work-group
    sampled,  ///< a sample of them, which stands for all; the others run as if no tool collected
};

/// What ZETL_TIMING_MODEL says.
struct ModelSetting {
    ModelDetail detail = ModelDetail::full;
    /// Kernels of which a sample states a larger error of their cycles are modelled in full when they are launched
    /// again.
    std::optional<std::uint32_t> percent{};
    bool operator==(const ModelSetting&) const = default;
};
/// full, sampled, or sampled:N%, with N from 1 to 100.
std::optional<ModelSetting> modelSettingFrom(std::string_view text) noexcept;

/// What the user has set, or this.
ModelSetting configuredModel(ModelSetting otherwise);
inline ModelDetail configuredModelDetail(ModelDetail otherwise = ModelDetail::full) {
    return configuredModel({.detail = otherwise}).detail;
}

}  // namespace zetl::emulator::machine
