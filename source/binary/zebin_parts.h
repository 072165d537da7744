// Binaries of a module's parts (spirv_parts.h) as one.
#pragma once

#include <optional>
#include <span>

#include "binary/kernel_image.h"

namespace zetl::binary {

/// The zebin that one build of the whole module makes, from those of its parts; `spirv` is the whole module. Nothing if
/// the parts have what must not be in several: functions for other modules, variables, debug data.
std::optional<Bytes> joinZebins(std::span<const Bytes> parts, const Bytes& spirv);

}  // namespace zetl::binary
