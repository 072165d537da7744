// Functions of specifications from 1.13 on that need no kernel.
#include <cstring>
#include <thread>

#include "support/wait_for.h"
#include "unit/driver/direct.h"

namespace zetl::emulator::driver::test {
namespace {

using zetl::test::isAsleep;
using zetl::test::waitFor;

TEST_F(DriverTest, TheDefaultContextOutlivesItsDestruction) {
    const auto first = CALL(zeDriverGetDefaultContext)(driver);
    ASSERT_NE(first, nullptr);
    EXPECT_EQ(CALL(zeDriverGetDefaultContext)(driver), first);
    EXPECT_EQ(CALL(zerGetDefaultContext)(), first);
    void* memory = nullptr;
    const ze_host_mem_alloc_desc_t onHost{ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC, nullptr, 0};
    EXPECT_OK(CALL(zeMemAllocHost)(first, &onHost, 64, 0, &memory));
    EXPECT_OK(CALL(zeContextDestroy)(first));
    const auto second = CALL(zeDriverGetDefaultContext)(driver);
    EXPECT_OK(CALL(zeContextGetStatus)(second));
    EXPECT_EQ(CALL(zeDriverGetDefaultContext)(nullptr), nullptr);
}

TEST_F(DriverTest, IdentifiersAreTranslatedBothWays) {
    EXPECT_EQ(CALL(zerTranslateDeviceHandleToIdentifier)(device), 0u);
    EXPECT_EQ(CALL(zerTranslateIdentifierToDeviceHandle)(0), device);
    EXPECT_EQ(CALL(zerTranslateIdentifierToDeviceHandle)(7), nullptr);
    const char* text = nullptr;
    EXPECT_OK(CALL(zerGetLastErrorDescription)(&text));
    EXPECT_NE(std::strstr(text, "device 7"), nullptr) << text;
    EXPECT_EQ(CALL(zerTranslateDeviceHandleToIdentifier)(reinterpret_cast<ze_device_handle_t>(context)), UINT32_MAX);
    EXPECT_EQ(CALL(zerGetLastErrorDescription)(nullptr), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
}

TEST_F(DriverTest, QueuesAndListsTellHowTheyWereMade) {
    ze_command_queue_desc_t description{};
    description.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC;
    description.mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS;
    description.priority = ZE_COMMAND_QUEUE_PRIORITY_PRIORITY_LOW;
    description.flags = ZE_COMMAND_QUEUE_FLAG_EXPLICIT_ONLY;
    ze_command_queue_handle_t queue = nullptr;
    ze_command_list_handle_t instant = nullptr;
    ze_command_list_handle_t list = nullptr;
    ASSERT_OK(CALL(zeCommandQueueCreate)(context, device, &description, &queue));
    ASSERT_OK(CALL(zeCommandListCreateImmediate)(context, device, &description, &instant));
    const ze_command_list_desc_t regular{ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC, nullptr, 0,
                                         ZE_COMMAND_LIST_FLAG_RELAXED_ORDERING};
    ASSERT_OK(CALL(zeCommandListCreate)(context, device, &regular, &list));

    ze_command_queue_flags_t flags = 0;
    ze_command_queue_mode_t mode{};
    ze_command_queue_priority_t priority{};
    EXPECT_OK(CALL(zeCommandQueueGetFlags)(queue, &flags));
    EXPECT_OK(CALL(zeCommandQueueGetMode)(queue, &mode));
    EXPECT_OK(CALL(zeCommandQueueGetPriority)(queue, &priority));
    EXPECT_EQ(flags, description.flags);
    EXPECT_EQ(mode, description.mode);
    EXPECT_EQ(priority, description.priority);
    flags = 0;
    mode = {};
    priority = {};
    EXPECT_OK(CALL(zeCommandListImmediateGetFlags)(instant, &flags));
    EXPECT_OK(CALL(zeCommandListImmediateGetMode)(instant, &mode));
    EXPECT_OK(CALL(zeCommandListImmediateGetPriority)(instant, &priority));
    EXPECT_EQ(flags, description.flags);
    EXPECT_EQ(mode, description.mode);
    EXPECT_EQ(priority, description.priority);
    ze_command_list_flags_t listFlags = 0;
    EXPECT_OK(CALL(zeCommandListGetFlags)(list, &listFlags));
    EXPECT_EQ(listFlags, regular.flags);
    EXPECT_OK(CALL(zeCommandListGetFlags)(instant, &listFlags));
    EXPECT_EQ(listFlags, 0u);
    EXPECT_EQ(CALL(zeCommandListImmediateGetMode)(list, &mode), ZE_RESULT_ERROR_INVALID_ARGUMENT);
}

/// Holds the worker of a list until the test opens it.
struct Gate {
    static void ZE_CALLBACK_CONV wait(void* self) {
        auto& gate = *static_cast<Gate*>(self);
        gate.where = gettid();
        while (!gate.open) std::this_thread::yield();
        gate.passed = true;
    }
    std::atomic<pid_t> where{0};
    std::atomic<bool> open{false};
    std::atomic<bool> passed{false};
};

TEST_F(DriverTest, DeviceSynchronizeWaitsForEveryQueue) {
    ze_command_queue_desc_t description{};
    description.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC;
    description.mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS;
    Gate gates[2];
    ze_command_list_handle_t lists[2];
    for (int i = 0; i < 2; ++i) {
        ASSERT_OK(CALL(zeCommandListCreateImmediate)(context, device, &description, &lists[i]));
        ASSERT_OK(CALL(zeCommandListAppendHostFunction)(lists[i], Gate::wait, &gates[i], nullptr, nullptr, 0, nullptr));
    }
    std::thread opener([&, waits = gettid()] {
        // While the device is waited for, which may be in a gate: lists are waited for in the order of their addresses.
        const auto isWaitedFor = [&] { return isAsleep(waits) || gates[0].where == waits || gates[1].where == waits; };
        for (Gate& gate : gates) {
            EXPECT_TRUE(waitFor([&] { return gate.where != 0 && isWaitedFor(); }));
            gate.open = true;
        }
    });
    EXPECT_OK(CALL(zeDeviceSynchronize)(device));
    EXPECT_TRUE(gates[0].passed && gates[1].passed);
    opener.join();
    for (auto* list : lists) EXPECT_OK(CALL(zeCommandListDestroy)(list));
}

TEST_F(DriverTest, DeferredFreeingWaitsForWorkInFlight) {
    ze_command_queue_desc_t description{};
    description.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC;
    description.mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS;
    ze_command_list_handle_t list = nullptr;
    ASSERT_OK(CALL(zeCommandListCreateImmediate)(context, device, &description, &list));
    void* memory = nullptr;
    const ze_host_mem_alloc_desc_t onHost{ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC, nullptr, 0};
    ASSERT_OK(CALL(zeMemAllocHost)(context, &onHost, sizeof(int), 0, &memory));
    Gate gate;
    const int seven = 7;
    int back = 0;
    ASSERT_OK(CALL(zeCommandListAppendHostFunction)(list, Gate::wait, &gate, nullptr, nullptr, 0, nullptr));
    ASSERT_OK(CALL(zeCommandListAppendMemoryCopy)(list, memory, &seven, sizeof seven, nullptr, 0, nullptr));
    ASSERT_OK(CALL(zeCommandListAppendMemoryCopy)(list, &back, memory, sizeof back, nullptr, 0, nullptr));
    ze_memory_free_ext_desc_t policy{ZE_STRUCTURE_TYPE_MEMORY_FREE_EXT_DESC, nullptr,
                                     ZE_DRIVER_MEMORY_FREE_POLICY_EXT_FLAG_DEFER_FREE};
    EXPECT_OK(CALL(zeMemFreeExt)(context, &policy, memory));
    EXPECT_EQ(CALL(zeMemFree)(context, memory), ZE_RESULT_ERROR_INVALID_ARGUMENT) << "gone for the application";
    gate.open = true;
    EXPECT_OK(CALL(zeCommandListHostSynchronize)(list, UINT64_MAX));
    EXPECT_EQ(back, 7);

    ASSERT_OK(CALL(zeMemAllocHost)(context, &onHost, sizeof(int), 0, &memory));
    ASSERT_OK(CALL(zeCommandListAppendMemoryCopy)(list, memory, &seven, sizeof seven, nullptr, 0, nullptr));
    policy.freePolicy = ZE_DRIVER_MEMORY_FREE_POLICY_EXT_FLAG_BLOCKING_FREE;
    EXPECT_OK(CALL(zeMemFreeExt)(context, &policy, memory));
    EXPECT_OK(CALL(zeCommandListHostSynchronize)(list, 0)) << "blocked until the copy was done";
    EXPECT_OK(CALL(zeCommandListDestroy)(list));
}

TEST_F(DriverTest, HostFunctionsRunInTheirPlace) {
    const auto list = immediate();
    int value = 0;
    const int seven = 7;
    ASSERT_OK(CALL(zeCommandListAppendMemoryCopy)(list, &value, &seven, sizeof value, nullptr, 0, nullptr));
    const auto add = [](void* data) { *static_cast<int*>(data) += 1; };
    ASSERT_OK(CALL(zeCommandListAppendHostFunction)(list, add, &value, nullptr, nullptr, 0, nullptr));
    EXPECT_EQ(value, 8);
    EXPECT_EQ(CALL(zeCommandListAppendHostFunction)(list, nullptr, &value, nullptr, nullptr, 0, nullptr),
              ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    const auto bad = [](void*) { throw 1; };
    EXPECT_EQ(CALL(zeCommandListAppendHostFunction)(list, bad, nullptr, nullptr, nullptr, 0, nullptr),
              ZE_RESULT_ERROR_DEVICE_LOST);
    EXPECT_OK(CALL(zeCommandListDestroy)(list));
}

TEST_F(DriverTest, UnknownParametersAreNotPassedOver) {
    const auto list = immediate();
    struct {
        ze_structure_type_t stype = static_cast<ze_structure_type_t>(0x7fff0001);
        const void* pNext = nullptr;
    } unknown;
    int from = 5;
    int to = 0;
    EXPECT_EQ(
        CALL(zeCommandListAppendMemoryCopyWithParameters)(list, &to, &from, sizeof to, &unknown, nullptr, 0, nullptr),
        ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    EXPECT_EQ(to, 0);
    EXPECT_OK(
        CALL(zeCommandListAppendMemoryCopyWithParameters)(list, &to, &from, sizeof to, nullptr, nullptr, 0, nullptr));
    EXPECT_EQ(to, 5);
    from = 9;
    const ze_host_mem_alloc_desc_t onHost{ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC, nullptr, 0};
    void* filled = nullptr;
    ASSERT_OK(CALL(zeMemAllocHost)(context, &onHost, sizeof from, 0, &filled));
    EXPECT_OK(CALL(zeCommandListAppendMemoryFillWithParameters)(list, filled, &from, sizeof from, sizeof from, nullptr,
                                                                nullptr, 0, nullptr));
    EXPECT_EQ(*static_cast<int*>(filled), 9);
    EXPECT_OK(CALL(zeCommandListDestroy)(list));
}

TEST_F(DriverTest, DevicesAnswerWhatLinuxHas) {
    ze_device_luid_ext_properties_t luid{};
    luid.stype = ZE_STRUCTURE_TYPE_DEVICE_LUID_EXT_PROPERTIES;
    ze_device_properties_t properties{};
    properties.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES;
    properties.pNext = &luid;
    EXPECT_EQ(CALL(zeDeviceGetProperties)(device, &properties), ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    struct {
        ze_structure_type_t stype = static_cast<ze_structure_type_t>(0x00020028);
        const void* pNext = nullptr;
        std::size_t bytes = 0;
    } line;
    ze_device_cache_properties_t cache{};
    cache.stype = ZE_STRUCTURE_TYPE_DEVICE_CACHE_PROPERTIES;
    cache.pNext = &line;
    std::uint32_t one = 1;
    EXPECT_OK(CALL(zeDeviceGetCacheProperties)(device, &one, &cache));
    EXPECT_EQ(line.bytes, 64u);
    line.stype = static_cast<ze_structure_type_t>(0x7fff0001);
    EXPECT_EQ(CALL(zeDeviceGetCacheProperties)(device, &one, &cache), ZE_RESULT_ERROR_UNSUPPORTED_ENUMERATION);

    ze_context_power_saving_hint_exp_desc_t saving{ZE_STRUCTURE_TYPE_POWER_SAVING_HINT_EXP_DESC, nullptr, 101};
    const ze_context_desc_t description{ZE_STRUCTURE_TYPE_CONTEXT_DESC, &saving, 0};
    ze_context_handle_t created = nullptr;
    EXPECT_EQ(CALL(zeContextCreate)(driver, &description, &created), ZE_RESULT_ERROR_INVALID_ENUMERATION);
    saving.hint = 100;
    ASSERT_OK(CALL(zeContextCreate)(driver, &description, &created));
    EXPECT_OK(CALL(zeContextDestroy)(created));
}

TEST_F(DriverTest, ModulesAreNotBuiltWithUnknownParameters) {
    struct {
        ze_structure_type_t stype = static_cast<ze_structure_type_t>(0x7fff0001);
        const void* pNext = nullptr;
    } unknown;
    const std::uint8_t bytes[4] = {};
    ze_module_desc_t description{};
    description.stype = ZE_STRUCTURE_TYPE_MODULE_DESC;
    description.pNext = &unknown;
    description.format = ZE_MODULE_FORMAT_NATIVE;
    description.inputSize = sizeof bytes;
    description.pInputModule = bytes;
    ze_module_handle_t module = nullptr;
    EXPECT_EQ(CALL(zeModuleCreate)(context, device, &description, &module, nullptr), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    description.pNext = nullptr;
    EXPECT_EQ(CALL(zeModuleCreate)(context, device, &description, &module, nullptr),
              ZE_RESULT_ERROR_INVALID_NATIVE_BINARY);
}

TEST_F(DriverTest, PhysicalMemoryTellsItsSizeAndId) {
    std::size_t page = 0;
    ASSERT_OK(CALL(zeVirtualMemQueryPageSize)(context, device, 1, &page));
    ze_physical_mem_desc_t description{ZE_STRUCTURE_TYPE_PHYSICAL_MEM_DESC, nullptr, 0, 2 * page};
    ze_physical_mem_handle_t one = nullptr;
    ze_physical_mem_handle_t two = nullptr;
    ASSERT_OK(CALL(zePhysicalMemCreate)(context, device, &description, &one));
    ASSERT_OK(CALL(zePhysicalMemCreate)(context, device, &description, &two));
    ze_physical_mem_properties_t a{};
    ze_physical_mem_properties_t b{};
    EXPECT_OK(CALL(zePhysicalMemGetProperties)(context, one, &a));
    EXPECT_OK(CALL(zePhysicalMemGetProperties)(context, two, &b));
    EXPECT_EQ(a.size, 2 * page);
    EXPECT_NE(a.id, b.id);
    EXPECT_EQ(CALL(zePhysicalMemGetProperties)(context, one, nullptr), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    EXPECT_OK(CALL(zePhysicalMemDestroy)(context, one));
    EXPECT_OK(CALL(zePhysicalMemDestroy)(context, two));
}

TEST_F(DriverTest, VectorWidthsHaveOneEntry) {
    std::uint32_t count = 0;
    ASSERT_OK(CALL(zeDeviceGetVectorWidthPropertiesExt)(device, &count, nullptr));
    ASSERT_EQ(count, 1u);
    ze_device_vector_width_properties_ext_t width{};
    width.stype = ZE_STRUCTURE_TYPE_DEVICE_VECTOR_WIDTH_PROPERTIES_EXT;
    ASSERT_OK(CALL(zeDeviceGetVectorWidthPropertiesExt)(device, &count, &width));
    EXPECT_EQ(width.vector_width_size, 16u);
    EXPECT_EQ(width.native_vector_width_int, 4u);
}

TEST_F(DriverTest, RequirementsOfOthersDoNotApply) {
    const char* key = nullptr;
    ASSERT_OK(CALL(zeDeviceGetRuntimeRequirementsKey)(device, &key));
    ze_validate_runtime_requirements_output_t out{ZE_STRUCTURE_TYPE_RUNTIME_REQUIREMENTS_OUTPUT, nullptr, {}};
    EXPECT_OK(CALL(zeDeviceValidateRuntimeRequirements)(device, "INTEL.L0.GPU", &out));
    EXPECT_EQ(out.result, ZE_VALIDATE_RUNTIME_REQUIREMENTS_RESULT_NOT_APPLICABLE);
    EXPECT_OK(CALL(zeDeviceValidateRuntimeRequirements)(device, (std::string(key) + ":another").c_str(), &out));
    EXPECT_EQ(out.result, ZE_VALIDATE_RUNTIME_REQUIREMENTS_RESULT_REQUIREMENTS_NOT_MET);
    std::size_t size = 0;
    EXPECT_EQ(CALL(zeDeviceGetRuntimeRequirements)(device, &out, &size, nullptr), ZE_RESULT_ERROR_INVALID_ARGUMENT);
}

TEST_F(DriverTest, ImportedPointersKnowTheirBase) {
    using Import = ze_result_t(ze_driver_handle_t, void*, std::size_t);
    using Release = ze_result_t(ze_driver_handle_t, void*);
    using Base = ze_result_t(ze_driver_handle_t, void*, void**);
    const auto named = [&](const char* name) {
        void* address = nullptr;
        EXPECT_OK(CALL(zeDriverGetExtensionFunctionAddress)(driver, name, &address)) << name;
        return address;
    };
    auto* import = reinterpret_cast<Import*>(named("zexDriverImportExternalPointer"));
    auto* release = reinterpret_cast<Release*>(named("zexDriverReleaseImportedPointer"));
    auto* baseOf = reinterpret_cast<Base*>(named("zexDriverGetHostPointerBaseAddress"));
    char memory[64];
    void* base = nullptr;
    EXPECT_EQ(baseOf(driver, memory, &base), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(import(driver, memory, 0), ZE_RESULT_ERROR_INVALID_SIZE);
    EXPECT_OK(import(driver, memory, sizeof memory));
    EXPECT_EQ(import(driver, memory + 8, 100), ZE_RESULT_ERROR_INVALID_ARGUMENT) << "overlaps";
    EXPECT_OK(baseOf(driver, memory + 63, &base));
    EXPECT_EQ(base, memory);
    EXPECT_OK(release(driver, memory));
    EXPECT_EQ(release(driver, memory), ZE_RESULT_ERROR_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace zetl::emulator::driver::test
