#include "nvidia/driver/program/kernel.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

#include "driver/output.h"
#include "nvidia/cuda/api.h"
#include "nvidia/cuda/current.h"
#include "nvidia/cuda/result.h"

namespace zetl::nvidia {
namespace {

constexpr std::size_t kAxes = 3;
constexpr std::uint32_t kLocalAlignment = 16;
constexpr std::uint32_t kSharedWithoutAsking = 48 << 10;  // bytes; CUDA grants more only to kernels that ask

std::uint32_t alignedUp(std::uint32_t value) noexcept { return (value + kLocalAlignment - 1) & ~(kLocalAlignment - 1); }

Status attribute(CUfunction function, CUfunction_attribute which, std::uint32_t& value) {
    int given = 0;
    const Status status = ZETL_CUDA(cuFuncGetAttribute(&given, which, function));
    value = static_cast<std::uint32_t>(given);
    return status;
}

/// CUDA returns the place of each parameter, and an error for the index behind the last.
std::vector<Kernel::Parameter> parametersOf(CUfunction function) {
    std::vector<Kernel::Parameter> all;
    for (Kernel::Parameter next;
         cuda().cuFuncGetParamInfo(function, all.size(), &next.offset, &next.size) == CUDA_SUCCESS;)
        all.push_back(next);
    return all;
}

/// The pointers to each argument that a launch takes; on the stack unless there are very many.
class ArgumentPointers {
  public:
    ArgumentPointers(const std::vector<Kernel::Parameter>& parameters, const std::vector<std::uint8_t>& arguments) {
        if (parameters.size() > few_.size()) many_.resize(parameters.size());
        void** to = get();
        for (const auto& parameter : parameters) *to++ = const_cast<std::uint8_t*>(arguments.data() + parameter.offset);
    }
    void** get() noexcept { return many_.empty() ? few_.data() : many_.data(); }

