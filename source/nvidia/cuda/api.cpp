#include "nvidia/cuda/api.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include "base/never_destroyed.h"
#include "base/settings.h"

namespace zetl::nvidia {
namespace {

Api api{};

template <class F>
void resolve(void* library, const char* name, F& function, std::string& missing) {
    function = reinterpret_cast<F>(dlsym(library, name));
    if (!function) missing += fmt::format("{}{}", missing.empty() ? "" : ", ", name);
}

std::string open() {
    const std::string name = settings::text(settings::kCudaLibrary).value_or("libcuda.so.1");
    void* library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        const char* why = dlerror();
        return fmt::format("{}; the NVIDIA driver's user library belongs there", why ? why : name);
    }
    std::string missing;
#define RESOLVE(symbol) resolve(library, #symbol, api.symbol, missing);
#define FUNCTION(name) RESOLVE(name)
#include "nvidia/cuda/functions.def"
#undef FUNCTION
#undef RESOLVE
    if (missing.empty()) return {};
    return fmt::format("{} lacks {}; it takes a driver for CUDA 12.8 or later", name, missing);
}

}  // namespace

const Api& cuda() noexcept { return api; }

const std::string& openCuda() {
    static NeverDestroyed<std::string> problem(open());
    return *problem;
}

}  // namespace zetl::nvidia
