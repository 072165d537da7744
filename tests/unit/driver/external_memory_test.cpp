// Memory that goes to others and comes from them as a file descriptor (core specification, "External Memory Import and
// Export").
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <thread>
#include <utility>
#include <vector>

#include "base/file_descriptor.h"
#include "unit/driver/direct.h"

namespace zetl::emulator::driver::test {
namespace {

constexpr char kText[] = "what the maker wrote";

class ExternalMemoryTest : public DriverTest {
  protected:
    void SetUp() override {
        DriverTest::SetUp();
        ASSERT_OK(CALL(zeVirtualMemQueryPageSize)(context, device, 1, &page_));
    }

    ze_result_t exportAt(const void* pointer, ze_external_memory_type_flags_t type, int& descriptor) {
        ze_external_memory_export_fd_t exported{ZE_STRUCTURE_TYPE_EXTERNAL_MEMORY_EXPORT_FD, nullptr, type, -1};
        ze_memory_allocation_properties_t properties{};
        properties.stype = ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES;
        properties.pNext = &exported;
        const ze_result_t result = CALL(zeMemGetAllocProperties)(context, pointer, &properties, nullptr);
        descriptor = exported.fd;
        return result;
    }

    static ze_external_memory_import_fd_t importOf(ze_external_memory_type_flags_t type, int descriptor) {
        return {ZE_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMPORT_FD, nullptr, type, descriptor};
    }

    ze_result_t allocate(const void* chain, std::size_t bytes, void** out) {
        const ze_device_mem_alloc_desc_t description{ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC, chain, 0, 0};
        return CALL(zeMemAllocDevice)(context, &description, bytes, 1, device, out);
    }

    ze_result_t createPhysical(const void* chain, std::size_t bytes, ze_physical_mem_handle_t* out) {
        ze_physical_mem_desc_t description{ZE_STRUCTURE_TYPE_PHYSICAL_MEM_DESC, chain, 0, bytes};
        return CALL(zePhysicalMemCreate)(context, device, &description, out);
    }

    /// The first page of a physical memory object.
    char* map(ze_physical_mem_handle_t physical) {
        void* range = nullptr;
        EXPECT_OK(CALL(zeVirtualMemReserve)(context, nullptr, page_, &range));
        EXPECT_OK(CALL(zeVirtualMemMap)(context, range, page_, physical, 0, ZE_MEMORY_ACCESS_ATTRIBUTE_READWRITE));
        return static_cast<char*>(range);
    }

