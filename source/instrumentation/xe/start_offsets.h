// The offsets in a kernel's code that .ze_info contains.
#pragma once

#include <string_view>
#include <vector>

#include "instrumentation/xe/code_edit.h"

namespace zetl::instrumentation {

/// Changes, in the YAML text, the offsets at which threads of the kernel may start.
void moveStartOffsets(std::vector<std::uint8_t>& zeInfo, std::string_view kernel, const Movement& movement);

}  // namespace zetl::instrumentation
