// The tables that the stock loader hands out while the layer stands in each slot have no hole, also where the driver
// has no function. That nothing is written behind them is for tables_test.cpp: only a loader knows how long its tables
// are.
#include <level_zero/loader/ze_loader.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "layer/tracer.h"
#include "support/scenario.h"
#include "support/tables.h"

namespace zetl::test {
namespace {

/// The specification version that the loader's tables have.
int loaderMinor() {
    std::size_t count = 0;
    EXPECT_EQ(zelLoaderGetVersions(&count, nullptr), ZE_RESULT_SUCCESS);
    std::vector<zel_component_version_t> components(count);
    EXPECT_EQ(zelLoaderGetVersions(&count, components.data()), ZE_RESULT_SUCCESS);
    for (const auto& each : components)
        if (std::strcmp(each.component_name, "loader") == 0)
            return static_cast<int>(ZE_MINOR_VERSION(each.spec_version));
    ADD_FAILURE() << "the loader does not say its version";
    return 0;
}

/// Through which the layer answers, given the slots it takes.
bool passesTheLayer(const Table& table) {
    static const bool validation = std::getenv("ZE_ENABLE_VALIDATION_LAYER") != nullptr;
    return validation || std::strncmp(table.getter, "zeGet", 5) == 0 || std::strncmp(table.getter, "zerGet", 6) == 0;
}

/// Asks the loader's exported getters, as a program with a static loader does.
SCENARIO(loaderTablesAreWhole) {
    Objects::get();
    const int minor = loaderMinor();
    const auto version = static_cast<ze_api_version_t>(ZE_MAKE_VERSION(1, minor));
    int tables = 0;
    for (const auto& table : kTables) {
        using Getter = ze_result_t(ze_api_version_t, void**);
        auto* const getter = loaderFunction<Getter>(table.getter);
        if (!getter || table.entries(minor) == 0) continue;
        std::array<void*, 64> entries{};
        const auto code = getter(version, entries.data());
        if (!passesTheLayer(table)) continue;
        EXPECT_EQ(code, ZE_RESULT_SUCCESS) << table.getter;
        EXPECT_EQ(std::count(entries.begin(), entries.begin() + table.entries(minor), nullptr), 0) << table.getter;
        ++tables;
    }
    std::printf("%d tables of 1.%d\n", tables, minor);
    EXPECT_GE(tables, 20);
}

TEST(LoaderTables, AreWhole) {
    for (const auto slots : {Slots::tracing, Slots::validation, Slots::both})
        for (const auto drivers : {Drivers::one, Drivers::two}) {
            EXPECT_RUNS(fresh("loaderTablesAreWhole", slots, drivers));
            EXPECT_RUNS(fresh("loaderTablesAreWhole", slots, drivers).with("ZE_ENABLE_LOADER_INTERCEPT", "1"));
        }
}
TEST(LoaderTables, AreWholeAboveADriverWithoutTools) {
    for (const auto slots : {Slots::validation, Slots::both})
        EXPECT_RUNS(fresh("loaderTablesAreWhole", slots).with("ZETL_FAKE_WITHOUT", "zet"));
}

}  // namespace
}  // namespace zetl::test
