// Allocations, copies, fills, reserved ranges and handles of memory.
#include <algorithm>
#include <array>
#include <numeric>

#include "soak/episodes.h"

namespace zetl::soak {
namespace {

constexpr ze_memory_type_t kTypes[] = {ZE_MEMORY_TYPE_DEVICE, ZE_MEMORY_TYPE_HOST, ZE_MEMORY_TYPE_SHARED};

/// Numbers to device memory of some type, to another one, and back.
void copyAround(const Gpu& gpu, Random& random) {
    const std::size_t count = random.between(1, 20'000);
    const auto bytes = count * sizeof(std::uint32_t);
    std::vector<std::uint32_t> numbers(count);
    std::iota(numbers.begin(), numbers.end(), random.below(1u << 30));
    std::vector<std::uint32_t> back(count);
    const auto first = gpu.allocate(kTypes[random.below(3)], bytes);
    const auto second = gpu.allocate(kTypes[random.below(3)], bytes);
    const auto list = gpu.immediate(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    SOAK_CALL(zeCommandListAppendMemoryCopy(list, first.as(), numbers.data(), bytes, nullptr, 0, nullptr));
    SOAK_CALL(zeCommandListAppendBarrier(list, nullptr, 0, nullptr));
    SOAK_CALL(zeCommandListAppendMemoryCopy(list, second.as(), first.as(), bytes, nullptr, 0, nullptr));
    SOAK_CALL(zeCommandListAppendBarrier(list, nullptr, 0, nullptr));
    SOAK_CALL(zeCommandListAppendMemoryCopy(list, back.data(), second.as(), bytes, nullptr, 0, nullptr));
    checkValue(back == numbers, 1, "equality of numbers copied around");
}

void fill(const Gpu& gpu, Random& random) {
    const std::size_t count = random.between(1, 50'000);
    const std::uint32_t pattern = random.below(UINT32_MAX);
    const auto memory = gpu.allocate(ZE_MEMORY_TYPE_SHARED, count * sizeof pattern);
    const auto list = gpu.immediate(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    SOAK_CALL(zeCommandListAppendMemoryFill(list, memory.as(), &pattern, sizeof pattern, count * sizeof pattern,
                                            nullptr, 0, nullptr));
    gpu.synchronize(list);
    const auto* const words = memory.as();
    checkValue(static_cast<std::uint64_t>(std::count(words, words + count, pattern)), count, "filled words");
}

void ask(const Gpu& gpu, Random& random) {
    const auto type = kTypes[random.below(3)];
    const std::size_t bytes = random.between(1, 1u << 20);
    const auto memory = gpu.allocate(type, bytes);
    ze_memory_allocation_properties_t properties{};
    properties.stype = ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES;
    SOAK_CALL(zeMemGetAllocProperties(
        gpu.context(), memory.as<char>() + random.below(static_cast<std::uint32_t>(bytes)), &properties, nullptr));
    checkValue(properties.type, type, "type of memory");
    void* base = nullptr;
    std::size_t size = 0;
    SOAK_CALL(zeMemGetAddressRange(gpu.context(), memory.as<char>() + bytes / 2, &base, &size));
    checkValue(base == memory.as<void>() && size >= bytes, 1, "range of memory");
}

/// Physical memory mapped at two places of a reserved range shows the same.
void mapTwice(const Gpu& gpu, Random& random) {
    std::size_t page = 0;
    SOAK_CALL(zeVirtualMemQueryPageSize(gpu.context(), gpu.device(), 1, &page));
    const ze_physical_mem_desc_t description{ZE_STRUCTURE_TYPE_PHYSICAL_MEM_DESC, nullptr, 0, page};
    ze_physical_mem_handle_t physical = nullptr;
    SOAK_CALL(
        zePhysicalMemCreate(gpu.context(), gpu.device(), const_cast<ze_physical_mem_desc_t*>(&description), &physical));
    void* range = nullptr;
    const auto reserved = zeVirtualMemReserve(gpu.context(), nullptr, 2 * page, &range);
    std::uint32_t back = 0;
    const std::uint32_t pattern = random.below(UINT32_MAX);
    if (reserved == ZE_RESULT_SUCCESS) {
        auto* const second = static_cast<char*>(range) + page;
        for (void* const place : {range, static_cast<void*>(second)})
            SOAK_CALL(zeVirtualMemMap(gpu.context(), place, page, physical, 0, ZE_MEMORY_ACCESS_ATTRIBUTE_READWRITE));
        const auto list = gpu.immediate(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
        SOAK_CALL(zeCommandListAppendMemoryFill(list, range, &pattern, sizeof pattern, page, nullptr, 0, nullptr));
        SOAK_CALL(zeCommandListAppendBarrier(list, nullptr, 0, nullptr));
        SOAK_CALL(zeCommandListAppendMemoryCopy(list, &back, second + 4 * random.below(64), sizeof back, nullptr, 0,
                                                nullptr));
        for (void* const place : {range, static_cast<void*>(second)})
            SOAK_CALL(zeVirtualMemUnmap(gpu.context(), place, page));
        SOAK_CALL(zeVirtualMemFree(gpu.context(), range, 2 * page));
    }
    SOAK_CALL(zePhysicalMemDestroy(gpu.context(), physical));
    SOAK_CALL(reserved);
    checkValue(back, pattern, "word seen at the other mapping");
}

/// An allocation exported to this process is the same memory at another address.
void exportToSelf(const Gpu& gpu, Random& random) {
    const std::size_t bytes = random.between(4, 300'000) & ~std::size_t{3};
    const auto memory = gpu.allocate(ZE_MEMORY_TYPE_DEVICE, bytes);
    ze_ipc_mem_handle_t handle{};
    SOAK_CALL(zeMemGetIpcHandle(gpu.context(), memory.as(), &handle));
    void* opened = nullptr;
    SOAK_CALL(zeMemOpenIpcHandle(gpu.context(), gpu.device(), handle, 0, &opened));
    const auto list = gpu.immediate(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    const std::uint32_t pattern = random.below(UINT32_MAX);
    std::uint32_t back = 0;
    SOAK_CALL(zeCommandListAppendMemoryFill(list, opened, &pattern, sizeof pattern, bytes, nullptr, 0, nullptr));
    SOAK_CALL(zeCommandListAppendBarrier(list, nullptr, 0, nullptr));
    SOAK_CALL(
        zeCommandListAppendMemoryCopy(list, &back, memory.as<char>() + bytes - 4, sizeof back, nullptr, 0, nullptr));
    SOAK_CALL(zeMemCloseIpcHandle(gpu.context(), opened));
    checkValue(back, pattern, "word written through an IPC handle");
}

constexpr std::array kMemoryEpisodes = {Episode{"copyAround", copyAround}, Episode{"fill", fill}, Episode{"ask", ask},
                                        Episode{"mapTwice", mapTwice}, Episode{"exportToSelf", exportToSelf}};

}  // namespace

std::span<const Episode> memoryEpisodes() { return kMemoryEpisodes; }

}  // namespace zetl::soak
