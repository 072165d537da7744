#include <algorithm>
#include <cstring>
#include <filesystem>
#include <iterator>

#include "unit/driver/direct.h"

namespace zetl::emulator::driver::test {
namespace {

const ze_device_mem_alloc_desc_t kOnDevice{ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC, nullptr, 0, 0};
const ze_host_mem_alloc_desc_t kOnHost{ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC, nullptr, 0};

TEST_F(DriverTest, AllocationsSayWhatTheyAre) {
    void* onDevice = nullptr;
    void* onHost = nullptr;
    void* shared = nullptr;
    ASSERT_OK(CALL(zeMemAllocDevice)(context, &kOnDevice, 100, 256, device, &onDevice));
    ASSERT_OK(CALL(zeMemAllocHost)(context, &kOnHost, 100, 0, &onHost));
    ASSERT_OK(CALL(zeMemAllocShared)(context, &kOnDevice, &kOnHost, 100, 0, nullptr, &shared));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(onDevice) % 256, 0u);
    const struct {
        void* pointer;
        ze_memory_type_t type;
        ze_device_handle_t device;
    } cases[] = {{onDevice, ZE_MEMORY_TYPE_DEVICE, device},
                 {onHost, ZE_MEMORY_TYPE_HOST, nullptr},
                 {shared, ZE_MEMORY_TYPE_SHARED, nullptr}};
    for (const auto& each : cases) {
        ze_memory_allocation_properties_t properties{};
        properties.stype = ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES;
        ze_device_handle_t where = nullptr;
        auto* inside = static_cast<char*>(each.pointer) + 99;
        ASSERT_OK(CALL(zeMemGetAllocProperties)(context, inside, &properties, &where));
        EXPECT_EQ(properties.type, each.type);
        EXPECT_NE(properties.id, 0u);
        EXPECT_EQ(where, each.device);
        void* base = nullptr;
        std::size_t size = 0;
        ASSERT_OK(CALL(zeMemGetAddressRange)(context, inside, &base, &size));
        EXPECT_EQ(base, each.pointer);
        EXPECT_EQ(size, 100u);
        EXPECT_OK(CALL(zeMemFree)(context, each.pointer));
    }
}

TEST_F(DriverTest, PlainMemoryIsUnknown) {
    int local = 0;
    ze_memory_allocation_properties_t properties{};
    properties.stype = ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES;
    ASSERT_OK(CALL(zeMemGetAllocProperties)(context, &local, &properties, nullptr));
    EXPECT_EQ(properties.type, ZE_MEMORY_TYPE_UNKNOWN);
    void* base = nullptr;
    EXPECT_EQ(CALL(zeMemGetAddressRange)(context, &local, &base, nullptr), ZE_RESULT_ERROR_ADDRESS_NOT_FOUND);
}

TEST_F(DriverTest, DescriptorsAskForWhatIsServed) {
    ze_relaxed_allocation_limits_exp_desc_t relaxed{ZE_STRUCTURE_TYPE_RELAXED_ALLOCATION_LIMITS_EXP_DESC, nullptr, 0};
    const ze_device_mem_alloc_desc_t onDevice{ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC, &relaxed, 0, 0};
    const ze_host_mem_alloc_desc_t onHost{ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC, &relaxed, 0};
    void* memory = nullptr;
    EXPECT_EQ(CALL(zeMemAllocDevice)(context, &onDevice, 64, 0, device, &memory), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    relaxed.flags = ZE_RELAXED_ALLOCATION_LIMITS_EXP_FLAG_MAX_SIZE;
    EXPECT_OK(CALL(zeMemAllocDevice)(context, &onDevice, 64, 0, device, &memory));
    relaxed.stype = ZE_STRUCTURE_TYPE_MODULE_DESC;
    EXPECT_EQ(CALL(zeMemAllocDevice)(context, &onDevice, 64, 0, device, &memory),
              ZE_RESULT_ERROR_UNSUPPORTED_ENUMERATION);
    EXPECT_EQ(CALL(zeMemAllocHost)(context, &onHost, 64, 0, &memory), ZE_RESULT_ERROR_UNSUPPORTED_ENUMERATION);
}

TEST_F(DriverTest, AtomicsOfTheHostAreNoneOfTheDevices) {
    ze_device_memory_access_properties_t access{};
    access.stype = ZE_STRUCTURE_TYPE_DEVICE_MEMORY_ACCESS_PROPERTIES;
    ASSERT_OK(CALL(zeDeviceGetMemoryAccessProperties)(device, &access));
    EXPECT_EQ(access.hostAllocCapabilities, ZE_MEMORY_ACCESS_CAP_FLAG_RW);
    EXPECT_EQ(access.deviceAllocCapabilities, ZE_MEMORY_ACCESS_CAP_FLAG_RW | ZE_MEMORY_ACCESS_CAP_FLAG_ATOMIC);
    EXPECT_TRUE(access.sharedSingleDeviceAllocCapabilities & ZE_MEMORY_ACCESS_CAP_FLAG_CONCURRENT_ATOMIC);
    EXPECT_EQ(access.sharedCrossDeviceAllocCapabilities, 0u) << "there is one device";
    EXPECT_EQ(access.sharedSystemAllocCapabilities, 0u);
    void* shared = nullptr;
    ASSERT_OK(CALL(zeMemAllocShared)(context, &kOnDevice, &kOnHost, 64, 0, device, &shared));
    EXPECT_EQ(CALL(zeMemSetAtomicAccessAttributeExp)(context, device, shared, 64,
                                                     ZE_MEMORY_ATOMIC_ATTR_EXP_FLAG_HOST_ATOMICS),
              ZE_RESULT_ERROR_INVALID_ARGUMENT);
    EXPECT_OK(CALL(zeMemSetAtomicAccessAttributeExp)(context, device, shared, 64,
                                                     ZE_MEMORY_ATOMIC_ATTR_EXP_FLAG_DEVICE_ATOMICS));
}

TEST_F(DriverTest, ZeroedHeadsHaveChains) {
    ze_memory_allocation_properties_t properties{};
    ze_external_memory_export_fd_t exported{ZE_STRUCTURE_TYPE_EXTERNAL_MEMORY_EXPORT_FD, nullptr, 0, -1};
    properties.pNext = &exported;
    void* memory = nullptr;
    ASSERT_OK(CALL(zeMemAllocHost)(context, &kOnHost, 64, 0, &memory));
    EXPECT_EQ(CALL(zeMemGetAllocProperties)(context, memory, &properties, nullptr),
              ZE_RESULT_ERROR_UNSUPPORTED_ENUMERATION)
        << "type 0 was read";
}

TEST_F(DriverTest, BadAllocationsAreRefused) {
    void* memory = nullptr;
    EXPECT_EQ(CALL(zeMemAllocHost)(context, &kOnHost, 0, 0, &memory), ZE_RESULT_ERROR_UNSUPPORTED_SIZE);
    EXPECT_EQ(CALL(zeMemAllocHost)(context, &kOnHost, 8, std::size_t{1} << 40, &memory),
              ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT);
    EXPECT_EQ(CALL(zeMemAllocHost)(context, nullptr, 8, 0, &memory), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    EXPECT_EQ(CALL(zeMemAllocDevice)(context, &kOnDevice, 8, 0, nullptr, &memory), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    EXPECT_EQ(memory, nullptr);
}

TEST_F(DriverTest, UnknownFlagsAreRefused) {
    void* memory = nullptr;
    ze_device_mem_alloc_desc_t onDevice{ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC, nullptr, 8, 0};
    ze_host_mem_alloc_desc_t onHost{ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC, nullptr, 16};
    EXPECT_EQ(CALL(zeMemAllocDevice)(context, &onDevice, 64, 0, device, &memory), ZE_RESULT_ERROR_INVALID_ENUMERATION);
    EXPECT_EQ(CALL(zeMemAllocHost)(context, &onHost, 64, 0, &memory), ZE_RESULT_ERROR_INVALID_ENUMERATION);
    onDevice.flags = 7;
    EXPECT_EQ(CALL(zeMemAllocShared)(context, &onDevice, &onHost, 64, 0, device, &memory),
              ZE_RESULT_ERROR_INVALID_ENUMERATION);
    onHost.flags = 15;
    EXPECT_OK(CALL(zeMemAllocShared)(context, &onDevice, &onHost, 64, 0, device, &memory));
    EXPECT_OK(CALL(zeMemFree)(context, memory));
}

TEST_F(DriverTest, ContextsOfDevicesNeedThem) {
    const ze_context_desc_t description{ZE_STRUCTURE_TYPE_CONTEXT_DESC, nullptr, 0};
    ze_context_handle_t none = nullptr;
    EXPECT_EQ(CALL(zeContextCreateEx)(driver, &description, 1, nullptr, &none), ZE_RESULT_ERROR_INVALID_SIZE);
}

/// Open descriptors of this process.
std::ptrdiff_t descriptors() {
    const std::filesystem::directory_iterator all("/proc/self/fd");
    return std::distance(begin(all), end(all));
}

TEST_F(DriverTest, FreedMemoryTakesItsIpcHandlesAlong) {
    const auto before = descriptors();
    for (int i = 0; i < 5; ++i) {
        void* memory = nullptr;
        ze_ipc_mem_handle_t handle;
        ASSERT_OK(CALL(zeMemAllocDevice)(context, &kOnDevice, 4096, 0, device, &memory));
        ASSERT_OK(CALL(zeMemGetIpcHandle)(context, memory, &handle));
        EXPECT_GT(descriptors(), before);
        ASSERT_OK(CALL(zeMemFree)(context, memory));
        EXPECT_EQ(descriptors(), before);
        EXPECT_OK(CALL(zeMemPutIpcHandle)(context, handle)) << "once too often does nothing";
    }
}

TEST_F(DriverTest, AlignmentsArePowersOfTwo) {
    for (const std::size_t alignment : {0ul, 1ul, 2ul, 64ul, 4096ul, 1ul << 21, 1ul << 30}) {
        void* onDevice = nullptr;
        void* onHost = nullptr;
        void* shared = nullptr;
        EXPECT_OK(CALL(zeMemAllocDevice)(context, &kOnDevice, 64, alignment, device, &onDevice)) << alignment;
        EXPECT_OK(CALL(zeMemAllocHost)(context, &kOnHost, 64, alignment, &onHost)) << alignment;
        EXPECT_OK(CALL(zeMemAllocShared)(context, &kOnDevice, &kOnHost, 64, alignment, device, &shared)) << alignment;
        for (void* memory : {onDevice, onHost, shared}) {
            EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % std::max(alignment, 1ul), 0u) << alignment;
            EXPECT_OK(CALL(zeMemFree)(context, memory));
        }
    }
    for (const std::size_t alignment : {3ul, 12ul, 4097ul, 3ul << 20, 1ul << 31, 1ul << 63, (1ul << 63) + 1, ~0ul}) {
        void* memory = nullptr;
        EXPECT_EQ(CALL(zeMemAllocDevice)(context, &kOnDevice, 64, alignment, device, &memory),
                  ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT);
        EXPECT_EQ(CALL(zeMemAllocHost)(context, &kOnHost, 64, alignment, &memory),
                  ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT);
        EXPECT_EQ(CALL(zeMemAllocShared)(context, &kOnDevice, &kOnHost, 64, alignment, nullptr, &memory),
                  ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT);
        EXPECT_EQ(memory, nullptr);
    }
}

TEST_F(DriverTest, AnAlignmentMayBeTheSize) {
    void* memory = nullptr;
    EXPECT_OK(CALL(zeMemAllocDevice)(context, &kOnDevice, 12, 12, device, &memory));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % 16, 0u);
    EXPECT_OK(CALL(zeMemFree)(context, memory));
}

// Sizes at the end of 64 bits, where rounding up to pages starts again from zero.
TEST_F(DriverTest, NoSizeIsTooLargeToBeRefused) {
    const ze_relaxed_allocation_limits_exp_desc_t relaxed{ZE_STRUCTURE_TYPE_RELAXED_ALLOCATION_LIMITS_EXP_DESC, nullptr,
                                                          ZE_RELAXED_ALLOCATION_LIMITS_EXP_FLAG_MAX_SIZE};
    ze_device_mem_alloc_desc_t onDevice = kOnDevice;
    ze_host_mem_alloc_desc_t onHost = kOnHost;
    onDevice.pNext = onHost.pNext = &relaxed;
    for (const std::size_t bytes : {~0ul, ~0ul - 4094, ~0ul - 4095, 1ul << 63}) {
        void* memory = nullptr;
        EXPECT_NE(CALL(zeMemAllocDevice)(context, &onDevice, bytes, 1ul << 30, device, &memory), ZE_RESULT_SUCCESS);
        EXPECT_NE(CALL(zeMemAllocHost)(context, &onHost, bytes, 1ul << 30, &memory), ZE_RESULT_SUCCESS);
        EXPECT_NE(CALL(zeVirtualMemReserve)(context, nullptr, bytes, &memory), ZE_RESULT_SUCCESS);
        EXPECT_EQ(memory, nullptr);
        ze_physical_mem_desc_t description{ZE_STRUCTURE_TYPE_PHYSICAL_MEM_DESC, nullptr, ZE_BIT(1), bytes};
        ze_physical_mem_handle_t physical = nullptr;
        EXPECT_NE(CALL(zePhysicalMemCreate)(context, nullptr, &description, &physical), ZE_RESULT_SUCCESS);
    }
}

TEST_F(DriverTest, FreeingTwiceOrInsideIsRefused) {
    void* memory = nullptr;
    ASSERT_OK(CALL(zeMemAllocHost)(context, &kOnHost, 64, 0, &memory));
    EXPECT_EQ(CALL(zeMemFree)(context, static_cast<char*>(memory) + 1), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    EXPECT_OK(CALL(zeMemFree)(context, memory));
    EXPECT_EQ(CALL(zeMemFree)(context, memory), ZE_RESULT_ERROR_INVALID_ARGUMENT);
}

TEST_F(DriverTest, AnyContextOfTheDriverLeadsToAnAllocation) {
    const ze_context_desc_t description{ZE_STRUCTURE_TYPE_CONTEXT_DESC, nullptr, 0};
    ze_context_handle_t other = nullptr;
    ASSERT_OK(CALL(zeContextCreate)(driver, &description, &other));
    void* memory = nullptr;
    void* base = nullptr;
    ASSERT_OK(CALL(zeMemAllocDevice)(other, &kOnDevice, 100, 0, device, &memory));
    ze_memory_allocation_properties_t properties{};
    properties.stype = ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES;
    EXPECT_OK(CALL(zeMemGetAllocProperties)(context, memory, &properties, nullptr));
    EXPECT_EQ(properties.type, ZE_MEMORY_TYPE_DEVICE);
    EXPECT_OK(CALL(zeMemGetAddressRange)(context, static_cast<char*>(memory) + 50, &base, nullptr));
    EXPECT_EQ(base, memory);
    ze_ipc_mem_handle_t handle;
    EXPECT_OK(CALL(zeMemGetIpcHandle)(context, memory, &handle));
    EXPECT_OK(CALL(zeMemPutIpcHandle)(context, handle));
    EXPECT_OK(CALL(zeMemFree)(context, memory));
    EXPECT_EQ(CALL(zeMemFree)(other, memory), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    EXPECT_OK(CALL(zeContextDestroy)(other));
}

TEST_F(DriverTest, ForeignIpcBytesAreRefused) {
    ze_ipc_mem_handle_t handle;
    std::memset(&handle, 0x5a, sizeof handle);
    void* memory = nullptr;
    EXPECT_EQ(CALL(zeMemOpenIpcHandle)(context, device, handle, 0, &memory), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(CALL(zeMemPutIpcHandle)(context, handle), ZE_RESULT_ERROR_INVALID_ARGUMENT);
}

TEST_F(DriverTest, IpcHandlesWorkInTheirOwnProcessToo) {
    void* memory = nullptr;
    void* again = nullptr;
    ASSERT_OK(CALL(zeMemAllocDevice)(context, &kOnDevice, 4096, 0, device, &memory));
    ze_ipc_mem_handle_t handle;
    ASSERT_OK(CALL(zeMemGetIpcHandle)(context, memory, &handle));
    ASSERT_OK(CALL(zeMemOpenIpcHandle)(context, device, handle, 0, &again));
    const int value = 77;
    int back = 0;
    const auto list = immediate();
    ASSERT_OK(CALL(zeCommandListAppendMemoryCopy)(list, memory, &value, sizeof value, nullptr, 0, nullptr));
    ASSERT_OK(CALL(zeCommandListAppendMemoryCopy)(list, &back, again, sizeof back, nullptr, 0, nullptr));
    EXPECT_EQ(back, 77);
    EXPECT_OK(CALL(zeMemCloseIpcHandle)(context, again));
    ze_ipc_mem_handle_t second;
    ASSERT_OK(CALL(zeMemGetIpcHandle)(context, memory, &second));
    EXPECT_EQ(std::memcmp(&handle, &second, sizeof handle), 0) << "one handle, used twice";
    EXPECT_OK(CALL(zeMemPutIpcHandle)(context, handle));
    ASSERT_OK(CALL(zeMemOpenIpcHandle)(context, device, handle, 0, &again)) << "still used once";
    EXPECT_OK(CALL(zeMemCloseIpcHandle)(context, again));
    EXPECT_OK(CALL(zeMemPutIpcHandle)(context, handle));
    EXPECT_EQ(CALL(zeMemOpenIpcHandle)(context, device, handle, 0, &again), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    EXPECT_OK(CALL(zeMemPutIpcHandle)(context, handle)) << "once too often is harmless";
    EXPECT_OK(CALL(zeMemFree)(context, memory));
    EXPECT_OK(CALL(zeCommandListDestroy)(list));
}

}  // namespace
}  // namespace zetl::emulator::driver::test
