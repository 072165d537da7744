#include "nvidia/driver/program/module.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <utility>

#include "base/enumerate.h"
#include "nvidia/cuda/api.h"
#include "nvidia/cuda/current.h"
#include "nvidia/cuda/result.h"
#include "nvidia/driver/program/function_pointers.h"
#include "nvidia/driver/program/kernel.h"

namespace zetl::nvidia {
namespace {

std::atomic<std::uint64_t> lastId{0};

}  // namespace

Result<std::shared_ptr<Module>> Module::create(std::shared_ptr<Context> context, Context::Member place,
                                               const ze_module_desc_t& description, std::string& log) {
    const Current current(place.work->context);
    auto source = readSource(description, log);
    if (!source) return source.code();
    Parts parts{std::move(context), std::move(place), *std::move(source), nullptr};
    if (!parts.source.symbols.imports.empty()) {
        if (const Status bad = parts.source.check(log); bad != ZE_RESULT_SUCCESS) return bad;
        return std::make_shared<Module>(std::move(parts));
    }
    auto image = parts.source.image(log);
    if (!image) return image.code();
    auto code = LoadedCode::load(parts.place, *std::move(image));
    if (!code) {
        log += lastRefusal();
        return code.code();
    }
    parts.code = *std::move(code);
    return std::make_shared<Module>(std::move(parts));
}

Module::Module(Parts parts)
    : context_(std::move(parts.context)),
      place_(std::move(parts.place)),
      source_(std::move(parts.source)),
      id_(++lastId),
      state_(State{std::move(parts.code), false}) {}

std::shared_ptr<const LoadedCode> Module::use() {
    return state_.write([](State& state) {
        if (state.code) state.used = true;
        return state.code;
    });
}

Result<std::shared_ptr<Kernel>> Module::createKernel(const ze_kernel_desc_t& description) {
    const char* const name = description.pKernelName;
    if (!name) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    // Code that several modules share has the kernels of all.
    if (!source_.ptx.empty() && !source_.kernels.contains(std::string_view(name)))
        return refuse(ZE_RESULT_ERROR_INVALID_KERNEL_NAME, "the module has no kernel {}", name);
    auto code = use();
    if (!code)
        return refuse(ZE_RESULT_ERROR_INVALID_MODULE_UNLINKED,
                      "the module has imports, the first is {}; link it with those that export them by "
                      "zeModuleDynamicLink",
                      *source_.symbols.imports.begin());
    return Kernel::create(shared_from_this(), std::move(code), name);
}

bool Module::isLocal(std::string_view kernel, std::size_t parameter) const {
    const auto found = source_.kernels.find(kernel);
    if (found == source_.kernels.end()) return false;
    const auto& local = found->second.localParameters;
    return parameter < local.size() && local[parameter];
}

std::array<std::uint32_t, 3> Module::requiredGroup(std::string_view kernel) const {
    const auto found = source_.kernels.find(kernel);
    return found == source_.kernels.end() ? std::array<std::uint32_t, 3>{} : found->second.requiredGroup;
}

namespace {

Status giveBytes(std::span<const std::uint8_t> bytes, std::size_t* size, std::uint8_t* out) {
    if (out) std::memcpy(out, bytes.data(), std::min(*size, bytes.size()));
    *size = bytes.size();
    return ZE_RESULT_SUCCESS;
}

}  // namespace

Status Module::getNativeBinary(std::size_t* size, std::uint8_t* out) {
    if (const auto linked = code()) return giveBytes(linked->image(), size, out);
    if (source_.ptx.size() > 1)
        return refuse(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE,
                      "a program of {} modules has a native binary when its imports are linked", source_.ptx.size());
    const std::string& text = source_.ptx.front();
    return giveBytes({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}, size, out);
}

Status Module::getGlobalPointer(const char* name, std::size_t* size, void** pointer) {
    const Current current(place_.work->context);
    CUdeviceptr address = 0;
    std::size_t bytes = 0;
    const auto linked = use();
    const CUresult found =
        linked ? nvidia::cuda().cuModuleGetGlobal(&address, &bytes, linked->cuda(), name) : CUDA_ERROR_NOT_FOUND;
    if (found == CUDA_ERROR_NOT_FOUND)
        return refuse(ZE_RESULT_ERROR_INVALID_GLOBAL_NAME, "the module has no global variable {}{}", name,
                      linked ? "" : " before it is linked by zeModuleDynamicLink");
    if (const Status bad = nvidia::check(found, "cuModuleGetGlobal("); bad != ZE_RESULT_SUCCESS) return bad;
    if (size) *size = bytes;
    if (pointer) *pointer = reinterpret_cast<void*>(address);
    return ZE_RESULT_SUCCESS;
}

Status Module::getFunctionPointer(const char* name, void** pointer) {
    const Current current(place_.work->context);
    CUdeviceptr place = 0;
    std::size_t bytes = 0;
    const auto linked = use();
    const CUresult found =
        linked ? nvidia::cuda().cuModuleGetGlobal(&place, &bytes, linked->cuda(), pointerTo(name).c_str())
               : CUDA_ERROR_NOT_FOUND;
    if (found == CUDA_ERROR_NOT_FOUND)
        return refuse(ZE_RESULT_ERROR_INVALID_FUNCTION_NAME,
                      "{} is no function that others may see: of PTX (.visible .func), or of SPIR-V that is built with "
                      "-ze-library-compilation. There are no pointers to kernels, nor to functions of machine code "
                      "that this driver did not make{}",
                      name, linked ? "" : "; the module has to be linked by zeModuleDynamicLink");
    Status status = nvidia::check(found, "cuModuleGetGlobal(");
    std::uint64_t value = 0;
    if (status == ZE_RESULT_SUCCESS && bytes == sizeof value) status = ZETL_CUDA(cuMemcpyDtoH(&value, place, bytes));
    if (status == ZE_RESULT_SUCCESS) *pointer = reinterpret_cast<void*>(value);
    return status;
}

Status Module::getKernelNames(std::uint32_t* count, const char** names) {
    std::vector<const char*> all;
    for (const auto& [name, text] : source_.kernels) all.push_back(name.c_str());
    if (source_.ptx.empty())
        for (const auto& name : code()->kernels()) all.push_back(name.c_str());
    return enumerate(all.size(), count, names, [&](auto i) { return all[i]; });
}

Status Module::getProperties(ze_module_properties_t* out) {
    out->flags = source_.symbols.imports.empty() ? 0 : ZE_MODULE_PROPERTY_FLAG_IMPORTS;
    return ZE_RESULT_SUCCESS;
}

void Module::addTo(driver::Linkage& linkage) const {
    const auto& symbols = source_.symbols;
    linkage.imports.insert(symbols.imports.begin(), symbols.imports.end());
    for (const auto* const names : {&symbols.functions, &symbols.variables})
        linkage.exports.insert(names->begin(), names->end());
}

}  // namespace zetl::nvidia