  private:
    std::array<void*, 64> few_;
    std::vector<void*> many_;
};

/// Gives every local argument its place behind the kernel's own local memory.
void placeLocalArguments(const Kernel::Parts& kernel, KernelState& state) {
    const auto reserved = static_cast<std::uint32_t>(kernel.module->place().device->attributes().reservedShared);
    const std::uint32_t own = alignedUp(kernel.staticShared);
    std::uint32_t used = 0;
    for (std::size_t i = 0; i < kernel.parameters.size(); ++i) {
        if (state.localBytes[i] == 0) continue;
        const std::uint64_t place = reserved + own + used;
        std::memcpy(&state.arguments[kernel.parameters[i].offset], &place,
                    std::min(sizeof place, kernel.parameters[i].size));
        used += alignedUp(state.localBytes[i]);
    }
    state.dynamicShared = used == 0 ? 0 : used + own - kernel.staticShared;
}

std::uint32_t largestDivisor(std::uint32_t number, std::uint32_t limit) noexcept {
    for (std::uint32_t candidate = std::min(number, limit); candidate > 1; --candidate)
        if (number % candidate == 0) return candidate;
    return 1;
}

}  // namespace

Result<std::shared_ptr<Kernel>> Kernel::create(std::shared_ptr<Module> module, std::shared_ptr<const LoadedCode> code,
                                               const char* name) {
    const Current current(module->place().work->context);
    Parts parts{std::move(module), std::move(code), name, nullptr, {}, 0, 0, 0, 0, {}};
    const CUresult found = cuda().cuModuleGetFunction(&parts.function, parts.code->cuda(), name);
    if (found == CUDA_ERROR_NOT_FOUND)
        return refuse(ZE_RESULT_ERROR_INVALID_KERNEL_NAME, "the module has no kernel {}", name);
    Status status = check(found, "cuModuleGetFunction(");
    // Functions are loaded with their first launch unless asked for, and that waits for the device.
    if (status == ZE_RESULT_SUCCESS) status = ZETL_CUDA(cuFuncLoad(parts.function));
    if (status == ZE_RESULT_SUCCESS)
        status = attribute(parts.function, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, parts.threadsPerGroup);
    if (status == ZE_RESULT_SUCCESS)
        status = attribute(parts.function, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, parts.staticShared);
    if (status == ZE_RESULT_SUCCESS)
        status = attribute(parts.function, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, parts.privateBytes);
    if (status != ZE_RESULT_SUCCESS) return status;
    parts.requiredGroup = parts.module->requiredGroup(parts.name);
    parts.parameters = parametersOf(parts.function);
    const auto count = parts.parameters.size();
    parts.offsetAt = parts.code->takesGlobalOffset() && count >= kAxes ? count - kAxes : count;
    for (std::size_t i = 0; i < parts.parameters.size(); ++i)
        parts.parameters[i].local = parts.module->isLocal(parts.name, i);
    return std::make_shared<Kernel>(std::move(parts));
}

Kernel::Kernel(Parts parts) : parts_(std::move(parts)) {
    state_.write([this](KernelState& state) {
        const auto& all = parts_.parameters;
        state.arguments.resize(all.empty() ? 0 : all.back().offset + all.back().size);
        state.localBytes.resize(all.size());
        if (parts_.hasRequiredGroup()) state.groupSize = parts_.requiredGroup;
    });
}

Status Kernel::launchWith(const KernelState& state, CUstream stream, const Extent& groups, bool cooperative) const {
    if (groups[0] == 0 || groups[1] == 0 || groups[2] == 0) return ZE_RESULT_SUCCESS;
    ArgumentPointers pointers(parts_.parameters, state.arguments);
    const auto& [x, y, z] = state.groupSize;
    if (cooperative)
        return ZETL_CUDA(cuLaunchCooperativeKernel(parts_.function, groups[0], groups[1], groups[2], x, y, z,
                                                   state.dynamicShared, stream, pointers.get()));
    return ZETL_CUDA(cuLaunchKernel(parts_.function, groups[0], groups[1], groups[2], x, y, z, state.dynamicShared,
                                    stream, pointers.get(), nullptr));
}

Status Kernel::launch(CUstream stream, const Extent& groups, bool cooperative) {
    return state_.read([&](const KernelState& state) { return launchWith(state, stream, groups, cooperative); });
}

KernelState Kernel::state() const {
    return state_.read([](const KernelState& state) { return state; });
}

Result<std::uint32_t> Kernel::residentGroups(const KernelState& state) const {
    const Current current(parts_.module->place().work->context);
    int each = 0;
    const int size = static_cast<int>(state.groupSize[0] * state.groupSize[1] * state.groupSize[2]);
    const Status bad =
        ZETL_CUDA(cuOccupancyMaxActiveBlocksPerMultiprocessor(&each, parts_.function, size, state.dynamicShared));
    if (bad != ZE_RESULT_SUCCESS) return bad;
    return static_cast<std::uint32_t>(each * parts_.module->place().device->attributes().multiprocessors);
}

Status Kernel::checkCooperative(const KernelState& state, const Extent& groups) const {
    const auto resident = residentGroups(state);
    if (!resident) return resident.code();
    const std::uint64_t total = std::uint64_t{groups[0]} * groups[1] * groups[2];
    if (total <= *resident) return ZE_RESULT_SUCCESS;
    return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "{} cooperative groups; {} of that size are resident at once",
                  total, *resident);
}

Status Kernel::checkCooperative(const Extent& groups) {
    return state_.read([&](const KernelState& state) { return checkCooperative(state, groups); });
}

Status Kernel::setGroupSize(std::uint32_t x, std::uint32_t y, std::uint32_t z) {
    return state_.write([&](KernelState& state) { return setGroupSizeIn(state, {x, y, z}); });
}

