#include "emulator/driver/program/module_source.h"

#include <fmt/format.h>

#include <cstring>
#include <optional>
#include <span>

#include "base/log.h"
#include "binary/device_binary.h"
#include "binary/native_binary.h"
#include "binary/spirv.h"
#include "driver/module_inputs.h"
#include "emulator/driver/device/device.h"
#include "emulator/driver/device/tool_observer.h"
#include "emulator/driver/program/result_file.h"
#include "emulator/driver/shared_parts.h"
#include "emulator/module/compiler.h"

namespace zetl::emulator::driver {
namespace {

using Bytes = std::span<const std::uint8_t>;

BuiltModule failed(const binary::Error& error, std::string log, Status status) {
    if (!log.empty() && log.back() != '\n') log += '\n';
    if (log.find(error.message) == std::string::npos) log.append(error.message).append("\n");
    return {status, nullptr, std::move(log), 0};
}

binary::Outcome<std::vector<binary::SpecValue>> readConstants(Bytes spirv, const ze_module_constants_t& constants) {
    const auto module = binary::readSpirv(spirv);
    if (!module) return module.error();
    return binary::valuesOf(*module, {constants.pConstantIds, constants.numConstants}, constants.pConstantValues);
}

/// What tools made of the binary for this device. The error is not logged yet.
binary::Outcome<binary::ModulePointer> readForDevice(Device& device, Bytes bytes) {
    const auto& product = *device.profile().product;
    const auto own = binary::binaryFor(bytes, product);
    if (!own) return own.error();
    if (const auto observer = toolObserver())
        if (const auto rewritten = observer->rewrite(device, *own)) return binary::readNative(*rewritten, product);
    return binary::readBinary(*own, product);
}

BuiltModule readCompiled(Device& device, module::CompileResult result) {
    if (result) {
        auto image = readForDevice(device, result.binary);
        if (!image) return failed(image.error(), std::move(result.log), codeOf(image.error()));
        return {ZE_RESULT_SUCCESS, *std::move(image), std::move(result.log), result.profileFlags, true};
    }
    const binary::Error& error = result.outcome.error();
    // Bytes that are no SPIR-V make the build fail; the code about native binaries would be wrong.
    const Status status = codeOf(error);
    return failed(error, std::move(result.log),
                  status == ZE_RESULT_ERROR_INVALID_NATIVE_BINARY ? ZE_RESULT_ERROR_MODULE_BUILD_FAILURE : status);
}

/// The module as another implementation of OpenCL can build it.
std::uint64_t keepSpecialized(const module::ProgramPart& part) {
    const auto module = binary::readSpirv(part.spirv);
    const auto specialized = module ? binary::specialize(*module, part.constants) : module.error();
    return specialized ? keepSource(*specialized) : results::kNoModule;
}

BuiltModule compileSpirv(Device& device, const std::vector<ModuleInput>& inputs) {
    std::vector<std::vector<binary::SpecValue>> values(inputs.size());
    std::vector<module::ProgramPart> parts;
    for (const ModuleInput& input : inputs) {
        auto& own = values[parts.size()];
        if (input.constants && input.constants->numConstants) {
            auto read = readConstants(input.bytes, *input.constants);
            if (!read) return failed(read.error(), {}, ZE_RESULT_ERROR_MODULE_BUILD_FAILURE);
            own = *std::move(read);
        }
        parts.push_back({input.bytes, input.flags ? input.flags : "", own});
    }
    if (parts.size() > 1) return readCompiled(device, module::compileProgram(parts, device.profile().product->name));
    module::CompileRequest request;
    request.source = parts[0].spirv;
    request.buildFlags = parts[0].buildFlags;
    request.constants = parts[0].constants;
    request.device = device.profile().product->name;
    BuiltModule built = readCompiled(device, module::compile(request));
    if (inputFile() != nullptr) built.source = keepSpecialized(parts[0]);
    return built;
}

/// A binary for the device, or else one made of the SPIR-V that it carries, as Intel's driver does.
BuiltModule readNative(Device& device, Bytes bytes) {
    auto image = readForDevice(device, bytes);
    if (image) return {ZE_RESULT_SUCCESS, *std::move(image), {}, 0, false};
    const binary::Error& error = image.error();
    const auto carried = error.cause == binary::Cause::wrongDevice
                             ? binary::carriedSpirv(bytes, *device.profile().product)
                             : std::nullopt;
    if (!carried) return failed(error, {}, codeOf(error));
    log::warn(log::Channel::emulator, "{}; the module is built from the SPIR-V that the binary carries", error.message);
    BuiltModule built = compileSpirv(device, {{carried->spirv, carried->buildOptions.c_str(), nullptr}});
    built.log.insert(0, fmt::format("warning: built from the SPIR-V that the binary carries: {}\n", error.message));
    return built;
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
    const auto inputs = moduleInputs(description);
    if (!inputs) return {inputs.code(), nullptr, {}, 0, false};
    if (description.format == ZE_MODULE_FORMAT_IL_SPIRV) return compileSpirv(device, *inputs);
    if (description.format != ZE_MODULE_FORMAT_NATIVE)
        return {refuse(ZE_RESULT_ERROR_INVALID_ENUMERATION, "module format {} is neither SPIR-V nor native",
                       static_cast<int>(description.format)),
                nullptr,
                {},
                0,
                false};
    return readNative(device, inputs->front().bytes);
}

}  // namespace zetl::emulator::driver
