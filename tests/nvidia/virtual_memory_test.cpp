// Virtual and physical memory on NVIDIA's GPUs.
#include <numeric>
#include <vector>

#include "nvidia_gpu.h"

namespace zetl::test {
namespace {

constexpr auto kReadWrite = ZE_MEMORY_ACCESS_ATTRIBUTE_READWRITE;
constexpr auto kReadOnly = ZE_MEMORY_ACCESS_ATTRIBUTE_READONLY;
constexpr auto kNone = ZE_MEMORY_ACCESS_ATTRIBUTE_NONE;

std::size_t pageOf(const Gpu& gpu) {
    std::size_t page = 0;
    EXPECT_OK(zeVirtualMemQueryPageSize(gpu.context(), gpu.device(), 1, &page));
    return page;
}

ze_physical_mem_handle_t physicalMemory(const Gpu& gpu, std::size_t bytes) {
    ze_physical_mem_desc_t description{ZE_STRUCTURE_TYPE_PHYSICAL_MEM_DESC, nullptr, 0, bytes};
    ze_physical_mem_handle_t made = nullptr;
    EXPECT_OK(zePhysicalMemCreate(gpu.context(), gpu.device(), &description, &made));
    return made;
}

/// A range of pages.
class Range {
  public:
    Range(const Gpu& gpu, std::size_t pages) : gpu_(gpu), page_(pageOf(gpu)), bytes_(pages * page_) {
        EXPECT_OK(zeVirtualMemReserve(gpu.context(), nullptr, bytes_, &begin_));
    }
    ~Range() { EXPECT_OK(zeVirtualMemFree(gpu_.context(), begin_, bytes_)); }
    Range(const Range&) = delete;
    Range& operator=(const Range&) = delete;

    char* at(std::size_t page) const { return static_cast<char*>(begin_) + page * page_; }
    std::size_t page() const { return page_; }
    ze_result_t map(std::size_t first, std::size_t pages, ze_physical_mem_handle_t physical,
                    ze_memory_access_attribute_t access = kReadWrite, std::size_t offset = 0) const {
        return zeVirtualMemMap(gpu_.context(), at(first), pages * page_, physical, offset, access);
    }
    ze_result_t unmap(std::size_t first, std::size_t pages) const {
        return zeVirtualMemUnmap(gpu_.context(), at(first), pages * page_);
    }
    /// How many pages from there have the access that the first has, and which.
    std::pair<ze_memory_access_attribute_t, std::size_t> access(std::size_t first, std::size_t pages) const {
        ze_memory_access_attribute_t access{};
        std::size_t bytes = 0;
        EXPECT_OK(zeVirtualMemGetAccessAttribute(gpu_.context(), at(first), pages * page_, &access, &bytes));
        return {access, bytes / page_};
    }