    std::size_t page_ = 0;
};

TEST_F(ExternalMemoryTest, SharedMemoryIsNotExported) {
    const ze_device_mem_alloc_desc_t onDevice{ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC, nullptr, 0, 0};
    const ze_host_mem_alloc_desc_t onHost{ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC, nullptr, 0};
    void* shared = nullptr;
    ASSERT_OK(CALL(zeMemAllocShared)(context, &onDevice, &onHost, 64, 0, device, &shared));
    int descriptor = -1;
    EXPECT_EQ(exportAt(shared, ZE_EXTERNAL_MEMORY_TYPE_FLAG_OPAQUE_FD, descriptor),
              ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    EXPECT_EQ(descriptor, -1);
}

TEST_F(ExternalMemoryTest, PhysicalMemoryIsExportedByItsProperties) {
    ze_physical_mem_handle_t physical = nullptr;
    ASSERT_OK(createPhysical(nullptr, page_, &physical));
    ze_external_memory_export_fd_t exported{ZE_STRUCTURE_TYPE_EXTERNAL_MEMORY_EXPORT_FD, nullptr,
                                            ZE_EXTERNAL_MEMORY_TYPE_FLAG_OPAQUE_FD, -1};
    ze_physical_mem_properties_t properties{};
    properties.stype = ZE_STRUCTURE_TYPE_PHYSICAL_MEM_PROPERTIES;
    properties.pNext = &exported;
    ASSERT_OK(CALL(zePhysicalMemGetProperties)(context, physical, &properties));
    EXPECT_EQ(properties.size, page_);
    const FileDescriptor file(exported.fd);
    EXPECT_TRUE(file);
    exported.flags = 0;
    EXPECT_EQ(CALL(zePhysicalMemGetProperties)(context, physical, &properties),
              ZE_RESULT_ERROR_UNSUPPORTED_ENUMERATION);
    EXPECT_OK(CALL(zePhysicalMemDestroy)(context, physical));
}

TEST_F(ExternalMemoryTest, DescriptorsOfPhysicalMemoryAskForWhatIsServed) {
    const ze_relaxed_allocation_limits_exp_desc_t other{ZE_STRUCTURE_TYPE_RELAXED_ALLOCATION_LIMITS_EXP_DESC, nullptr,
                                                        ZE_RELAXED_ALLOCATION_LIMITS_EXP_FLAG_MAX_SIZE};
    ze_physical_mem_handle_t physical = nullptr;
    EXPECT_EQ(createPhysical(&other, page_, &physical), ZE_RESULT_ERROR_UNSUPPORTED_ENUMERATION);
}

TEST_F(ExternalMemoryTest, TypesAreTold) {
    ze_device_external_memory_properties_t properties{};
    properties.stype = ZE_STRUCTURE_TYPE_DEVICE_EXTERNAL_MEMORY_PROPERTIES;
    ASSERT_OK(CALL(zeDeviceGetExternalMemoryProperties)(device, &properties));
    constexpr auto kBoth = ZE_EXTERNAL_MEMORY_TYPE_FLAG_OPAQUE_FD | ZE_EXTERNAL_MEMORY_TYPE_FLAG_DMA_BUF;
    EXPECT_EQ(properties.memoryAllocationExportTypes, kBoth);
    EXPECT_EQ(properties.memoryAllocationImportTypes, kBoth);
    EXPECT_EQ(properties.imageExportTypes, 0u);
    EXPECT_EQ(properties.imageImportTypes, 0u);
}

TEST_F(ExternalMemoryTest, AnAllocationIsExportedAndImported) {
    for (const auto type : {ZE_EXTERNAL_MEMORY_TYPE_FLAG_OPAQUE_FD, ZE_EXTERNAL_MEMORY_TYPE_FLAG_DMA_BUF}) {
        const ze_external_memory_export_desc_t wish{ZE_STRUCTURE_TYPE_EXTERNAL_MEMORY_EXPORT_DESC, nullptr,
                                                    static_cast<ze_external_memory_type_flags_t>(type)};
        void* memory = nullptr;
        ASSERT_OK(allocate(&wish, 100, &memory));
        std::memcpy(memory, kText, sizeof kText);
        int number = -1;
        ASSERT_OK(exportAt(static_cast<char*>(memory) + 50, type, number));
        const FileDescriptor file(number);
        const auto import = importOf(type, file.get());
        void* other = nullptr;
        ASSERT_OK(allocate(&import, 100, &other));
        EXPECT_NE(other, memory);
        EXPECT_STREQ(static_cast<char*>(other), kText);
        static_cast<char*>(other)[99] = 'x';
        EXPECT_EQ(static_cast<char*>(memory)[99], 'x');
        EXPECT_OK(CALL(zeMemFree)(context, memory));
        EXPECT_STREQ(static_cast<char*>(other), kText) << "the file lives as long as one of both";
        EXPECT_OK(CALL(zeMemFree)(context, other));
    }
}

TEST_F(ExternalMemoryTest, PhysicalMemoryIsExportedAndImported) {
    ze_physical_mem_handle_t physical = nullptr;
    ASSERT_OK(createPhysical(nullptr, page_, &physical));
    char* const range = map(physical);
    std::memcpy(range, kText, sizeof kText);
    int number = -1;
    ASSERT_OK(exportAt(range, ZE_EXTERNAL_MEMORY_TYPE_FLAG_DMA_BUF, number));
    const FileDescriptor file(number);
    const auto import = importOf(ZE_EXTERNAL_MEMORY_TYPE_FLAG_DMA_BUF, file.get());
    ze_physical_mem_handle_t imported = nullptr;
    ASSERT_OK(createPhysical(&import, page_, &imported));
    char* const other = map(imported);
    EXPECT_STREQ(other, kText);
    for (const auto& [address, object] : {std::pair{range, physical}, std::pair{other, imported}}) {
        EXPECT_OK(CALL(zeVirtualMemFree)(context, address, page_));
        EXPECT_OK(CALL(zePhysicalMemDestroy)(context, object));
    }
}

TEST_F(ExternalMemoryTest, OtherTypesAreRefused) {
    constexpr ze_external_memory_type_flags_t kOthers[] = {
        0, ZE_EXTERNAL_MEMORY_TYPE_FLAG_D3D11_TEXTURE,
        ZE_EXTERNAL_MEMORY_TYPE_FLAG_OPAQUE_FD | ZE_EXTERNAL_MEMORY_TYPE_FLAG_DMA_BUF};
    void* memory = nullptr;
    ASSERT_OK(allocate(nullptr, 100, &memory));
    int number = -1;
    ASSERT_OK(exportAt(memory, ZE_EXTERNAL_MEMORY_TYPE_FLAG_OPAQUE_FD, number));
    const FileDescriptor file(number);
    for (const auto type : kOthers) {
        int none = -1;
        EXPECT_EQ(exportAt(memory, type, none), ZE_RESULT_ERROR_UNSUPPORTED_ENUMERATION) << type;
        EXPECT_EQ(none, -1);
        const auto import = importOf(type, file.get());
        void* other = nullptr;
        EXPECT_EQ(allocate(&import, 100, &other), ZE_RESULT_ERROR_UNSUPPORTED_ENUMERATION) << type;
        ze_physical_mem_handle_t physical = nullptr;
        EXPECT_EQ(createPhysical(&import, page_, &physical), ZE_RESULT_ERROR_UNSUPPORTED_ENUMERATION) << type;
    }
    const ze_external_memory_export_desc_t wish{ZE_STRUCTURE_TYPE_EXTERNAL_MEMORY_EXPORT_DESC, nullptr,
                                                ZE_EXTERNAL_MEMORY_TYPE_FLAG_D3D12_HEAP};
    void* other = nullptr;
    EXPECT_EQ(allocate(&wish, 100, &other), ZE_RESULT_ERROR_UNSUPPORTED_ENUMERATION);
    EXPECT_OK(CALL(zeMemFree)(context, memory));
    EXPECT_EQ(exportAt(memory, ZE_EXTERNAL_MEMORY_TYPE_FLAG_OPAQUE_FD, number), ZE_RESULT_ERROR_INVALID_ARGUMENT);
}

TEST_F(ExternalMemoryTest, WhatHoldsTooLittleIsRefused) {
    const FileDescriptor small(memfd_create("small", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    ASSERT_EQ(ftruncate(small.get(), static_cast<off_t>(page_)), 0);
    int ends[2];
    ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
    const FileDescriptor reader(ends[0]), writer(ends[1]);
    for (const int descriptor : {-1, small.get(), reader.get()}) {
        const auto import = importOf(ZE_EXTERNAL_MEMORY_TYPE_FLAG_DMA_BUF, descriptor);
        ze_physical_mem_handle_t physical = nullptr;
        EXPECT_EQ(createPhysical(&import, 2 * page_, &physical), ZE_RESULT_ERROR_INVALID_ARGUMENT) << descriptor;
        void* memory = nullptr;
        EXPECT_EQ(allocate(&import, 2 * page_, &memory), ZE_RESULT_ERROR_INVALID_ARGUMENT) << descriptor;
    }
    const auto import = importOf(ZE_EXTERNAL_MEMORY_TYPE_FLAG_DMA_BUF, small.get());
    ze_physical_mem_handle_t physical = nullptr;
    ASSERT_OK(createPhysical(&import, page_, &physical));
    EXPECT_OK(CALL(zePhysicalMemDestroy)(context, physical));
}

TEST_F(ExternalMemoryTest, WhatMayBecomeShorterIsRefused) {
    const FileDescriptor file(memfd_create("unsealable", MFD_CLOEXEC));
    ASSERT_EQ(ftruncate(file.get(), static_cast<off_t>(page_)), 0);
    const auto import = importOf(ZE_EXTERNAL_MEMORY_TYPE_FLAG_OPAQUE_FD, file.get());
    void* memory = nullptr;
    EXPECT_EQ(allocate(&import, page_, &memory), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    ze_physical_mem_handle_t physical = nullptr;
    EXPECT_EQ(createPhysical(&import, page_, &physical), ZE_RESULT_ERROR_INVALID_ARGUMENT);
}

/// Memory that is exported while the host stores to it: what was asked for with a wish to export, and the host's.
TEST_F(ExternalMemoryTest, HostStoresDuringTheFirstExportAreKept) {
    constexpr std::size_t kPages = 256;
    const std::size_t words = page_ / sizeof(std::uint64_t);
    const ze_external_memory_export_desc_t wish{ZE_STRUCTURE_TYPE_EXTERNAL_MEMORY_EXPORT_DESC, nullptr,
                                                ZE_EXTERNAL_MEMORY_TYPE_FLAG_OPAQUE_FD};
    const ze_host_mem_alloc_desc_t onHost{ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC, nullptr, 0};
    const ze_device_mem_alloc_desc_t onDevice{ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC, &wish, 0, 0};
    for (const bool shared : {false, true}) {
        void* memory = nullptr;
        if (shared)
            ASSERT_OK(CALL(zeMemAllocShared)(context, &onDevice, &onHost, kPages * page_, 0, device, &memory));
        else
            ASSERT_OK(CALL(zeMemAllocHost)(context, &onHost, kPages * page_, 0, &memory));
        std::vector<std::uint64_t> last(kPages, 0);
        std::atomic<std::uint64_t> rounds{0};
        std::atomic<bool> stop{false};
        auto* const begin = static_cast<volatile std::uint64_t*>(memory);
        std::thread host([&] {
            for (std::uint64_t value = 1; !stop; ++value) {
                for (std::size_t i = 0; i < kPages; ++i) begin[i * words] = last[i] = value;
                rounds = value;
            }
        });
        while (rounds < 2) std::this_thread::yield();
        ze_ipc_mem_handle_t handle;
        EXPECT_OK(CALL(zeMemGetIpcHandle)(context, memory, &handle));
        const std::uint64_t after = rounds;
        while (rounds == after) std::this_thread::yield();
        stop = true;
        host.join();
        for (std::size_t i = 0; i < kPages; ++i) ASSERT_EQ(begin[i * words], last[i]) << shared << ' ' << i;
        EXPECT_OK(CALL(zeMemPutIpcHandle)(context, handle));
        EXPECT_OK(CALL(zeMemFree)(context, memory));
    }
}

}  // namespace
}  // namespace zetl::emulator::driver::test
