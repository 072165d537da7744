// Lanes of one message that access the same bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "emulator/isa/observe.h"

namespace zetl::emulator::check {

/// Two of these lanes whose bytes overlap, the lower one first; nothing if all lanes have bytes of their own, or the
/// message is a block.
std::optional<std::pair<std::uint32_t, std::uint32_t>> lanesWithSharedBytes(const isa::MemoryAccess& access,
                                                                            std::uint32_t lanes) noexcept;

}  // namespace zetl::emulator::check
