#include "emulator/driver/program/kernel.h"

#include <algorithm>
#include <cstring>

#include "base/enumerate.h"
#include "emulator/driver/device/device.h"
#include "emulator/driver/memory/context.h"
#include "emulator/driver/memory/image.h"
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
    auto memory = KernelMemory::create(*image);
    if (!memory) return memory.code();
    return std::make_shared<Kernel>(std::move(module), *image, *std::move(memory));
}

Kernel::Kernel(std::shared_ptr<Module> module, const binary::KernelImage& image, std::shared_ptr<KernelMemory> memory)
    : module_(std::move(module)), image_(image), memory_(std::move(memory)), state_(KernelState(image)) {}

Result<std::shared_ptr<Kernel>> Kernel::clone() const {
    auto memory = KernelMemory::create(image_);
    if (!memory) return memory.code();
    auto copy = std::make_shared<Kernel>(module_, image_, *std::move(memory));
    copy->state_.write([&](KernelState& state) { state = this->state(); });
    return copy;
}

Status Kernel::argumentSize(std::uint32_t index, std::uint32_t& size) const {
    if (index >= image_.arguments.size())
        return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "argument {} of kernel {}, which has {}", index, image_.name,
                      image_.arguments.size());
    size = image_.arguments[index].size;
    return ZE_RESULT_SUCCESS;
}

Status Kernel::argumentType(std::uint32_t index, std::uint32_t& size, char* out) const {
    const auto known = std::ranges::find(image_.reflection, index, &binary::ArgumentReflection::index);
    if (known == image_.reflection.end() || known->typeName.empty())
        return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                      "kernel {} does not name the type of an argument {}; build it with -cl-kernel-arg-info",
                      image_.name, index);
    const auto needed = static_cast<std::uint32_t>(known->typeName.size() + 1);
    if (out) std::memcpy(out, known->typeName.c_str(), std::min(size, needed));
    size = needed;
    return ZE_RESULT_SUCCESS;
}

const machine::DeviceProfile& Kernel::profile() const noexcept { return module_->device().profile(); }

Status Kernel::setGroupSize(const module::Extent& size) {
    return state_.write([&](KernelState& state) { return state.setGroupSize(profile(), size); });
}

Status Kernel::checkFormat(std::uint32_t index, const void* value) const {
    const bool takesImage =
        index < image_.arguments.size() && image_.arguments[index].kind == binary::KernelArgument::Kind::image;
    const auto* const handle = static_cast<const ze_image_handle_t*>(value);
    if (!takesImage || !handle || !*handle || !module_->compiled()) return ZE_RESULT_SUCCESS;
    const auto image = find<Image>(*handle);
    if (!image) return image.code();
    if ((*image)->format().channelType() != ImageFormat::kNoNumber) return ZE_RESULT_SUCCESS;
    const ze_image_format_t& format = (*image)->format().asked;
    return refuse(ZE_RESULT_ERROR_UNSUPPORTED_IMAGE_FORMAT,
                  "OpenCL C has no channels of layout {} with type {}; kernels built from SPIR-V take no such images",
                  static_cast<int>(format.layout), static_cast<int>(format.type));
}

Status Kernel::setArgument(std::uint32_t index, std::size_t size, const void* value) {
    if (size == sizeof(ze_image_handle_t))
        if (const Status bad = checkFormat(index, value); bad != ZE_RESULT_SUCCESS) return bad;
    return state_.write([&](KernelState& state) { return state.setArgument(index, size, value); });
}

Status Kernel::setAll(const module::Extent& size, void** values) {
    return state_.write([&](KernelState& state) { return state.setAll(profile(), size, values); });
}

Status Kernel::setIndirectAccess(ze_kernel_indirect_access_flags_t flags) {
    constexpr ze_kernel_indirect_access_flags_t kFlags = ZE_KERNEL_INDIRECT_ACCESS_FLAG_HOST |
                                                         ZE_KERNEL_INDIRECT_ACCESS_FLAG_DEVICE |
                                                         ZE_KERNEL_INDIRECT_ACCESS_FLAG_SHARED;
    if (flags & ~kFlags) return ZE_RESULT_ERROR_INVALID_ENUMERATION;
    state_.write([&](KernelState& state) { state.setIndirectAccess(flags); });
    return ZE_RESULT_SUCCESS;
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

Status Kernel::listAllocations(std::uint32_t* count, ze_kernel_allocation_exp_properties_t* out) const {
    const auto used = allocations();
    return enumerateInto(used.size(), count, out,
                         [&](std::uint32_t i, ze_kernel_allocation_exp_properties_t& properties) {
                             properties.base = used[i].allocation.begin;
                             properties.size = used[i].allocation.bytes;
                             properties.type = used[i].allocation.type;
                             properties.argIndex = used[i].argument;
                         });
}

Status Kernel::suggestGroupSize(const module::Extent& global, std::uint32_t& x, std::uint32_t& y,
                                std::uint32_t& z) const {
    const std::uint64_t local = image_.environment.slmBytes + state().localBytes();
    if (local > profile().slmBytes)
        return refuse(ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY,
                      "no group of kernel {} fits: {} bytes of local memory; the device has {}", image_.name, local,
                      profile().slmBytes);
    const auto size = driver::suggestGroupSize(image_, profile(), global);
    x = size[0];
    y = size[1];
    z = size[2];
    return ZE_RESULT_SUCCESS;
}

std::uint32_t Kernel::maxCooperativeGroups() const {
    const KernelState now = state();
    return residentGroups(image_, profile(), now.groupSize(), now.localBytes());
}

std::uint64_t Kernel::baseAddress() const noexcept { return module_->linked().kernelAddress(image_); }

void Kernel::getName(std::size_t& size, char* out) const {
    if (out) std::memcpy(out, image_.name.c_str(), std::min(size, image_.name.size() + 1));
    size = image_.name.size() + 1;
}

void Kernel::getBinary(std::size_t& size, std::uint8_t* out) const {
    const auto& code = module_->image().code[image_.codeSection].bytes;
    if (out) std::memcpy(out, code.data(), std::min(size, code.size()));
    size = code.size();
}

void Kernel::getSourceAttributes(std::uint32_t& size, char** text) const {
    const auto needed = static_cast<std::uint32_t>(image_.attributes.size() + 1);
    if (text && *text) std::memcpy(*text, image_.attributes.c_str(), std::min(size, needed));
    size = needed;
}

Status acceptCacheConfig(ze_cache_config_flags_t flags) noexcept {
    constexpr ze_cache_config_flags_t kFlags = ZE_CACHE_CONFIG_FLAG_LARGE_SLM | ZE_CACHE_CONFIG_FLAG_LARGE_DATA;
    return flags & ~kFlags ? ZE_RESULT_ERROR_INVALID_ENUMERATION : ZE_RESULT_SUCCESS;
}

Status acceptSchedulingHint(const ze_scheduling_hint_exp_desc_t& hint) noexcept {
    constexpr ze_scheduling_hint_exp_flags_t kFlags = ZE_SCHEDULING_HINT_EXP_FLAG_OLDEST_FIRST |
                                                      ZE_SCHEDULING_HINT_EXP_FLAG_ROUND_ROBIN |
                                                      ZE_SCHEDULING_HINT_EXP_FLAG_STALL_BASED_ROUND_ROBIN;
    return hint.flags & ~kFlags ? ZE_RESULT_ERROR_INVALID_ENUMERATION : ZE_RESULT_SUCCESS;
}

}  // namespace zetl::emulator::driver
