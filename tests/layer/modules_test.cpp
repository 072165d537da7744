// A driver without tools functions that offers device access: the layer's modules answer for it.
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "layer/tracer.h"
#include "support/fake_access.h"
#include "support/scenario.h"
#include "support/wait_for.h"

namespace zetl::test {
namespace {

const zetl_device_access_t* offer(std::uint32_t) { return &fake::access(); }

void offerDeviceAccess() {
    static const ze_device_uuid_t uuid = fake::uuid();
    ASSERT_EQ(zeInit(0), ZE_RESULT_SUCCESS);  // the driver is there; with the first context the modules may be, too
    fakeDriver()->uuid = &uuid;
    fakeDriver()->deviceAccess = reinterpret_cast<void*>(&offer);
}

std::vector<zet_metric_group_handle_t> groups(zet_device_handle_t device) {
    std::uint32_t count = 0;
    EXPECT_EQ(zetMetricGroupGet(device, &count, nullptr), ZE_RESULT_SUCCESS);
    std::vector<zet_metric_group_handle_t> found(count);
    EXPECT_EQ(zetMetricGroupGet(device, &count, found.data()), ZE_RESULT_SUCCESS);
    return found;
}

zet_metric_group_handle_t streamedGroup(zet_device_handle_t device) {
    for (auto* const group : groups(device)) {
        zet_metric_group_properties_t properties{};
        properties.stype = ZET_STRUCTURE_TYPE_METRIC_GROUP_PROPERTIES;
        EXPECT_EQ(zetMetricGroupGetProperties(group, &properties), ZE_RESULT_SUCCESS);
        if (properties.samplingType == ZET_METRIC_GROUP_SAMPLING_TYPE_FLAG_TIME_BASED) return group;
    }
    return nullptr;
}

SCENARIO(modulesAnswerForADriverWithoutTools) {
    offerDeviceAccess();
    const auto device = Objects::get().device;
    const auto found = groups(device);
    ASSERT_FALSE(found.empty());
    zet_metric_group_properties_t properties{};
    properties.stype = ZET_STRUCTURE_TYPE_METRIC_GROUP_PROPERTIES;
    EXPECT_EQ(zetMetricGroupGetProperties(found[0], &properties), ZE_RESULT_SUCCESS);
    EXPECT_GT(properties.metricCount, 0u);

    zet_device_debug_properties_t debug{};
    debug.stype = ZET_STRUCTURE_TYPE_DEVICE_DEBUG_PROPERTIES;
    EXPECT_EQ(zetDeviceGetDebugProperties(device, &debug), ZE_RESULT_SUCCESS);
    // Objects that nobody knows.
    EXPECT_EQ(zetMetricTracerDestroyExp(reinterpret_cast<zet_metric_tracer_exp_handle_t>(device)),
              ZE_RESULT_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(zetMetricGroupGetProperties(reinterpret_cast<zet_metric_group_handle_t>(device), &properties),
              ZE_RESULT_ERROR_INVALID_ARGUMENT);
}

/// Of a driver that leaves everything to the modules, this is what the variables decide, each at zeInit.
ze_result_t countGroups() {
    std::uint32_t count = 7;
    const auto code = zetMetricGroupGet(Objects::get().device, &count, nullptr);
    EXPECT_EQ(count == 0, code != ZE_RESULT_SUCCESS);
    return code;
}
ze_result_t attachToSelf() {
    const zet_debug_config_t self{static_cast<std::uint32_t>(getpid())};
    zet_debug_session_handle_t session = nullptr;
    const auto code = zetDebugAttach(Objects::get().device, &self, &session);
    EXPECT_EQ(session != nullptr, code == ZE_RESULT_SUCCESS);
    if (session) zetDebugDetach(session);
    return code;
}
SCENARIO(modulesAreOff) {
    offerDeviceAccess();
    for (const char* late : {"ZET_ENABLE_METRICS", "ZET_ENABLE_PROGRAM_DEBUGGING"}) setenv(late, "1", 1);
    EXPECT_EQ(countGroups(), ZE_RESULT_ERROR_DEPENDENCY_UNAVAILABLE);
    EXPECT_EQ(attachToSelf(), ZE_RESULT_NOT_READY);
}
SCENARIO(metricsModuleIsOn) {
    setenv("ZET_ENABLE_METRICS", "1", 1);  // early enough
    offerDeviceAccess();
    EXPECT_EQ(countGroups(), ZE_RESULT_SUCCESS);
    EXPECT_EQ(attachToSelf(), ZE_RESULT_NOT_READY);
}
SCENARIO(debugModuleIsOn) {
    offerDeviceAccess();
    EXPECT_EQ(countGroups(), ZE_RESULT_ERROR_DEPENDENCY_UNAVAILABLE);
    EXPECT_EQ(attachToSelf(), ZE_RESULT_SUCCESS);
}
SCENARIO(instrumentationModuleNeedsNoVariable) {
    offerDeviceAccess();
    const auto module = fake::load(
        "\x7f"
        "ELF",
        0x10000, 64, 0, "-zet-profile-flags 2");
    std::size_t size = 0;
    EXPECT_EQ(zetModuleGetDebugInfo(fake::moduleHandle(module), ZET_MODULE_DEBUG_INFO_FORMAT_ELF_DWARF, &size, nullptr),
              ZE_RESULT_SUCCESS);
    EXPECT_EQ(size, 4u);
    zet_profile_properties_t profile{};
    EXPECT_EQ(zetKernelGetProfileInfo(fake::kernelHandle(module), &profile), ZE_RESULT_SUCCESS);
    EXPECT_EQ(profile.flags, 0u) << "an image that cannot be read was not profiled";
}

SCENARIO(driverComesBeforeModules) {
    offerDeviceAccess();
    EXPECT_TRUE(groups(Objects::get().device).empty()) << "the driver's own answer";
}

/// A driver that debugs: what it is asked and answers goes through as it is, threads by value included.
SCENARIO(debuggingIsTheDrivers) {
    const auto device = Objects::get().device;
    fakeDriver()->debugFlags = ZET_DEVICE_DEBUG_PROPERTY_FLAG_ATTACH;
    zet_device_debug_properties_t properties{};
    properties.stype = ZET_STRUCTURE_TYPE_DEVICE_DEBUG_PROPERTIES;
    EXPECT_EQ(zetDeviceGetDebugProperties(device, &properties), ZE_RESULT_SUCCESS);
    EXPECT_EQ(properties.flags, ZET_DEVICE_DEBUG_PROPERTY_FLAG_ATTACH);
    const zet_debug_config_t other{4711};
    zet_debug_session_handle_t session = nullptr;
    ASSERT_EQ(zetDebugAttach(device, &other, &session), ZE_RESULT_SUCCESS);
    const ze_device_thread_t thread{1, 22, 333, UINT32_MAX};
    zet_debug_event_t event{};
    EXPECT_EQ(zetDebugReadEvent(session, 0, &event), ZE_RESULT_NOT_READY);
    const auto stopped = [&] {
        EXPECT_EQ(zetDebugReadEvent(session, 1, &event), ZE_RESULT_SUCCESS);
        return event.type == ZET_DEBUG_EVENT_TYPE_THREAD_STOPPED &&
               std::memcmp(&event.info.thread.thread, &thread, sizeof thread) == 0;
    };
    const ze_device_thread_t none{};
    EXPECT_EQ(zetDebugInterrupt(session, thread), ZE_RESULT_SUCCESS);
    EXPECT_TRUE(stopped());
    EXPECT_EQ(zetDebugResume(session, none), ZE_RESULT_SUCCESS);
    EXPECT_FALSE(stopped());
    const zet_debug_memory_space_desc_t space{ZET_STRUCTURE_TYPE_DEBUG_MEMORY_SPACE_DESC, nullptr,
                                              ZET_DEBUG_MEMORY_SPACE_TYPE_BARRIER, 0x1207};
    std::array<std::uint8_t, 3> memory{};
    EXPECT_EQ(zetDebugReadMemory(session, thread, &space, memory.size(), memory.data()), ZE_RESULT_SUCCESS);
    EXPECT_EQ(memory, (std::array<std::uint8_t, 3>{7, 7, 7})) << "a space that our own modules do not have";
    EXPECT_TRUE(stopped());
    std::array<std::uint32_t, 4> registers{};
    EXPECT_EQ(zetDebugReadRegisters(session, thread, 6, 1, 2, registers.data()), ZE_RESULT_SUCCESS);
    EXPECT_EQ(registers, (std::array<std::uint32_t, 4>{4711, 6, 1, 2}));
    EXPECT_EQ(zetDebugDetach(session), ZE_RESULT_SUCCESS);
}

/// One that has the functions and does not offer them is not asked: Intel's dies there.
SCENARIO(whoDoesNotOfferDebuggingIsNotAsked) {
    const auto device = Objects::get().device;
    const zet_debug_config_t other{4711};
    zet_debug_session_handle_t session = nullptr;
    EXPECT_EQ(zetDebugAttach(device, &other, &session), ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    EXPECT_EQ(fakeDriver()->debugAttached, 0u);
    EXPECT_EQ(session, nullptr);
}

TEST(Modules, LeaveDebuggingToADriverThatDebugs) {
    for (const auto slots : {Slots::none, Slots::validation, Slots::both}) {
        EXPECT_RUNS(fresh("debuggingIsTheDrivers", slots).with("ZET_ENABLE_PROGRAM_DEBUGGING", "1"));
        EXPECT_RUNS(fresh("whoDoesNotOfferDebuggingIsNotAsked", slots).with("ZET_ENABLE_PROGRAM_DEBUGGING", "1"));
    }
}

/// A device outside device access has no modules but metrics, which are off.
SCENARIO(nobodyIsAskedForDevicesOutsideDeviceAccess) {
    offerDeviceAccess();
    fakeDriver()->deviceAccess = nullptr;
    EXPECT_EQ(countGroups(), ZE_RESULT_ERROR_DEPENDENCY_UNAVAILABLE);
    EXPECT_EQ(attachToSelf(), ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
}

/// A streamer's notification event that the application destroys while reports arrive: its memory is the driver's
/// again.
SCENARIO(destroyedEventsAreLeftAlone) {
    offerDeviceAccess();
    const auto& objects = Objects::get();
    const auto group = streamedGroup(objects.device);
    ASSERT_NE(group, nullptr);
    auto active = group;
    ASSERT_EQ(zetContextActivateMetricGroups(objects.context, objects.device, 1, &active), ZE_RESULT_SUCCESS);
    ze_event_pool_handle_t pool = nullptr;
    const ze_event_pool_desc_t pools{ZE_STRUCTURE_TYPE_EVENT_POOL_DESC, nullptr, ZE_EVENT_POOL_FLAG_HOST_VISIBLE, 1};
    ASSERT_EQ(zeEventPoolCreate(objects.context, &pools, 0, nullptr, &pool), ZE_RESULT_SUCCESS);
    ze_event_handle_t event = nullptr;
    const ze_event_desc_t events{ZE_STRUCTURE_TYPE_EVENT_DESC, nullptr, 0, 0, 0};
    ASSERT_EQ(zeEventCreate(pool, &events, &event), ZE_RESULT_SUCCESS);
    zet_metric_streamer_desc_t description{ZET_STRUCTURE_TYPE_METRIC_STREAMER_DESC, nullptr, 1, 100'000};
    zet_metric_streamer_handle_t streamer = nullptr;
    fakeDriver()->armed = true;
    ASSERT_EQ(zetMetricStreamerOpen(objects.context, objects.device, group, &description, event, &streamer),
              ZE_RESULT_SUCCESS);
    fake::streamReports();
    const auto looks = [] { return fakeDriver()->callsOf("zeEventQueryStatus"); };
    while (looks() < 2) std::this_thread::yield();  // who looked once looks again
    ASSERT_EQ(zeEventDestroy(event), ZE_RESULT_SUCCESS);
    const auto before = looks();
    fake::streamReports();
    EXPECT_FALSE(waitFor([&] { return looks() != before; }, std::chrono::milliseconds(30)))
        << "nobody asks for an event that is not there";
    EXPECT_EQ(zetMetricStreamerClose(streamer), ZE_RESULT_SUCCESS);
}

TEST(Modules, LeaveDestroyedEventsAlone) {
    for (const auto slots : {Slots::tracing, Slots::both})
        EXPECT_RUNS(fresh("destroyedEventsAreLeftAlone", slots)
                        .with("ZETL_FAKE_WITHOUT", "zet")
                        .with("ZET_ENABLE_METRICS", "1"));
}

/// What a streamer of the group saw, summed over its rows, by column.
std::map<std::string, std::uint64_t> sumsOf(zet_metric_group_handle_t group, std::vector<std::uint8_t> raw) {
    std::uint32_t count = 0;
    EXPECT_EQ(zetMetricGet(group, &count, nullptr), ZE_RESULT_SUCCESS);
    std::vector<zet_metric_handle_t> metrics(count);
    EXPECT_EQ(zetMetricGet(group, &count, metrics.data()), ZE_RESULT_SUCCESS);
    std::uint32_t values = 0;
    const auto type = ZET_METRIC_GROUP_CALCULATION_TYPE_METRIC_VALUES;
    EXPECT_EQ(zetMetricGroupCalculateMetricValues(group, type, raw.size(), raw.data(), &values, nullptr),
              ZE_RESULT_SUCCESS);
    std::vector<zet_typed_value_t> rows(values);
    EXPECT_EQ(zetMetricGroupCalculateMetricValues(group, type, raw.size(), raw.data(), &values, rows.data()),
              ZE_RESULT_SUCCESS);
    std::map<std::string, std::uint64_t> sums;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        zet_metric_properties_t properties{};
        properties.stype = ZET_STRUCTURE_TYPE_METRIC_PROPERTIES;
        EXPECT_EQ(zetMetricGetProperties(metrics[i % count], &properties), ZE_RESULT_SUCCESS);
        sums[properties.name] += rows[i].value.ui64;
    }
    return sums;
}

/// Three kernels and a copy on an immediate list; the driver says that each took a microsecond.
void work(const Objects& objects) {
    ze_command_list_handle_t list = nullptr;
    const ze_command_queue_desc_t description{
        ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC, nullptr, 0, 0, 0, ZE_COMMAND_QUEUE_MODE_DEFAULT,
        ZE_COMMAND_QUEUE_PRIORITY_NORMAL};
    ASSERT_EQ(zeCommandListCreateImmediate(objects.context, objects.device, &description, &list), ZE_RESULT_SUCCESS);
    auto* const kernel = reinterpret_cast<ze_kernel_handle_t>(list);  // the driver does not look
    const ze_group_count_t groups{1, 1, 1};
    for (int i = 0; i < 3; ++i)
        EXPECT_EQ(zeCommandListAppendLaunchKernel(list, kernel, &groups, nullptr, 0, nullptr), ZE_RESULT_SUCCESS);
    std::array<char, 96> bytes{};
    EXPECT_EQ(zeCommandListAppendMemoryCopy(list, bytes.data(), bytes.data() + 48, 48, nullptr, 0, nullptr),
              ZE_RESULT_SUCCESS);
    EXPECT_EQ(zeCommandListDestroy(list), ZE_RESULT_SUCCESS);
}

void expectCoreApiFacts() {
    const auto& objects = Objects::get();
    const auto found = groups(objects.device);
    ASSERT_EQ(found.size(), 1u) << "time-based alone";
    zet_metric_group_properties_t properties{};
    properties.stype = ZET_STRUCTURE_TYPE_METRIC_GROUP_PROPERTIES;
    ASSERT_EQ(zetMetricGroupGetProperties(found[0], &properties), ZE_RESULT_SUCCESS);
    EXPECT_STREQ(properties.name, "CoreApiOnly");
    auto group = found[0];
    ASSERT_EQ(zetContextActivateMetricGroups(objects.context, objects.device, 1, &group), ZE_RESULT_SUCCESS);
    zet_metric_streamer_desc_t description{ZET_STRUCTURE_TYPE_METRIC_STREAMER_DESC, nullptr, 1, 100'000};
    zet_metric_streamer_handle_t streamer = nullptr;
    ASSERT_EQ(zetMetricStreamerOpen(objects.context, objects.device, group, &description, nullptr, &streamer),
              ZE_RESULT_SUCCESS);
    std::vector<std::uint8_t> raw;
    const auto readsMoreThan = [&](std::size_t reports) {
        std::size_t report = 0;
        EXPECT_EQ(zetMetricStreamerReadData(streamer, 1, &report, nullptr), ZE_RESULT_SUCCESS);
        return waitFor([&, enough = raw.size() + (reports + 1) * report] {
            const auto old = raw.size();
            std::size_t size = 0;
            EXPECT_EQ(zetMetricStreamerReadData(streamer, UINT32_MAX, &size, nullptr), ZE_RESULT_SUCCESS);
            raw.resize(old + size);
            EXPECT_EQ(zetMetricStreamerReadData(streamer, UINT32_MAX, &size, raw.data() + old), ZE_RESULT_SUCCESS);
            raw.resize(old + size);
            return raw.size() >= enough;
        });
    };
    ASSERT_TRUE(readsMoreThan(0)) << "the first is what the second is compared with";
    work(objects);
    ASSERT_TRUE(readsMoreThan(10));
    auto sums = sumsOf(group, raw);
    EXPECT_EQ(sums["Kernels"], 3u);
    EXPECT_EQ(sums["KernelTime"], 3000u);
    EXPECT_EQ(sums["Commands"], 4u);
    EXPECT_EQ(sums["CopyTime"], 1000u);
    EXPECT_EQ(sums["BytesCopied"], 48u);
    EXPECT_EQ(sums["CommandsUnmeasured"], 0u);
    EXPECT_EQ(zetMetricStreamerClose(streamer), ZE_RESULT_SUCCESS);
    EXPECT_EQ(zetContextActivateMetricGroups(objects.context, objects.device, 0, nullptr), ZE_RESULT_SUCCESS);
}

SCENARIO(coreApiFactsAreTheGroupOfADriverWithNone) { expectCoreApiFacts(); }

SCENARIO(coreApiFactsAreListedOnceMetricsAreEnabled) {
    const auto device = Objects::get().device;
    for (const char* lacking : {"zetDeviceEnableMetricsExp", "zetDeviceDisableMetricsExp"})
        fakeDriver()->results[slotOf(lacking)] = ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
    fakeDriver()->armed = true;
    EXPECT_TRUE(groups(device).empty()) << "the driver's own answer";
    ASSERT_EQ(zetDeviceEnableMetricsExp(device), ZE_RESULT_SUCCESS);
    expectCoreApiFacts();
    ASSERT_EQ(zetDeviceDisableMetricsExp(device), ZE_RESULT_SUCCESS);
    EXPECT_TRUE(groups(device).empty());
}

/// They are metrics and nothing else: what else a driver lacks stays lacking.
SCENARIO(coreApiFactsAreNoDebugger) {
    const auto device = Objects::get().device;
    zet_device_debug_properties_t debug{};
    debug.stype = ZET_STRUCTURE_TYPE_DEVICE_DEBUG_PROPERTIES;
    EXPECT_EQ(zetDeviceGetDebugProperties(device, &debug), ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    EXPECT_EQ(groups(device).size(), 1u);
    EXPECT_EQ(zetDeviceGetDebugProperties(device, &debug), ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
}

TEST(Modules, MakeAGroupOfTheCoreApisFacts) {
    for (const auto slots : {Slots::none, Slots::validation, Slots::both}) {
        const auto on = fresh("coreApiFactsAreTheGroupOfADriverWithNone", slots).with("ZET_ENABLE_METRICS", "1");
        EXPECT_RUNS(Process(on));
        EXPECT_RUNS(Process(on).with("ZETL_FAKE_WITHOUT", "zet"));
    }
    EXPECT_RUNS(fresh("coreApiFactsAreListedOnceMetricsAreEnabled", Slots::both));
    EXPECT_RUNS(fresh("coreApiFactsAreNoDebugger", Slots::both)
                    .with("ZETL_FAKE_WITHOUT", "zet")
                    .with("ZET_ENABLE_METRICS", "1"));
}

TEST(Modules, AnswerForADriverWithoutTools) {
    for (const auto slots : {Slots::none, Slots::both})
        EXPECT_RUNS(fresh("modulesAnswerForADriverWithoutTools", slots)
                        .with("ZETL_FAKE_WITHOUT", "zet")
                        .with("ZET_ENABLE_METRICS", "1"));
}
TEST(Modules, FollowTheVariables) {
    for (const auto slots : {Slots::none, Slots::validation, Slots::both}) {
        const auto served = [&](const char* scenario) {
            return fresh(scenario, slots).with("ZETL_FAKE_WITHOUT", "zet");
        };
        EXPECT_RUNS(served("modulesAreOff"));
        EXPECT_RUNS(
            served("modulesAreOff").with("ZET_ENABLE_METRICS", "true").with("ZET_ENABLE_PROGRAM_DEBUGGING", "0"));
        EXPECT_RUNS(served("modulesAreOff").with("ZET_ENABLE_PROGRAM_DEBUGGING", "2"));
        EXPECT_RUNS(served("metricsModuleIsOn"));
        EXPECT_RUNS(served("debugModuleIsOn").with("ZET_ENABLE_PROGRAM_DEBUGGING", "1"));
        EXPECT_RUNS(served("instrumentationModuleNeedsNoVariable"));
        EXPECT_RUNS(served("instrumentationModuleNeedsNoVariable").with("ZET_ENABLE_PROGRAM_INSTRUMENTATION", "1"));
    }
}
TEST(Modules, ComeAfterTheDriver) {
    EXPECT_RUNS(fresh("driverComesBeforeModules", Slots::both).with("ZET_ENABLE_METRICS", "1"));
}
TEST(Modules, NeedDeviceAccess) {
    EXPECT_RUNS(fresh("nobodyIsAskedForDevicesOutsideDeviceAccess", Slots::both).with("ZETL_FAKE_WITHOUT", "zet"));
}

}  // namespace
}  // namespace zetl::test
