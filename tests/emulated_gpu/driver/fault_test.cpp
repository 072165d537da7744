// What goes wrong on the device stays there: the queue is lost, the process and the other queues live on.
#include <sys/mman.h>

#include <filesystem>

#include "emulated_gpu/gpu.h"
#include "support/scenario.h"

namespace zetl::test {
namespace {

/// Launches `store` at `where[offset]` and expects that it takes its list down, and only that.
void expectFault(const Gpu& gpu, int* where, std::int64_t offset) {
    const auto kernel = gpu.kernel("store");
    Gpu::arguments(kernel, where, offset);
    const auto broken = gpu.immediate();
    const auto healthy = gpu.immediate();
    const auto pool = gpu.pool(1);
    const auto after = Gpu::event(pool);
    ASSERT_OK(zeCommandListAppendLaunchKernel(broken, kernel, &kOneGroup, nullptr, 0, nullptr));
    zeCommandListAppendSignalEvent(broken, after);
    EXPECT_EQ(gpu.synchronize(broken, UINT64_MAX), ZE_RESULT_ERROR_DEVICE_LOST);
    EXPECT_EQ(zeEventHostSynchronize(after, UINT64_MAX), ZE_RESULT_ERROR_DEVICE_LOST) << "no waiter hangs";
    EXPECT_EQ(zeCommandListAppendBarrier(broken, nullptr, 0, nullptr), ZE_RESULT_ERROR_DEVICE_LOST);

    auto* fine = gpu.shared(1);
    Gpu::arguments(kernel, fine, std::int64_t{0});
    ASSERT_OK(zeCommandListAppendLaunchKernel(healthy, kernel, &kOneGroup, nullptr, 0, nullptr));
    ASSERT_OK(gpu.synchronize(healthy, UINT64_MAX));
    EXPECT_EQ(*fine, 42);
    EXPECT_OK(zeDeviceGetStatus(gpu.device()));
}

void expectFaultNamed(const char* scenario, const char* words, const char* strict = "0") {
    const Outcome outcome = emulated(scenario).with("ZETL_STRICT_MEMORY", strict).run();
    EXPECT_TRUE(outcome.good()) << outcome;
    EXPECT_NE(outcome.output.find(words), std::string::npos) << outcome;
    EXPECT_NE(outcome.output.find("store"), std::string::npos) << "the log names the kernel\n" << outcome;
}

std::size_t timesSaid(const Outcome& outcome, const std::string& words) {
    std::size_t times = 0;
    for (auto at = outcome.output.find(words); at != std::string::npos; at = outcome.output.find(words, at + 1))
        ++times;
    return times;
}

SCENARIO(writesOutsideAnAllocation) {
    const Gpu gpu;
    expectFault(gpu, gpu.device(4), std::int64_t{1} << 40);
}
TEST(Faults, WritesOutsideAnAllocation) { expectFaultNamed("writesOutsideAnAllocation", "page fault"); }

SCENARIO(writesOneElementTooFar) {
    const Gpu gpu;
    expectFault(gpu, gpu.device(4), 4);
}
TEST(Faults, WritesOneElementTooFar) { expectFaultNamed("writesOneElementTooFar", "page fault", "1"); }

SCENARIO(goesOnWithinThePage) {
    const Gpu gpu;
    auto* data = gpu.device(4);
    const auto kernel = gpu.kernel("store");
    const auto list = gpu.immediate(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    for (std::int64_t offset : {3, 4, 5, 16'383}) {
        Gpu::arguments(kernel, data, offset);
        ASSERT_OK(zeCommandListAppendLaunchKernel(list, kernel, &kOneGroup, nullptr, 0, nullptr)) << offset;
    }
    int last = 0;
    ASSERT_OK(zeCommandListAppendMemoryCopy(list, &last, data + 3, sizeof last, nullptr, 0, nullptr));
    EXPECT_EQ(last, 42);
}
TEST(Faults, HardwareDoesNotNoticeOverrunsWithinAPage) {
    const Outcome outcome = emulated("goesOnWithinThePage").with("ZETL_LOG", "emulator=warn").run();
    EXPECT_TRUE(outcome.good()) << outcome;
    EXPECT_EQ(timesSaid(outcome, "past the end of the allocation"), 1u) << outcome;
}

/// Reserved pages, the first of which has memory.
class ReservedPages {
  public:
    ReservedPages(const Gpu& gpu, std::size_t count) : gpu_(gpu) {
        EXPECT_OK(zeVirtualMemQueryPageSize(gpu.context(), gpu.device(), 1, &page_));
        reserved_ = count * page_;
        EXPECT_OK(zeVirtualMemReserve(gpu.context(), nullptr, reserved_, &begin_));
        ze_physical_mem_desc_t description{ZE_STRUCTURE_TYPE_PHYSICAL_MEM_DESC, nullptr, 0, page_};
        EXPECT_OK(zePhysicalMemCreate(gpu.context(), gpu.device(), &description, &physical_));
        EXPECT_OK(zeVirtualMemMap(gpu.context(), begin_, page_, physical_, 0, ZE_MEMORY_ACCESS_ATTRIBUTE_READWRITE));
    }
    ~ReservedPages() {
        EXPECT_OK(zeVirtualMemUnmap(gpu_.context(), begin_, page_));
        EXPECT_OK(zePhysicalMemDestroy(gpu_.context(), physical_));
        EXPECT_OK(zeVirtualMemFree(gpu_.context(), begin_, reserved_));
    }
    ReservedPages(const ReservedPages&) = delete;
    ReservedPages& operator=(const ReservedPages&) = delete;
    int* begin() const { return static_cast<int*>(begin_); }
    std::size_t page() const { return page_; }

  private:
    const Gpu& gpu_;
    std::size_t page_ = 0;
    std::size_t reserved_ = 0;
    void* begin_ = nullptr;
    ze_physical_mem_handle_t physical_ = nullptr;
};

// Of an allocation, the host's allocator may have placed another one behind the page.
SCENARIO(writesBehindThePage) {
    const Gpu gpu;
    const ReservedPages pages(gpu, 2);
    expectFault(gpu, pages.begin(), static_cast<std::int64_t>(pages.page() / sizeof(int)));
}
TEST(Faults, WritesBehindThePage) { expectFaultNamed("writesBehindThePage", "page fault"); }

SCENARIO(writesThroughANullPointer) {
    const Gpu gpu;
    expectFault(gpu, nullptr, 0);
}
TEST(Faults, WritesThroughANullPointer) { expectFaultNamed("writesThroughANullPointer", "page fault"); }

SCENARIO(writesAfterFree) {
    const Gpu gpu;
    auto* gone = gpu.device(4);
    ASSERT_OK(zeMemFree(gpu.context(), gone));
    expectFault(gpu, gone, 0);
}
TEST(Faults, WritesAfterFree) { expectFaultNamed("writesAfterFree", "use after free"); }

TEST(Faults, ZetlRunTellsThemOnce) {
    const auto self = std::filesystem::read_symlink("/proc/self/exe").string();
    Process run({inBuildTree("bin/zetl"), "run", "--device", "tiny", "--", self, "--scenario=writesAfterFree"});
    const auto told = run.run();
    EXPECT_TRUE(told.good()) << told;
    EXPECT_EQ(timesSaid(told, "use after free: 4-byte write"), 1u) << told;
    EXPECT_EQ(timesSaid(run.with("ZETL_LOG", "off").run(), "use after free"), 0u) << "unless it is not wanted";
}

SCENARIO(writesReadOnlyMemory) {
    const Gpu gpu;
    const ReservedPages reserved(gpu, 1);
    int* const range = reserved.begin();
    const std::size_t page = reserved.page();
    const auto list = gpu.immediate(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    const int pattern = 5;
    ASSERT_OK(zeCommandListAppendMemoryFill(list, range, &pattern, sizeof pattern, page, nullptr, 0, nullptr));
    ASSERT_OK(zeVirtualMemSetAccessAttribute(gpu.context(), range, page, ZE_MEMORY_ACCESS_ATTRIBUTE_READONLY));
    ze_memory_access_attribute_t access;
    std::size_t bytes = 0;
    ASSERT_OK(zeVirtualMemGetAccessAttribute(gpu.context(), range, page, &access, &bytes));
    EXPECT_EQ(access, ZE_MEMORY_ACCESS_ATTRIBUTE_READONLY);
    EXPECT_EQ(bytes, page);
    int back = 0;
    ASSERT_OK(zeCommandListAppendMemoryCopy(list, &back, range, sizeof back, nullptr, 0, nullptr));
    EXPECT_EQ(back, 5);
    expectFault(gpu, range, 0);
}
TEST(Faults, WritesReadOnlyMemory) { EXPECT_RUNS(emulated("writesReadOnlyMemory")); }

SCENARIO(copiesFromNowhere) {
    const Gpu gpu;
    auto* data = gpu.device(16);
    void* hole = mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    // Many times: the copy may fail before the append returns, which must answer the same then.
    for (int repeat = 0; repeat < 100; ++repeat)
        for (void* from : {hole, static_cast<void*>(data + 12)}) {
            const auto list = gpu.immediate();
            ASSERT_OK(zeCommandListAppendMemoryCopy(list, data, from, 32, nullptr, 0, nullptr));
            EXPECT_EQ(gpu.synchronize(list, UINT64_MAX), ZE_RESULT_ERROR_DEVICE_LOST);
            zeCommandListDestroy(list);
        }
    const auto list = gpu.immediate();
    int back[16];
    ASSERT_OK(zeCommandListAppendMemoryCopy(list, back, data, sizeof back, nullptr, 0, nullptr));
    EXPECT_OK(gpu.synchronize(list, UINT64_MAX));
}
TEST(Faults, CopiesFromNowhere) { EXPECT_RUNS(emulated("copiesFromNowhere")); }

SCENARIO(lossBeginsAtTheFault) {
    const Gpu gpu;
    auto* data = gpu.device(4);
    const auto pool = gpu.pool(3);
    const auto before = Gpu::event(pool, 0);
    const auto at = Gpu::event(pool, 1);
    const auto after = Gpu::event(pool, 2);
    auto* list = gpu.list();
    auto* queue = gpu.queue();
    zeCommandListAppendSignalEvent(list, before);
    zeCommandListAppendMemoryCopy(list, data, data + 1, 4 * sizeof *data, at, 0, nullptr);
    zeCommandListAppendSignalEvent(list, after);
    zeCommandListClose(list);
    ASSERT_OK(zeCommandQueueExecuteCommandLists(queue, 1, &list, nullptr)) << "the waits report what happens";
    EXPECT_EQ(zeEventHostSynchronize(after, UINT64_MAX), ZE_RESULT_ERROR_DEVICE_LOST);
    EXPECT_EQ(zeCommandQueueExecuteCommandLists(queue, 1, &list, nullptr), ZE_RESULT_ERROR_DEVICE_LOST)
        << "who knows of the loss finds the queue lost";
    EXPECT_EQ(zeEventQueryStatus(at), ZE_RESULT_ERROR_DEVICE_LOST);
}
TEST(Faults, LossBeginsAtTheFault) { EXPECT_RUNS(emulated("lossBeginsAtTheFault")); }

SCENARIO(commandsBeforeTheFaultStayDone) {
    const Gpu gpu;
    auto* data = gpu.device(4);
    const auto pool = gpu.pool(2);
    const auto before = Gpu::event(pool, 0);
    const auto after = Gpu::event(pool, 1);
    const auto list = gpu.list();
    zeCommandListAppendSignalEvent(list, before);
    zeCommandListAppendMemoryCopy(list, data, data + 1, 4 * sizeof *data, after, 0, nullptr);
    EXPECT_EQ(gpu.run(list), ZE_RESULT_ERROR_DEVICE_LOST);
    EXPECT_OK(zeEventQueryStatus(before));
    EXPECT_EQ(zeEventQueryStatus(after), ZE_RESULT_ERROR_DEVICE_LOST);
}
TEST(Faults, CommandsBeforeTheFaultStayDone) { EXPECT_RUNS(emulated("commandsBeforeTheFaultStayDone")); }

SCENARIO(memoryRunsOut) {
    const Gpu gpu;
    ze_device_properties_t properties{};
    properties.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES;
    ASSERT_OK(zeDeviceGetProperties(gpu.device(), &properties));
    const ze_device_mem_alloc_desc_t description{ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC, nullptr, 0, 0};
    void* memory = nullptr;
    EXPECT_EQ(zeMemAllocDevice(gpu.context(), &description, properties.maxMemAllocSize + 1, 0, gpu.device(), &memory),
              ZE_RESULT_ERROR_UNSUPPORTED_SIZE);
    std::vector<void*> all;
    ze_result_t result = ZE_RESULT_SUCCESS;
    while (all.size() < 1000) {
        result = zeMemAllocDevice(gpu.context(), &description, properties.maxMemAllocSize, 0, gpu.device(), &memory);
        if (result != ZE_RESULT_SUCCESS) break;
        all.push_back(memory);
    }
    EXPECT_EQ(result, ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY);
    ASSERT_FALSE(all.empty());
    EXPECT_OK(zeMemFree(gpu.context(), all.back()));
    EXPECT_OK(zeMemAllocDevice(gpu.context(), &description, properties.maxMemAllocSize, 0, gpu.device(), &memory));
}
TEST(Faults, MemoryRunsOut) { EXPECT_RUNS(emulated("memoryRunsOut")); }

}  // namespace
}  // namespace zetl::test
