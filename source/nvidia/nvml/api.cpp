#include "nvidia/nvml/api.h"

#include <fmt/format.h>

#include "base/never_destroyed.h"
#include "nvidia/cuda/library.h"

namespace zetl::nvidia {
namespace {

NvmlApi functions{};

std::string startNvml() {
    const std::string names[] = {"libnvidia-ml.so.1"};
    Library library(names);
    if (!library) return fmt::format("{}; the NVIDIA driver's library for monitoring belongs there", library.why());
#define FUNCTION(name, prototype) library.resolve(#name, functions.name);
#include "nvidia/nvml/functions.def"
#undef FUNCTION
    if (!library.missing().empty()) return fmt::format("{} lacks {}", library.name(), library.missing());
    const int error = functions.nvmlInit_v2();
    if (error == 0) return {};
    return fmt::format("nvmlInit answers {}: {}", error, functions.nvmlErrorString(error));
}

}  // namespace

const NvmlApi& nvml() noexcept { return functions; }

const std::string& openNvml() {
    static NeverDestroyed<std::string> problem(startNvml());
    return *problem;
}

}  // namespace zetl::nvidia