Status Kernel::setGroupSizeIn(KernelState& state, const Extent& size) const {
    const auto& [x, y, z] = size;
    const Attributes& device = parts_.module->place().device->attributes();
    if (const auto& only = parts_.requiredGroup; parts_.hasRequiredGroup() && size != only)
        return refuse(ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION,
                      "group size {} x {} x {}; the kernel's source requires {} x {} x {}", x, y, z, only[0], only[1],
                      only[2]);
    const std::uint64_t total = std::uint64_t{x} * y * z;
    const auto within = [](std::uint32_t value, int most) { return value <= static_cast<std::uint32_t>(most); };
    if (total == 0 || total > parts_.threadsPerGroup || !within(x, device.blockX) || !within(y, device.blockY) ||
        !within(z, device.blockZ))
        return refuse(ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION,
                      "group size {} x {} x {}; this kernel has at most {} threads in a group", x, y, z,
                      parts_.threadsPerGroup);
    state.groupSize = size;
    return ZE_RESULT_SUCCESS;
}

Status Kernel::suggestGroupSize(std::uint32_t globalX, std::uint32_t globalY, std::uint32_t globalZ, std::uint32_t* x,
                                std::uint32_t* y, std::uint32_t* z) {
    if (const auto& only = parts_.requiredGroup; parts_.hasRequiredGroup()) {
        *x = only[0];
        *y = only[1];
        *z = only[2];
        return ZE_RESULT_SUCCESS;
    }
    constexpr std::uint32_t kGoodSize = 256;
    const Attributes& device = parts_.module->place().device->attributes();
    std::uint32_t left = std::min(kGoodSize, parts_.threadsPerGroup);
    *x = largestDivisor(globalX, std::min(left, static_cast<std::uint32_t>(device.blockX)));
    *y = largestDivisor(globalY, std::min(left /= *x, static_cast<std::uint32_t>(device.blockY)));
    *z = largestDivisor(globalZ, std::min(left / *y, static_cast<std::uint32_t>(device.blockZ)));
    return ZE_RESULT_SUCCESS;
}

Status Kernel::suggestMaxCooperativeGroupCount(std::uint32_t* count) {
    const auto resident = state_.read([this](const KernelState& state) { return residentGroups(state); });
    if (!resident) return resident.code();
    *count = *resident;
    return ZE_RESULT_SUCCESS;
}

Status Kernel::setArgumentValue(std::uint32_t index, std::size_t size, const void* value) {
    return state_.write([&](KernelState& state) { return setArgumentIn(state, index, size, value); });
}

Status Kernel::setArgumentIn(KernelState& state, std::uint32_t index, std::size_t size, const void* value) const {
    if (index >= parts_.offsetAt)
        return refuse(ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_INDEX, "argument {}; the kernel has {}", index,
                      parts_.offsetAt);
    const Parameter& parameter = parts_.parameters[index];
    // Without a value a size is that of local memory; a pointer's size could mean either, and is the null pointer where
    // machine code is all that is known of the kernel.
    const bool local = !value && (parameter.local || size != sizeof(void*));
    if (!local && size != parameter.size)
        return refuse(ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE, "argument {} has {} bytes, not {}", index,
                      parameter.size, size);
    std::uint8_t* to = &state.arguments[parameter.offset];
    if (value)
        std::memcpy(to, value, size);
    else
        std::memset(to, 0, parameter.size);
    state.localBytes[index] = local ? static_cast<std::uint32_t>(size) : 0;
    placeLocalArguments(parts_, state);
    if (state.dynamicShared + parts_.staticShared <= kSharedWithoutAsking) return ZE_RESULT_SUCCESS;
    const Current current(parts_.module->place().work->context);
    return ZETL_CUDA(cuFuncSetAttribute(parts_.function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                        static_cast<int>(state.dynamicShared)));
}

Status Kernel::setGlobalOffset(std::uint32_t x, std::uint32_t y, std::uint32_t z) {
    return state_.write([&](KernelState& state) { return setGlobalOffsetIn(state, {x, y, z}); });
}

Status Kernel::setGlobalOffsetIn(KernelState& state, const Extent& offset) const {
    if (!takesGlobalOffset())
        return offset == Extent{} ? ZE_RESULT_SUCCESS
                                  : refuse(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE,
                                           "CUDA has no global offset, so only kernels of SPIR-V have one that are not "
                                           "built to be linked; give the kernel an argument for it");
    for (std::size_t axis = 0; axis < kAxes; ++axis)
        std::memcpy(&state.arguments[parts_.parameters[parts_.offsetAt + axis].offset], &offset[axis],
                    sizeof offset[axis]);
    return ZE_RESULT_SUCCESS;
}

