// Reads .ze_info, the YAML that describes a zebin's kernels.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "binary/kernel_image.h"
#include "binary/module_image.h"
#include "binary/outcome.h"

namespace zetl::binary {

inline constexpr std::size_t kMaxZeInfoBytes = 64 << 20;

struct ZeInfo {
    std::string version;
    std::vector<KernelImage> kernels;  ///< codeSection and gtpin are not filled in yet
    std::vector<FunctionImage> functions;
    std::vector<std::pair<std::string, std::string>> hostNames;
};

/// Unknown keys are ignored, unknown payload types of non-zero size make their kernel unsupported. Errors: damaged (no
/// YAML, a value of the wrong form, a payload piece outside the payload), limit.
Outcome<ZeInfo> readZeInfo(std::string_view yaml);

/// What can be read of a description that may be newer than this reader, or written for another device: a value that
/// readZeInfo() would report is 0, and text that is not YAML describes nothing.
ZeInfo readableZeInfo(std::string_view yaml);

/// Kernels in the compiler's YAML, one entry per line: name, execution environment, payload and memory.
std::string writeZeInfo(std::span<const KernelImage> kernels);

}  // namespace zetl::binary
