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

/// The detail with this name.
std::optional<ModelDetail> modelDetailNamed(std::string_view name) noexcept;
/// What the user has set, or the default.
ModelDetail configuredModelDetail();

}  // namespace zetl::emulator::machine
