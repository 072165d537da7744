#include "emulator/driver/kernel.h"

#include <algorithm>
#include <cstring>

#include "emulator/driver/chain.h"
#include "emulator/driver/device.h"
#include "emulator/driver/kernel_limits.h"
#include "emulator/driver/kernel_memory.h"
#include "emulator/driver/module.h"
#include "emulator/driver/refusal.h"

namespace zetl::emulator::driver {
namespace {

using Kind = module::KernelArgument::Kind;

/// Arguments nobody set are null pointers and zeroes, as on the hardware, where the payload starts out cleared.
module::ArgumentValue unsetValue(const module::KernelArgument& argument) {
    switch (argument.kind) {
        case Kind::pointer:
            return {module::Bytes(sizeof(void*)), 0};
        case Kind::value:
            return {module::Bytes(argument.size), 0};
        default:
            return {};
    }
}

}  // namespace

Result<std::shared_ptr<Kernel>> Kernel::create(std::shared_ptr<Module> module, const ze_kernel_desc_t& description) {
    constexpr ze_kernel_flags_t kFlags = ZE_KERNEL_FLAG_FORCE_RESIDENCY | ZE_KERNEL_FLAG_EXPLICIT_RESIDENCY;
    if (description.flags & ~kFlags) return ZE_RESULT_ERROR_INVALID_ENUMERATION;
    if (!description.pKernelName) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    if (!module->runnable())
        return refuse(ZE_RESULT_ERROR_INVALID_MODULE_UNLINKED,
                      "the module has imports; link it with those that export them by zeModuleDynamicLink");
    const module::KernelImage* image = module->image().kernel(description.pKernelName);
    if (!image)
        return refuse(ZE_RESULT_ERROR_INVALID_KERNEL_NAME, "the module has no kernel {}", description.pKernelName);
    return std::make_shared<Kernel>(std::move(module), *image);
}

Kernel::Kernel(std::shared_ptr<Module> module, const module::KernelImage& image)
    : module_(std::move(module)), image_(image), memory_(std::make_shared<KernelMemory>()) {
    state_.write([&](KernelState& state) {
        if (image.environment.requiredGroupSize[0] != 0) state.groupSize = image.environment.requiredGroupSize;
        for (const auto& argument : image.arguments) state.arguments.push_back(unsetValue(argument));
    });
}

Status Kernel::setGroupSize(const module::Extent& size) {
    const auto& required = image_.environment.requiredGroupSize;
    if (required[0] != 0 && size != required)
        return refuse(ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION, "the source of {} requires groups of {}x{}x{}",
                      image_.name, required[0], required[1], required[2]);
    const std::uint64_t limit = largestGroup(image_, module_->device().profile());
    const std::uint64_t plane = std::uint64_t{size[0]} * size[1];
    if (plane == 0 || size[2] == 0 || plane > limit || plane * size[2] > limit)
        return refuse(ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION, "groups of {}x{}x{}; {} takes 1 to {} work-items",
                      size[0], size[1], size[2], image_.name, limit);
    state_.write([&](KernelState& state) { state.groupSize = size; });
    return ZE_RESULT_SUCCESS;
}

Status Kernel::setArgument(std::uint32_t index, std::size_t size, const void* value) {
    if (index >= image_.arguments.size())
        return refuse(ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_INDEX, "argument {} of {}, which has {}", index,
                      image_.name, image_.arguments.size());
    const module::KernelArgument& argument = image_.arguments[index];
    module::ArgumentValue next = unsetValue(argument);
    if (argument.kind == Kind::localPointer) {
        if (size == 0 || size > module_->device().profile().slmBytes)
            return refuse(ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE,
                          "{} bytes of local memory for argument {} of {}", size, index, image_.name);
        next.localBytes = static_cast<std::uint32_t>(size);
    } else if (!next.bytes.empty()) {
        if (size == 0 || (argument.kind == Kind::pointer && size != next.bytes.size()))
            return refuse(ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE, "argument {} of {} has {} bytes, not {}", index,
                          image_.name, next.bytes.size(), size);
        // Hardware drivers take a value that is too short, such as an int for a long, and so must this one.
        if (value) std::memcpy(next.bytes.data(), value, std::min(size, next.bytes.size()));
    }
    state_.write([&](KernelState& state) { state.arguments[index] = std::move(next); });
    return ZE_RESULT_SUCCESS;
}

void Kernel::setIndirectAccess(ze_kernel_indirect_access_flags_t flags) {
    state_.write([&](KernelState& state) { state.indirectAccess = flags; });
}

void Kernel::setGlobalOffset(const module::Extent& offset) {
    state_.write([&](KernelState& state) { state.globalOffset = offset; });
}

KernelState Kernel::state() const {
    return state_.read([](const KernelState& state) { return state; });
}

Status Kernel::describe(ze_kernel_properties_t& out) const {
    const auto& environment = image_.environment;
    const auto& profile = module_->device().profile();
    const std::uint32_t simd = std::max(environment.simdSize, 1u);
    out.numKernelArgs = static_cast<std::uint32_t>(image_.arguments.size());
    out.requiredGroupSizeX = environment.requiredGroupSize[0];
    out.requiredGroupSizeY = environment.requiredGroupSize[1];
    out.requiredGroupSizeZ = environment.requiredGroupSize[2];
    out.requiredNumSubGroups = 0;
    out.requiredSubgroupSize = environment.requiredSubGroupSize;
    out.maxSubgroupSize = simd;
    out.maxNumSubgroups = (largestGroup(image_, profile) + simd - 1) / simd;
    out.localMemSize = environment.slmBytes;
    out.privateMemSize = environment.privateBytes;
    out.spillMemSize = environment.spillBytes;
    std::memset(&out.uuid, 0, sizeof out.uuid);
    const std::uint64_t module = module_->id(),
                        index = static_cast<std::uint64_t>(&image_ - module_->image().kernels.data());
    std::memcpy(out.uuid.mid, &module, sizeof module);
    std::memcpy(out.uuid.kid, &index, sizeof index);
    forEachLink(&out, ZE_STRUCTURE_TYPE_KERNEL_PROPERTIES, [&](ChainLink& link) {
        if (link.stype == ZE_STRUCTURE_TYPE_KERNEL_PREFERRED_GROUP_SIZE_PROPERTIES)
            reinterpret_cast<ze_kernel_preferred_group_size_properties_t&>(link).preferredMultiple = simd;
        else if (link.stype == ZE_STRUCTURE_TYPE_KERNEL_MAX_GROUP_SIZE_EXT_PROPERTIES)
            reinterpret_cast<ze_kernel_max_group_size_properties_ext_t&>(link).maxGroupSize =
                largestGroup(image_, profile);
        else
            return false;
        return true;
    });
    return ZE_RESULT_SUCCESS;
}

}  // namespace zetl::emulator::driver
