#include "emulator/driver/program/kernel.h"

#include <algorithm>
#include <cstring>

#include "emulator/driver/device/device.h"
#include "emulator/driver/memory/context.h"
#include "emulator/driver/program/kernel_limits.h"
#include "emulator/driver/program/kernel_memory.h"
#include "emulator/driver/program/module.h"
#include "emulator/driver/shared_parts.h"

namespace zetl::emulator::driver {
namespace {

// zex_kernel_register_file_size_exp_t of Intel's driver: registers per thread.
constexpr auto kRegisterFileSize = static_cast<ze_structure_type_t>(0x00030012);
struct RegisterFileSize {
    std::uint32_t stype;
    const void* pNext;
    std::uint32_t registerFileSize;
};

/// Per thread. Compilers that state no number keep spills in the scratch buffer, which counts as a whole then.
std::uint32_t spillBytes(const binary::KernelImage& image) {
    std::uint32_t bytes = image.environment.spillBytes;
    if (bytes != 0) return bytes;
    for (const binary::MemoryBuffer& buffer : image.memoryBuffers)
        if (buffer.kind == binary::MemoryKind::scratch && buffer.use != binary::MemoryUse::privateSpace)
            bytes += buffer.size;
    return bytes;
}

}  // namespace

Result<std::shared_ptr<Kernel>> Kernel::create(std::shared_ptr<Module> module, const ze_kernel_desc_t& description) {
    constexpr ze_kernel_flags_t kFlags = ZE_KERNEL_FLAG_FORCE_RESIDENCY | ZE_KERNEL_FLAG_EXPLICIT_RESIDENCY;
    if (description.flags & ~kFlags) return ZE_RESULT_ERROR_INVALID_ENUMERATION;
    if (!description.pKernelName) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    if (!module->runnable())
        return refuse(ZE_RESULT_ERROR_INVALID_MODULE_UNLINKED,
                      "the module has imports; link it with those that export them by zeModuleDynamicLink");
    const binary::KernelImage* image = module->image().kernel(description.pKernelName);
    if (!image)
        return refuse(ZE_RESULT_ERROR_INVALID_KERNEL_NAME, "the module has no kernel {}", description.pKernelName);
    return std::make_shared<Kernel>(std::move(module), *image);
}

Kernel::Kernel(std::shared_ptr<Module> module, const binary::KernelImage& image)
    : module_(std::move(module)),
      image_(image),
      memory_(std::make_shared<KernelMemory>()),
      state_(KernelState(image)) {}

const machine::DeviceProfile& Kernel::profile() const noexcept { return module_->device().profile(); }

Status Kernel::setGroupSize(const module::Extent& size) {
    return state_.write([&](KernelState& state) { return state.setGroupSize(profile(), size); });
}

Status Kernel::setArgument(std::uint32_t index, std::size_t size, const void* value) {
    return state_.write([&](KernelState& state) { return state.setArgument(index, size, value); });
}

Status Kernel::setAll(const module::Extent& size, void** values) {
    return state_.write([&](KernelState& state) { return state.setAll(profile(), size, values); });
}

void Kernel::setIndirectAccess(ze_kernel_indirect_access_flags_t flags) {
    state_.write([&](KernelState& state) { state.setIndirectAccess(flags); });
}

void Kernel::setGlobalOffset(const module::Extent& offset) {
    state_.write([&](KernelState& state) { state.setGlobalOffset(offset); });
}

KernelState Kernel::state() const {
    return state_.read([](const KernelState& state) { return state; });
}

std::vector<Kernel::UsedAllocation> Kernel::allocations() const {
    std::vector<UsedAllocation> used;
    const KernelState now = state();
    for (std::uint32_t i = 0; i < image_.arguments.size(); ++i) {
        if (image_.arguments[i].kind != binary::KernelArgument::Kind::pointer) continue;
        void* pointer = nullptr;
        std::memcpy(&pointer, now.arguments()[i].bytes.data(), sizeof pointer);
        if (auto allocation = module_->context().usm().find(pointer)) used.push_back({*std::move(allocation), i});
    }
    return used;
}

Status Kernel::describe(ze_kernel_properties_t& out) const {
    const auto& environment = image_.environment;
    const std::uint32_t simd = std::max(environment.simdSize, 1u);
    out.numKernelArgs = static_cast<std::uint32_t>(image_.arguments.size());
    out.requiredGroupSizeX = environment.requiredGroupSize[0];
    out.requiredGroupSizeY = environment.requiredGroupSize[1];
    out.requiredGroupSizeZ = environment.requiredGroupSize[2];
    out.requiredNumSubGroups = 0;
    out.requiredSubgroupSize = environment.requiredSubGroupSize;
    out.maxSubgroupSize = simd;
    out.maxNumSubgroups = (largestGroup(image_, profile()) + simd - 1) / simd;
    out.localMemSize = environment.slmBytes;
    out.privateMemSize = environment.privateBytes;
    out.spillMemSize = spillBytes(image_);
    std::memset(&out.uuid, 0, sizeof out.uuid);
    const std::uint64_t module = module_->id();
    const std::uint64_t index = static_cast<std::uint64_t>(&image_ - module_->image().kernels.data());
    std::memcpy(out.uuid.mid, &module, sizeof module);
    std::memcpy(out.uuid.kid, &index, sizeof index);
    forEachLink(&out, ZE_STRUCTURE_TYPE_KERNEL_PROPERTIES, [&](ChainLink& link) {
        if (link.stype == ZE_STRUCTURE_TYPE_KERNEL_PREFERRED_GROUP_SIZE_PROPERTIES)
            reinterpret_cast<ze_kernel_preferred_group_size_properties_t&>(link).preferredMultiple = simd;
        else if (link.stype == ZE_STRUCTURE_TYPE_KERNEL_MAX_GROUP_SIZE_EXT_PROPERTIES)
            reinterpret_cast<ze_kernel_max_group_size_properties_ext_t&>(link).maxGroupSize =
                largestGroup(image_, profile());
        else if (link.stype == kRegisterFileSize)
            reinterpret_cast<RegisterFileSize&>(link).registerFileSize = environment.grfCount;
        else
            return false;
        return true;
    });
    return ZE_RESULT_SUCCESS;
}

}  // namespace zetl::emulator::driver
