#include "toolbox.h"

#include <pthread.h>

#include <atomic>
#include <memory>
#include <vector>

#include "base/mutex.h"
#include "core_api_devices.h"
#include "device/access.h"
#include "module_functions.h"
#include "next_function.h"
#include "tools_entry.h"

namespace zetl::layer {
namespace {

std::vector<ze_driver_handle_t> drivers() {
    const auto get = ZETL_NEXT(zeDriverGet);
    std::uint32_t count = 0;
    if (!get || get(&count, nullptr) != ZE_RESULT_SUCCESS) return {};
    std::vector<ze_driver_handle_t> found(count);
    if (get(&count, found.data()) != ZE_RESULT_SUCCESS) return {};
    return found;
}

/// A driver that returns tools functions by name has its own modules on its device access. They hold the state of its
/// devices, so their answers are final: a second set of modules would hold another state.
bool hasModules(ze_driver_handle_t driver) {
    const auto lookUp = ZETL_NEXT(zeDriverGetExtensionFunctionAddress);
    for (std::size_t i = ddi::kTraced; i < ddi::kTraced + ddi::kTools; ++i) {
        const auto function = static_cast<ddi::Function>(i);
        void* address = nullptr;
        if (moduleFunction(function).ifServed &&
            lookUp(driver, ddi::row(function).name, &address) == ZE_RESULT_SUCCESS && address)
            return true;
    }
    return false;
}

constinit std::atomic<bool> accessOffered{false};

std::vector<device::Access> offeredBy(const std::vector<ze_driver_handle_t>& drivers) {
    std::vector<device::Access> offered;
    std::vector<ze_driver_handle_t> others;
    for (const auto driver : drivers) {
        auto access = device::Access::ofDriver(driver, ZETL_NEXT(zeDriverGetExtensionFunctionAddress));
        if (access && !hasModules(driver))
            offered.push_back(*access);
        else
            others.push_back(driver);
    }
    accessOffered = !offered.empty();
    if (auto rest = coreApiAccess(others)) offered.push_back(*rest);
    return offered;
}

device::CoreCalls coreCalls() {
    return {.deviceGetProperties = ZETL_NEXT(zeDeviceGetProperties),
            .eventHostSignal = ZETL_NEXT(zeEventHostSignal),
            .eventQueryStatus = ZETL_NEXT(zeEventQueryStatus),
            .commandListAppendBarrier = ZETL_NEXT(zeCommandListAppendBarrier),
            .commandListIsImmediate = ZETL_NEXT(zeCommandListIsImmediate),
            .kernelGetName = ZETL_NEXT(zeKernelGetName)};
}

constinit std::atomic<tools::Toolbox*> made{nullptr};
constinit Mutex mutex;
constinit bool asked ZETL_GUARDED_BY(mutex) = false;
constinit std::atomic<bool> making{false};

/// For a forked child: it does not have the parent's thread that held the mutex to make the modules, so nothing
/// finishes them. The child has no modules then.
void freeInChild() noexcept ZETL_NOT_ANALYSED {
    std::construct_at(&mutex);
    asked |= making;
}
[[maybe_unused]] const int toolboxForkHandled = pthread_atfork(nullptr, nullptr, freeInChild);

/// Shows freeInChild() that the modules are being made.
struct Making {
    Making() noexcept { making = true; }
    ~Making() { making = false; }
};

}  // namespace

bool onDeviceAccess() noexcept { return accessOffered.load(std::memory_order_acquire); }

tools::Toolbox* madeToolbox() noexcept { return made.load(std::memory_order_acquire); }

tools::Toolbox* toolbox() {
    const Lock lock(mutex);
    if (asked) return made.load();
    const Making whileHere;
    const auto all = drivers();
    if (all.empty()) return nullptr;
    asked = true;
    if (const auto offered = offeredBy(all); !offered.empty())
        made.store(new tools::Toolbox(coreCalls(), toolsSwitches(), offered), std::memory_order_release);
    return made.load();
}

}  // namespace zetl::layer
