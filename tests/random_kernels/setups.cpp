#include "setups.h"

#include <fmt/format.h>

#include <cstdlib>
#include <stdexcept>

#include "hidden_calls.h"

namespace zetl::random_kernels {
namespace {

constexpr const char* kFloatOptions = "-cl-fp32-correctly-rounded-divide-sqrt -cl-std=CL1.2";

}  // namespace

Workspace::Workspace() {
    std::string name = (std::filesystem::temp_directory_path() / "random_kernels.XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no directory for caches");
    path_ = name;
}

std::string Workspace::directory(const char* name) const {
    std::filesystem::create_directories(path_ / name);
    return (path_ / name).string();
}

void Workspace::clear() const {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

Setup reference(const Workspace& workspace) {
    return {"PoCL",
            [](const std::string& source) {
                return kernels::buildForPocl(source, fmt::format("{} -cl-opt-disable", kFloatOptions));
            },
            {{"OCL_ICD_VENDORS", "/etc/OpenCL/vendors/pocl.icd"}, {"POCL_CACHE_DIR", workspace.directory("pocl")}}};
}

Setup emulated(const Build& build, const Execution& execution, const Workspace& workspace,
               const Compilation& compilation, const std::shared_ptr<Refusals>& refusals) {
    return {fmt::format("{}/{} on {}", build.name, execution.name, compilation.device),
            [options = fmt::format("{} {} {}", kFloatOptions, build.options, compilation.options),
             hidden = compilation.hidden](const std::string& source) {
                return kernels::buildForLevelZero(withHiddenCalls(source, hidden), options, kernels::Form::zebin);
            },
            {{"ZE_ENABLE_ALT_DRIVERS", ZETL_EMULATED_GPU},
             {"ZETL_EMULATED_DEVICE", compilation.device},
             {"ZETL_EMULATOR_FILL", compilation.fill},
             {"ZETL_EMULATOR_TRANSLATE", execution.translate},
             {"ZETL_EMULATOR_VECTORS", execution.vectors},
             {"ZETL_BUILD_CACHE", workspace.directory("builds")}},
            refusals};
}

}  // namespace zetl::random_kernels
