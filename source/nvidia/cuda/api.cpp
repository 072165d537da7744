#include "nvidia/cuda/api.h"

#include <fmt/format.h>

#include "base/never_destroyed.h"
#include "base/settings.h"
#include "nvidia/cuda/library.h"

namespace zetl::nvidia {
namespace {

Api api{};

std::string open() {
    const std::string names[] = {settings::text(settings::kCudaLibrary).value_or("libcuda.so.1")};
    Library library(names);
    if (!library) return fmt::format("{}; the NVIDIA driver's user library belongs there", library.why());
#define RESOLVE(symbol) library.resolve(#symbol, api.symbol);
#define FUNCTION(name) RESOLVE(name)
#include "nvidia/cuda/functions.def"
#undef FUNCTION
#undef RESOLVE
    if (library.missing().empty()) return {};
    return fmt::format("{} lacks {}; it takes a driver for CUDA 12.8 or later", library.name(), library.missing());
}

}  // namespace

const Api& cuda() noexcept { return api; }

const std::string& openCuda() {
    static NeverDestroyed<std::string> problem(open());
    return *problem;
}

}  // namespace zetl::nvidia
