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
};

/// Of all groups of the device.
std::map<std::string, Listed> listedColumns(const Gpu& gpu) {
    std::map<std::string, Listed> columns;
    for (auto* const group : listOf(zetMetricGroupGet, gpu.device())) {
        zet_metric_group_properties_t of{};
        EXPECT_OK(zetMetricGroupGetProperties(group, &of));
        for (auto* const metric : listOf(zetMetricGet, group)) {
            zet_metric_properties_t properties{};
            EXPECT_OK(zetMetricGetProperties(metric, &properties));
            columns[properties.name] = {std::string(properties.description).ends_with("by the device's timing model"),
                                        std::string(of.name) == "EuStallSampling"};
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
TEST(MetricColumns, EveryOneIsDocumented) {
    EXPECT_RUNS(measured("everyColumnIsDocumented").with("ZETL_METRIC_TRACERS", "1"));
}

}  // namespace
}  // namespace zetl::test
