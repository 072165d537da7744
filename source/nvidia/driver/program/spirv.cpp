#include "nvidia/driver/program/spirv.h"

#include <algorithm>
#include <string_view>

#include "base/settings.h"
#include "binary/spirv.h"
#include "compiler/build_cache.h"
#include "nvidia/driver/shared_parts.h"

namespace zetl::nvidia {
namespace {

constexpr const char* kTarget = "sm_70";  // what is made for it, the driver compiles for any later GPU
constexpr long kSeconds = 120;

binary::Outcome<binary::Bytes> prepared(const driver::ModuleInput& input) {
    const auto module = binary::readSpirv(input.bytes);
    if (!module) return module.error();
    if (auto error = binary::checkAddresses(*module)) return *std::move(error);
    const auto* const constants = input.constants;
    if (!constants || constants->numConstants == 0) return binary::specialize(*module, {});
    return binary::specialize(*module, binary::valuesOf(*module, {constants->pConstantIds, constants->numConstants},
                                                        constants->pConstantValues));
}

bool isLibrary(const char* flags) {
    return std::string_view(flags ? flags : "").find("-library-compilation") != std::string_view::npos;
}

}  // namespace

Result<Bytes> translateSpirv(const driver::ModuleInput& input, bool partOfProgram, std::string& log) {
    const auto module = prepared(input);
    if (!module) {
        log += module.error().message + "\n";
        return refuse(ZE_RESULT_ERROR_MODULE_BUILD_FAILURE, "{}", module.error().message);
    }
    const long seconds = std::max(0L, settings::number(settings::kCompilerSeconds).value_or(kSeconds));
    std::vector<std::string> arguments{kTarget};
    const auto options = optionsOf(input.flags);
    if (options.debugInfo != DebugInfo::none) arguments.emplace_back(compiler::kKeepLines);
    if (options.optimization == 0) arguments.emplace_back(compiler::kWithoutOptimization);
    if (partOfProgram || isLibrary(input.flags)) arguments.emplace_back(compiler::kForLinking);
    auto answer = compiler::build({.program = compiler::kSpirvToPtx,
                                   .library = {},
                                   .seconds = static_cast<std::uint32_t>(seconds),
                                   .arguments = arguments,
                                   .files = {{"module.spv", *module}}});
    log += answer.missing.empty() ? answer.log : answer.missing + "\n";
    if (!answer.missing.empty()) return refuse(ZE_RESULT_ERROR_DEPENDENCY_UNAVAILABLE, "{}", answer.missing);
    if (answer.code == 0 && !answer.output.empty()) return std::move(answer.output);
    return refuse(ZE_RESULT_ERROR_MODULE_BUILD_FAILURE, "SPIR-V to PTX ended with code {} ({}); the build log says why",
                  answer.code, answer.compiler);
}

}  // namespace zetl::nvidia
