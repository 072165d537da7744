#include <sys/mman.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "unit/driver/direct.h"

namespace zetl::emulator::driver::test {
namespace {

class ListTest : public DriverTest {
  protected:
    ze_command_list_handle_t list(std::uint32_t ordinal = 0) {
        const ze_command_list_desc_t description{ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC, nullptr, ordinal, 0};
        ze_command_list_handle_t created = nullptr;
        EXPECT_OK(CALL(zeCommandListCreate)(context, device, &description, &created));
        return created;
    }
    /// Memory of the driver's, which the context frees.
    template <class T>
    T* host(std::size_t count) {
        const ze_host_mem_alloc_desc_t description{ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC, nullptr, 0};
        void* memory = nullptr;
        EXPECT_OK(CALL(zeMemAllocHost)(context, &description, count * sizeof(T), 0, &memory));
        return static_cast<T*>(memory);
    }
    ze_command_queue_handle_t queue(std::uint32_t ordinal = 0) {
        ze_command_queue_desc_t description{};
        description.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC;
        description.ordinal = ordinal;
        description.mode = ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS;
        ze_command_queue_handle_t created = nullptr;
        EXPECT_OK(CALL(zeCommandQueueCreate)(context, device, &description, &created));
        return created;
    }
};

TEST_F(ListTest, FillsWithPatternsOfAnySize) {
    const auto list = immediate();
    auto* const filled = host<std::uint8_t>(2500);
    for (const std::size_t patternBytes : {1u, 2u, 16u, 1024u}) {
        std::vector<std::uint8_t> pattern(patternBytes);
        std::fill_n(filled, 2500, std::uint8_t{0xee});
        std::iota(pattern.begin(), pattern.end(), std::uint8_t{1});
        ASSERT_OK(
            CALL(zeCommandListAppendMemoryFill)(list, filled, pattern.data(), patternBytes, 2499, nullptr, 0, nullptr));
        for (std::size_t i = 0; i < 2499; ++i) ASSERT_EQ(filled[i], pattern[i % patternBytes]);
        EXPECT_EQ(filled[2499], 0xee);
    }
    EXPECT_OK(CALL(zeCommandListDestroy)(list));
}

TEST_F(ListTest, APatternOfNoPowerOfTwoIsRefused) {
    const auto list = immediate();
    auto* const filled = host<std::uint8_t>(300);
    const std::vector<std::uint8_t> pattern(300, 1);
    for (const std::size_t bytes : {0, 3, 12, 65, 100})
        EXPECT_EQ(CALL(zeCommandListAppendMemoryFill)(list, filled, pattern.data(), bytes, 300, nullptr, 0, nullptr),
                  ZE_RESULT_ERROR_INVALID_SIZE)
            << bytes;
    EXPECT_OK(CALL(zeCommandListDestroy)(list));
}

TEST_F(ListTest, ADeviceIsSynchronizedWhileAListRecords) {
    ze_command_queue_desc_t description{};
    description.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC;
    description.mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS;
    ze_command_list_handle_t list = nullptr;
    ASSERT_OK(CALL(zeCommandListCreateImmediate)(context, device, &description, &list));
    ASSERT_OK(CALL(zeCommandListBeginGraphCaptureExt)(list, nullptr));
    EXPECT_EQ(CALL(zeCommandListHostSynchronize)(list, 0), ZE_RESULT_ERROR_GRAPH_CAPTURE_UNSUPPORTED);
    EXPECT_OK(CALL(zeDeviceSynchronize)(device)) << "it waits for what the list executed before";
    ze_graph_handle_t graph = nullptr;
    ASSERT_OK(CALL(zeCommandListEndGraphCaptureExt)(list, nullptr, &graph));
    EXPECT_OK(CALL(zeGraphDestroyExt)(graph));
    EXPECT_OK(CALL(zeCommandListDestroy)(list));
}

TEST_F(ListTest, CopyEnginesFillWithBytesAlone) {
    std::uint32_t count = 2;
    ze_command_queue_group_properties_t groups[2]{};
    ASSERT_OK(CALL(zeDeviceGetCommandQueueGroupProperties)(device, &count, groups));
    EXPECT_EQ(groups[1].maxMemoryFillPatternSize, 1u);
    const auto copies = list(1);
    auto* const filled = host<std::uint8_t>(8);
    const std::uint16_t pattern = 0x0202;
    EXPECT_EQ(CALL(zeCommandListAppendMemoryFill)(copies, filled, &pattern, 2, 8, nullptr, 0, nullptr),
              ZE_RESULT_ERROR_INVALID_SIZE);
    EXPECT_OK(CALL(zeCommandListAppendMemoryFill)(copies, filled, &pattern, 1, 8, nullptr, 0, nullptr));
}

TEST_F(ListTest, UnknownMemoryIsNotFilledOrPrefetched) {
    const auto list = immediate();
    const std::uint32_t pattern = 1;
    std::uint32_t local = 0;
    EXPECT_EQ(CALL(zeCommandListAppendMemoryFill)(list, &local, &pattern, 4, 4, nullptr, 0, nullptr),
              ZE_RESULT_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(CALL(zeCommandListAppendMemoryPrefetch)(list, &local, 4), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    EXPECT_OK(CALL(zeCommandListAppendMemAdvise)(list, device, &local, 4, ZE_MEMORY_ADVICE_SET_READ_MOSTLY))
        << "as Intel's driver 26.27";
    EXPECT_OK(CALL(zeCommandListAppendMemoryCopy)(list, &local, &pattern, 4, nullptr, 0, nullptr)) << "copies stage it";
    auto* const known = host<std::uint32_t>(1);
    EXPECT_OK(CALL(zeCommandListAppendMemoryPrefetch)(list, known, 4));
    EXPECT_OK(CALL(zeCommandListAppendMemAdvise)(list, device, known, 4, ZE_MEMORY_ADVICE_SET_READ_MOSTLY));

    void* announce = nullptr;
    ASSERT_OK(CALL(zeDriverGetExtensionFunctionAddress)(driver, "zexDriverImportExternalPointer", &announce));
    using Announce = ze_result_t(ze_driver_handle_t, void*, std::size_t);
    ASSERT_OK(reinterpret_cast<Announce*>(announce)(driver, &local, sizeof local));
    EXPECT_OK(CALL(zeCommandListAppendMemoryFill)(list, &local, &pattern, 4, 4, nullptr, 0, nullptr));
    EXPECT_EQ(local, 1u);
    ASSERT_OK(CALL(zeDriverGetExtensionFunctionAddress)(driver, "zexDriverReleaseImportedPointer", &announce));
    EXPECT_OK(reinterpret_cast<ze_result_t (*)(ze_driver_handle_t, void*)>(announce)(driver, &local));
    EXPECT_OK(CALL(zeCommandListDestroy)(list));
}

TEST_F(ListTest, ImmediateListsHaveFlagsOfAList) {
    ze_command_queue_desc_t description{};
    description.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC;
    const struct {
        ze_command_queue_flags_t given;
        ze_command_list_flags_t told;
    } cases[] = {{0, 0},
                 {ZE_COMMAND_QUEUE_FLAG_EXPLICIT_ONLY, 0},
                 {ZE_COMMAND_QUEUE_FLAG_IN_ORDER, ZE_COMMAND_LIST_FLAG_IN_ORDER}};
    for (const auto& each : cases) {
        description.flags = each.given;
        ze_command_list_handle_t created = nullptr;
        ASSERT_OK(CALL(zeCommandListCreateImmediate)(context, device, &description, &created));
        ze_command_list_flags_t flags = 0xff;
        EXPECT_OK(CALL(zeCommandListGetFlags)(created, &flags));
        EXPECT_EQ(flags, each.told);
        EXPECT_OK(CALL(zeCommandListDestroy)(created));
    }
}

TEST_F(ListTest, OfALongPatternOnlyTheBeginningIsRead) {
    const auto list = immediate();
    const std::vector<std::uint8_t> pattern{1, 2, 3, 4};
    auto* const filled = host<std::uint8_t>(8);
    std::fill_n(filled, 8, std::uint8_t{0xee});
    for (const std::size_t patternBytes : {std::size_t{8}, std::size_t{1} << 40, std::size_t{1} << 63})
        ASSERT_OK(
            CALL(zeCommandListAppendMemoryFill)(list, filled, pattern.data(), patternBytes, 4, nullptr, 0, nullptr));
    EXPECT_EQ(std::vector<std::uint8_t>(filled, filled + 8),
              (std::vector<std::uint8_t>{1, 2, 3, 4, 0xee, 0xee, 0xee, 0xee}));
    EXPECT_OK(CALL(zeCommandListAppendMemoryFill)(list, filled, pattern.data(), std::size_t{1} << 63, 0, nullptr, 0,
                                                  nullptr));
    EXPECT_OK(CALL(zeCommandListDestroy)(list));
}

TEST_F(ListTest, RegionsBeyondAllAddressesAreRefused) {
    const auto list = immediate();
    std::vector<std::uint8_t> from(64);
    // A page, and nothing that could be written to behind it, as far as rows of four bytes reach.
    constexpr std::size_t kReach = std::size_t{17} << 30;
    constexpr std::size_t kPage = 4096;
    void* const to = mmap(nullptr, kReach, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    ASSERT_NE(to, MAP_FAILED);
    ASSERT_EQ(mprotect(to, kPage, PROT_READ | PROT_WRITE), 0);
    const ze_copy_region_t small{0, 0, 0, 4, 2, 1};
    const auto copy = [&](const ze_copy_region_t& target, std::uint32_t pitch, std::uint32_t slicePitch) {
        return CALL(zeCommandListAppendMemoryCopyRegion)(list, to, &target, pitch, slicePitch, from.data(), &small, 4,
                                                         8, nullptr, 0, nullptr);
    };
    constexpr std::uint32_t kMost = 0xffffffff;
    EXPECT_OK(copy(small, 4, 8));
    // Each sum of an origin and an extent is beyond 32 bits, each product near 64.
    EXPECT_EQ(copy({0, kMost, kMost, 4, 2, 1}, kMost, kMost), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(copy({0, 0, 0, 4, kMost, kMost}, kMost, kMost), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(copy({0, kMost, 0, 4, 2, 1}, 4, 8), ZE_RESULT_ERROR_DEVICE_LOST) << "it does not wrap to row 0";
    EXPECT_OK(CALL(zeCommandListDestroy)(list));
    munmap(to, kReach);
}

TEST_F(ListTest, AWaitListIsReadToItsFirstBadEventOnly) {
    const auto list = immediate();
    ze_event_handle_t none = nullptr;
    EXPECT_EQ(CALL(zeCommandListAppendBarrier)(list, nullptr, 0xffffffff, &none), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    EXPECT_OK(CALL(zeCommandListDestroy)(list));
}

TEST_F(ListTest, OnlyClosedListsAreExecuted) {
    auto open = list();
    const auto target = queue();
    EXPECT_EQ(CALL(zeCommandQueueExecuteCommandLists)(target, 1, &open, nullptr), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    EXPECT_OK(CALL(zeCommandListClose)(open));
    EXPECT_OK(CALL(zeCommandQueueExecuteCommandLists)(target, 1, &open, nullptr));
    EXPECT_EQ(CALL(zeCommandListAppendBarrier)(open, nullptr, 0, nullptr), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    EXPECT_OK(CALL(zeCommandListReset)(open));
    EXPECT_OK(CALL(zeCommandListAppendBarrier)(open, nullptr, 0, nullptr));
}

TEST_F(ListTest, GroupsOfListAndQueueMustAgree) {
    auto copyList = list(1);
    EXPECT_OK(CALL(zeCommandListClose)(copyList));
    EXPECT_EQ(CALL(zeCommandQueueExecuteCommandLists)(queue(0), 1, &copyList, nullptr),
              ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE);
    EXPECT_OK(CALL(zeCommandQueueExecuteCommandLists)(queue(1), 1, &copyList, nullptr));
}

TEST_F(ListTest, UnknownOrdinalsAreRefused) {
    ze_command_queue_desc_t description{};
    description.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC;
    description.ordinal = 99;
    ze_command_queue_handle_t created = nullptr;
    EXPECT_EQ(CALL(zeCommandQueueCreate)(context, device, &description, &created), ZE_RESULT_ERROR_INVALID_ARGUMENT);
}

TEST_F(ListTest, AFenceBelongsToItsQueue) {
    auto closed = list();
    EXPECT_OK(CALL(zeCommandListClose)(closed));
    const auto own = queue();
    const auto other = queue();
    const ze_fence_desc_t description{ZE_STRUCTURE_TYPE_FENCE_DESC, nullptr, 0};
    ze_fence_handle_t fence = nullptr;
    ASSERT_OK(CALL(zeFenceCreate)(own, &description, &fence));
    EXPECT_EQ(CALL(zeCommandQueueExecuteCommandLists)(other, 1, &closed, fence),
              ZE_RESULT_ERROR_INVALID_SYNCHRONIZATION_OBJECT);
    EXPECT_EQ(CALL(zeFenceQueryStatus)(fence), ZE_RESULT_NOT_READY);
    EXPECT_OK(CALL(zeCommandQueueExecuteCommandLists)(own, 1, &closed, fence));
    EXPECT_OK(CALL(zeFenceQueryStatus)(fence));
}

TEST_F(ListTest, OverlappingRegionsAreRefused) {
    std::vector<char> bytes(64);
    const ze_copy_region_t region{0, 0, 0, 8, 2, 1};
    const ze_copy_region_t shifted{4, 0, 0, 8, 2, 1};
    EXPECT_EQ(CALL(zeCommandListAppendMemoryCopyRegion)(list(), bytes.data(), &shifted, 16, 0, bytes.data(), &region,
                                                        16, 0, nullptr, 0, nullptr),
              ZE_RESULT_ERROR_OVERLAPPING_REGIONS);
    std::iota(bytes.begin(), bytes.end(), char{0});
    const ze_copy_region_t beside{8, 0, 0, 8, 2, 1};
    EXPECT_OK(CALL(zeCommandListAppendMemoryCopyRegion)(immediate(), bytes.data(), &beside, 16, 0, bytes.data(),
                                                        &region, 16, 0, nullptr, 0, nullptr));
    EXPECT_EQ(bytes[8], 0);
    EXPECT_EQ(bytes[24 + 7], 16 + 7);
}

TEST_F(ListTest, AnImmediateListExecutesOthers) {
    int& value = *host<int>(1);
    value = 0;
    const int seven = 7;
    auto recorded = list();
    ASSERT_OK(
        CALL(zeCommandListAppendMemoryFill)(recorded, &value, &seven, sizeof seven, sizeof seven, nullptr, 0, nullptr));
    ASSERT_OK(CALL(zeCommandListClose)(recorded));
    ASSERT_OK(CALL(zeCommandListImmediateAppendCommandListsExp)(immediate(), 1, &recorded, nullptr, 0, nullptr));
    EXPECT_EQ(value, 7);
    EXPECT_EQ(CALL(zeCommandListImmediateAppendCommandListsExp)(recorded, 1, &recorded, nullptr, 0, nullptr),
              ZE_RESULT_ERROR_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace zetl::emulator::driver::test
