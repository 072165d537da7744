#include <cstring>

#include "unit/driver/direct.h"

namespace zetl::emulator::driver::test {
namespace {

/// As Intel's driver 26.27 has it (tests/emulated_gpu/driver/intel_facts_test.py).
TEST_F(DriverTest, PhysicalMemoryComesInPagesOf64KiB) {
    constexpr std::size_t kPage = 64 << 10;
    for (const std::size_t bytes : {std::size_t{1}, kPage, 32 * kPage}) {
        std::size_t page = 0;
        ASSERT_OK(CALL(zeVirtualMemQueryPageSize)(context, device, bytes, &page));
        EXPECT_EQ(page, kPage);
    }
    ze_physical_mem_desc_t description{ZE_STRUCTURE_TYPE_PHYSICAL_MEM_DESC, nullptr, 0, 4096};
    ze_physical_mem_handle_t memory = nullptr;
    EXPECT_EQ(CALL(zePhysicalMemCreate)(context, device, &description, &memory), ZE_RESULT_ERROR_UNSUPPORTED_SIZE);
    for (const bool onHost : {false, true}) {
        description.flags = onHost ? 2 : 0;
        description.size = onHost ? 4096 : kPage;
        ASSERT_OK(CALL(zePhysicalMemCreate)(context, device, &description, &memory));
        EXPECT_OK(CALL(zePhysicalMemDestroy)(context, memory));
    }
    void* range = nullptr;
    ASSERT_OK(CALL(zeVirtualMemReserve)(context, nullptr, 4096, &range)) << "ranges are finer";
    EXPECT_OK(CALL(zeVirtualMemFree)(context, range, 4096));
}

TEST_F(DriverTest, ReservedRangesTakeUnmappingAndAccessWithoutMappings) {
    std::size_t page = 0;
    std::size_t bytes = 0;
    ASSERT_OK(CALL(zeVirtualMemQueryPageSize)(context, device, 1, &page));
    void* range = nullptr;
    ASSERT_OK(CALL(zeVirtualMemReserve)(context, nullptr, 2 * page, &range));
    EXPECT_OK(CALL(zeVirtualMemSetAccessAttribute)(context, range, page, ZE_MEMORY_ACCESS_ATTRIBUTE_READWRITE));
    ze_memory_access_attribute_t access;
    ASSERT_OK(CALL(zeVirtualMemGetAccessAttribute)(context, range, 2 * page, &access, &bytes));
    EXPECT_EQ(CALL(zeVirtualMemGetAccessAttribute)(context, range, 0, &access, &bytes),
              ZE_RESULT_ERROR_UNSUPPORTED_SIZE);
    EXPECT_EQ(CALL(zeVirtualMemGetAccessAttribute)(context, static_cast<char*>(range) + 1, page, &access, &bytes),
              ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT);
    EXPECT_EQ(access, ZE_MEMORY_ACCESS_ATTRIBUTE_NONE) << "nothing is mapped that could be accessed";
    EXPECT_EQ(bytes, 2 * page);
    EXPECT_OK(CALL(zeVirtualMemUnmap)(context, range, 2 * page));
    EXPECT_OK(CALL(zeVirtualMemFree)(context, range, 2 * page));
    EXPECT_EQ(CALL(zeVirtualMemUnmap)(context, range, 2 * page), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(CALL(zeVirtualMemSetAccessAttribute)(context, range, page, ZE_MEMORY_ACCESS_ATTRIBUTE_NONE),
              ZE_RESULT_ERROR_INVALID_ARGUMENT);
}

TEST_F(DriverTest, PhysicalMemoryIsSharedByPointerAndByHandle) {
    std::size_t page = 0;
    ASSERT_OK(CALL(zeVirtualMemQueryPageSize)(context, device, 1, &page));
    void* range = nullptr;
    ASSERT_OK(CALL(zeVirtualMemReserve)(context, nullptr, page, &range));
    ze_physical_mem_desc_t description{ZE_STRUCTURE_TYPE_PHYSICAL_MEM_DESC, nullptr, 0, 2 * page};
    ze_physical_mem_handle_t physical = nullptr;
    ASSERT_OK(CALL(zePhysicalMemCreate)(context, device, &description, &physical));
    ASSERT_OK(CALL(zeVirtualMemMap)(context, range, page, physical, page, ZE_MEMORY_ACCESS_ATTRIBUTE_READWRITE));
    auto* inside = static_cast<char*>(range) + 100;
    std::strcpy(inside, "shared");
    const void* const sources[] = {inside, physical};
    const std::size_t offsets[] = {0, page + 100};  // from what the handle leads to
    for (int i = 0; i < 2; ++i) {
        ze_ipc_mem_handle_t handle;
        void* again = nullptr;
        ASSERT_OK(CALL(zeMemGetIpcHandleWithProperties)(context, sources[i], nullptr, &handle));
        ASSERT_OK(CALL(zeMemOpenIpcHandle)(context, device, handle, 0, &again));
        EXPECT_STREQ(static_cast<char*>(again) + offsets[i], "shared");
        EXPECT_OK(CALL(zeMemCloseIpcHandle)(context, again));
        EXPECT_OK(CALL(zeMemPutIpcHandle)(context, handle));
    }
    EXPECT_OK(CALL(zeVirtualMemUnmap)(context, range, page));
    EXPECT_OK(CALL(zePhysicalMemDestroy)(context, physical));
    EXPECT_OK(CALL(zeVirtualMemFree)(context, range, page));
}

TEST_F(DriverTest, AFreedRangeIsUnmapped) {
    std::size_t page = 0;
    ASSERT_OK(CALL(zeVirtualMemQueryPageSize)(context, device, 1, &page));
    EXPECT_OK(CALL(zeVirtualMemQueryPageSize)(context, device, 0, &page)) << "as Intel's driver answers";
    void* range = nullptr;
    ASSERT_OK(CALL(zeVirtualMemReserve)(context, nullptr, 2 * page, &range));
    ze_physical_mem_desc_t description{ZE_STRUCTURE_TYPE_PHYSICAL_MEM_DESC, nullptr, 0, page};
    ze_physical_mem_handle_t physical = nullptr;
    ASSERT_OK(CALL(zePhysicalMemCreate)(context, device, &description, &physical));
    ASSERT_OK(CALL(zeVirtualMemMap)(context, range, page, physical, 0, ZE_MEMORY_ACCESS_ATTRIBUTE_READWRITE));
    EXPECT_EQ(CALL(zeVirtualMemFree)(context, range, page), ZE_RESULT_ERROR_INVALID_ARGUMENT) << "half of it";
    static_cast<char*>(range)[page - 1] = 7;
    EXPECT_OK(CALL(zeVirtualMemFree)(context, range, 2 * page));
    ASSERT_OK(CALL(zeVirtualMemReserve)(context, nullptr, page, &range));
    ASSERT_OK(CALL(zeVirtualMemMap)(context, range, page, physical, 0, ZE_MEMORY_ACCESS_ATTRIBUTE_READWRITE));
    EXPECT_EQ(static_cast<char*>(range)[page - 1], 7) << "what was mapped is not destroyed";
    EXPECT_OK(CALL(zeVirtualMemFree)(context, range, page));
    EXPECT_OK(CALL(zePhysicalMemDestroy)(context, physical));
}

TEST_F(DriverTest, MappedMemoryHasTheTypeOfWhatIsMapped) {
    std::size_t page = 0;
    ASSERT_OK(CALL(zeVirtualMemQueryPageSize)(context, device, 1, &page));
    void* range = nullptr;
    ASSERT_OK(CALL(zeVirtualMemReserve)(context, nullptr, page, &range));
    const auto typeOf = [&](ze_device_handle_t& owner) {
        ze_memory_allocation_properties_t properties{};
        properties.stype = ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES;
        EXPECT_OK(CALL(zeMemGetAllocProperties)(context, static_cast<char*>(range) + 8, &properties, &owner));
        return properties.type;
    };
    ze_device_handle_t owner = nullptr;
    EXPECT_EQ(typeOf(owner), ZE_MEMORY_TYPE_UNKNOWN) << "reserved alone";
    for (const bool onHost : {false, true}) {
        ze_physical_mem_desc_t description{ZE_STRUCTURE_TYPE_PHYSICAL_MEM_DESC, nullptr, onHost ? 2u : 1u, page};
        ze_physical_mem_handle_t physical = nullptr;
        ASSERT_OK(CALL(zePhysicalMemCreate)(context, device, &description, &physical));
        ASSERT_OK(CALL(zeVirtualMemMap)(context, range, page, physical, 0, ZE_MEMORY_ACCESS_ATTRIBUTE_READONLY));
        ASSERT_OK(CALL(zeVirtualMemSetAccessAttribute)(context, range, page, ZE_MEMORY_ACCESS_ATTRIBUTE_READWRITE));
        EXPECT_EQ(typeOf(owner), onHost ? ZE_MEMORY_TYPE_HOST : ZE_MEMORY_TYPE_DEVICE);
        EXPECT_EQ(owner, onHost ? nullptr : device);
        EXPECT_OK(CALL(zeVirtualMemUnmap)(context, range, page));
        EXPECT_OK(CALL(zePhysicalMemDestroy)(context, physical));
    }
    EXPECT_OK(CALL(zeVirtualMemFree)(context, range, page));
}

TEST_F(DriverTest, ReadOnlyMemoryIsSaidToBeEnforced) {
    struct {
        ze_structure_type_t stype = static_cast<ze_structure_type_t>(0x00010015);
        void* pNext = nullptr;
        std::uint32_t capability = 99;
    } readonly;
    ze_device_properties_t properties{};
    properties.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES;
    properties.pNext = &readonly;
    ASSERT_OK(CALL(zeDeviceGetProperties)(device, &properties));
    EXPECT_EQ(readonly.capability, 2u);
}

}  // namespace
}  // namespace zetl::emulator::driver::test
