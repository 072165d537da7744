// A native binary whose code sections grew.
#pragma once

#include <span>
#include <vector>

#include "binary/module_image.h"
#include "binary/outcome.h"
#include "instrumentation/section.h"

namespace zetl::instrumentation {

/// The module's container with the sections' insertions. unsupported: it is not zebin.
binary::Outcome<std::vector<std::uint8_t>> writeProgram(const binary::ModuleImage& module,
                                                        std::span<const Section> sections);

}  // namespace zetl::instrumentation