  private:
    const Gpu& gpu_;
    const std::size_t page_;
    const std::size_t bytes_;
    void* begin_ = nullptr;
};

/// Two pieces behind each other are one array for copies and kernels, and what is in a piece stays there when it is
/// mapped elsewhere.
SCENARIO(virtualMemoryIsOneArray) {
    const Gpu gpu;
    const Range range(gpu, 4);
    const auto page = range.page();
    auto* const one = physicalMemory(gpu, page);
    auto* const two = physicalMemory(gpu, 2 * page);
    ASSERT_OK(range.map(0, 1, one));
    ASSERT_OK(range.map(1, 2, two));
    EXPECT_EQ(range.access(0, 4), std::pair(kReadWrite, std::size_t{1}));
    EXPECT_EQ(range.access(2, 2), std::pair(kReadWrite, std::size_t{1}));
    EXPECT_EQ(range.access(3, 1), std::pair(kNone, std::size_t{1}));
    ze_memory_allocation_properties_t properties{};
    properties.stype = ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES;
    ze_device_handle_t device = nullptr;
    ASSERT_OK(zeMemGetAllocProperties(gpu.context(), range.at(1) + 5, &properties, &device));
    EXPECT_EQ(properties.type, ZE_MEMORY_TYPE_DEVICE);
    EXPECT_EQ(device, gpu.device());

    const auto count = 3 * page / sizeof(int);
    int* const data = gpu.host(static_cast<std::uint32_t>(count));
    std::iota(data, data + count, 0);
    const auto list = gpu.immediate(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    ASSERT_OK(zeCommandListAppendMemoryCopy(list, range.at(0), data, 3 * page, nullptr, 0, nullptr));
    const auto kernel = ptxKernel(gpu, "add", 64);
    Gpu::arguments(kernel, reinterpret_cast<int*>(range.at(0)), 5u);
    const ze_group_count_t groups{static_cast<std::uint32_t>(count / 64), 1, 1};
    ASSERT_OK(zeCommandListAppendLaunchKernel(list, kernel, &groups, nullptr, 0, nullptr));
    ASSERT_OK(zeCommandListAppendMemoryCopy(list, data, range.at(0), 3 * page, nullptr, 0, nullptr));
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < count; ++i) wrong += data[i] != static_cast<int>(i) + 5;
    EXPECT_EQ(wrong, 0u);

    // A mapping keeps its memory.
    ASSERT_OK(zePhysicalMemDestroy(gpu.context(), one));
    ASSERT_OK(range.unmap(1, 2));
    ASSERT_OK(range.map(2, 2, two));
    ASSERT_OK(zePhysicalMemDestroy(gpu.context(), two));
    int got[2] = {};
    ASSERT_OK(zeCommandListAppendMemoryCopy(list, &got[0], range.at(0), sizeof(int), nullptr, 0, nullptr));
    ASSERT_OK(zeCommandListAppendMemoryCopy(list, &got[1], range.at(2), sizeof(int), nullptr, 0, nullptr));
    EXPECT_EQ(got[0], 5);
    EXPECT_EQ(got[1], static_cast<int>(page / sizeof(int)) + 5);
    ASSERT_OK(range.unmap(0, 4));
    EXPECT_OK(range.unmap(0, 4)) << "nothing is mapped there";
    ASSERT_OK(zeMemGetAllocProperties(gpu.context(), range.at(2), &properties, &device));
    EXPECT_EQ(properties.type, ZE_MEMORY_TYPE_UNKNOWN);
}
TEST(NvidiaVirtualMemory, IsOneArray) { EXPECT_RUNS(onNvidia("virtualMemoryIsOneArray")); }

SCENARIO(accessOfVirtualMemoryChanges) {
    const Gpu gpu;
    const Range range(gpu, 2);
    auto* const physical = physicalMemory(gpu, range.page());
    ASSERT_OK(range.map(1, 1, physical, kNone));
    EXPECT_EQ(range.access(0, 2), std::pair(kNone, std::size_t{1}));
    const auto set = [&](std::size_t first, std::size_t pages, ze_memory_access_attribute_t access) {
        return zeVirtualMemSetAccessAttribute(gpu.context(), range.at(first), pages * range.page(), access);
    };
    for (const auto access : {kReadWrite, kReadOnly, kNone}) {
        EXPECT_OK(set(0, 2, access));
        EXPECT_EQ(range.access(1, 1), std::pair(access, std::size_t{1}));
    }
    EXPECT_OK(set(0, 1, kReadWrite)) << "nothing is mapped there";
    EXPECT_EQ(set(1, 1, static_cast<ze_memory_access_attribute_t>(9)), ZE_RESULT_ERROR_INVALID_ENUMERATION);
    ASSERT_OK(range.unmap(1, 1));
    ASSERT_OK(zePhysicalMemDestroy(gpu.context(), physical));
}
TEST(NvidiaVirtualMemory, AccessChanges) { EXPECT_RUNS(onStandIn("accessOfVirtualMemoryChanges")); }

SCENARIO(badVirtualMemoryIsRefused) {
    const Gpu gpu;
    const Range range(gpu, 4);
    const auto page = range.page();
    void* begin = nullptr;
    for (const std::size_t bytes : {std::size_t{0}, page - 1, SIZE_MAX})
        EXPECT_EQ(zeVirtualMemReserve(gpu.context(), nullptr, bytes, &begin), ZE_RESULT_ERROR_UNSUPPORTED_SIZE);
    EXPECT_EQ(zeVirtualMemFree(gpu.context(), range.at(0), page), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(zeVirtualMemFree(gpu.context(), range.at(0) + 1, page), ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT);

    ze_physical_mem_handle_t physical = nullptr;
    const auto create = [&](std::size_t bytes, ze_physical_mem_flags_t flags, const void* chain = nullptr) {
        ze_physical_mem_desc_t description{ZE_STRUCTURE_TYPE_PHYSICAL_MEM_DESC, chain, flags, bytes};
        return zePhysicalMemCreate(gpu.context(), gpu.device(), &description, &physical);
    };
    EXPECT_EQ(create(page + 1, 0), ZE_RESULT_ERROR_UNSUPPORTED_SIZE);
    EXPECT_EQ(create(page, ZE_BIT(1)), ZE_RESULT_ERROR_UNSUPPORTED_FEATURE) << "on the host";
    EXPECT_EQ(create(page, ZE_BIT(5)), ZE_RESULT_ERROR_INVALID_ENUMERATION);
    EXPECT_EQ(create(std::size_t{1} << 50, 0), ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY);
    const ze_external_memory_export_desc_t shared{ZE_STRUCTURE_TYPE_EXTERNAL_MEMORY_EXPORT_DESC, nullptr,
                                                  ZE_EXTERNAL_MEMORY_TYPE_FLAG_OPAQUE_FD};
    EXPECT_EQ(create(page, 0, &shared), ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    ASSERT_OK(create(2 * page, 0));

    EXPECT_EQ(range.map(0, 1, physical, kReadWrite, page), ZE_RESULT_ERROR_UNSUPPORTED_FEATURE) << "an offset";
    EXPECT_EQ(range.map(0, 3, physical), ZE_RESULT_ERROR_INVALID_ARGUMENT) << "larger than the memory";
    EXPECT_EQ(range.map(3, 2, physical), ZE_RESULT_ERROR_INVALID_ARGUMENT) << "beyond the range";
    EXPECT_EQ(range.map(0, 1, physical, static_cast<ze_memory_access_attribute_t>(9)),
              ZE_RESULT_ERROR_INVALID_ENUMERATION);
    EXPECT_EQ(zeVirtualMemMap(gpu.context(), range.at(0), page / 2, physical, 0, kReadWrite),
              ZE_RESULT_ERROR_UNSUPPORTED_SIZE);
    ASSERT_OK(range.map(1, 2, physical));
    EXPECT_EQ(range.map(2, 1, physical), ZE_RESULT_ERROR_INVALID_ARGUMENT) << "mapped already";
    EXPECT_EQ(range.unmap(1, 1), ZE_RESULT_ERROR_INVALID_ARGUMENT) << "a part";
    EXPECT_EQ(range.unmap(2, 1), ZE_RESULT_ERROR_INVALID_ARGUMENT) << "a part";
    EXPECT_EQ(zeVirtualMemFree(gpu.context(), range.at(0), 4 * page), ZE_RESULT_ERROR_INVALID_ARGUMENT) << "mapped";
    ASSERT_OK(range.unmap(0, 4));
    ASSERT_OK(zePhysicalMemDestroy(gpu.context(), physical));
    EXPECT_EQ(range.map(0, 1, physical), ZE_RESULT_ERROR_INVALID_NULL_HANDLE) << "destroyed";
    EXPECT_EQ(zePhysicalMemDestroy(gpu.context(), physical), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    ze_memory_access_attribute_t access{};
    std::size_t bytes = 0;
    EXPECT_EQ(zeVirtualMemGetAccessAttribute(gpu.context(), reinterpret_cast<void*>(page), page, &access, &bytes),
              ZE_RESULT_ERROR_INVALID_ARGUMENT);
}
TEST(NvidiaVirtualMemory, BadArgumentsAreRefused) { EXPECT_RUNS(onNvidia("badVirtualMemoryIsRefused")); }

/// What CUDA cannot make accessible is not mapped.
SCENARIO(failedMappingsLeaveNothing) {
    const Gpu gpu;
    const Range range(gpu, 1);
    auto* const physical = physicalMemory(gpu, range.page());
    EXPECT_EQ(range.map(0, 1, physical), ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY);
    EXPECT_OK(range.map(0, 1, physical, kNone));
    EXPECT_OK(range.unmap(0, 1));
    EXPECT_OK(zePhysicalMemDestroy(gpu.context(), physical));
}
TEST(NvidiaVirtualMemory, FailedMappingsLeaveNothing) {
    EXPECT_RUNS(onStandIn("failedMappingsLeaveNothing", "cuMemSetAccess=2"));
}

SCENARIO(virtualMemoryEndsWithItsContext) {
    const Gpu gpu;
    const ze_context_desc_t description{ZE_STRUCTURE_TYPE_CONTEXT_DESC, nullptr, 0};
    ze_context_handle_t context = nullptr;
    ASSERT_OK(zeContextCreate(gpu.driver(), &description, &context));
    const auto page = pageOf(gpu);
    void* begin = nullptr;
    ASSERT_OK(zeVirtualMemReserve(context, nullptr, page, &begin));
    auto* const physical = physicalMemory(gpu, page);
    ASSERT_OK(zeVirtualMemMap(context, begin, page, physical, 0, kReadWrite));
    EXPECT_EQ(zeVirtualMemUnmap(gpu.context(), begin, page), ZE_RESULT_ERROR_INVALID_ARGUMENT) << "another context";
    ASSERT_OK(zeContextDestroy(context));
    ASSERT_OK(zePhysicalMemDestroy(gpu.context(), physical));
}
TEST(NvidiaVirtualMemory, EndsWithItsContext) { EXPECT_RUNS(onNvidia("virtualMemoryEndsWithItsContext")); }

}  // namespace
}  // namespace zetl::test
