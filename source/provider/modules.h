// Section "modules".
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "provider/backend.h"
#include "provider/filled.h"
#include "provider/listing.h"

namespace zetl::provider {

template <Backend B>
class Modules {
  public:
    using Provider = B;
    using Device = typename B::Device;

    virtual std::vector<zetl_module_t> list(Device& device) const = 0;
    virtual zetl_status_t describe(zetl_module_t module, zetl_module_info_t& info) const = 0;
    /// 0 if there is no such object.
    virtual zetl_module_t ofModule(ze_module_handle_t handle) const = 0;
    virtual zetl_module_t ofKernel(ze_kernel_handle_t handle) const = 0;
    virtual zetl_status_t readImage(zetl_module_t module, std::uint64_t offset, std::uint64_t bytes,
                                    void* buffer) const = 0;
    /// Null removes the rewriter; after this has returned, the former one is not called any more.
    virtual void rewriteBeforeLoad(zetl_rewriter_t rewriter, void* user) const = 0;

  protected:
    ~Modules() = default;
};

template <class Section>
class ModuleTable {
    using B = typename Section::Provider;
    static constexpr Section kSection{};

    static zetl_status_t list(zetl_device_t id, std::uint32_t capacity, zetl_module_t* modules,
                              std::uint32_t* count) noexcept {
        return onDevice<B>(
            id, [&](auto& device) { return provider::list(kSection.list(device), capacity, modules, count); });
    }
    static zetl_status_t describe(zetl_module_t module, zetl_module_info_t* info) noexcept {
        return guarded(B::kChannel, [&] { return canBeFilled(info) ? kSection.describe(module, *info) : ZETL_MISUSE; });
    }

    template <class F>
    static zetl_status_t found(zetl_module_t* module, F&& find) noexcept {
        return guarded(B::kChannel, [&] {
            const zetl_module_t id = find();
            if (id == 0) return ZETL_GONE;
            if (!module) return ZETL_MISUSE;
            *module = id;
            return ZETL_OK;
        });
    }
    static zetl_status_t ofModule(ze_module_handle_t handle, zetl_module_t* module) noexcept {
        return found(module, [&] { return kSection.ofModule(handle); });
    }
    static zetl_status_t ofKernel(ze_kernel_handle_t handle, zetl_module_t* module) noexcept {
        return found(module, [&] { return kSection.ofKernel(handle); });
    }

    static zetl_status_t readImage(zetl_module_t module, std::uint64_t offset, std::uint64_t bytes,
                                   void* buffer) noexcept {
        return guarded(B::kChannel, [&] {
            return bytes > 0 && !buffer ? ZETL_MISUSE : kSection.readImage(module, offset, bytes, buffer);
        });
    }
    static zetl_status_t rewriteBeforeLoad(zetl_rewriter_t rewriter, void* user) noexcept {
        return guarded(B::kChannel, [&] {
            kSection.rewriteBeforeLoad(rewriter, user);
            return ZETL_OK;
        });
    }

  public:
    static constexpr zetl_module_functions_t kFunctions = {
        .size = sizeof(zetl_module_functions_t),
        .reserved = 0,
        .list = list,
        .describe = describe,
        .of_module = ofModule,
        .of_kernel = ofKernel,
        .read_image = readImage,
        .rewrite_before_load = rewriteBeforeLoad,
    };
};

}  // namespace zetl::provider
