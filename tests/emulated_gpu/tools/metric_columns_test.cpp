// docs/reference/metric-columns.md says of every column what it is, and is right: through the stock loader, without any
// layer.
#include <algorithm>
#include <fstream>
#include <map>
#include <set>

#include "emulated_gpu/gpu.h"
#include "emulated_gpu/measured_gpu.h"
#include "metrics/catalogue/group_shape.h"
#include "support/pattern.h"
#include "support/scenario.h"
#include "ze_tools_layer/metric_error.h"

namespace zetl::test {
namespace {

using Classes = std::map<std::string, std::string>;

/// Of the page's table.
Classes documentedClasses() {
    std::ifstream page(ZETL_DOCS "/reference/metric-columns.md");
    Classes classes;
    for (std::string line; std::getline(page, line);)
        for (const Match& row : matchesOf(R"(^\| `([\w.]+)` \| (\w+) \| .+ \|$)", line))
            EXPECT_TRUE(classes.emplace(row[1], row[2]).second) << row[1] << " is there twice";
    return classes;
}

struct Listed {
    bool modelled = false;
    bool sampled = false;
    std::string error;  ///< the metric that has it
};

/// Of all groups of the device.
std::map<std::string, Listed> listedColumns(const Gpu& gpu) {
    std::map<std::string, Listed> columns;
    for (auto* const group : listOf(zetMetricGroupGet, gpu.device())) {
        zet_metric_group_properties_t of{};
        EXPECT_OK(zetMetricGroupGetProperties(group, &of));
        for (auto* const metric : listOf(zetMetricGet, group)) {
            zetl_metric_error_properties_t error{ZETL_STRUCTURE_TYPE_METRIC_ERROR_PROPERTIES, nullptr, false, ""};
            zet_metric_properties_t properties{};
            properties.pNext = &error;
            EXPECT_OK(zetMetricGetProperties(metric, &properties));
            const bool sampled = std::string(of.name) == "EuStallSampling";
            columns[properties.name] = {std::string(properties.description).ends_with("by the device's timing model"),
                                        sampled, error.errorMetric};
            EXPECT_EQ(static_cast<bool>(error.isModelled), columns[properties.name].modelled || sampled)
                << properties.name;
        }
    }
    return columns;
}

SCENARIO(everyColumnIsDocumented) {
    const Gpu gpu;
    const auto documented = documentedClasses();
    const auto listed = listedColumns(gpu);
    ASSERT_GT(listed.size(), 80u);
    for (const auto& [name, column] : listed) {
        const auto found = documented.find(name);
        ASSERT_NE(found, documented.end()) << name << " has no row in docs/reference/metric-columns.md";
        EXPECT_EQ(found->second == "modelled", column.modelled || column.sampled) << name << ": " << found->second;
        EXPECT_EQ(found->second == "time", name == "GpuTime" || name == "QueryBeginTime") << name;
        EXPECT_NE(found->second, "absent") << name;
    }
    std::set<std::string> catalogue;
    for (const auto& shape : metrics::groupShapes())
        for (const auto& column : shape.columns) catalogue.insert(column.name);
    for (const auto& name : catalogue)
        EXPECT_TRUE(listed.contains(name) || (documented.contains(name) && documented.at(name) == "absent")) << name;
    for (const auto& [name, kind] : documented)
        EXPECT_TRUE(listed.contains(name) || catalogue.contains(name)) << name << " is no column of any group";
}
/// Each column of an error is named by the columns whose error it has.
SCENARIO(errorsArePropertiesOfTheirMetrics) {
    const Gpu gpu;
    const auto columns = listedColumns(gpu);
    std::map<std::string, std::set<std::string>> valuesByError;
    for (const auto& [name, column] : columns)
        if (!column.error.empty()) valuesByError[column.error].insert(name);
    for (const auto& [name, column] : columns) {
        const bool isError = name.ends_with("Error") || name.ends_with("_ERROR");
        EXPECT_EQ(isError, valuesByError.contains(name)) << name;
    }
    const std::map<std::string, std::set<std::string>> expected = {
        {"GpuCoreClocksError", {"GpuCoreClocks", "GpuSliceClocksCount"}},
        {"GPU_MEMORY_BYTE_READ_ERROR", {"GPU_MEMORY_BYTE_READ", "SYSMEM_BYTE_READ"}},
        {"XVE_THREADS_OCCUPANCY_CYCLES_ERROR",
         {"XVE_STALL_ALUWR", "XVE_STALL_BARRIER", "XVE_STALL_CONTROL", "XVE_STALL_OTHER", "XVE_STALL_PIPESTALL",
          "XVE_STALL_SBID", "XVE_STALL_SENDWR"}}};
    EXPECT_EQ(valuesByError, expected);
    std::uint32_t count = 0;
    ASSERT_OK(zeDriverGetExtensionProperties(gpu.driver(), &count, nullptr));
    std::vector<ze_driver_extension_properties_t> extensions(count);
    ASSERT_OK(zeDriverGetExtensionProperties(gpu.driver(), &count, extensions.data()));
    EXPECT_TRUE(std::ranges::any_of(
        extensions, [](const auto& each) { return std::string_view(each.name) == ZETL_METRIC_ERROR_EXTENSION; }));
}
TEST(MetricColumns, ErrorsArePropertiesOfTheirMetrics) { EXPECT_RUNS(measured("errorsArePropertiesOfTheirMetrics")); }

TEST(MetricColumns, EveryOneIsDocumented) {
    EXPECT_RUNS(measured("everyColumnIsDocumented").with("ZETL_METRIC_TRACERS", "1"));
}

}  // namespace
}  // namespace zetl::test
