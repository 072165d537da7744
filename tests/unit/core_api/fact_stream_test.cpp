// Reports of spans: where they lie, and what is lost.
#include "core_api/fact_stream.h"

#include <gtest/gtest.h>

namespace zetl::core_api {
namespace {

using activity::Work;

constexpr std::uint64_t kStart = 1'000'000;
constexpr std::uint64_t kPeriod = 100;

struct Reports {
    std::vector<std::uint64_t> times;
    std::vector<Row> sums;
    zetl_loss_t loss{};
};

/// Every column, reports of 100 ns from a million on.
class Stream {
  public:
    explicit Stream(std::uint64_t capacity = 64)
        : stream_(1, {0, 1, 2, 3, 4, 5}, {sizeof(zetl_stream_options_t), 0, kPeriod, capacity}) {
        stream_.start(kStart);
    }
    FactStream& operator*() { return stream_; }

    void took(Work work, std::uint64_t begin, std::uint64_t end, std::uint64_t bytes = 0) {
        stream_.took({work, 1, 0, kStart + begin, kStart + end, bytes, 0, 0});
    }
    Reports drain(std::uint64_t now) {
        constexpr std::size_t kMost = 64;
        Reports reports;
        reports.sums.resize(kMost);
        std::vector<zetl_report_info_t> infos(kMost);
        const auto count = stream_.drain(kStart + now, kMost, reports.sums.front().data(), infos.data(), reports.loss);
        reports.sums.resize(count);
        for (std::size_t i = 0; i < count; ++i) reports.times.push_back(infos[i].time - kStart);
        return reports;
    }

  private:
    FactStream stream_;
};

TEST(FactStream, SplitsTimeOverPeriodsAndCountsAtTheEnd) {
    Stream stream;
    stream.took(Work::kernel, 50, 230);
    stream.took(Work::copy, 210, 220, 4096);
    stream.took(Work::barrier, 220, 220);
    const auto reports = stream.drain(350);
    ASSERT_EQ(reports.times, (std::vector<std::uint64_t>{100, 200, 300}));
    EXPECT_EQ(reports.sums[0], (Row{50, 0, 0, 0, 0, 0}));
    EXPECT_EQ(reports.sums[1], (Row{150, 0, 0, 0, 0, 0}));
    EXPECT_EQ(reports.sums[2], (Row{180, 10, 3, 1, 4096, 0}));
    EXPECT_EQ(reports.loss.kind, ZETL_LOSS_NONE);
}

TEST(FactStream, WhatWasDoneInReportsThatAreTakenIsInTheNext) {
    Stream stream;
    EXPECT_EQ(stream.drain(300).times.size(), 3u);
    stream.took(Work::kernel, 150, 350);
    const auto reports = stream.drain(400);
    ASSERT_EQ(reports.times, (std::vector<std::uint64_t>{400}));
    EXPECT_EQ(reports.sums[0], (Row{200, 0, 1, 1, 0, 0}));
}

TEST(FactStream, WhatWasBeforeTheStartOrAfterTheStopIsNoneOfIt) {
    Stream stream;
    (*stream).took({Work::kernel, 1, 0, kStart - 500, kStart - 100, 0, 0, 0});
    (*stream).took({Work::kernel, 1, 0, kStart - 500, kStart + 40, 0, 0, 0});
    (*stream).stop(kStart + 250);
    stream.took(Work::kernel, 260, 270);
    const auto reports = stream.drain(900);
    ASSERT_EQ(reports.times, (std::vector<std::uint64_t>{100, 200}));
    EXPECT_EQ(reports.sums[1], (Row{40, 0, 1, 1, 0, 0}));
}

TEST(FactStream, CommandsWithoutTimesHaveAColumn) {
    Stream stream;
    (*stream).missed(2, kStart + 120);
    const auto reports = stream.drain(200);
    ASSERT_EQ(reports.sums.size(), 2u);
    EXPECT_EQ(reports.sums[0][kUnmeasured], 0u);
    EXPECT_EQ(reports.sums[1][kUnmeasured], 2u);
}

TEST(FactStream, LosesTheOldestReportsAndSaysSoButNoCount) {
    Stream stream(4);
    stream.took(Work::kernel, 10, 20);
    stream.took(Work::kernel, 110, 130);
    EXPECT_EQ((*stream).pending(kStart + 1000), 4u);
    const auto reports = stream.drain(1000);
    ASSERT_EQ(reports.times, (std::vector<std::uint64_t>{700, 800, 900, 1000}));
    EXPECT_EQ(reports.sums[0], (Row{30, 0, 2, 2, 0, 0}));
    EXPECT_EQ(reports.loss.kind, ZETL_LOSS_GAP);
    EXPECT_EQ(reports.loss.reports, 6u);
    EXPECT_EQ(reports.loss.begin, kStart + 100);
    EXPECT_EQ(reports.loss.end, kStart + 600);
    EXPECT_EQ(stream.drain(1100).loss.kind, ZETL_LOSS_NONE) << "said once";
}

}  // namespace
}  // namespace zetl::core_api
