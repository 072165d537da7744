#include "driver/module_inputs.h"

#include "driver/chain.h"
#include "driver/refusal.h"

namespace zetl::driver {
namespace {

Status check(const ModuleInput& input) {
    if (!input.bytes.data()) return refuse(ZE_RESULT_ERROR_INVALID_NULL_POINTER, "there is no module to build from");
    if (input.constants && input.constants->numConstants &&
        (!input.constants->pConstantIds || !input.constants->pConstantValues))
        return refuse(ZE_RESULT_ERROR_INVALID_NULL_POINTER, "{} specialization constants without ids or values",
                      input.constants->numConstants);
    if (input.bytes.empty()) return refuse(ZE_RESULT_ERROR_INVALID_SIZE, "a module of 0 bytes");
    return ZE_RESULT_SUCCESS;
}

}  // namespace

Result<std::vector<ModuleInput>> moduleInputs(const ze_module_desc_t& description) {
    const Status unknown = refuseOthers(&description, ZE_STRUCTURE_TYPE_MODULE_DESC,
                                        {ZE_STRUCTURE_TYPE_MODULE_PROGRAM_EXP_DESC}, ZE_RESULT_ERROR_INVALID_ARGUMENT);
    if (unknown != ZE_RESULT_SUCCESS) return unknown;
    std::vector<ModuleInput> inputs;
    const auto* program = findInChain<ze_module_program_exp_desc_t>(&description, ZE_STRUCTURE_TYPE_MODULE_DESC,
                                                                    ZE_STRUCTURE_TYPE_MODULE_PROGRAM_EXP_DESC);
    if (!program)
        inputs.push_back(
            {{description.pInputModule, description.inputSize}, description.pBuildFlags, description.pConstants});
    else if (description.format == ZE_MODULE_FORMAT_NATIVE)
        return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                      "programs are of SPIR-V modules; make a module of each native binary and join those with "
                      "zeModuleDynamicLink");
    else if (!program->count)
        return refuse(ZE_RESULT_ERROR_INVALID_SIZE, "a program of no modules");
    else if (!program->inputSizes || !program->pInputModules)
        return refuse(ZE_RESULT_ERROR_INVALID_NULL_POINTER, "a program without its modules or their sizes");
    for (std::uint32_t i = 0; program && i < program->count; ++i)
        inputs.push_back({{program->pInputModules[i], program->inputSizes[i]},
                          program->pBuildFlags ? program->pBuildFlags[i] : nullptr,
                          program->pConstants ? program->pConstants[i] : nullptr});
    for (const ModuleInput& input : inputs)
        if (const Status bad = check(input); bad != ZE_RESULT_SUCCESS) return bad;
    return inputs;
}

}  // namespace zetl::driver
