#include "core/level_zero.h"

#include <dlfcn.h>
#include <ze_tools_layer/breakpoints.h>

#include <algorithm>
#include <utility>

#include "core/failure.h"

namespace zetl::debugger {
namespace {

/// The functions, looked up in the loader by name.
struct Functions {
#define ZETL_EACH_FUNCTION(F)      \
    F(zeInit)                      \
    F(zeDriverGet)                 \
    F(zeDeviceGet)                 \
    F(zeDeviceGetProperties)       \
    F(zeDeviceGetSubDevices)       \
    F(zetDeviceGetDebugProperties) \
    F(zetDebugAttach)              \
    F(zetDebugDetach)              \
    F(zetDebugReadEvent)           \
    F(zetDebugAcknowledgeEvent)    \
    F(zetDebugInterrupt)           \
    F(zetDebugResume)              \
    F(zetDebugReadMemory)          \
    F(zetDebugWriteMemory) F(zetDebugGetRegisterSetProperties) F(zetDebugReadRegisters) F(zetDebugWriteRegisters)
#define ZETL_MEMBER(name) decltype(&::name) name = nullptr;
    ZETL_EACH_FUNCTION(ZETL_MEMBER)
#undef ZETL_MEMBER

    Functions() {
        void* loader = dlopen("libze_loader.so.1", RTLD_NOW | RTLD_LOCAL);
        if (!loader) fail("no Level Zero loader was found ({}); `zetl doctor` says what to install", dlerror());
#define ZETL_FIND(name)                                               \
    name = reinterpret_cast<decltype(&::name)>(dlsym(loader, #name)); \
    if (!name) fail("the Level Zero loader has no " #name ": it is too old; install a newer one");
        ZETL_EACH_FUNCTION(ZETL_FIND)
#undef ZETL_FIND
#undef ZETL_EACH_FUNCTION
    }
};

const Functions& functions() {
    static const Functions all;
    return all;
}

/// Everything that a function lists, by asking for the count first.
template <class T, class Get>
std::vector<T> listOf(Get get) {
    std::uint32_t count = 0;
    if (get(&count, nullptr) != ZE_RESULT_SUCCESS) return {};
    std::vector<T> all(count);
    if (get(&count, all.data()) != ZE_RESULT_SUCCESS) return {};
    all.resize(count);
    return all;
}

/// One session; detaches at its end.
class ZetLink : public Link {
  public:
    ZetLink(const Device& device, zet_debug_session_handle_t session)
        : architecture_(*device.architecture), shape_(device.shape), session_(session), sets_(setsOf(device.handle)) {}
    ~ZetLink() override { functions().zetDebugDetach(session_); }

    const Architecture& architecture() const override { return architecture_; }
    const ThreadShape& shape() const override { return shape_; }
    const std::vector<zet_debug_regset_properties_t>& registerSets() const override { return sets_; }
    ze_result_t readEvent(std::uint64_t milliseconds, zet_debug_event_t& event) override {
        return functions().zetDebugReadEvent(session_, milliseconds, &event);
    }
    ze_result_t acknowledge(const zet_debug_event_t& event) override {
        return functions().zetDebugAcknowledgeEvent(session_, &event);
    }
    ze_result_t interrupt(const ThreadId& set) override {
        return functions().zetDebugInterrupt(session_, set.native());
    }
    ze_result_t resume(const ThreadId& set) override { return functions().zetDebugResume(session_, set.native()); }
    ze_result_t readMemory(const ThreadId& thread, zet_debug_memory_space_type_t space, std::uint64_t address,
                           std::size_t bytes, void* buffer) override {
        const auto place = placeOf(space, address);
        return functions().zetDebugReadMemory(session_, thread.native(), &place, bytes, buffer);
    }
    ze_result_t writeMemory(const ThreadId& thread, zet_debug_memory_space_type_t space, std::uint64_t address,
                            std::size_t bytes, const void* buffer) override {
        const auto place = placeOf(space, address);
        return functions().zetDebugWriteMemory(session_, thread.native(), &place, bytes, buffer);
    }
    ze_result_t setBreakpoint(std::uint64_t address, bool on) override {
        const ze_bool_t set = on;
        return writeMemory(kEveryThread, ZETL_DEBUG_MEMORY_SPACE_BREAKPOINTS, address, sizeof set, &set);
    }
    ze_result_t readRegisters(const ThreadId& thread, std::uint32_t type, std::uint32_t first, std::uint32_t count,
                              void* values) override {
        return functions().zetDebugReadRegisters(session_, thread.native(), type, first, count, values);
    }
    ze_result_t writeRegisters(const ThreadId& thread, std::uint32_t type, std::uint32_t first, std::uint32_t count,
                               const void* values) override {
        return functions().zetDebugWriteRegisters(session_, thread.native(), type, first, count,
                                                  const_cast<void*>(values));
    }

  private:
    static zet_debug_memory_space_desc_t placeOf(zet_debug_memory_space_type_t space, std::uint64_t address) {
        return {ZET_STRUCTURE_TYPE_DEBUG_MEMORY_SPACE_DESC, nullptr, space, address};
    }
    static std::vector<zet_debug_regset_properties_t> setsOf(ze_device_handle_t device) {
        return listOf<zet_debug_regset_properties_t>([&](std::uint32_t* count, zet_debug_regset_properties_t* sets) {
            return functions().zetDebugGetRegisterSetProperties(device, count, sets);
        });
    }

    const Architecture& architecture_;
    const ThreadShape shape_;
    const zet_debug_session_handle_t session_;
    const std::vector<zet_debug_regset_properties_t> sets_;
};

bool canBeDebugged(ze_device_handle_t device) {
    zet_device_debug_properties_t properties{};
    properties.stype = ZET_STRUCTURE_TYPE_DEVICE_DEBUG_PROPERTIES;
    return functions().zetDeviceGetDebugProperties(device, &properties) == ZE_RESULT_SUCCESS &&
           (properties.flags & ZET_DEVICE_DEBUG_PROPERTY_FLAG_ATTACH) != 0;
}

constexpr std::pair<ze_result_t, const char*> kResults[] = {
    {ZE_RESULT_NOT_READY, "NOT_READY"},
    {ZE_RESULT_ERROR_DEVICE_LOST, "DEVICE_LOST"},
    {ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, "OUT_OF_HOST_MEMORY"},
    {ZE_RESULT_ERROR_INSUFFICIENT_PERMISSIONS, "INSUFFICIENT_PERMISSIONS"},
    {ZE_RESULT_ERROR_NOT_AVAILABLE, "NOT_AVAILABLE"},
    {ZE_RESULT_ERROR_UNINITIALIZED, "UNINITIALIZED"},
    {ZE_RESULT_ERROR_UNSUPPORTED_FEATURE, "UNSUPPORTED_FEATURE"},
    {ZE_RESULT_ERROR_INVALID_ARGUMENT, "INVALID_ARGUMENT"},
};

}  // namespace

std::string resultText(ze_result_t result) {
    const auto* row = std::ranges::find(kResults, result, &std::pair<ze_result_t, const char*>::first);
    return row == std::end(kResults) ? fmt::format("{:#x}", static_cast<unsigned>(result)) : row->second;
}

LevelZero::LevelZero() {
    if (const auto result = functions().zeInit(0); result != ZE_RESULT_SUCCESS)
        fail("zeInit returns {}; `zetl doctor` says why", resultText(result));
    for (auto* driver : listOf<ze_driver_handle_t>(functions().zeDriverGet)) addDevicesOf(driver);
    if (devices_.empty()) fail("no device can be debugged; leave out --native to use the emulated GPU");
}

void LevelZero::addDevicesOf(ze_driver_handle_t driver) {
    const auto handles = listOf<ze_device_handle_t>(
        [&](std::uint32_t* count, ze_device_handle_t* all) { return functions().zeDeviceGet(driver, count, all); });
    for (auto* handle : handles) {
        ze_device_ip_version_ext_t ip{};  // stays 0 if the driver lacks the extension
        ip.stype = ZE_STRUCTURE_TYPE_DEVICE_IP_VERSION_EXT;
        ze_device_properties_t properties{};
        properties.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES;
        properties.pNext = &ip;
        if (!canBeDebugged(handle) || functions().zeDeviceGetProperties(handle, &properties) != ZE_RESULT_SUCCESS)
            continue;
        const auto* const architecture = architectureOf(properties.vendorId, ip.ipVersion);
        if (!architecture) continue;
        std::uint32_t subDevices = 0;
        functions().zeDeviceGetSubDevices(handle, &subDevices, nullptr);
        devices_.push_back({handle,
                            properties.name,
                            architecture,
                            {properties.numSlices, properties.numSubslicesPerSlice, properties.numEUsPerSubslice,
                             properties.numThreadsPerEU},
                            subDevices});
    }
}

std::unique_ptr<Link> LevelZero::attach(const Device& device, std::uint32_t pid, ze_result_t& result) const {
    const zet_debug_config_t config{pid};
    zet_debug_session_handle_t session = nullptr;
    result = functions().zetDebugAttach(device.handle, &config, &session);
    return result == ZE_RESULT_SUCCESS ? std::make_unique<ZetLink>(device, session) : nullptr;
}

}  // namespace zetl::debugger
