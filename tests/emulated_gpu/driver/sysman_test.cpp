// Sysman on the emulated GPU, both ways in: with the core's handles under ZES_ENABLE_SYSMAN=1, and by zesInit.
#include <dlfcn.h>
#include <level_zero/zes_api.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <iterator>
#include <thread>
#include <vector>

#include "emulated_gpu/gpu.h"
#include "emulated_gpu/neighbour.h"
#include "support/scenario.h"
#include "support/wait_for.h"

namespace zetl::test {
namespace {

/// The loader's zes function, or the driver's own where the loader is older than the function.
template <class F>
F* sysman(const char* name) {
    if (void* own = dlsym(RTLD_DEFAULT, name)) return reinterpret_cast<F*>(own);
    std::uint32_t one = 1;
    ze_driver_handle_t driver = nullptr;
    void* address = nullptr;
    EXPECT_OK(zeInit(0));
    EXPECT_OK(zeDriverGet(&one, &driver));
    EXPECT_OK(zeDriverGetExtensionFunctionAddress(driver, name, &address));
    return reinterpret_cast<F*>(address);
}
#define SYSMAN(name) sysman<decltype(::name)>(#name)

Process withSysman(const std::string& scenario, const std::string& profile = "tiny") {
    return emulated(scenario, profile).with("ZES_ENABLE_SYSMAN", "1");
}

zes_device_handle_t sysmanHandle(ze_device_handle_t device) { return reinterpret_cast<zes_device_handle_t>(device); }

std::uint64_t freeBytes(zes_device_handle_t device) {
    std::uint64_t sum = 0;
    for (const auto memory : listOf(zesDeviceEnumMemoryModules, device)) {
        zes_mem_state_t state{};
        state.stype = ZES_STRUCTURE_TYPE_MEM_STATE;
        EXPECT_OK(zesMemoryGetState(memory, &state));
        EXPECT_LE(state.free, state.size);
        EXPECT_EQ(state.health, ZES_MEM_HEALTH_OK);
        sum += state.free;
    }
    return sum;
}

void* allocate(const Gpu& gpu, ze_device_handle_t device, std::size_t bytes) {
    const ze_device_mem_alloc_desc_t onDevice{ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC, nullptr, 0, 0};
    void* memory = nullptr;
    EXPECT_OK(zeMemAllocDevice(gpu.context(), &onDevice, bytes, 0, device, &memory));
    return memory;
}

constexpr std::size_t kMuch = 256 << 20;

SCENARIO(freeMemoryFallsWithAllocations) {
    const Gpu gpu;
    const auto device = sysmanHandle(gpu.device());
    const auto memories = listOf(zesDeviceEnumMemoryModules, device);
    ASSERT_EQ(memories.size(), 1u);
    zes_mem_properties_t properties{};
    properties.stype = ZES_STRUCTURE_TYPE_MEM_PROPERTIES;
    ASSERT_OK(zesMemoryGetProperties(memories[0], &properties));
    EXPECT_EQ(properties.type, ZES_MEM_TYPE_HBM);
    EXPECT_EQ(properties.location, ZES_MEM_LOC_DEVICE);
    EXPECT_FALSE(properties.onSubdevice);
    ze_device_memory_properties_t known{};
    known.stype = ZE_STRUCTURE_TYPE_DEVICE_MEMORY_PROPERTIES;
    std::uint32_t one = 1;
    ASSERT_OK(zeDeviceGetMemoryProperties(gpu.device(), &one, &known));
    EXPECT_EQ(properties.physicalSize, known.totalSize);

    const auto before = freeBytes(device);
    void* memory = allocate(gpu, gpu.device(), kMuch);
    EXPECT_EQ(freeBytes(device), before - kMuch);
    ASSERT_OK(zeMemFree(gpu.context(), memory));
    EXPECT_EQ(freeBytes(device), before);
}
TEST(Sysman, FreeMemoryFallsWithAllocations) { EXPECT_RUNS(withSysman("freeMemoryFallsWithAllocations")); }

SCENARIO(tilesHaveTheirOwnMemory) {
    const Gpu gpu;
    const auto root = sysmanHandle(gpu.device());
    const auto tiles = listOf(zeDeviceGetSubDevices, gpu.device());
    ASSERT_EQ(tiles.size(), 2u);
    const auto memories = listOf(zesDeviceEnumMemoryModules, root);
    ASSERT_EQ(memories.size(), 2u);
    for (std::uint32_t i = 0; i < 2; ++i) {
        zes_mem_properties_t properties{};
        properties.stype = ZES_STRUCTURE_TYPE_MEM_PROPERTIES;
        ASSERT_OK(zesMemoryGetProperties(memories[i], &properties));
        EXPECT_TRUE(properties.onSubdevice);
        EXPECT_EQ(properties.subdeviceId, i);
        EXPECT_EQ(listOf(zesDeviceEnumMemoryModules, sysmanHandle(tiles[i])), std::vector{memories[i]});
    }
    const auto first = freeBytes(sysmanHandle(tiles[0]));
    const auto second = freeBytes(sysmanHandle(tiles[1]));
    void* own = allocate(gpu, tiles[1], kMuch);
    EXPECT_EQ(freeBytes(sysmanHandle(tiles[0])), first);
    EXPECT_EQ(freeBytes(sysmanHandle(tiles[1])), second - kMuch);
    ASSERT_OK(zeMemFree(gpu.context(), own));
    void* common = allocate(gpu, gpu.device(), kMuch);
    EXPECT_EQ(freeBytes(sysmanHandle(tiles[0])), first - kMuch / 2);
    EXPECT_EQ(freeBytes(sysmanHandle(tiles[1])), second - kMuch / 2);
    EXPECT_EQ(freeBytes(root), first + second - kMuch);
    ASSERT_OK(zeMemFree(gpu.context(), common));
}
TEST(Sysman, TilesHaveTheirOwnMemory) { EXPECT_RUNS(withSysman("tilesHaveTheirOwnMemory", "small-two-by-two")); }

SCENARIO(enginesAndMemoryCountWhatKernelsDo) {
    const Gpu gpu;
    const auto device = sysmanHandle(gpu.device());
    const auto engines = listOf(zesDeviceEnumEngineGroups, device);
    ASSERT_EQ(engines.size(), 3u);
    constexpr zes_engine_group_t kTypes[] = {ZES_ENGINE_GROUP_COMPUTE_ALL, ZES_ENGINE_GROUP_COPY_ALL,
                                             ZES_ENGINE_GROUP_ALL};
    for (std::size_t i = 0; i < 3; ++i) {
        zes_engine_properties_t properties{};
        properties.stype = ZES_STRUCTURE_TYPE_ENGINE_PROPERTIES;
        ASSERT_OK(zesEngineGetProperties(engines[i], &properties));
        EXPECT_EQ(properties.type, kTypes[i]);
    }
    const auto memory = listOf(zesDeviceEnumMemoryModules, device).at(0);
    zes_engine_stats_t idle{};
    zes_engine_stats_t before{};
    zes_engine_stats_t after{};
    zes_mem_bandwidth_t quiet{};
    zes_mem_bandwidth_t moved{};
    ASSERT_OK(zesEngineGetActivity(engines[0], &idle));
    ASSERT_OK(zesMemoryGetBandwidth(memory, &quiet));

    auto* stop = gpu.shared(1);
    *stop = 0;
    const auto kernel = gpu.kernel("spin");
    Gpu::arguments(kernel, stop);
    const auto list = gpu.immediate();
    ASSERT_OK(zesEngineGetActivity(engines[0], &before));
    EXPECT_EQ(before.activeTime, idle.activeTime) << "nothing has run";
    ASSERT_OK(zeCommandListAppendLaunchKernel(list, kernel, &kOneGroup, nullptr, 0, nullptr));
    do {
        std::this_thread::yield();
        ASSERT_OK(zesEngineGetActivity(engines[0], &after));
    } while (after.activeTime < before.activeTime + 10'000);
    *static_cast<volatile int*>(stop) = 1;
    ASSERT_OK(gpu.synchronize(list, UINT64_MAX));
    EXPECT_LE(after.activeTime - before.activeTime, after.timestamp - before.timestamp);
    ASSERT_OK(zesMemoryGetBandwidth(memory, &moved));
    EXPECT_GT(moved.readCounter, quiet.readCounter);
    EXPECT_GT(moved.timestamp, quiet.timestamp);
    EXPECT_GT(moved.maxBandwidth, 0u);
}
TEST(Sysman, EnginesAndMemoryCountWhatKernelsDo) { EXPECT_RUNS(withSysman("enginesAndMemoryCountWhatKernelsDo")); }

/// Max 1550's, of which `small` is a small one.
SCENARIO(theLinkIsThatOfTheDevice) {
    const Gpu gpu;
    constexpr std::int64_t kBytes = 63'015'384'608;  // 16 lanes of 32 GT/s, of which 128 in 130 bits are data
    zes_pci_properties_t properties{};
    properties.stype = ZES_STRUCTURE_TYPE_PCI_PROPERTIES;
    ASSERT_OK(zesDevicePciGetProperties(sysmanHandle(gpu.device()), &properties));
    EXPECT_EQ(properties.maxSpeed.gen, 5);
    EXPECT_EQ(properties.maxSpeed.width, 16);
    EXPECT_EQ(properties.maxSpeed.maxBandwidth, kBytes);
    ze_pci_ext_properties_t core{};
    core.stype = ZE_STRUCTURE_TYPE_PCI_EXT_PROPERTIES;
    ASSERT_OK(zeDevicePciGetPropertiesExt(gpu.device(), &core));
    EXPECT_EQ(core.maxSpeed.maxBandwidth, kBytes);
    zes_pci_state_t state{};
    state.stype = ZES_STRUCTURE_TYPE_PCI_STATE;
    ASSERT_OK(zesDevicePciGetState(sysmanHandle(gpu.device()), &state));
    EXPECT_EQ(state.speed.gen, -1) << "nothing measures it";
    zes_pci_bar_properties_1_2_t more[2]{};
    zes_pci_bar_properties_t bars[2]{};
    for (int i = 0; i < 2; ++i) {
        more[i].stype = ZES_STRUCTURE_TYPE_PCI_BAR_PROPERTIES_1_2;
        bars[i].stype = ZES_STRUCTURE_TYPE_PCI_BAR_PROPERTIES;
        bars[i].pNext = &more[i];
    }
    std::uint32_t count = 3;
    ASSERT_OK(zesDevicePciGetBars(sysmanHandle(gpu.device()), &count, bars));
    ASSERT_EQ(count, 2u);
    EXPECT_EQ(bars[0].type, ZES_PCI_BAR_TYPE_MMIO);
    EXPECT_EQ(bars[0].size, 16u << 20);
    EXPECT_EQ(bars[1].type, ZES_PCI_BAR_TYPE_MEM);
    EXPECT_EQ(bars[1].index, 2u);
    EXPECT_EQ(bars[1].size, 8ull << 30);
    EXPECT_EQ(more[1].size, bars[1].size);
    EXPECT_TRUE(more[1].resizableBarEnabled);
    EXPECT_FALSE(more[0].resizableBarEnabled);
}
TEST(Sysman, TheLinkIsThatOfTheDevice) { EXPECT_RUNS(withSysman("theLinkIsThatOfTheDevice", "small")); }

constexpr std::chrono::seconds kPatience{120};

/// A monitor: sysman alone, without a queue of its own.
class Monitor {
  public:
    Monitor() {
        EXPECT_OK(SYSMAN(zesInit)(0));
        std::uint32_t one = 1;
        zes_driver_handle_t driver = nullptr;
        EXPECT_OK(SYSMAN(zesDriverGet)(&one, &driver));
        EXPECT_OK(SYSMAN(zesDeviceGet)(driver, &one, &device_));
    }
    struct Sample {
        std::uint64_t compute, copy, all;  ///< microseconds
        std::uint64_t read, written;
        std::uint64_t in, out;
        std::uint64_t free;
        bool operator==(const Sample&) const = default;
    };
    Sample sample() const {
        Sample sample{};
        const auto engines = listOf(zesDeviceEnumEngineGroups, device_);
        std::uint64_t* const times[] = {&sample.compute, &sample.copy, &sample.all};
        for (std::size_t i = 0; i < 3; ++i) {
            zes_engine_stats_t stats{};
            EXPECT_OK(zesEngineGetActivity(engines.at(i), &stats));
            *times[i] = stats.activeTime;
        }
        zes_mem_bandwidth_t bandwidth{};
        EXPECT_OK(zesMemoryGetBandwidth(listOf(zesDeviceEnumMemoryModules, device_).at(0), &bandwidth));
        zes_pci_stats_t link{};
        EXPECT_OK(zesDevicePciGetStats(device_, &link));
        sample.read = bandwidth.readCounter;
        sample.written = bandwidth.writeCounter;
        sample.in = link.rxCounter;
        sample.out = link.txCounter;
        sample.free = freeBytes(device_);
        return sample;
    }
    /// The next sample of which that is true, and which the one after it repeats: a process may answer late.
    template <class Condition>
    Sample sampleWhen(Condition&& condition) const {
        Sample now{};
        EXPECT_TRUE(waitFor(
            [&] {
                now = sample();
                return condition(now) && sample() == now;
            },
            kPatience));
        return now;
    }
    /// What is known of the process; nothing, with processId 0, if it is not listed.
    zes_process_state_t process(pid_t process) const {
        for (const auto& each : listOf(zesDeviceProcessesGetState, device_))
            if (each.processId == static_cast<std::uint32_t>(process)) return each;
        return {};
    }

  private:
    zes_device_handle_t device_ = nullptr;
};

constexpr std::size_t kCopied = 8 << 20;

/// Of the first engine that cannot compute.
ze_command_list_handle_t copyingList(const Gpu& gpu) {
    const auto groups = listOf(zeDeviceGetCommandQueueGroupProperties, gpu.device());
    ze_command_queue_desc_t description{};
    description.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC;
    const auto computes = [](const auto& group) {
        return (group.flags & ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE) != 0;
    };
    description.ordinal = static_cast<std::uint32_t>(std::ranges::find_if_not(groups, computes) - groups.begin());
    description.mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS;
    ze_command_list_handle_t list = nullptr;
    EXPECT_OK(zeCommandListCreateImmediate(gpu.context(), gpu.device(), &description, &list));
    return list;
}

/// Holds memory and computes until the monitor speaks, then copies to the device by the engine that computes, and back
/// by the one that only copies.
void computeAndCopy(const Neighbour& monitor) {
    const Gpu gpu;
    void* memory = allocate(gpu, gpu.device(), kMuch);
    auto* stop = gpu.shared(1);
    const auto spin = gpu.kernel("spin");
    Gpu::arguments(spin, stop);
    const auto list = gpu.immediate();
    ASSERT_OK(zeCommandListAppendLaunchKernel(list, spin, &kOneGroup, nullptr, 0, nullptr));
    monitor.tell();
    *static_cast<volatile int*>(stop) = 1;
    std::vector<char> host(kCopied);
    ASSERT_OK(zeCommandListAppendMemoryCopy(list, memory, host.data(), kCopied, nullptr, 0, nullptr));
    ASSERT_OK(gpu.synchronize(list, UINT64_MAX));
    const auto copies = copyingList(gpu);
    ASSERT_OK(zeCommandListAppendMemoryCopy(copies, host.data(), memory, kCopied / 2, nullptr, 0, nullptr));
    ASSERT_OK(gpu.synchronize(copies, UINT64_MAX));
    monitor.tell();
}

SCENARIO(monitorsSeeOtherProcesses) {
    Neighbour other([](const Neighbour& monitor) {
        monitor.hear();
        computeAndCopy(monitor);
    });
    const Monitor monitor;
    const auto before = monitor.sample();
    const pid_t pid = other.process();
    EXPECT_EQ(monitor.process(pid).processId, 0u);
    other.tell();
    EXPECT_TRUE(waitFor([&] { return monitor.sample().compute >= before.compute + 10'000; }, kPatience))
        << "while it runs";
    EXPECT_EQ(monitor.sample().copy, before.copy);
    EXPECT_GE(monitor.process(pid).memSize, kMuch);
    EXPECT_LT(monitor.process(pid).memSize, kMuch + (1 << 20)) << "a module has memory, too";
    EXPECT_EQ(before.free - monitor.sample().free, monitor.process(pid).memSize);
    other.tell();
    const auto now = monitor.sampleWhen([&](const auto& sample) { return sample.out != before.out; });
    EXPECT_GT(now.copy, before.copy);
    EXPECT_GT(now.all, before.all + 10'000);
    EXPECT_EQ(now.in - before.in, kCopied);
    EXPECT_EQ(now.out - before.out, kCopied / 2);
    EXPECT_GE(now.read - before.read, kCopied / 2);
    EXPECT_GE(now.written - before.written, kCopied);
    EXPECT_EQ(monitor.process(pid).engines,
              static_cast<zes_engine_type_flags_t>(ZES_ENGINE_TYPE_FLAG_COMPUTE | ZES_ENGINE_TYPE_FLAG_DMA));
    other.say();
    other.end();
    EXPECT_TRUE(waitFor([&] { return monitor.process(pid).processId == 0; }, kPatience));
    const auto after = monitor.sample();
    EXPECT_EQ(after.free, before.free);
    EXPECT_EQ(after.in, now.in) << "what it did stays";
    EXPECT_EQ(after.out, now.out);
    EXPECT_GE(after.copy, now.copy);
    EXPECT_GE(after.compute, now.compute);
}
TEST(Sysman, MonitorsSeeOtherProcesses) { EXPECT_RUNS(withSysman("monitorsSeeOtherProcesses")); }

/// Nobody asked the first one before its end; the second is killed after it was asked, the third is stopped.
SCENARIO(processesMayEndUnasked) {
    const auto work = [](const Neighbour& monitor) {
        monitor.hear();
        const Gpu gpu;
        void* memory = allocate(gpu, gpu.device(), kCopied);
        std::vector<char> host(kCopied);
        const auto list = gpu.immediate();
        ASSERT_OK(zeCommandListAppendMemoryCopy(list, memory, host.data(), kCopied, nullptr, 0, nullptr));
        ASSERT_OK(gpu.synchronize(list, UINT64_MAX));
        monitor.tell();
    };
    Neighbour first(work);
    Neighbour killed(work);
    Neighbour stopped(work);
    const Monitor monitor;
    const auto before = monitor.sample();
    first.tell();
    first.say();
    first.end();
    const auto copies = [&](std::uint64_t times) {
        return [&before, times](const Monitor::Sample& sample) { return sample.in - before.in == times * kCopied; };
    };
    monitor.sampleWhen(copies(1));
    killed.tell();
    monitor.sampleWhen(copies(2));
    EXPECT_EQ(monitor.process(killed.process()).engines, zes_engine_type_flags_t{ZES_ENGINE_TYPE_FLAG_COMPUTE})
        << "which copied";
    killed.kill();
    const auto without = monitor.sampleWhen([&](const auto& sample) { return sample.free == before.free; });
    EXPECT_EQ(without.in - before.in, 2 * kCopied) << "it is not counted twice";
    stopped.tell();
    monitor.sampleWhen(copies(3));
    ASSERT_EQ(kill(stopped.process(), SIGSTOP), 0);
    EXPECT_EQ(monitor.sample().in - before.in, 3 * kCopied);
    EXPECT_EQ(monitor.process(stopped.process()).memSize, kCopied) << "as it last said";
    ASSERT_EQ(kill(stopped.process(), SIGCONT), 0);
    stopped.say();
    stopped.end();
    monitor.sampleWhen(copies(3));
}
TEST(Sysman, ProcessesMayEndUnasked) { EXPECT_RUNS(withSysman("processesMayEndUnasked")); }

SCENARIO(theClockIsTheProfiles) {
    const Gpu gpu;
    ze_device_properties_t device{};
    device.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES;
    ASSERT_OK(zeDeviceGetProperties(gpu.device(), &device));
    const auto domains = listOf(zesDeviceEnumFrequencyDomains, sysmanHandle(gpu.device()));
    ASSERT_EQ(domains.size(), 1u);
    zes_freq_properties_t properties{};
    properties.stype = ZES_STRUCTURE_TYPE_FREQ_PROPERTIES;
    ASSERT_OK(zesFrequencyGetProperties(domains[0], &properties));
    EXPECT_EQ(properties.type, ZES_FREQ_DOMAIN_GPU);
    zes_freq_range_t range{};
    ASSERT_OK(zesFrequencyGetRange(domains[0], &range));
    zes_freq_state_t state{};
    state.stype = ZES_STRUCTURE_TYPE_FREQ_STATE;
    ASSERT_OK(zesFrequencyGetState(domains[0], &state));
    zes_freq_throttle_time_t throttled{};
    ASSERT_OK(zesFrequencyGetThrottleTime(domains[0], &throttled));
    for (const double clock : {properties.min, properties.max, range.min, range.max, state.actual, state.request})
        EXPECT_EQ(clock, device.coreClockRate);
    EXPECT_EQ(listOf(zesFrequencyGetAvailableClocks, domains[0]), std::vector<double>{range.max});
    EXPECT_EQ(throttled.throttleTime, 0u);
}
TEST(Sysman, TheClockIsTheProfiles) { EXPECT_RUNS(withSysman("theClockIsTheProfiles")); }

/// No enumeration is refused, whether there is something to list or not.
SCENARIO(everyEnumerationSucceeds) {
    const Gpu gpu;
    const auto device = sysmanHandle(gpu.device());
    for (const char* name : {"zesDeviceEnumDiagnosticTestSuites",
                             "zesDeviceEnumEngineGroups",
                             "zesDeviceEnumFabricPorts",
                             "zesDeviceEnumFans",
                             "zesDeviceEnumFirmwares",
                             "zesDeviceEnumFrequencyDomains",
                             "zesDeviceEnumLeds",
                             "zesDeviceEnumMemoryModules",
                             "zesDeviceEnumOverclockDomains",
                             "zesDeviceEnumPerformanceFactorDomains",
                             "zesDeviceEnumPowerDomains",
                             "zesDeviceEnumPsus",
                             "zesDeviceEnumRasErrorSets",
                             "zesDeviceEnumSchedulers",
                             "zesDeviceEnumStandbyDomains",
                             "zesDeviceEnumTemperatureSensors",
                             "zesDeviceEnumActiveVFExp",
                             "zesDeviceEnumEnabledVFExp",
                             "zesDevicePciGetBars",
                             "zesDeviceProcessesGetState",
                             "zesDeviceGetSubDevicePropertiesExp"}) {
        const auto list = sysman<ze_result_t(zes_device_handle_t, std::uint32_t*, void*)>(name);
        std::uint32_t count = 77;
        EXPECT_OK(list(device, &count, nullptr)) << name;
        EXPECT_LE(count, 3u) << name;
        EXPECT_EQ(list(device, nullptr, nullptr), ZE_RESULT_ERROR_INVALID_NULL_POINTER) << name;
    }
}
TEST(Sysman, EveryEnumerationSucceeds) { EXPECT_RUNS(withSysman("everyEnumerationSucceeds")); }

SCENARIO(hardwareMakesNoErrors) {
    const Gpu gpu;
    const auto device = sysmanHandle(gpu.device());
    const auto sets = listOf(zesDeviceEnumRasErrorSets, device);
    ASSERT_EQ(sets.size(), 2u) << "correctable and uncorrectable errors of one tile";
    for (std::size_t i = 0; i < 2; ++i) {
        zes_ras_properties_t properties{};
        properties.stype = ZES_STRUCTURE_TYPE_RAS_PROPERTIES;
        ASSERT_OK(zesRasGetProperties(sets[i], &properties));
        EXPECT_EQ(properties.type, i == 0 ? ZES_RAS_ERROR_TYPE_CORRECTABLE : ZES_RAS_ERROR_TYPE_UNCORRECTABLE);
        zes_ras_state_t state{};
        std::fill(std::begin(state.category), std::end(state.category), 7u);
        ASSERT_OK(zesRasGetState(sets[i], true, &state));
        for (const auto errors : state.category) EXPECT_EQ(errors, 0u);
        zes_ras_config_t config{};
        config.totalThreshold = 7;
        ASSERT_OK(zesRasGetConfig(sets[i], &config));
        EXPECT_EQ(config.totalThreshold, 0u);
        config.totalThreshold = 5;
        config.detailedThresholds.category[ZES_RAS_ERROR_CAT_CACHE_ERRORS] = 6;
        ASSERT_OK(zesRasSetConfig(sets[i], &config));
        zes_ras_config_t changed{};
        ASSERT_OK(zesRasGetConfig(sets[i], &changed));
        EXPECT_EQ(changed.totalThreshold, 5u);
        EXPECT_EQ(changed.detailedThresholds.category[ZES_RAS_ERROR_CAT_CACHE_ERRORS], 6u);
        EXPECT_EQ(zesRasSetConfig(sets[i], nullptr), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
        EXPECT_EQ(listOf(SYSMAN(zesRasGetStateExp), sets[i]).size(), 7u);
        EXPECT_OK(SYSMAN(zesRasClearStateExp)(sets[i], ZES_RAS_ERROR_CATEGORY_EXP_CACHE_ERRORS));
        EXPECT_EQ(SYSMAN(zesRasClearStateExp)(sets[i], static_cast<zes_ras_error_category_exp_t>(99)),
                  ZE_RESULT_ERROR_INVALID_ENUMERATION);
    }
    ze_bool_t corrected = true;
    ASSERT_OK(SYSMAN(zesDeviceEccAvailable)(device, &corrected));
    EXPECT_FALSE(corrected);
    std::uint32_t health = 99;
    const auto getHealth = sysman<ze_result_t(zes_device_handle_t, std::uint32_t*)>("zesDeviceGetHealthStatusExt");
    ASSERT_OK(getHealth(device, &health));
    EXPECT_EQ(health, 0u);
    const auto setHealth = sysman<ze_result_t(zes_device_handle_t, std::uint32_t)>("zesDeviceSetHealthStatusExt");
    EXPECT_EQ(setHealth(device, 1), ZE_RESULT_ERROR_INSUFFICIENT_PERMISSIONS);
    EXPECT_EQ(setHealth(device, 4), ZE_RESULT_ERROR_INVALID_ENUMERATION);
    const auto listLogs = sysman<ze_result_t(zes_driver_handle_t, std::uint32_t*, void**)>("zesDriverEnumInfoLogsExt");
    std::uint32_t logs = 7;
    ASSERT_OK(listLogs(gpu.driver(), &logs, nullptr));
    EXPECT_EQ(logs, 0u);
    const auto registerEvents =
        sysman<ze_result_t(zes_driver_handle_t, zes_event_type_flags_t)>("zesDriverEventRegisterExt");
    EXPECT_OK(registerEvents(gpu.driver(), 1u << 16));
    EXPECT_EQ(registerEvents(gpu.driver(), ZES_EVENT_TYPE_FLAG_DEVICE_ATTACH), ZE_RESULT_ERROR_INVALID_ENUMERATION);
    EXPECT_EQ(zesRasGetProperties(nullptr, nullptr), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
}
TEST(Sysman, HardwareMakesNoErrors) { EXPECT_RUNS(withSysman("hardwareMakesNoErrors")); }

SCENARIO(listenersReturnInTime) {
    const Gpu gpu;
    auto device = sysmanHandle(gpu.device());
    ASSERT_OK(zesDeviceEventRegister(device, ZES_EVENT_TYPE_FLAG_DEVICE_RESET_REQUIRED));
    EXPECT_EQ(zesDeviceEventRegister(device, 1u << 20), ZE_RESULT_ERROR_INVALID_ENUMERATION);
    std::uint32_t happened = 7;
    zes_event_type_flags_t events = 7;
    const auto begin = std::chrono::steady_clock::now();
    ASSERT_OK(zesDriverEventListen(gpu.driver(), 30, 1, &device, &happened, &events));
    EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(30));
    EXPECT_EQ(happened, 0u);
    EXPECT_EQ(events, 0u);
    happened = 7;
    ASSERT_OK(zesDriverEventListenEx(gpu.driver(), 0, 1, &device, &happened, &events));
    EXPECT_EQ(happened, 0u);
    zes_device_handle_t none = nullptr;
    EXPECT_EQ(zesDriverEventListen(gpu.driver(), 0, 1, &none, &happened, &events), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    EXPECT_EQ(zesDriverEventListen(gpu.driver(), 0, 1, &device, nullptr, &events),
              ZE_RESULT_ERROR_INVALID_NULL_POINTER);
}
TEST(Sysman, ListenersReturnInTime) { EXPECT_RUNS(withSysman("listenersReturnInTime")); }

SCENARIO(clearingEventsEndsWaits) {
    const Gpu gpu;
    auto device = sysmanHandle(gpu.device());
    ASSERT_OK(zesDeviceEventRegister(device, ZES_EVENT_TYPE_FLAG_DEVICE_DETACH));
    std::atomic<bool> ended = false;
    std::uint32_t happened = 7;
    std::thread listener([&] {
        zes_event_type_flags_t events = 7;
        EXPECT_OK(zesDriverEventListen(gpu.driver(), UINT32_MAX, 1, &device, &happened, &events));
        ended = true;
    });
    // The listener may begin behind any of these.
    const auto clearedAndEnded = [&] {
        EXPECT_OK(zesDeviceEventRegister(device, 0));
        return ended.load();
    };
    EXPECT_TRUE(waitFor(clearedAndEnded, kPatience));
    listener.join();
    EXPECT_EQ(happened, 0u);
}
TEST(Sysman, ClearingEventsEndsWaits) { EXPECT_RUNS(withSysman("clearingEventsEndsWaits")); }

/// As on hardware: the core's handles are no way to sysman unless the variable says so.
SCENARIO(sysmanIsOff) {
    const Gpu gpu;
    const auto device = sysmanHandle(gpu.device());
    std::uint32_t count = 0;
    zes_device_properties_t properties{};
    properties.stype = ZES_STRUCTURE_TYPE_DEVICE_PROPERTIES;
    zes_driver_handle_t driver = nullptr;
    EXPECT_EQ(zesDeviceEnumMemoryModules(device, &count, nullptr), ZE_RESULT_ERROR_UNINITIALIZED);
    EXPECT_EQ(zesDeviceGetProperties(device, &properties), ZE_RESULT_ERROR_UNINITIALIZED);
    EXPECT_EQ(SYSMAN(zesDriverGet)(&count, &driver), ZE_RESULT_ERROR_UNINITIALIZED);
    ASSERT_OK(SYSMAN(zesInit)(0));
    EXPECT_OK(zesDeviceEnumMemoryModules(device, &count, nullptr)) << "of the core's handles, too, once it is started";
}
TEST(Sysman, IsOffUnlessStartedOrSwitchedOn) {
    const auto outcome = emulated("sysmanIsOff").run();
    EXPECT_TRUE(outcome.good()) << outcome;
    EXPECT_NE(outcome.output.find("set ZES_ENABLE_SYSMAN=1 before zeInit"), std::string::npos) << outcome;
}

SCENARIO(devicesSayWhatTheyAre) {
    const Gpu gpu;
    ze_device_properties_t known{};
    known.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES;
    ASSERT_OK(zeDeviceGetProperties(gpu.device(), &known));
    zes_device_ext_properties_t more{};
    more.stype = ZES_STRUCTURE_TYPE_DEVICE_EXT_PROPERTIES;
    zes_device_properties_t properties{};
    properties.stype = ZES_STRUCTURE_TYPE_DEVICE_PROPERTIES;
    properties.pNext = &more;
    ASSERT_OK(zesDeviceGetProperties(sysmanHandle(gpu.device()), &properties));
    EXPECT_EQ(std::memcmp(&more.uuid, &known.uuid, sizeof known.uuid), 0);
    EXPECT_EQ(more.type, ZES_DEVICE_TYPE_GPU);
    EXPECT_EQ(more.flags, static_cast<zes_device_property_flags_t>(ZES_DEVICE_PROPERTY_FLAG_ONDEMANDPAGING));
}
TEST(Sysman, DevicesSayWhatTheyAre) { EXPECT_RUNS(withSysman("devicesSayWhatTheyAre")); }

SCENARIO(sysmanAlone) {
    ASSERT_OK(SYSMAN(zesInit)(0));
    std::uint32_t one = 1;
    zes_driver_handle_t driver = nullptr;
    zes_device_handle_t device = nullptr;
    zes_device_handle_t again = nullptr;
    ASSERT_OK(SYSMAN(zesDriverGet)(&one, &driver));
    ASSERT_OK(SYSMAN(zesDeviceGet)(driver, &one, &device));
    EXPECT_GT(freeBytes(device), 0u);
    one = 1;
    zes_process_state_t process{};
    process.stype = ZES_STRUCTURE_TYPE_PROCESS_STATE;
    ASSERT_OK(zesDeviceProcessesGetState(device, &one, &process));
    EXPECT_EQ(process.processId, static_cast<std::uint32_t>(getpid()));

    std::uint32_t tiles = 2;
    std::uint32_t id = 0;
    zes_subdevice_exp_properties_t properties[2]{};
    ASSERT_OK(SYSMAN(zesDeviceGetSubDevicePropertiesExp)(device, &tiles, properties));
    ASSERT_EQ(tiles, 2u);
    ze_bool_t onTile = false;
    ASSERT_OK(SYSMAN(zesDriverGetDeviceByUuidExp)(driver, properties[1].uuid, &again, &onTile, &id));
    EXPECT_EQ(again, device);
    EXPECT_TRUE(onTile);
    EXPECT_EQ(id, properties[1].subdeviceId);
    std::memset(&properties[1].uuid, 0x5a, sizeof properties[1].uuid);
    EXPECT_EQ(SYSMAN(zesDriverGetDeviceByUuidExp)(driver, properties[1].uuid, &again, &onTile, &id),
              ZE_RESULT_ERROR_INVALID_ARGUMENT);
}
TEST(Sysman, Alone) { EXPECT_RUNS(withSysman("sysmanAlone", "small-two-by-two")); }

}  // namespace
}  // namespace zetl::test
