// Streamers deliver whole reports in order, notify in real time, and say what was lost.
#include <algorithm>
#include <chrono>

#include "metrics_fixture.h"
#include "support/wait_for.h"

namespace zetl::metrics {
namespace {

namespace fake = test::fake;
using namespace std::chrono_literals;

class Streamers : public MetricsTest {
  protected:
    Streamers() {
        group_ = timeGroup();
        EXPECT_EQ(activate({group_}), ZE_RESULT_SUCCESS);
    }
    ~Streamers() override {
        if (streamer_) metrics_.streamerClose(streamer_);
    }
    ze_result_t open(std::uint32_t notify = 10, fake::Event* event = nullptr, std::uint32_t period = 100'500) {
        desc_ = {ZET_STRUCTURE_TYPE_METRIC_STREAMER_DESC, nullptr, notify, period};
        return metrics_.streamerOpen(context_, device_, group_, &desc_, event ? fake::handleOf(*event) : nullptr,
                                     &streamer_);
    }
    void report(std::uint64_t time, std::uint64_t sends) {
        fake::setTime(time);
        fake::count("XVE_INST_EXECUTED_SEND_ALL", sends);
        fake::count("GpuCoreClocks", 1000);
        fake::streamReports();
    }
    std::vector<std::uint8_t> read(ze_result_t expected = ZE_RESULT_SUCCESS, std::uint32_t most = UINT32_MAX) {
        std::size_t size = 0;
        EXPECT_EQ(metrics_.streamerReadData(streamer_, UINT32_MAX, &size, nullptr), ZE_RESULT_SUCCESS);
        std::vector<std::uint8_t> raw(size);
        EXPECT_EQ(metrics_.streamerReadData(streamer_, most, &size, raw.data()), expected);
        raw.resize(size);
        return raw;
    }
    std::size_t reportBytes() {
        std::size_t size = 0;
        EXPECT_EQ(metrics_.streamerReadData(streamer_, 1, &size, nullptr), ZE_RESULT_SUCCESS);
        return size;
    }
    static bool becomes(fake::Event& event, std::chrono::milliseconds limit) {
        return test::waitFor([&] { return event.load(); }, limit);
    }

