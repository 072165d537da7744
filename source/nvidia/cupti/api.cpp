#include "nvidia/cupti/api.h"

#include <fmt/format.h>

#include <vector>

#include "base/never_destroyed.h"
#include "base/settings.h"
#include "nvidia/cuda/library.h"

namespace zetl::nvidia {
namespace {

CuptiApi api{};

/// The toolkit keeps the library outside of where the linker looks.
std::vector<std::string> placesOfCupti() {
    if (auto given = settings::text(settings::kCuptiLibrary)) return {*given};
    return {"libcupti.so.13", "libcupti.so.12", "/usr/local/cuda/extras/CUPTI/lib64/libcupti.so",
            "/usr/local/cuda/lib64/libcupti.so", "/usr/lib/x86_64-linux-gnu/libcupti.so"};
}

std::string open() {
    Library library(placesOfCupti());
    if (!library)
        return fmt::format("{}; install CUDA's profiling library (libcupti, libnvperf_host) or name it by {}",
                           library.why(), settings::kCuptiLibrary);
#define RESOLVE(symbol) library.resolve(#symbol, api.symbol);
#define FUNCTION(name) RESOLVE(name)
#include "nvidia/cupti/functions.def"
#undef FUNCTION
#undef RESOLVE
    if (!library.missing().empty())
        return fmt::format("{} lacks {}; it takes that of CUDA 12.6 or later", library.name(), library.missing());
    // Where there is no GPU it fails, and catalogue, plans and evaluation work all the same.
    ZETL_CUPTI_PARAMS(CUpti_Profiler_Initialize, start);
    api.cuptiProfilerInitialize(&start);
    return {};
}

}  // namespace

const CuptiApi& cupti() noexcept { return api; }

const std::string& openCupti() {
    static NeverDestroyed<std::string> problem(open());
    return *problem;
}

}  // namespace zetl::nvidia
