#include "emulator/driver/program/module_source.h"

#include <cstring>
#include <span>

#include "binary/native_binary.h"
#include "binary/spirv.h"
#include "emulator/driver/device/device.h"
#include "emulator/driver/device/tool_observer.h"
#include "emulator/driver/shared_parts.h"
#include "emulator/module/compiler.h"

namespace zetl::emulator::driver {
namespace {

using Bytes = std::span<const std::uint8_t>;

BuiltModule failed(const binary::Error& error, std::string log, Status status) {
    if (!log.empty() && log.back() != '\n') log += '\n';
    return {status, nullptr, log + error.message + "\n", 0};
}

binary::Outcome<std::vector<binary::SpecValue>> readConstants(Bytes spirv, const ze_module_constants_t& constants) {
    const auto module = binary::readSpirv(spirv);
    if (!module) return module.error();
    return binary::valuesOf(*module, {constants.pConstantIds, constants.numConstants}, constants.pConstantValues);
}

BuiltModule readBinary(Device& device, Bytes bytes, BuiltModule built) {
    binary::Bytes replaced;
    if (const auto observer = toolObserver())
        if (auto rewritten = observer->rewrite(device, bytes)) {
            replaced = *std::move(rewritten);
            bytes = replaced;
        }
    auto image = binary::readNative(bytes);
    if (!image) return failed(image.error(), std::move(built.log), codeOf(image.error()));
    built.image = *std::move(image);
    return built;
}

/// One input module of the build.
struct Input {
    Bytes bytes;
    const char* flags;
    const ze_module_constants_t* constants;
};

Status check(const Input& input) {
    if (!input.bytes.data()) return refuse(ZE_RESULT_ERROR_INVALID_NULL_POINTER, "there is no module to build from");
    if (input.constants && input.constants->numConstants &&
        (!input.constants->pConstantIds || !input.constants->pConstantValues))
        return refuse(ZE_RESULT_ERROR_INVALID_NULL_POINTER, "{} specialization constants without ids or values",
                      input.constants->numConstants);
    if (input.bytes.empty()) return refuse(ZE_RESULT_ERROR_INVALID_SIZE, "a module of 0 bytes");
    return ZE_RESULT_SUCCESS;
}

/// The inputs of a description: one module, or those of a chained program description.
Result<std::vector<Input>> inputsOf(const ze_module_desc_t& description) {
    std::vector<Input> inputs;
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
    for (const Input& input : inputs)
        if (const Status bad = check(input); bad != ZE_RESULT_SUCCESS) return bad;
    return inputs;
}

BuiltModule readCompiled(Device& device, module::CompileResult result) {
    if (result)
        return readBinary(device, result.binary,
                          {ZE_RESULT_SUCCESS, nullptr, std::move(result.log), result.profileFlags});
    const binary::Error& error = result.outcome.error();
    // Bytes that are no SPIR-V make the build fail; the code about native binaries would be wrong.
    const Status status = codeOf(error);
    return failed(error, std::move(result.log),
                  status == ZE_RESULT_ERROR_INVALID_NATIVE_BINARY ? ZE_RESULT_ERROR_MODULE_BUILD_FAILURE : status);
}

BuiltModule compileSpirv(Device& device, const std::vector<Input>& inputs) {
    std::vector<std::vector<binary::SpecValue>> values(inputs.size());
    std::vector<module::ProgramPart> parts;
    for (const Input& input : inputs) {
        auto& own = values[parts.size()];
        if (input.constants && input.constants->numConstants) {
            auto read = readConstants(input.bytes, *input.constants);
            if (!read) return failed(read.error(), {}, ZE_RESULT_ERROR_MODULE_BUILD_FAILURE);
            own = *std::move(read);
        }
        parts.push_back({input.bytes, input.flags ? input.flags : "", own});
    }
    if (parts.size() > 1) return readCompiled(device, module::compileProgram(parts));
    module::CompileRequest request;
    request.source = parts[0].spirv;
    request.buildFlags = parts[0].buildFlags;
    request.constants = parts[0].constants;
    return readCompiled(device, module::compile(request));
}

}  // namespace

Status codeOf(const binary::Error& error) {
    using binary::Cause;
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
    const auto inputs = inputsOf(description);
    if (!inputs) return {inputs.code(), nullptr, {}, 0};
    if (description.format == ZE_MODULE_FORMAT_IL_SPIRV) return compileSpirv(device, *inputs);
    if (description.format != ZE_MODULE_FORMAT_NATIVE)
        return {refuse(ZE_RESULT_ERROR_INVALID_ENUMERATION, "module format {} is neither SPIR-V nor native",
                       static_cast<int>(description.format)),
                nullptr,
                {},
                0};
    return readBinary(device, inputs->front().bytes, {});
}

}  // namespace zetl::emulator::driver