    zet_metric_group_handle_t group_ = nullptr;
    zet_metric_streamer_desc_t desc_{};
    zet_metric_streamer_handle_t streamer_ = nullptr;
};

TEST_F(Streamers, GrantedValuesAreWrittenBack) {
    ASSERT_EQ(open(32768), ZE_RESULT_SUCCESS);
    EXPECT_EQ(desc_.notifyEveryNReports, 32768u) << "tools insist on this value";
    EXPECT_EQ(desc_.samplingPeriod, 100'000u);
    std::size_t all = 0;
    ASSERT_EQ(metrics_.streamerReadData(streamer_, UINT32_MAX, &all, nullptr), ZE_RESULT_SUCCESS);
    EXPECT_GE(all / reportBytes(), desc_.notifyEveryNReports);
}

TEST_F(Streamers, NReportsAreNMinusOneRowsOfDifferences) {
    ASSERT_EQ(open(), ZE_RESULT_SUCCESS);
    for (std::uint64_t i = 0; i < 4; ++i) report(1000 * (i + 1), i);
    const auto raw = read();
    ASSERT_EQ(raw.size(), 4 * reportBytes());
    const auto result = rows(group_, raw);
    ASSERT_EQ(result.size(), 3u);
    for (std::uint64_t i = 0; i < 3; ++i) {
        EXPECT_EQ(result[i].at("XVE_INST_EXECUTED_SEND_ALL").value.ui64, i + 1);
        EXPECT_EQ(result[i].at("GpuTime").value.ui64, 1000u);
        EXPECT_EQ(result[i].at("AvgGpuCoreFrequencyMHz").value.ui64, 1000u);
        EXPECT_EQ(result[i].at("QueryBeginTime").value.ui64, 1000 * (i + 2));
        EXPECT_EQ(result[i].at("ReportReason").value.ui64, 1u);
    }
}

TEST_F(Streamers, ReadsCanBeJoined) {
    ASSERT_EQ(open(), ZE_RESULT_SUCCESS);
    report(1000, 1);
    report(2000, 2);
    auto raw = read();
    report(3000, 3);
    const auto more = read();
    raw.insert(raw.end(), more.begin(), more.end());
    EXPECT_EQ(rows(group_, raw).size(), 2u);
    EXPECT_EQ(rows(group_, raw)[1].at("XVE_INST_EXECUTED_SEND_ALL").value.ui64, 3u);
}

TEST_F(Streamers, ReportCountAndBufferSizeLimitARead) {
    ASSERT_EQ(open(), ZE_RESULT_SUCCESS);
    for (std::uint64_t i = 0; i < 5; ++i) report(1000 * (i + 1), i);
    EXPECT_EQ(read(ZE_RESULT_SUCCESS, 2).size(), 2 * reportBytes());
    std::vector<std::uint8_t> raw(2 * reportBytes() - 1);
    std::size_t size = raw.size();
    ASSERT_EQ(metrics_.streamerReadData(streamer_, UINT32_MAX, &size, raw.data()), ZE_RESULT_SUCCESS);
    EXPECT_EQ(size, reportBytes());
    EXPECT_EQ(read().size(), 2 * reportBytes());
    EXPECT_TRUE(read().empty()) << "nothing waits: success and no bytes";
}

TEST_F(Streamers, LossIsAWarningWithTheDataThatAreThere) {
    ASSERT_EQ(open(), ZE_RESULT_SUCCESS);
    report(1000, 1);
    fake::streamLoses(12);
    EXPECT_EQ(read(ZE_RESULT_WARNING_DROPPED_DATA).size(), reportBytes());
    report(2000, 1);
    EXPECT_EQ(read().size(), reportBytes());
}

TEST_F(Streamers, MarkersKeepOrderAndValue) {
    ASSERT_EQ(open(), ZE_RESULT_SUCCESS);
    report(1000, 0);
    for (const std::uint32_t value : {10u, 20u})
        ASSERT_EQ(metrics_.commandListAppendMetricStreamerMarker(list_, streamer_, value), ZE_RESULT_SUCCESS);
    ASSERT_EQ(metrics_.commandListAppendMarkerExp(list_, group_, 30), ZE_RESULT_SUCCESS);
    const auto result = rows(group_, read());
    ASSERT_EQ(result.size(), 3u);
    EXPECT_EQ(result[0].at("StreamMarker").value.ui64, 10u);
    EXPECT_EQ(result[1].at("StreamMarker").value.ui64, 20u);
    EXPECT_EQ(result[2].at("StreamMarker").value.ui64, 30u);
    EXPECT_EQ(result[2].at("ReportReason").value.ui64, 64u);
}

TEST_F(Streamers, EventIsSignalledAtTheCountAndAgainAfterAReset) {
    fake::Event event{false};
    ASSERT_EQ(open(3, &event), ZE_RESULT_SUCCESS);
    report(1000, 0);
    report(2000, 0);
    EXPECT_FALSE(becomes(event, 30ms)) << "two of three reports";
    report(3000, 0);
    EXPECT_TRUE(becomes(event, 2000ms));
    event = false;
    EXPECT_TRUE(becomes(event, 2000ms)) << "three reports still wait";
    read();
    event = false;
    EXPECT_FALSE(becomes(event, 30ms));
}

TEST_F(Streamers, AnEventThatIsDestroyedIsNotSignalledAnyMore) {
    fake::Event event{false};
    ASSERT_EQ(open(1, &event), ZE_RESULT_SUCCESS);
    report(1000, 0);
    ASSERT_TRUE(becomes(event, 2000ms));
    metrics_.eventDestroyed(fake::handleOf(event));
    event = false;
    report(2000, 0);
    EXPECT_FALSE(becomes(event, 30ms));
    EXPECT_EQ(read().size(), 2 * reportBytes()) << "it streams on";
}

// The notifier sleeps until the report before the last one can be there, and then looks often enough for five percent.
TEST_F(Streamers, ANotificationIsLookedForInTime) {
    DeviceState state(**devices_.find(device_));
    const auto& groups = state.groups();
    const auto timeBased =
        std::find_if(groups.begin(), groups.end(), [](const auto& each) { return each->timeBased(); });
    zet_metric_streamer_desc_t desc{ZET_STRUCTURE_TYPE_METRIC_STREAMER_DESC, nullptr, 10, 1'000'000};
    auto streamer = Streamer::open({&state}, (*timeBased)->measurement(), desc, nullptr);
    ASSERT_TRUE(streamer);
    for (std::uint64_t waiting = 0; waiting < 9; ++waiting) {
        EXPECT_EQ((*streamer)->untilNotification(), (9 - waiting) * 1ms) << waiting;
        report(1000 * (waiting + 1), 0);
    }
    EXPECT_EQ((*streamer)->untilNotification(), 250us) << "ten reports in ten milliseconds, the last at any time now";
    report(10'000, 0);
    EXPECT_EQ((*streamer)->untilNotification(), 0ns);
}

TEST_F(Streamers, TheRingIsTheSameForEveryNotification) {
    for (const std::uint32_t notify : {1u, 1000u, 32768u}) {
        ASSERT_EQ(open(notify), ZE_RESULT_SUCCESS);
        std::size_t all = 0;
        ASSERT_EQ(metrics_.streamerReadData(streamer_, UINT32_MAX, &all, nullptr), ZE_RESULT_SUCCESS);
        EXPECT_EQ(all / reportBytes(), 65536u);
        EXPECT_EQ(desc_.notifyEveryNReports, notify);
        ASSERT_EQ(metrics_.streamerClose(streamer_), ZE_RESULT_SUCCESS);
        streamer_ = nullptr;
    }
}

TEST_F(Streamers, ClosedStreamerLeavesItsEventAlone) {
    fake::Event event{false};
    ASSERT_EQ(open(1, &event), ZE_RESULT_SUCCESS);
    ASSERT_EQ(metrics_.streamerClose(streamer_), ZE_RESULT_SUCCESS);
    EXPECT_EQ(metrics_.streamerClose(streamer_), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    streamer_ = nullptr;
    report(1000, 0);
    EXPECT_FALSE(becomes(event, 20ms));
}

TEST_F(Streamers, SecondStreamerOfADeviceIsInUse) {
    ASSERT_EQ(open(), ZE_RESULT_SUCCESS);
    zet_metric_streamer_handle_t second = nullptr;
    EXPECT_EQ(metrics_.streamerOpen(context_, device_, group_, &desc_, nullptr, &second),
              ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE);
}

TEST_F(Streamers, EventGroupAndInactiveGroupAreRefused) {
    group_ = eventGroup();
    EXPECT_EQ(open(), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    group_ = timeGroup("InstructionMix");
    EXPECT_EQ(open(), ZE_RESULT_NOT_READY);
}

TEST_F(Streamers, StaysReadableAfterDeactivation) {
    ASSERT_EQ(open(), ZE_RESULT_SUCCESS);
    ASSERT_EQ(activate({}), ZE_RESULT_SUCCESS);
    report(1000, 0);
    EXPECT_EQ(read().size(), reportBytes());
}

TEST_F(Streamers, BusyDeviceIsNotAvailable) {
    fake::occupy(ZETL_SOURCE_STREAM);
    EXPECT_EQ(open(), ZE_RESULT_ERROR_NOT_AVAILABLE);
}

}  // namespace
}  // namespace zetl::metrics
