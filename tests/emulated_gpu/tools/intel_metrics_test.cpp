// Scopes of metrics, and what announces and switches Intel's functions: through the stock loader, without any layer.
#include "emulated_gpu/tools/intel_metrics.h"

#include <set>
#include <string>
#include <vector>

namespace zetl::test {
namespace {

SCENARIO(deviceWithoutTilesIsOneScope) {
    const Gpu gpu;
    const auto scopes = scopesOf(gpu);
    EXPECT_EQ(namesOf(gpu, scopes), std::vector<std::string>{"0 COMPUTE_TILE_0"});
    EXPECT_EQ(scopesOf(gpu), scopes) << "the same ones each time";
    auto* const metric = listOf(zetMetricGet, group(gpu, "MemoryTraffic", kTimeBased)).front();
    EXPECT_EQ(listOf(DRIVER_CALL(gpu, zetIntelMetricSupportedScopesGetExp), metric), scopes);
}
TEST(IntelMetrics, DeviceWithoutTilesIsOneScope) { EXPECT_RUNS(measured("deviceWithoutTilesIsOneScope")); }

SCENARIO(tilesAreScopes) {
    const Gpu gpu;
    const auto scopes = scopesOf(gpu);
    const std::vector<std::string> all{"0 DEVICE_AGGREGATED", "1 COMPUTE_TILE_0", "2 COMPUTE_TILE_1"};
    EXPECT_EQ(namesOf(gpu, scopes), all);
    const auto tile = gpu.on(listOf(zeDeviceGetSubDevices, gpu.device()).at(1));
    EXPECT_EQ(namesOf(gpu, scopesOf(tile)), std::vector<std::string>{"0 COMPUTE_TILE_1"});
    const auto supported = [&](const char* name, zet_metric_group_sampling_type_flag_t sampling) {
        auto* const metric = listOf(zetMetricGet, group(gpu, name, sampling)).front();
        return namesOf(gpu, listOf(DRIVER_CALL(gpu, zetIntelMetricSupportedScopesGetExp), metric));
    };
    EXPECT_EQ(supported("EuStallSampling", kTimeBased), all);
    EXPECT_EQ(supported("MemoryTraffic", kTimeBased), std::vector<std::string>(all.begin() + 1, all.end()));
    EXPECT_EQ(supported("MemoryTraffic", kEventBased), std::vector<std::string>{all.front()});
}
TEST(IntelMetrics, TilesAreScopes) { EXPECT_RUNS(measured("tilesAreScopes", kTwoTiles)); }

SCENARIO(extensionsOfIntelAreAnnounced) {
    const Gpu gpu;
    std::set<std::string> names;
    for (const auto& each : listOf(zeDriverGetExtensionProperties, gpu.driver())) names.insert(each.name);
    for (const char* name : {ZET_INTEL_METRIC_SCOPES_EXP_NAME, ZET_INTEL_METRIC_CALCULATION_EXP_NAME,
                             ZET_INTEL_METRIC_TRACER_DECODE_EXP2_NAME, ZET_INTEL_METRIC_TRACER_EXPORT_EXP_NAME,
                             ZET_INTEL_METRIC_HW_BUFFER_SIZE_EXP_NAME})
        EXPECT_TRUE(names.contains(name)) << name;
}
TEST(IntelMetrics, ExtensionsAreAnnounced) { EXPECT_RUNS(measured("extensionsOfIntelAreAnnounced")); }

SCENARIO(metricsAreSwitchedByIntelsNames) {
    const Gpu gpu;
    EXPECT_OK(DRIVER_CALL(gpu, zetIntelDeviceEnableMetricsExp)(gpu.device()));
    EXPECT_EQ(scopesOf(gpu).size(), 1u);
    activate(gpu, group(gpu, "MemoryTraffic", kTimeBased));
    const auto disable = DRIVER_CALL(gpu, zetIntelDeviceDisableMetricsExp);
    EXPECT_EQ(disable(gpu.device()), ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE);
    EXPECT_OK(zetContextActivateMetricGroups(gpu.context(), gpu.device(), 0, nullptr));
    EXPECT_OK(disable(gpu.device()));
}
TEST(IntelMetrics, AreSwitchedByName) { EXPECT_RUNS(emulated("metricsAreSwitchedByIntelsNames")); }

SCENARIO(scopesWithoutMetrics) {
    const Gpu gpu;
    std::uint32_t count = 5;
    EXPECT_EQ(DRIVER_CALL(gpu, zetIntelMetricScopesGetExp)(gpu.context(), gpu.device(), &count, nullptr),
              ZE_RESULT_ERROR_DEPENDENCY_UNAVAILABLE);
    EXPECT_EQ(count, 0u);
}
TEST(IntelMetrics, AreNotThereWhileMetricsAreOff) { EXPECT_RUNS(emulated("scopesWithoutMetrics")); }

}  // namespace
}  // namespace zetl::test
