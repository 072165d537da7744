// Metrics of several devices of several tiles, each by itself and all at once: through the stock loader, without any
// layer.
#include <algorithm>
#include <chrono>
#include <deque>
#include <thread>

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

constexpr const char* kProfile = "small-two-by-two";

std::vector<Gpu> devicesOf(const Gpu& gpu) {
    std::vector<Gpu> devices;
    for (auto* const device : listOf(zeDeviceGet, gpu.driver())) devices.push_back(gpu.on(device));
    return devices;
}

/// Of all devices.
std::vector<Gpu> tilesOf(const Gpu& gpu) {
    std::vector<Gpu> tiles;
    for (const Gpu& device : devicesOf(gpu))
        for (auto* const tile : listOf(zeDeviceGetSubDevices, device.device())) tiles.push_back(gpu.on(tile));
    return tiles;
}

/// A thread for each.
template <class F>
void eachAtOnce(const std::vector<Gpu>& gpus, F&& f) {
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < gpus.size(); ++i) threads.emplace_back([&, i] { f(gpus[i], i); });
    for (auto& thread : threads) thread.join();
}

/// Of a stream in nanoseconds: under a sanitizer tiles would make reports faster than one thread reads them.
constexpr std::uint32_t kTilesPeriod = effort(kPeriod, 20 * kPeriod);

/// How often the n-th device or tile does its work: another number for each.
int timesOf(std::size_t n) { return static_cast<int>(n) + 1; }

SCENARIO(tilesOfAllDevicesStream) {
    const Gpu gpu;
    const auto tiles = tilesOf(gpu);
    ASSERT_EQ(tiles.size(), 4u);
    std::deque<Stream> streams;
    for (const Gpu& tile : tiles) streams.emplace_back(tile, 1000, kTilesPeriod);
    for (Stream& stream : streams) stream.pass(1);
    eachAtOnce(tiles, [](const Gpu& tile, std::size_t n) { CountedWork(tile).launch(timesOf(n)); });
    for (std::size_t n = 0; n < tiles.size(); ++n)
        EXPECT_EQ(streams[n].settled("GLOBAL_BYTE_WRITE"), timesOf(n) * CountedWork::kBytesWritten) << "tile " << n;
}
TEST(MetricTiles, OfAllDevicesStream) { EXPECT_RUNS(measured("tilesOfAllDevicesStream", kProfile)); }

/// A streamer of a root device has its own tiles' counts, a set each, and nothing of the other device.
SCENARIO(rootDevicesStreamTheirTiles) {
    const Gpu gpu;
    const auto devices = devicesOf(gpu);
    ASSERT_EQ(devices.size(), 2u);
    std::deque<Stream> streams;
    for (const Gpu& device : devices) streams.emplace_back(device, 1000, kTilesPeriod);
    constexpr std::size_t kTilesOfEach = 2;
    for (Stream& stream : streams) stream.pass(2, kTilesOfEach);
    const auto tiles = tilesOf(gpu);
    eachAtOnce(tiles, [](const Gpu& tile, std::size_t n) { CountedWork(tile).launch(timesOf(n)); });
    const auto calculate = DRIVER_CALL(gpu, zetMetricGroupCalculateMultipleMetricValuesExp);
    for (std::size_t d = 0; d < devices.size(); ++d) {
        streams[d].pass(3, kTilesOfEach);
        auto* const timed = group(devices[d], "MemoryTraffic", kTimeBased);
        const auto& raw = streams[d].raw();
        std::uint32_t sets = 0;
        std::uint32_t total = 0;
        ASSERT_OK(calculate(timed, kMetricValues, raw.size(), raw.data(), &sets, &total, nullptr, nullptr));
        ASSERT_EQ(sets, kTilesOfEach);
        std::vector<std::uint32_t> counts(sets);
        std::vector<zet_typed_value_t> values(total);
        ASSERT_OK(calculate(timed, kMetricValues, raw.size(), raw.data(), &sets, &total, counts.data(), values.data()));
        const auto columns = columnsOf(timed);
        const auto column = static_cast<std::size_t>(std::ranges::find(columns, "GLOBAL_BYTE_WRITE") - columns.begin());
        std::vector<std::uint64_t> written(sets);
        for (std::size_t i = column; i < total; i += columns.size())
            written[i < counts[0] ? 0 : 1] += values[i].value.ui64;
        for (std::size_t tile = 0; tile < sets; ++tile)
            EXPECT_EQ(written[tile], timesOf(2 * d + tile) * CountedWork::kBytesWritten) << d << "." << tile;
    }
}
TEST(MetricTiles, OfARootDeviceAreItsSets) { EXPECT_RUNS(measured("rootDevicesStreamTheirTiles", kProfile)); }

