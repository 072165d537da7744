// A tool of an outside user: links the stock loader alone, and measures programs that it starts, while it launches
// nothing itself. It asks the driver for what the loader is too old to know.
//
//   measuring counters PROGRAM [ARGUMENT...]   by scopes and calculation operations
//   measuring stalls PROGRAM [ARGUMENT...]     by samples of where threads wait
//   measuring tracers                          which groups of tracers are listed, since it uses them
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "ze_tools_layer/level_zero.h"
#include "ze_tools_layer/level_zero/intel_metrics.h"

// What makes it a client that knows tracers.
#pragma weak zetMetricTracerCreateExp

namespace {

[[noreturn]] void fail(const char* what, int result) {
    std::fprintf(stderr, "measuring: %s: 0x%x\n", what, static_cast<unsigned>(result));
    std::exit(1);
}
void check(ze_result_t result, const char* call) {
    if (result != ZE_RESULT_SUCCESS && result != ZE_RESULT_WARNING_DROPPED_DATA) fail(call, result);
}
#define CHECK(call) check(call, #call)
#define REQUIRE(condition) \
    if (!(condition)) fail(#condition, 0)

ze_driver_handle_t driver;
ze_device_handle_t device;
ze_context_handle_t context;

void find() {
    std::uint32_t count = 1;
    CHECK(zeInit(0));
    CHECK(zeDriverGet(&count, &driver));
    count = 1;
    CHECK(zeDeviceGet(driver, &count, &device));
    const ze_context_desc_t description{ZE_STRUCTURE_TYPE_CONTEXT_DESC, nullptr, 0};
    CHECK(zeContextCreate(driver, &description, &context));
}

template <class F>
F* functionOf(const char* name) {
    void* address = nullptr;
    CHECK(zeDriverGetExtensionFunctionAddress(driver, name, &address));
    return reinterpret_cast<F*>(address);
}
#define DRIVERS(name) functionOf<decltype(name)>(#name)

std::vector<zet_metric_group_handle_t> groups() {
    std::uint32_t count = 0;
    CHECK(zetMetricGroupGet(device, &count, nullptr));
    std::vector<zet_metric_group_handle_t> all(count);
    CHECK(zetMetricGroupGet(device, &count, all.data()));
    return all;
}

zet_metric_group_properties_t propertiesOf(zet_metric_group_handle_t group) {
    zet_metric_group_properties_t properties{};
    properties.stype = ZET_STRUCTURE_TYPE_METRIC_GROUP_PROPERTIES;
    CHECK(zetMetricGroupGetProperties(group, &properties));
    return properties;
}

zet_metric_group_handle_t timeBased(const std::string& name) {
    for (auto* const group : groups()) {
        const auto properties = propertiesOf(group);
        if (properties.name == name && properties.samplingType == ZET_METRIC_GROUP_SAMPLING_TYPE_FLAG_TIME_BASED)
            return group;
    }
    fail("no group", 0);
}

void run(char** program) {
    const pid_t child = fork();
    if (child == 0) {
        execv(program[0], program);
        _exit(127);
    }
    int status = 0;
    waitpid(child, &status, 0);
    REQUIRE(status == 0);
}

std::size_t sizeOf(zet_metric_streamer_handle_t streamer, std::uint32_t reports) {
    std::size_t size = 0;
    CHECK(zetMetricStreamerReadData(streamer, reports, &size, nullptr));
    return size;
}

/// Raw data of the time in which a program ran, and of so many reports behind it.
std::vector<std::uint8_t> streamed(zet_metric_group_handle_t group, std::uint32_t period, std::size_t behind,
                                   char** program) {
    CHECK(zetContextActivateMetricGroups(context, device, 1, &group));
    zet_metric_streamer_desc_t description{ZET_STRUCTURE_TYPE_METRIC_STREAMER_DESC, nullptr, 32768, period};
    zet_metric_streamer_handle_t streamer = nullptr;
    CHECK(zetMetricStreamerOpen(context, device, group, &description, nullptr, &streamer));
    run(program);
    std::vector<std::uint8_t> raw;
    std::size_t wanted = 0;
    do {
        const std::size_t before = raw.size();
        std::size_t size = sizeOf(streamer, UINT32_MAX);
        raw.resize(before + size);
        CHECK(zetMetricStreamerReadData(streamer, UINT32_MAX, &size, raw.data() + before));
        raw.resize(before + size);
        if (wanted == 0) wanted = raw.size() + behind * sizeOf(streamer, 1);
    } while (raw.size() < wanted);
    CHECK(zetMetricStreamerClose(streamer));
    CHECK(zetContextActivateMetricGroups(context, device, 0, nullptr));
    REQUIRE(!raw.empty());
    return raw;
}

std::vector<std::string> columnsOf(zet_metric_group_handle_t group) {
    std::uint32_t count = 0;
    CHECK(zetMetricGet(group, &count, nullptr));
    std::vector<zet_metric_handle_t> metrics(count);
    CHECK(zetMetricGet(group, &count, metrics.data()));
    std::vector<std::string> names;
    for (auto* const metric : metrics) {
        zet_metric_properties_t properties{};
        properties.stype = ZET_STRUCTURE_TYPE_METRIC_PROPERTIES;
        CHECK(zetMetricGetProperties(metric, &properties));
        names.emplace_back(properties.name);
    }
    return names;
}

/// The last tile's scope, or the only one.
zet_intel_metric_scope_exp_handle_t lastScope() {
    const auto get = DRIVERS(zetIntelMetricScopesGetExp);
    std::uint32_t count = 0;
    CHECK(get(context, device, &count, nullptr));
    REQUIRE(count != 0);
    std::vector<zet_intel_metric_scope_exp_handle_t> scopes(count);
    CHECK(get(context, device, &count, scopes.data()));
    for (auto* const scope : scopes) {
        zet_intel_metric_scope_properties_exp_t properties{};
        properties.stype = ZET_STRUCTURE_TYPE_INTEL_METRIC_SCOPE_PROPERTIES_EXP;
        CHECK(DRIVERS(zetIntelMetricScopeGetPropertiesExp)(scope, &properties));
        std::printf("scope %u: %s (%s)\n", properties.iD, properties.name, properties.description);
    }
    return scopes[count > 1 ? 1 : 0];
}

/// One report of the whole time.
int counters(char** program) {
    auto* const group = timeBased("MemoryTraffic");
    const auto raw = streamed(group, 1'000'000, 6, program);
    auto* scope = lastScope();
    auto* chosen = group;
    zet_intel_metric_calculation_exp_desc_t description{};
    description.stype = ZET_INTEL_STRUCTURE_TYPE_METRIC_CALCULATION_DESC_EXP;
    description.metricGroupCount = 1;
    description.phMetricGroups = &chosen;
    description.timeAggregationWindow = UINT64_MAX;
    description.metricScopesCount = 1;
    description.phMetricScopes = &scope;
    zet_intel_metric_calculation_operation_exp_handle_t operation = nullptr;
    CHECK(DRIVERS(zetIntelMetricCalculationOperationCreateExp)(context, device, &description, &operation));
    const auto calculate = DRIVERS(zetIntelMetricCalculateValuesExp);
    std::uint32_t reports = 0;
    std::size_t used = 0;
    CHECK(calculate(raw.size(), raw.data(), operation, true, &used, &reports, nullptr));
    REQUIRE(reports == 1);
    const auto names = columnsOf(group);
    std::vector<zet_intel_metric_result_exp_t> results(reports * names.size());
    CHECK(calculate(raw.size(), raw.data(), operation, true, &used, &reports, results.data()));
    std::uint64_t written = 0;
    for (std::size_t i = 0; i < results.size(); ++i) {
        REQUIRE(results[i].resultStatus == ZET_INTEL_METRIC_CALCULATION_EXP_RESULT_VALID);
        if (names[i] == "GLOBAL_BYTE_WRITE") written = results[i].value.ui64;
    }
    std::printf("GLOBAL_BYTE_WRITE %llu\n", static_cast<unsigned long long>(written));
    CHECK(DRIVERS(zetIntelMetricCalculationOperationDestroyExp)(operation));
    return written == 0;
}

/// Addresses and samples of all threads.
int stalls(char** program) {
    auto* const group = timeBased("EuStallSampling");
    const auto raw = streamed(group, 20'000, 0, program);
    std::uint32_t sets = 0;
    std::uint32_t total = 0;
    const auto calculate = DRIVERS(zetMetricGroupCalculateMultipleMetricValuesExp);
    constexpr auto kValues = ZET_METRIC_GROUP_CALCULATION_TYPE_METRIC_VALUES;
    CHECK(calculate(group, kValues, raw.size(), raw.data(), &sets, &total, nullptr, nullptr));
    std::vector<std::uint32_t> counts(sets);
    std::vector<zet_typed_value_t> values(total);
    CHECK(calculate(group, kValues, raw.size(), raw.data(), &sets, &total, counts.data(), values.data()));
    const auto names = columnsOf(group);
    REQUIRE(names.at(0) == "IP");
    std::uint64_t samples = 0;
    for (std::size_t i = 0; i < total; ++i)
        if (i % names.size() != 0) samples += values[i].value.ui64;
    std::printf("%zu addresses, %llu samples\n", total / names.size(), static_cast<unsigned long long>(samples));
    return total / names.size() < 4 || samples == 0;
}

int tracers() {
    int listed = 0;
    for (auto* const group : groups()) {
        const auto properties = propertiesOf(group);
        if (properties.samplingType != ZET_METRIC_GROUP_SAMPLING_TYPE_FLAG_EXP_TRACER_BASED) continue;
        std::printf("%s\n", properties.name);
        ++listed;
    }
    std::printf("the loader %s tracers\n", &zetMetricTracerCreateExp != nullptr ? "knows" : "does not know");
    return listed == 0;
}

}  // namespace

int main(int count, char** arguments) {
    const std::string mode = count > 1 ? arguments[1] : "";
    setenv("ZET_ENABLE_METRICS", "1", 1);  // also for the programs
    find();
    if (mode == "tracers") return tracers();
    if (count > 2 && mode == "counters") return counters(arguments + 2);
    if (count > 2 && mode == "stalls") return stalls(arguments + 2);
    return 2;
}
