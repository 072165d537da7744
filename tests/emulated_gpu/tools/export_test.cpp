// Exported metric data: what one process measured, another calculates without a device and without a driver.
#include <dlfcn.h>

#include <array>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <span>

#include "emulated_gpu/counted_work.h"
#include "emulated_gpu/gpu.h"
#include "emulated_gpu/measured_gpu.h"
#include "emulated_gpu/queries.h"
#include "emulated_gpu/stream.h"
#include "support/effort.h"
#include "support/scenario.h"
#include "ze_tools_layer/level_zero.h"

namespace zetl::test {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

constexpr const char* kPlace = "ZETL_TEST_EXPORTED";

using Calculate = decltype(zetMetricGroupCalculateMetricExportDataExp);

struct Calculated {
    ze_result_t code = ZE_RESULT_SUCCESS;
    std::vector<std::uint32_t> counts;  ///< values of each set
    std::vector<zet_typed_value_t> values;
};

Calculated calculate(Calculate* function, ze_driver_handle_t driver, const std::vector<std::uint8_t>& data,
                     std::uint32_t skipped = 0) {
    Calculated made;
    zet_metric_calculate_exp_desc_t desc{ZET_STRUCTURE_TYPE_METRIC_CALCULATE_EXP_DESC, nullptr, skipped};
    std::uint32_t sets = 0;
    std::uint32_t total = 0;
    made.code = function(driver, kMetricValues, data.size(), data.data(), &desc, &sets, &total, nullptr, nullptr);
    if (made.code != ZE_RESULT_SUCCESS) return made;
    made.counts.resize(sets);
    made.values.resize(total);
    made.code = function(driver, kMetricValues, data.size(), data.data(), &desc, &sets, &total, made.counts.data(),
                         made.values.data());
    made.counts.resize(sets);
    made.values.resize(total);
    return made;
}

/// Values as bytes that can be compared.
std::string textOf(const Calculated& calculated) {
    std::string text;
    for (const auto count : calculated.counts) text += std::to_string(count) + " ";
    for (const auto& value : calculated.values)
        text += "\n" + std::to_string(value.type) + " " + std::to_string(value.value.ui64);
    return text;
}

Calculated live(zet_metric_group_handle_t group, const std::vector<std::uint8_t>& raw, const Gpu& gpu) {
    Calculated made;
    const auto function = DRIVER_CALL(gpu, zetMetricGroupCalculateMultipleMetricValuesExp);
    std::uint32_t sets = 0;
    std::uint32_t total = 0;
    EXPECT_OK(function(group, kMetricValues, raw.size(), raw.data(), &sets, &total, nullptr, nullptr));
    made.counts.resize(sets);
    made.values.resize(total);
    made.code =
        function(group, kMetricValues, raw.size(), raw.data(), &sets, &total, made.counts.data(), made.values.data());
    EXPECT_OK(made.code);
    made.values.resize(total);
    return made;
}

std::vector<std::uint8_t> exported(const Gpu& gpu, zet_metric_group_handle_t group,
                                   const std::vector<std::uint8_t>& raw) {
    const auto function = DRIVER_CALL(gpu, zetMetricGroupGetExportDataExp);
    std::size_t size = 0;
    EXPECT_OK(function(group, raw.data(), raw.size(), &size, nullptr));
    std::vector<std::uint8_t> data(size);
    std::size_t small = size - 1;
    EXPECT_EQ(function(group, raw.data(), raw.size(), &small, data.data()), ZE_RESULT_ERROR_INVALID_SIZE);
    EXPECT_OK(function(group, raw.data(), raw.size(), &size, data.data()));
    EXPECT_EQ(size, data.size());
    return data;
}

template <class Bytes>
void write(const fs::path& path, const Bytes& bytes) {
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

std::vector<std::uint8_t> queriedOnce(const Gpu& gpu, zet_metric_group_handle_t group) {
    const Queries queries(gpu, group, gpu.device());
    auto* const query = queries[0];
    Queries::around(gpu, query, [&](ze_command_list_handle_t list) { CountedWork(gpu).append(list, 2); });
    const auto raw = Queries::raw(query);
    EXPECT_OK(zetMetricQueryPoolDestroy(queries.pool()));
    return raw;
}

/// Until something was streamed, twice.
std::vector<std::uint8_t> streamedOnce(const Gpu& gpu, zet_metric_group_handle_t group) {
    activate(gpu, group);
    Stream stream(gpu, group);
    CountedWork work(gpu);
    EXPECT_TRUE(waitFor([&] {
        work.launch(1);
        EXPECT_OK(stream.read());
        return stream.reports() >= 3;
    }));
    return stream.raw();
}

/// Of each group of the device a file of exported data and one of the values that the device calculates.
SCENARIO(exportsEveryGroup) {
    const Gpu gpu;
    const fs::path place = std::getenv(kPlace);
    int number = 0;
    for (auto* const group : listOf(zetMetricGroupGet, gpu.device())) {
        zet_metric_group_properties_t properties{};
        ASSERT_OK(zetMetricGroupGetProperties(group, &properties));
        const bool queried = properties.samplingType == kEventBased;
        const auto raw = queried ? queriedOnce(gpu, group) : streamedOnce(gpu, group);
        const auto data = exported(gpu, group, raw);
        const auto values = textOf(live(group, raw, gpu));
        EXPECT_EQ(textOf(calculate(DRIVER_CALL(gpu, zetMetricGroupCalculateMetricExportDataExp), gpu.driver(), data)),
                  values)
            << properties.name;
        const auto name = std::to_string(number++);
        write(place / (name + ".data"), data);
        write(place / (name + ".values"), values);
    }
}

/// The layer's library alone: no driver is found here, and zeInit is never called.
SCENARIO(calculatesWithoutADriver) {
    auto* const layer = dlopen(inBuildTree("lib/libze_tools_layer.so.1").c_str(), RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(layer, nullptr) << dlerror();
    const auto function = reinterpret_cast<Calculate*>(dlsym(layer, "zetMetricGroupCalculateMetricExportDataExp"));
    ASSERT_NE(function, nullptr);
    int none = 0;
    auto* const driver = reinterpret_cast<ze_driver_handle_t>(&none);
    int calculated = 0;
    for (const auto& entry : fs::directory_iterator(std::getenv(kPlace))) {
        if (entry.path().extension() != ".data") continue;
        const auto values = readFile(fs::path(entry.path()).replace_extension(".values"));
        EXPECT_EQ(textOf(calculate(function, driver, readFile(entry.path()))),
                  std::string(values.begin(), values.end()))
            << entry.path();
        ++calculated;
    }
    EXPECT_GT(calculated, 20);
    std::ifstream maps("/proc/self/maps");
    const std::string mapped{std::istreambuf_iterator<char>(maps), {}};
    EXPECT_EQ(mapped.find("libze_emulated_gpu"), std::string::npos);
}

/// A directory for the life of a test.
class Place {
  public:
    Place() {
        std::string name = (fs::temp_directory_path() / "zetl-exported-XXXXXX").string();
        path_ = mkdtemp(name.data());
    }
    ~Place() { fs::remove_all(path_); }
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;
    std::string path() const { return path_; }

  private:
    std::string path_;
};

constexpr std::size_t kExportedProfiles = effort(2, 1);

TEST(MetricExport, IsCalculatedWhereThereIsNoDriver) {
    constexpr std::array kNames{"tiny", "small-two-by-two"};
    for (const char* profile : std::span(kNames).first(kExportedProfiles)) {
        const Place place;
        const auto made = measured("exportsEveryGroup", profile).with(kPlace, place.path()).run(120s);
        ASSERT_TRUE(made.good()) << made;
        EXPECT_RUNS(Process({thisProgram(), "--scenario=calculatesWithoutADriver"})
                        .with("ZE_ENABLE_ALT_DRIVERS", "/no/such/driver.so")
                        .with(kPlace, place.path()));
    }
}

/// Cut anywhere, and with any byte changed: documented codes from the entry point.
SCENARIO(damagedExportsAreRefused) {
    const Gpu gpu;
    auto* const group = test::group(gpu, "ComputeBasic", kTimeBased);
    const auto raw = streamedOnce(gpu, group);
    const auto data = exported(gpu, group, raw);
    const auto function = DRIVER_CALL(gpu, zetMetricGroupCalculateMetricExportDataExp);
    const auto answer = [&](const std::vector<std::uint8_t>& bytes) {
        return calculate(function, gpu.driver(), bytes).code;
    };
    for (std::size_t size = data.size() - 1; size > 0; size -= std::min<std::size_t>(size, 1 + size / 200))
        ASSERT_EQ(answer({data.begin(), data.begin() + static_cast<std::ptrdiff_t>(size)}),
                  ZE_RESULT_ERROR_INVALID_SIZE)
            << size << " of " << data.size();
    std::mt19937 random(4711);
    for (int i = 0; i < 500; ++i) {  // tests/fuzz/metrics goes on
        auto damaged = data;
        for (int j = i % 3; j >= 0; --j) damaged[random() % damaged.size()] = static_cast<std::uint8_t>(random());
        const auto code = answer(damaged);
        ASSERT_TRUE(code == ZE_RESULT_SUCCESS || code == ZE_RESULT_ERROR_INVALID_ARGUMENT ||
                    code == ZE_RESULT_ERROR_INVALID_SIZE)
            << code;
    }
    const auto all = calculate(function, gpu.driver(), data);
    const auto fewer = calculate(function, gpu.driver(), data, 1);
    EXPECT_EQ(fewer.values.size() + columnsOf(group).size(), all.values.size()) << "one report is skipped";
    zet_metric_calculate_exp_desc_t desc{ZET_STRUCTURE_TYPE_METRIC_CALCULATE_EXP_DESC, nullptr, 0};
    std::uint32_t sets = 0;
    std::uint32_t total = 0;
    EXPECT_EQ(function(gpu.driver(), static_cast<zet_metric_group_calculation_type_t>(9), data.size(), data.data(),
                       &desc, &sets, &total, nullptr, nullptr),
              ZE_RESULT_ERROR_INVALID_ENUMERATION);
    std::size_t size = 0;
    EXPECT_EQ(DRIVER_CALL(gpu, zetMetricGroupGetExportDataExp)(group, raw.data(), raw.size() - 1, &size, nullptr),
              ZE_RESULT_ERROR_INVALID_SIZE)
        << "reports are whole";
}
TEST(MetricExport, DamagedDataAreRefused) { EXPECT_RUNS(measured("damagedExportsAreRefused")); }

}  // namespace
}  // namespace zetl::test
