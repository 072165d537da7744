#include "nvidia/driver/program/module.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "base/enumerate.h"
#include "driver/chain.h"
#include "nvidia/cuda/api.h"
#include "nvidia/cuda/current.h"
#include "nvidia/cuda/result.h"
#include "nvidia/driver/program/function_pointers.h"
#include "nvidia/driver/program/kernel.h"
#include "nvidia/driver/program/rewriter.h"
#include "nvidia/driver/program/spirv.h"

namespace zetl::nvidia {
namespace {

Result<Bytes> nativeImageOf(const ze_module_desc_t& description, KernelTexts& kernels, std::string& log) {
    const std::span given(description.pInputModule, description.inputSize);
    switch (kindOf(given)) {
        case NativeKind::cubin:
        case NativeKind::fatbin:
            return Bytes(given.begin(), given.end());
        case NativeKind::ptx:
            kernels = kernelsOf(given);
            return compilePtx(given, optionsOf(description.pBuildFlags), log);
        case NativeKind::unknown:
            break;
    }
    return refuse(ZE_RESULT_ERROR_INVALID_NATIVE_BINARY, "the {} bytes are neither a cubin nor a fatbin nor PTX",
                  given.size());
}

Result<Bytes> spirvImageOf(const ze_module_desc_t& description, KernelTexts& kernels, std::string& log) {
    const auto ptx = translateSpirv(description, log);
    if (!ptx) return ptx.code();
    kernels = kernelsOf(*ptx);
    return compilePtx(*ptx, optionsOf(description.pBuildFlags), log);
}

/// The machine code that a description asks for. The device's context is current.
Result<Bytes> imageOf(const ze_module_desc_t& description, KernelTexts& kernels, std::string& log) {
    if (driver::findInChain<ze_module_program_exp_desc_t>(&description, ZE_STRUCTURE_TYPE_MODULE_DESC,
                                                          ZE_STRUCTURE_TYPE_MODULE_PROGRAM_EXP_DESC))
        return refuse(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE, "programs of several modules; link their SPIR-V before");
    if (!description.pInputModule) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    if (description.inputSize == 0) return ZE_RESULT_ERROR_INVALID_SIZE;
    if (description.format == ZE_MODULE_FORMAT_NATIVE) return nativeImageOf(description, kernels, log);
    if (description.format == ZE_MODULE_FORMAT_IL_SPIRV) return spirvImageOf(description, kernels, log);
    return refuse(ZE_RESULT_ERROR_UNSUPPORTED_ENUMERATION,
                  "module format {}; the driver takes SPIR-V, and PTX, cubin and fatbin as ZE_MODULE_FORMAT_NATIVE",
                  static_cast<int>(description.format));
}

std::atomic<std::uint64_t> lastId{0};

/// A range of addresses that no other module has.
std::uint64_t rangeFor(const Bytes& image) {
    constexpr std::uint64_t kFirst = 1 << 20;
    constexpr std::uint64_t kStep = 1 << 12;
    static std::atomic<std::uint64_t> next{kFirst};
    return next.fetch_add((image.size() + kStep) / kStep * kStep);
}

std::string optionsGiven(const ze_module_desc_t& description) {
    const std::span given(description.pInputModule, description.inputSize);
    const bool compiled = description.format == ZE_MODULE_FORMAT_IL_SPIRV || kindOf(given) == NativeKind::ptx;
    return compiled && description.pBuildFlags ? description.pBuildFlags : "";
}

Status listKernels(CUmodule module, std::vector<std::string>& names) {
    unsigned count = 0;
    Status status = ZETL_CUDA(cuModuleGetFunctionCount(&count, module));
    std::vector<CUfunction> functions(count);
    if (status == ZE_RESULT_SUCCESS && count > 0)
        status = ZETL_CUDA(cuModuleEnumerateFunctions(functions.data(), count, module));
    if (status != ZE_RESULT_SUCCESS) return status;
    for (CUfunction function : functions) {
        const char* name = nullptr;
        if (const Status bad = ZETL_CUDA(cuFuncGetName(&name, function)); bad != ZE_RESULT_SUCCESS) return bad;
        names.emplace_back(name);
    }
    std::sort(names.begin(), names.end());
    return ZE_RESULT_SUCCESS;
}

}  // namespace

Result<std::shared_ptr<Module>> Module::create(std::shared_ptr<Context> context, Context::Member place,
                                               const ze_module_desc_t& description, std::string& log) {
    const Current current(place.work->context);
    KernelTexts kernels;
    auto image = imageOf(description, kernels, log);
    if (!image) return image.code();
    Bytes code = rewritten(*place.device, *std::move(image));
    Parts parts{std::move(context), std::move(place), std::move(code), optionsGiven(description), nullptr, {},
                std::move(kernels)};
    Status status = ZETL_CUDA(cuModuleLoadDataEx(&parts.module, parts.image.data(), 0, nullptr, nullptr));
    if (status == ZE_RESULT_SUCCESS) status = listKernels(parts.module, parts.kernels);
    if (status == ZE_RESULT_SUCCESS) return std::make_shared<Module>(std::move(parts));
    if (parts.module) nvidia::cuda().cuModuleUnload(parts.module);
    log += lastRefusal();
    return status;
}

Module::Module(Parts parts) : parts_(std::move(parts)), id_(++lastId), codeAddress_(rangeFor(parts_.image)) {}

Module::~Module() {
    const Current current(parts_.place.work->context);
    nvidia::cuda().cuModuleUnload(parts_.module);
}

Result<std::shared_ptr<Kernel>> Module::createKernel(const ze_kernel_desc_t& description) {
    if (!description.pKernelName) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    return Kernel::create(shared_from_this(), description.pKernelName);
}

bool Module::isLocal(std::string_view kernel, std::size_t parameter) const {
    const auto found = parts_.texts.find(kernel);
    if (found == parts_.texts.end()) return false;
    const auto& local = found->second.localParameters;
    return parameter < local.size() && local[parameter];
}

std::array<std::uint32_t, 3> Module::requiredGroup(std::string_view kernel) const {
    const auto found = parts_.texts.find(kernel);
    return found == parts_.texts.end() ? std::array<std::uint32_t, 3>{} : found->second.requiredGroup;
}

Status Module::getNativeBinary(std::size_t* size, std::uint8_t* out) {
    if (out) std::memcpy(out, parts_.image.data(), std::min(*size, parts_.image.size()));
    *size = parts_.image.size();
    return ZE_RESULT_SUCCESS;
}

Status Module::getGlobalPointer(const char* name, std::size_t* size, void** pointer) {
    const Current current(parts_.place.work->context);
    CUdeviceptr address = 0;
    std::size_t bytes = 0;
    const CUresult found = nvidia::cuda().cuModuleGetGlobal(&address, &bytes, parts_.module, name);
    if (found == CUDA_ERROR_NOT_FOUND)
        return refuse(ZE_RESULT_ERROR_INVALID_GLOBAL_NAME, "the module has no global variable {}", name);
    if (const Status bad = check(found, "cuModuleGetGlobal("); bad != ZE_RESULT_SUCCESS) return bad;
    if (size) *size = bytes;
    if (pointer) *pointer = reinterpret_cast<void*>(address);
    return ZE_RESULT_SUCCESS;
}

Status Module::getFunctionPointer(const char* name, void** pointer) {
    const Current current(parts_.place.work->context);
    CUdeviceptr place = 0;
    std::size_t bytes = 0;
    const CUresult found = nvidia::cuda().cuModuleGetGlobal(&place, &bytes, parts_.module, pointerTo(name).c_str());
    if (found == CUDA_ERROR_NOT_FOUND)
        return refuse(
            ZE_RESULT_ERROR_INVALID_FUNCTION_NAME,
            "{} is no function of PTX that others may see (.visible .func); there are no pointers to kernels, "
            "nor to functions of SPIR-V, nor of machine code that this driver did not make",
            name);
    Status status = check(found, "cuModuleGetGlobal(");
    std::uint64_t value = 0;
    if (status == ZE_RESULT_SUCCESS && bytes == sizeof value) status = ZETL_CUDA(cuMemcpyDtoH(&value, place, bytes));
    if (status == ZE_RESULT_SUCCESS) *pointer = reinterpret_cast<void*>(value);
    return status;
}

Status Module::getKernelNames(std::uint32_t* count, const char** names) {
    return enumerate(static_cast<std::uint32_t>(parts_.kernels.size()), count, names,
                     [this](auto i) { return parts_.kernels[i].c_str(); });
}

/// Modules are linked when they are built; none waits for another's symbols.
Status Module::getProperties(ze_module_properties_t* out) {
    out->flags = 0;
    return ZE_RESULT_SUCCESS;
}

}  // namespace zetl::nvidia