SCENARIO(tilesOfAllDevicesAreQueried) {
    const Gpu gpu;
    eachAtOnce(tilesOf(gpu), [](const Gpu& tile, std::size_t n) {
        const Queries queries(tile, "MemoryTraffic");
        const CountedWork work(tile);
        for (std::uint32_t i = 0; i < 4; ++i) {
            auto* const query = queries[i];
            Queries::around(tile, query, [&](ze_command_list_handle_t list) { work.append(list, timesOf(n + i)); });
            EXPECT_EQ(queries.row(query).at("GLOBAL_BYTE_WRITE").value.ui64,
                      timesOf(n + i) * CountedWork::kBytesWritten)
                << "tile " << n;
            EXPECT_OK(zetMetricQueryDestroy(query));
        }
        EXPECT_OK(zetMetricQueryPoolDestroy(queries.pool()));
    });
}
TEST(MetricTiles, OfAllDevicesAreQueried) { EXPECT_RUNS(measured("tilesOfAllDevicesAreQueried", kProfile)); }

/// Groups of several domains are active on every device and tile at the same time; those of another one are refused.
SCENARIO(concurrentGroupsOfEveryTile) {
    const Gpu gpu;
    auto all = devicesOf(gpu);
    for (const Gpu& tile : tilesOf(gpu)) all.push_back(tile);
    const auto concurrent = DRIVER_CALL(gpu, zetDeviceGetConcurrentMetricGroupsExp);
    for (const Gpu& each : all) {
        auto groups = listOf(zetMetricGroupGet, each.device());
        const auto count = static_cast<std::uint32_t>(groups.size());
        std::uint32_t sets = 0;
        ASSERT_OK(concurrent(each.device(), count, groups.data(), nullptr, &sets));
        std::vector<std::uint32_t> sizes(sets);
        ASSERT_OK(concurrent(each.device(), count, groups.data(), sizes.data(), &sets));
        ASSERT_GT(sizes[0], 1u);
        EXPECT_OK(zetContextActivateMetricGroups(each.context(), each.device(), sizes[0], groups.data()));
        const Gpu& other = each.device() == all[0].device() ? all.back() : all[0];
        auto* const foreign = group(other, "ComputeBasic", kTimeBased);
        EXPECT_NE(foreign, group(each, "ComputeBasic", kTimeBased)) << "a handle of its own";
        groups.push_back(foreign);
        EXPECT_EQ(concurrent(each.device(), count + 1, groups.data(), nullptr, &sets),
                  ZE_RESULT_ERROR_INVALID_ARGUMENT);
        zet_metric_group_handle_t mixed[] = {group(each, "EuStallSampling", kTimeBased), foreign};
        EXPECT_EQ(zetContextActivateMetricGroups(each.context(), each.device(), 2, mixed),
                  ZE_RESULT_ERROR_INVALID_ARGUMENT);
    }
    for (const Gpu& each : all) EXPECT_OK(zetContextActivateMetricGroups(each.context(), each.device(), 0, nullptr));
}
TEST(MetricTiles, ConcurrentGroupsAreEachOnes) { EXPECT_RUNS(measured("concurrentGroupsOfEveryTile", kProfile)); }

}  // namespace
}  // namespace zetl::test
