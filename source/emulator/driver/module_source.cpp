#include "emulator/driver/module_source.h"

#include <cstring>
#include <span>

#include "emulator/driver/chain.h"
#include "emulator/driver/device.h"
#include "emulator/driver/refusal.h"
#include "emulator/driver/tool_observer.h"
#include "emulator/module/compiler.h"
#include "emulator/module/native_binary.h"
#include "emulator/module/spirv.h"

namespace zetl::emulator::driver {
namespace {

using Bytes = std::span<const std::uint8_t>;

BuiltModule failed(const module::Error& error, std::string log, Status status) {
    if (!log.empty() && log.back() != '\n') log += '\n';
    return {status, nullptr, log + error.message + "\n", 0};
}

/// The constants with as many bytes of each value as the module's own constant has.
module::Outcome<std::vector<module::SpecValue>> readConstants(Bytes spirv, const ze_module_constants_t& constants) {
    auto module = module::readSpirv(spirv);
    if (!module) return module.error();
    std::vector<module::SpecValue> values;
    for (std::uint32_t i = 0; i < constants.numConstants; ++i)
        for (const module::SpecConstant& constant : module->specConstants) {
            if (constant.id != constants.pConstantIds[i]) continue;
            const auto* bytes = static_cast<const std::uint8_t*>(constants.pConstantValues[i]);
            values.push_back({constant.id, module::Bytes(bytes, bytes + constant.bytes)});
        }
    return values;
}

BuiltModule readBinary(Device& device, Bytes bytes, BuiltModule built) {
    module::Bytes replaced;
    if (const auto observer = toolObserver())
        if (auto rewritten = observer->rewrite(device, bytes)) {
            replaced = *std::move(rewritten);
            bytes = replaced;
        }
    auto image = module::readNative(bytes);
    if (!image) return failed(image.error(), std::move(built.log), codeOf(image.error()));
    built.image = *std::move(image);
    return built;
}

BuiltModule compileSpirv(Device& device, Bytes spirv, const char* flags, const ze_module_constants_t* constants) {
    std::vector<module::SpecValue> values;
    if (constants && constants->numConstants) {
        auto read = readConstants(spirv, *constants);
        if (!read) return failed(read.error(), {}, ZE_RESULT_ERROR_MODULE_BUILD_FAILURE);
        values = *std::move(read);
    }
    module::CompileRequest request;
    request.source = spirv;
    request.buildFlags = flags ? flags : "";
    request.constants = values;
    module::CompileResult result = module::compile(request);
    if (!result) {
        const module::Error& error = result.outcome.error();
        // Bytes that are no SPIR-V are a failed build; "native binary" has nothing to do with them.
        const Status status = codeOf(error);
        return failed(error, std::move(result.log),
                      status == ZE_RESULT_ERROR_INVALID_NATIVE_BINARY ? ZE_RESULT_ERROR_MODULE_BUILD_FAILURE : status);
    }
    return readBinary(device, result.binary, {ZE_RESULT_SUCCESS, nullptr, std::move(result.log), result.profileFlags});
}

/// The one input of a description, which may be wrapped in a program description of one part.
struct Input {
    Status status;
    Bytes bytes;
    const char* flags;
    const ze_module_constants_t* constants;
};

Input inputOf(const ze_module_desc_t& description) {
    const auto* program = findInChain<ze_module_program_exp_desc_t>(&description, ZE_STRUCTURE_TYPE_MODULE_DESC,
                                                                    ZE_STRUCTURE_TYPE_MODULE_PROGRAM_EXP_DESC);
    if (!program) {
        if (!description.pInputModule) return {ZE_RESULT_ERROR_INVALID_NULL_POINTER, {}, nullptr, nullptr};
        if (!description.inputSize) return {ZE_RESULT_ERROR_INVALID_SIZE, {}, nullptr, nullptr};
        return {ZE_RESULT_SUCCESS,
                {description.pInputModule, description.inputSize},
                description.pBuildFlags,
                description.pConstants};
    }
    if (program->count != 1)
        return {refuse(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE,
                       "a program of {} modules; build them one by one and use zeModuleDynamicLink", program->count),
                {},
                nullptr,
                nullptr};
    return {ZE_RESULT_SUCCESS,
            {program->pInputModules[0], program->inputSizes[0]},
            program->pBuildFlags ? program->pBuildFlags[0] : nullptr,
            program->pConstants ? program->pConstants[0] : nullptr};
}

}  // namespace

Status codeOf(const module::Error& error) {
    using module::Cause;
    switch (error.cause) {
        case Cause::damaged:
        case Cause::wrongDevice:
        case Cause::limit:
        case Cause::unsupported:
            return refuse(ZE_RESULT_ERROR_INVALID_NATIVE_BINARY, "{}", error.message);
        case Cause::badArgument:
            return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "{}", error.message);
        case Cause::unresolved:
            return refuse(ZE_RESULT_ERROR_MODULE_LINK_FAILURE, "{}", error.message);
        case Cause::compilerMissing:
            return refuse(ZE_RESULT_ERROR_DEPENDENCY_UNAVAILABLE, "{}", error.message);
        case Cause::buildFailed:
            break;
    }
    return refuse(ZE_RESULT_ERROR_MODULE_BUILD_FAILURE, "{}", error.message);
}

BuiltModule buildModule(Device& device, const ze_module_desc_t& description) {
    const Input input = inputOf(description);
    if (input.status != ZE_RESULT_SUCCESS) return {input.status, nullptr, {}, 0};
    if (description.format == ZE_MODULE_FORMAT_IL_SPIRV)
        return compileSpirv(device, input.bytes, input.flags, input.constants);
    if (description.format == ZE_MODULE_FORMAT_NATIVE) return readBinary(device, input.bytes, {});
    return {ZE_RESULT_ERROR_INVALID_ENUMERATION, nullptr, {}, 0};
}

}  // namespace zetl::emulator::driver
