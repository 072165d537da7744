// A driver without tools functions that offers device access: the layer's modules answer for it.
#include <vector>

#include "layer/tracer.h"
#include "support/fake_access.h"
#include "support/scenario.h"

namespace zetl::test {
namespace {

const zetl_device_access_t* offer(uint32_t) { return &fake::access(); }

void offerDeviceAccess() {
    static const ze_device_uuid_t uuid = fake::uuid();
    Objects::get();
    fakeDriver()->uuid = &uuid;
    fakeDriver()->deviceAccess = reinterpret_cast<void*>(&offer);
}

std::vector<zet_metric_group_handle_t> groups(zet_device_handle_t device) {
    uint32_t count = 0;
    EXPECT_EQ(zetMetricGroupGet(device, &count, nullptr), ZE_RESULT_SUCCESS);
    std::vector<zet_metric_group_handle_t> found(count);
    EXPECT_EQ(zetMetricGroupGet(device, &count, found.data()), ZE_RESULT_SUCCESS);
    return found;
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
    // What no module has a method for, and an object that nobody knows.
    EXPECT_EQ(zetMetricTracerDestroyExp(reinterpret_cast<zet_metric_tracer_exp_handle_t>(device)),
              ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    EXPECT_NE(zetMetricGroupGetProperties(reinterpret_cast<zet_metric_group_handle_t>(device), &properties),
              ZE_RESULT_SUCCESS);
}

SCENARIO(driverComesBeforeModules) {
    offerDeviceAccess();
    EXPECT_TRUE(groups(Objects::get().device).empty()) << "the driver's own answer";
}

SCENARIO(nobodyIsAskedForDevicesOutsideDeviceAccess) {
    offerDeviceAccess();
    fakeDriver()->deviceAccess = nullptr;
    uint32_t count = 0;
    EXPECT_EQ(zetMetricGroupGet(Objects::get().device, &count, nullptr), ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
}

TEST(Modules, AnswerForADriverWithoutTools) {
    for (const auto slots : {Slots::none, Slots::both})
        EXPECT_RUNS(fresh("modulesAnswerForADriverWithoutTools", slots)
                        .with("ZETL_FAKE_WITHOUT", "zet")
                        .with("ZET_ENABLE_METRICS", "1"));
}
TEST(Modules, ComeAfterTheDriver) {
    EXPECT_RUNS(fresh("driverComesBeforeModules", Slots::both).with("ZET_ENABLE_METRICS", "1"));
}
TEST(Modules, NeedDeviceAccess) {
    EXPECT_RUNS(fresh("nobodyIsAskedForDevicesOutsideDeviceAccess", Slots::both).with("ZETL_FAKE_WITHOUT", "zet"));
}

}  // namespace
}  // namespace zetl::test
