// Entry points of zeKernel...
#include <cstring>

#include "base/enumerate.h"
#include "emulator/driver/device/device.h"
#include "emulator/driver/entry/extension_functions.h"
#include "emulator/driver/entry/tables.h"
#include "emulator/driver/program/kernel.h"
#include "emulator/driver/program/kernel_limits.h"
#include "emulator/driver/program/module.h"
#include "emulator/driver/shared_parts.h"

namespace zetl::emulator::driver {
namespace {

ze_result_t ZE_APICALL create(ze_module_handle_t module, const ze_kernel_desc_t* description,
                              ze_kernel_handle_t* out) noexcept {
    return onObject<Module, ZE_RESULT_ERROR_INVALID_KERNEL_NAME, ZE_RESULT_ERROR_INVALID_MODULE_UNLINKED>(
        "zeKernelCreate", module, {description, out}, [&](Module& object) -> Status {
            auto kernel = Kernel::create(object.shared_from_this(), *description);
            if (!kernel) return kernel.code();
            *out = live<Kernel>().add(*std::move(kernel));
            return ZE_RESULT_SUCCESS;
        });
}

ze_result_t ZE_APICALL destroy(ze_kernel_handle_t kernel) noexcept {
    return onRemoval<Kernel>("zeKernelDestroy", kernel, [](Kernel&) { return ZE_RESULT_SUCCESS; });
}

/// The emulated cache has one configuration.
ze_result_t ZE_APICALL setCacheConfig(ze_kernel_handle_t kernel, ze_cache_config_flags_t flags) noexcept {
    constexpr ze_cache_config_flags_t kFlags = ZE_CACHE_CONFIG_FLAG_LARGE_SLM | ZE_CACHE_CONFIG_FLAG_LARGE_DATA;
    return onObject<Kernel>("zeKernelSetCacheConfig", kernel, {}, [&](Kernel&) {
        return flags & ~kFlags ? ZE_RESULT_ERROR_INVALID_ENUMERATION : ZE_RESULT_SUCCESS;
    });
}

ze_result_t ZE_APICALL setGroupSize(ze_kernel_handle_t kernel, std::uint32_t x, std::uint32_t y,
                                    std::uint32_t z) noexcept {
    return onObject<Kernel, ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION>("zeKernelSetGroupSize", kernel, {},
                                                                          [&](Kernel& object) {
                                                                              return object.setGroupSize({x, y, z});
                                                                          });
}

ze_result_t ZE_APICALL suggestSize(ze_kernel_handle_t kernel, std::uint32_t globalX, std::uint32_t globalY,
                                   std::uint32_t globalZ, std::uint32_t* x, std::uint32_t* y,
                                   std::uint32_t* z) noexcept {
    return onObject<Kernel, ZE_RESULT_ERROR_INVALID_GLOBAL_WIDTH_DIMENSION>(
        "zeKernelSuggestGroupSize", kernel, {x, y, z}, [&](Kernel& object) -> Status {
            const machine::DeviceProfile& profile = object.module()->device().profile();
            const std::uint64_t local = object.image().environment.slmBytes + object.state().localBytes();
            if (local > profile.slmBytes)
                return refuse(ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY,
                              "no group of kernel {} fits: {} bytes of local memory; the device has {}",
                              object.image().name, local, profile.slmBytes);
            const auto size = suggestGroupSize(object.image(), profile, {globalX, globalY, globalZ});
            *x = size[0];
            *y = size[1];
            *z = size[2];
            return ZE_RESULT_SUCCESS;
        });
}

ze_result_t ZE_APICALL suggestMaxCooperativeGroupCount(ze_kernel_handle_t kernel, std::uint32_t* count) noexcept {
    return onObject<Kernel>("zeKernelSuggestMaxCooperativeGroupCount", kernel, {count}, [&](Kernel& object) {
        const KernelState state = object.state();
        *count =
            residentGroups(object.image(), object.module()->device().profile(), state.groupSize(), state.localBytes());
        return ZE_RESULT_SUCCESS;
    });
}

ze_result_t ZE_APICALL setArgumentValue(ze_kernel_handle_t kernel, std::uint32_t index, std::size_t size,
                                        const void* value) noexcept {
    return onObject<Kernel, ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_INDEX,
                    ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE>(
        "zeKernelSetArgumentValue", kernel, {}, [&](Kernel& object) { return object.setArgument(index, size, value); });
}

ze_result_t ZE_APICALL setIndirectAccess(ze_kernel_handle_t kernel, ze_kernel_indirect_access_flags_t flags) noexcept {
    constexpr ze_kernel_indirect_access_flags_t kFlags = ZE_KERNEL_INDIRECT_ACCESS_FLAG_HOST |
                                                         ZE_KERNEL_INDIRECT_ACCESS_FLAG_DEVICE |
                                                         ZE_KERNEL_INDIRECT_ACCESS_FLAG_SHARED;
    return onObject<Kernel>("zeKernelSetIndirectAccess", kernel, {}, [&](Kernel& object) -> Status {
        if (flags & ~kFlags) return ZE_RESULT_ERROR_INVALID_ENUMERATION;
        object.setIndirectAccess(flags);
        return ZE_RESULT_SUCCESS;
    });
}

ze_result_t ZE_APICALL getIndirectAccess(ze_kernel_handle_t kernel, ze_kernel_indirect_access_flags_t* flags) noexcept {
    return onObject<Kernel>("zeKernelGetIndirectAccess", kernel, {flags}, [&](Kernel& object) {
        *flags = object.state().indirectAccess();
        return ZE_RESULT_SUCCESS;
    });
}

/// `*text` is the caller's own buffer of `*size` bytes.
ze_result_t ZE_APICALL getSourceAttributes(ze_kernel_handle_t kernel, std::uint32_t* size, char** text) noexcept {
    return onObject<Kernel>("zeKernelGetSourceAttributes", kernel, {size}, [&](Kernel& object) {
        const std::string& attributes = object.image().attributes;
        const auto needed = static_cast<std::uint32_t>(attributes.size() + 1);
        if (text && *text) std::memcpy(*text, attributes.c_str(), std::min(*size, needed));
        *size = needed;
        return ZE_RESULT_SUCCESS;
    });
}

ze_result_t ZE_APICALL getProperties(ze_kernel_handle_t kernel, ze_kernel_properties_t* out) noexcept {
    return onObject<Kernel>("zeKernelGetProperties", kernel, {out},
                            [&](Kernel& object) { return object.describe(*out); });
}

ze_result_t ZE_APICALL getName(ze_kernel_handle_t kernel, std::size_t* size, char* out) noexcept {
    return onObject<Kernel>("zeKernelGetName", kernel, {size}, [&](Kernel& object) {
        const std::string& name = object.image().name;
        if (out) std::memcpy(out, name.c_str(), std::min(*size, name.size() + 1));
        *size = name.size() + 1;
        return ZE_RESULT_SUCCESS;
    });
}

ze_result_t ZE_APICALL setGlobalOffset(ze_kernel_handle_t kernel, std::uint32_t x, std::uint32_t y,
                                       std::uint32_t z) noexcept {
    return onObject<Kernel>("zeKernelSetGlobalOffsetExp", kernel, {}, [&](Kernel& object) {
        object.setGlobalOffset({x, y, z});
        return ZE_RESULT_SUCCESS;
    });
}

/// Threads are always scheduled fairly, so the hint has no effect.
ze_result_t ZE_APICALL schedulingHint(ze_kernel_handle_t kernel, ze_scheduling_hint_exp_desc_t* hint) noexcept {
    constexpr ze_scheduling_hint_exp_flags_t kFlags = ZE_SCHEDULING_HINT_EXP_FLAG_OLDEST_FIRST |
                                                      ZE_SCHEDULING_HINT_EXP_FLAG_ROUND_ROBIN |
                                                      ZE_SCHEDULING_HINT_EXP_FLAG_STALL_BASED_ROUND_ROBIN;
    return onObject<Kernel>("zeKernelSchedulingHintExp", kernel, {hint}, [&](Kernel&) {
        return hint->flags & ~kFlags ? ZE_RESULT_ERROR_INVALID_ENUMERATION : ZE_RESULT_SUCCESS;
    });
}

ze_result_t ZE_APICALL getBinary(ze_kernel_handle_t kernel, std::size_t* size, std::uint8_t* out) noexcept {
    return onObject<Kernel>("zeKernelGetBinaryExp", kernel, {size}, [&](Kernel& object) {
        const auto& code = object.module()->image().code[object.image().codeSection].bytes;
        if (out) std::memcpy(out, code.data(), std::min(*size, code.size()));
        *size = code.size();
        return ZE_RESULT_SUCCESS;
    });
}

/// Returns where the kernel's code begins. Profilers find the kernel of a sampled instruction by it.
ze_result_t ZE_APICALL getBaseAddress(ze_kernel_handle_t kernel, std::uint64_t* address) noexcept {
    return onObject<Kernel>("zexKernelGetBaseAddress", kernel, {address}, [&](Kernel& object) {
        *address = object.module()->linked().kernelAddress(object.image());
        return ZE_RESULT_SUCCESS;
    });
}

ze_result_t ZE_APICALL getAllocationProperties(ze_kernel_handle_t kernel, std::uint32_t* count,
                                               ze_kernel_allocation_exp_properties_t* out) noexcept {
    return onObject<Kernel>("zeKernelGetAllocationPropertiesExp", kernel, {count}, [&](Kernel& object) {
        const auto used = object.allocations();
        return enumerateInto(static_cast<std::uint32_t>(used.size()), count, out,
                             [&](std::uint32_t i, ze_kernel_allocation_exp_properties_t& properties) {
                                 properties.base = used[i].allocation.begin;
                                 properties.size = used[i].allocation.bytes;
                                 properties.type = used[i].allocation.type;
                                 properties.argIndex = used[i].argument;
                             });
    });
}

}  // namespace

Rows kernelRows() noexcept {
    static const Served rows[] = {
        ZETL_SERVES(zeKernelCreate, create),
        ZETL_SERVES(zeKernelDestroy, destroy),
        ZETL_SERVES(zeKernelSetCacheConfig, setCacheConfig),
        ZETL_SERVES(zeKernelSetGroupSize, setGroupSize),
        ZETL_SERVES(zeKernelSuggestGroupSize, suggestSize),
        ZETL_SERVES(zeKernelSuggestMaxCooperativeGroupCount, suggestMaxCooperativeGroupCount),
        ZETL_SERVES(zeKernelSetArgumentValue, setArgumentValue),
        ZETL_SERVES(zeKernelSetIndirectAccess, setIndirectAccess),
        ZETL_SERVES(zeKernelGetIndirectAccess, getIndirectAccess),
        ZETL_SERVES(zeKernelGetSourceAttributes, getSourceAttributes),
        ZETL_SERVES(zeKernelGetProperties, getProperties),
        ZETL_SERVES(zeKernelGetName, getName),
        ZETL_SERVES(zeKernelSetGlobalOffsetExp, setGlobalOffset),
        ZETL_SERVES(zeKernelSchedulingHintExp, schedulingHint),
        ZETL_SERVES(zeKernelGetBinaryExp, getBinary),
        ZETL_SERVES(zeKernelGetAllocationPropertiesExp, getAllocationProperties),
    };
    return rows;
}

std::span<const NamedFunction> kernelExtensions() noexcept {
    static const NamedFunction functions[] = {
        {"zexKernelGetBaseAddress", entryOf(getBaseAddress)},
    };
    return functions;
}

}  // namespace zetl::emulator::driver