Status Kernel::setIndirectAccess(ze_kernel_indirect_access_flags_t flags) {
    constexpr ze_kernel_indirect_access_flags_t kFlags = ZE_KERNEL_INDIRECT_ACCESS_FLAG_HOST |
                                                         ZE_KERNEL_INDIRECT_ACCESS_FLAG_DEVICE |
                                                         ZE_KERNEL_INDIRECT_ACCESS_FLAG_SHARED;
    if (flags & ~kFlags) return ZE_RESULT_ERROR_INVALID_ENUMERATION;
    state_.write([flags](KernelState& state) { state.indirectAccess = flags; });
    return ZE_RESULT_SUCCESS;
}

Status Kernel::getIndirectAccess(ze_kernel_indirect_access_flags_t* flags) {
    *flags = state_.read([](const KernelState& state) { return state.indirectAccess; });
    return ZE_RESULT_SUCCESS;
}

/// A hint that the hardware needs no longer: it divides its cache by what runs.
Status Kernel::setCacheConfig(ze_cache_config_flags_t flags) {
    constexpr ze_cache_config_flags_t kFlags = ZE_CACHE_CONFIG_FLAG_LARGE_SLM | ZE_CACHE_CONFIG_FLAG_LARGE_DATA;
    return flags & ~kFlags ? ZE_RESULT_ERROR_INVALID_ENUMERATION : ZE_RESULT_SUCCESS;
}

Status Kernel::getProperties(ze_kernel_properties_t* out) {
    const auto warp = static_cast<std::uint32_t>(parts_.module->place().device->attributes().warp);
    clearBody(*out);
    out->requiredGroupSizeX = parts_.requiredGroup[0];
    out->requiredGroupSizeY = parts_.requiredGroup[1];
    out->requiredGroupSizeZ = parts_.requiredGroup[2];
    out->numKernelArgs = static_cast<std::uint32_t>(parts_.offsetAt);
    out->maxSubgroupSize = out->requiredSubgroupSize = warp;
    out->maxNumSubgroups = parts_.threadsPerGroup / std::max(warp, 1u);
    out->localMemSize = parts_.staticShared;
    out->privateMemSize = parts_.privateBytes;
    return ZE_RESULT_SUCCESS;
}

Status Kernel::getName(std::size_t* size, char* out) {
    if (out) std::memcpy(out, parts_.name.c_str(), std::min(*size, parts_.name.size() + 1));
    *size = parts_.name.size() + 1;
    return ZE_RESULT_SUCCESS;
}

/// Machine code keeps none.
Status Kernel::getSourceAttributes(std::uint32_t* size, char** out) {
    if (out && *out && *size > 0) **out = '\0';
    *size = 1;
    return ZE_RESULT_SUCCESS;
}

Result<CodeSection> Kernel::section() const {
    for (auto& each : codeSectionsOf(parts_.code->image()))
        if (each.function == parts_.name) return std::move(each);
    return refuse(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE,
                  "the code of kernel {} is not found: its module was given as a fatbin; give the cubin", parts_.name);
}

Status Kernel::getBinary(std::size_t* size, std::uint8_t* out) {
    const auto found = section();
    if (!found) return found.code();
    const auto bytes = std::span(parts_.code->image()).subspan(found->offset, found->bytes);
    if (out) std::memcpy(out, bytes.data(), std::min(*size, bytes.size()));
    *size = bytes.size();
    return ZE_RESULT_SUCCESS;
}

Status Kernel::getBaseAddress(std::uint64_t* address) {
    const auto found = section();
    if (!found) return found.code();
    *address = parts_.code->address() + found->offset;
    return ZE_RESULT_SUCCESS;
}

}  // namespace zetl::nvidia
