// Instruction sampling: names as real drivers have them, a row an instruction, losses told by the calculation.
#include <chrono>
#include <thread>

#include "metrics/calculation/export_data.h"
#include "metrics/calculation/sample_report.h"
#include "metrics_fixture.h"
#include "support/wait_for.h"

namespace zetl::metrics {
namespace {

namespace fake = test::fake;

constexpr std::uint32_t kActive = 0;
constexpr std::uint32_t kSbid = 1;
constexpr std::uint32_t kUnnamed = 2;

class Sampling : public MetricsTest {
  protected:
    Sampling() : MetricsTest(true, {.samples = true}) { group_ = timeGroup("EuStallSampling"); }
    ~Sampling() override {
        if (streamer_) metrics_.streamerClose(streamer_);
    }
    ze_result_t open(std::uint32_t notify = 1, fake::Event* event = nullptr) {
        desc_ = {ZET_STRUCTURE_TYPE_METRIC_STREAMER_DESC, nullptr, notify, 100'000};
        return metrics_.streamerOpen(context_, device_, group_, &desc_, event ? fake::handleOf(*event) : nullptr,
                                     &streamer_);
    }
    void start() {
        ASSERT_NE(group_, nullptr);
        ASSERT_EQ(activate({group_}), ZE_RESULT_SUCCESS);
        ASSERT_EQ(open(), ZE_RESULT_SUCCESS);
    }
    std::vector<std::uint8_t> read(std::uint32_t most = UINT32_MAX) {
        std::size_t size = 0;
        EXPECT_EQ(metrics_.streamerReadData(streamer_, UINT32_MAX, &size, nullptr), ZE_RESULT_SUCCESS);
        std::vector<std::uint8_t> raw(size);
        EXPECT_EQ(metrics_.streamerReadData(streamer_, most, &size, raw.data()), ZE_RESULT_SUCCESS);
        raw.resize(size);
        return raw;
    }
    ze_result_t calculate(std::vector<std::uint8_t> raw,
                          zet_metric_group_calculation_type_t type = ZET_METRIC_GROUP_CALCULATION_TYPE_METRIC_VALUES) {
        std::uint32_t count = 1000;
        values_.resize(count);
        const auto result =
            metrics_.groupCalculateMetricValues(group_, type, raw.size(), raw.data(), &count, values_.data());
        values_.resize(count);
        return result;
    }
    std::uint64_t value(std::size_t row, std::size_t column) { return values_.at(3 * row + column).value.ui64; }

    zet_metric_group_handle_t group_ = nullptr;
    zet_metric_streamer_handle_t streamer_ = nullptr;
    zet_metric_streamer_desc_t desc_{};
    std::vector<zet_typed_value_t> values_;
};

TEST_F(Sampling, TheGroupSaysWhatRealOnesSay) {
    ASSERT_NE(group_, nullptr);
    zet_metric_source_id_exp_t source{ZET_STRUCTURE_TYPE_METRIC_SOURCE_ID_EXP, nullptr, 0};
    zet_metric_group_type_exp_t type{ZET_STRUCTURE_TYPE_METRIC_GROUP_TYPE_EXP, &source, 0};
    zet_metric_group_properties_t properties{};
    properties.pNext = &type;
    ASSERT_EQ(metrics_.groupGetProperties(group_, &properties), ZE_RESULT_SUCCESS);
    EXPECT_EQ(properties.domain, 100u);
    EXPECT_EQ(source.sourceId, 2u);
    EXPECT_EQ(type.type, static_cast<std::uint32_t>(ZET_METRIC_GROUP_TYPE_EXP_FLAG_OTHER)) << "no markers";
    EXPECT_EQ(columns(group_), (std::vector<std::string>{"IP", "Active", "SbidStall"})) << "a device's own reason";
    std::uint32_t count = 1;
    zet_metric_handle_t first = nullptr;
    ASSERT_EQ(metrics_.metricGet(group_, &count, &first), ZE_RESULT_SUCCESS);
    zet_metric_properties_t ip{};
    ASSERT_EQ(metrics_.metricGetProperties(first, &ip), ZE_RESULT_SUCCESS);
    EXPECT_EQ(ip.metricType, 0x7ffffffe);
    EXPECT_STREQ(ip.resultUnits, "Address");
}

TEST_F(Sampling, AnInstructionIsARowWhateverReadsItCameIn) {
    start();
    fake::sample(0x80, kSbid, 7);
    fake::sample(0x40, kActive, 2);
    auto raw = read();
    fake::sample(0x80, kSbid, 1);
    fake::sample(0x80, kActive, 5);
    fake::sample(0x90, kUnnamed, 9);
    const auto more = read();
    raw.insert(raw.end(), more.begin(), more.end());
    std::uint32_t count = 0;
    ASSERT_EQ(metrics_.groupCalculateMetricValues(group_, ZET_METRIC_GROUP_CALCULATION_TYPE_METRIC_VALUES, raw.size(),
                                                  raw.data(), &count, nullptr),
              ZE_RESULT_SUCCESS);
    EXPECT_EQ(count, 9u) << "exact, not an upper bound";
    ASSERT_EQ(calculate(raw), ZE_RESULT_SUCCESS);
    ASSERT_EQ(values_.size(), 9u);
    const std::uint64_t expected[3][3] = {{0x40 >> 3, 2, 0}, {0x80 >> 3, 5, 8}, {0x90 >> 3, 0, 0}};
    for (std::size_t row = 0; row < 3; ++row)
        for (std::size_t column = 0; column < 3; ++column) EXPECT_EQ(value(row, column), expected[row][column]);
}

TEST_F(Sampling, LossIsToldByTheCalculationWithAllThereIs) {
    start();
    fake::sample(0x40, kActive, 3);
    fake::sample(0x48, kActive, 4);
    fake::loseSamples(12);
    const auto raw = read();
    ASSERT_EQ(calculate(raw), ZE_RESULT_WARNING_DROPPED_DATA);
    EXPECT_EQ(values_.size(), 6u);
    EXPECT_EQ(value(1, 1), 4u);
    fake::sample(0x40, kActive, 1);
    EXPECT_EQ(calculate(read()), ZE_RESULT_SUCCESS) << "a loss is reported once";
}

TEST_F(Sampling, NothingSampledIsNoDataAndNoFailure) {
    start();
    EXPECT_TRUE(read().empty());
    EXPECT_EQ(calculate({}), ZE_RESULT_NOT_READY);
}

TEST_F(Sampling, ReadsTakeAsMuchAsFits) {
    start();
    for (std::uint64_t i = 0; i < 5; ++i) fake::sample(8 * i, kActive, 1);
    std::size_t one = 0;
    ASSERT_EQ(metrics_.streamerReadData(streamer_, 1, &one, nullptr), ZE_RESULT_SUCCESS);
    EXPECT_EQ(read(2).size(), 2 * one);
    EXPECT_EQ(read().size(), 3 * one);
    std::vector<std::uint8_t> small(one - 1);
    std::size_t size = small.size();
    EXPECT_EQ(metrics_.streamerReadData(streamer_, UINT32_MAX, &size, small.data()), ZE_RESULT_SUCCESS);
    EXPECT_EQ(size, 0u);
}

TEST_F(Sampling, RunsBesideAStreamerOfCountersButNotBesideItself) {
    ASSERT_EQ(open(), ZE_RESULT_NOT_READY) << "not active";
    const auto counters = timeGroup();
    ASSERT_EQ(activate({counters, group_}), ZE_RESULT_SUCCESS);
    ASSERT_EQ(open(UINT32_MAX), ZE_RESULT_SUCCESS);
    EXPECT_GT(desc_.notifyEveryNReports, 0u);
    EXPECT_LT(desc_.notifyEveryNReports, UINT32_MAX) << "no more than is kept";
    zet_metric_streamer_handle_t second = nullptr;
    EXPECT_EQ(metrics_.streamerOpen(context_, device_, group_, &desc_, nullptr, &second),
              ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE);
    EXPECT_EQ(metrics_.streamerOpen(context_, device_, counters, &desc_, nullptr, &second), ZE_RESULT_SUCCESS);
    EXPECT_EQ(metrics_.streamerClose(second), ZE_RESULT_SUCCESS);
}

TEST_F(Sampling, TheEventComesAfterSoManyPeriodsOnceSomethingWasSeen) {
    ASSERT_EQ(activate({group_}), ZE_RESULT_SUCCESS);
    fake::Event event{false};
    ASSERT_EQ(open(10, &event), ZE_RESULT_SUCCESS);  // a millisecond
    EXPECT_FALSE(test::waitFor([&] { return event.load(); }, std::chrono::milliseconds(20))) << "nothing was seen";
    fake::sample(8, kActive, 1);
    while (!event) std::this_thread::yield();
    EXPECT_FALSE(read().empty());
}

TEST_F(Sampling, WhatItLacksIsRefused) {
    start();
    EXPECT_EQ(metrics_.commandListAppendMetricStreamerMarker(list_, streamer_, 1), ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    EXPECT_EQ(metrics_.commandListAppendMarkerExp(list_, group_, 1), ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    fake::sample(8, kActive, 1);
    auto raw = read();
    EXPECT_EQ(calculate(raw, ZET_METRIC_GROUP_CALCULATION_TYPE_MAX_METRIC_VALUES), ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    raw.pop_back();
    EXPECT_EQ(calculate(raw), ZE_RESULT_ERROR_INVALID_SIZE);
}

TEST_F(Sampling, ExportedDataGiveTheSameRowsAndTheSameWarning) {
    start();
    fake::sample(0x80, kSbid, 7);
    fake::sample(0x80, kActive, 1);
    fake::loseSamples(1);
    const auto raw = read();
    std::size_t size = 0;
    ASSERT_EQ(metrics_.groupGetExportDataExp(group_, raw.data(), raw.size(), &size, nullptr), ZE_RESULT_SUCCESS);
    std::vector<std::uint8_t> exported(size);
    ASSERT_EQ(metrics_.groupGetExportDataExp(group_, raw.data(), raw.size(), &size, exported.data()),
              ZE_RESULT_SUCCESS);
    ASSERT_EQ(calculate(raw), ZE_RESULT_WARNING_DROPPED_DATA);
    zet_metric_calculate_exp_desc_t desc{};
    std::uint32_t sets = 1;
    std::uint32_t total = 100;
    std::uint32_t counts[1] = {};
    std::vector<zet_typed_value_t> values(total);
    EXPECT_EQ(Metrics::calculateMetricExportDataExp(reinterpret_cast<ze_driver_handle_t>(this),
                                                    ZET_METRIC_GROUP_CALCULATION_TYPE_METRIC_VALUES, exported.size(),
                                                    exported.data(), &desc, &sets, &total, counts, values.data()),
              ZE_RESULT_WARNING_DROPPED_DATA);
    ASSERT_EQ(total, values_.size());
    for (std::uint32_t i = 0; i < total; ++i) EXPECT_EQ(values[i].value.ui64, values_[i].value.ui64);
}

TEST_F(Sampling, TheRestOfABufferThatWasNotFilledIsNoRow) {
    start();
    fake::sample(0x40, kActive, 3);
    auto raw = read();
    raw.resize(3 * raw.size());
    ASSERT_EQ(calculate(raw), ZE_RESULT_SUCCESS);
    EXPECT_EQ(values_.size(), 3u);
}

TEST(SampleReports, ZeroesBehindTheSetsOfTilesAreNoSet) {
    struct {
        TileHead head{.set = 1, .sets = 2, .bytes = sizeof(SampleHead)};
        SampleHead report{8, 1, 0};
        std::byte rest[40]{};
    } raw;
    const auto bytes = std::as_bytes(std::span(&raw, 1));
    const auto sets = RawSets::of(bytes, sizeof(SampleHead));
    ASSERT_TRUE(sets);
    EXPECT_EQ(sets->size(), 2u);
    EXPECT_EQ((*sets)[1].size(), sizeof(SampleHead));
    raw.rest[30] = std::byte{1};
    EXPECT_EQ(RawSets::of(bytes, sizeof(SampleHead)).code(), ZE_RESULT_ERROR_INVALID_ARGUMENT);
}

/// The room that a device of two tiles asks for, which nobody read into.
TEST(SampleReports, RoomForTilesThatWasNotFilledHoldsNone) {
    constexpr std::size_t kReport = 96;
    const auto codeOf = [](std::size_t bytes, std::byte each) {
        return RawSets::of(std::vector<std::byte>(bytes, each), kReport).code();
    };
    const std::size_t room = 2 * (sizeof(TileHead) + kReport);
    EXPECT_EQ(codeOf(room, std::byte{0}), ZE_RESULT_NOT_READY);
    EXPECT_EQ(codeOf(room, std::byte{1}), ZE_RESULT_ERROR_INVALID_SIZE);
    EXPECT_EQ(codeOf(room - 1, std::byte{0}), ZE_RESULT_ERROR_INVALID_SIZE);
}

TEST(SampleReports, ADescriptionWhoseReportsAreNoWordsIsRefused) {
    Descriptor descriptor;
    descriptor.samples = true;
    descriptor.reportBytes = 28;
    descriptor.time = {.name = "Time", .kind = Kind::last};
    descriptor.fields = {{.name = "IP", .kind = Kind::last}};
    descriptor.columns = {{.name = "IP"}};
    EXPECT_ANY_THROW(Calculator{descriptor});
    descriptor.reportBytes = 32;
    EXPECT_NO_THROW(Calculator{descriptor});
    descriptor.cumulative = true;
    EXPECT_ANY_THROW(Calculator{descriptor});
}

}  // namespace
}  // namespace zetl::metrics
