// Tracers report the begins and ends of commands; decoders read the data, in whatever pieces they came.
#include <algorithm>
#include <chrono>
#include <random>
#include <thread>

#include "metrics_fixture.h"
#include "support/wait_for.h"

namespace zetl::metrics {
namespace {

namespace fake = test::fake;

class Tracers : public MetricsTest {
  protected:
    explicit Tracers(const fake::Character& character = {.commands = true}) : MetricsTest(true, character) {
        group_ = group("CommandTrace", ZET_METRIC_GROUP_SAMPLING_TYPE_FLAG_EXP_TRACER_BASED);
    }
    ze_result_t create(zet_metric_tracer_exp_handle_t& tracer, ze_event_handle_t event = nullptr) {
        return metrics_.tracerCreateExp(context_, device_, 1, &group_, &desc_, event, &tracer);
    }
    void start() {
        ASSERT_EQ(activate({group_}), ZE_RESULT_SUCCESS);
        ASSERT_EQ(create(tracer_), ZE_RESULT_SUCCESS);
        ASSERT_EQ(metrics_.tracerEnableExp(tracer_, true), ZE_RESULT_SUCCESS);
        ASSERT_EQ(metrics_.decoderCreateExp(tracer_, &decoder_), ZE_RESULT_SUCCESS);
    }
    std::vector<std::uint8_t> read(ze_result_t expected = ZE_RESULT_SUCCESS, std::size_t most = 4096) {
        std::vector<std::uint8_t> raw(most);
        std::size_t size = most;
        EXPECT_EQ(metrics_.tracerReadDataExp(tracer_, &size, raw.data()), expected);
        raw.resize(size);
        return raw;
    }
    std::vector<zet_metric_handle_t> decodable() {
        std::uint32_t count = 0;
        EXPECT_EQ(metrics_.decoderGetDecodableMetricsExp(decoder_, &count, nullptr), ZE_RESULT_SUCCESS);
        std::vector<zet_metric_handle_t> metrics(count + 3);
        count += 3;
        EXPECT_EQ(metrics_.decoderGetDecodableMetricsExp(decoder_, &count, metrics.data()), ZE_RESULT_SUCCESS);
        metrics.resize(count);
        return metrics;
    }
    ze_result_t decode(std::vector<std::uint8_t> raw, std::uint32_t most = 1000) {
        auto metrics = decodable();
        std::uint32_t sets = 0;
        consumed_ = raw.size();
        entries_.resize(most);
        std::uint32_t count = most;
        const auto result =
            metrics_.tracerDecodeExp(decoder_, &consumed_, raw.data(), static_cast<std::uint32_t>(metrics.size()),
                                     metrics.data(), &sets, nullptr, &count, entries_.data());
        if (result == ZE_RESULT_SUCCESS) entries_.resize(count);
        return result;
    }
    std::string nameOfEntry(std::size_t i) {
        zet_metric_properties_t properties{};
        EXPECT_EQ(metrics_.metricGetProperties(decodable().at(entries_.at(i).metricIndex), &properties),
                  ZE_RESULT_SUCCESS);
        return properties.name;
    }

    zet_metric_group_handle_t group_ = nullptr;
    zet_metric_tracer_exp_desc_t desc_{ZET_STRUCTURE_TYPE_METRIC_TRACER_EXP_DESC, nullptr, 10};
    zet_metric_tracer_exp_handle_t tracer_ = nullptr;
    zet_metric_decoder_exp_handle_t decoder_ = nullptr;
    std::vector<zet_metric_entry_exp_t> entries_;
    std::size_t consumed_ = 0;
};

struct NotAskedFor : Tracers {
    NotAskedFor() : Tracers(fake::Character{}) {}
};

TEST_F(NotAskedFor, TracedGroupsAreNotListed) { EXPECT_EQ(group_, nullptr); }

TEST_F(Tracers, BeginsAndEndsAreEntriesInOrder) {
    start();
    fake::setTime(50);
    fake::execute(ZETL_COMMAND_KERNEL, 100, 200);
    fake::execute(ZETL_COMMAND_OTHER, 200, 210);
    fake::execute(ZETL_COMMAND_COPY, 210, 300);
    fake::execute(ZETL_COMMAND_BARRIER, 300, 301);
    ASSERT_EQ(metrics_.tracerDisableExp(tracer_, true), ZE_RESULT_SUCCESS);
    ASSERT_EQ(decode(read()), ZE_RESULT_SUCCESS);
    const char* const names[] = {"TraceBegin", "KernelBegin",  "KernelEnd",  "CopyBegin",
                                 "CopyEnd",    "BarrierBegin", "BarrierEnd", "TraceEnd"};
    ASSERT_EQ(entries_.size(), std::size(names));
    for (std::size_t i = 0; i < std::size(names); ++i) EXPECT_EQ(nameOfEntry(i), names[i]);
    EXPECT_EQ(entries_[1].timeStamp, 100u) << "nanoseconds of the device clock";
    EXPECT_EQ(entries_[4].timeStamp, 300u);
    EXPECT_EQ(entries_[1].value.ui64, entries_[2].value.ui64) << "one command has one number";
    EXPECT_NE(entries_[2].value.ui64, entries_[3].value.ui64);
    EXPECT_FALSE(entries_[1].onSubdevice);
}

TEST_F(Tracers, DataAreThereFromEnableUntilTheyAreDrained) {
    ASSERT_EQ(activate({group_}), ZE_RESULT_SUCCESS);
    ASSERT_EQ(create(tracer_), ZE_RESULT_SUCCESS);
    fake::execute(ZETL_COMMAND_KERNEL, 1, 2);
    EXPECT_TRUE(read(ZE_RESULT_NOT_READY).empty()) << "not enabled";
    std::size_t none = 0;
    ASSERT_EQ(metrics_.tracerEnableExp(tracer_, false), ZE_RESULT_SUCCESS);
    EXPECT_EQ(metrics_.tracerReadDataExp(tracer_, &none, nullptr), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    EXPECT_FALSE(read().empty());
    EXPECT_TRUE(read().empty()) << "enabled, and nothing new";
    ASSERT_EQ(metrics_.tracerDisableExp(tracer_, false), ZE_RESULT_SUCCESS);
    EXPECT_FALSE(read().empty());
    EXPECT_TRUE(read(ZE_RESULT_NOT_READY).empty());
}

TEST_F(Tracers, PiecesOfAnySizeJoinToTheSameEntries) {
    start();
    for (std::uint64_t i = 0; i < 5; ++i) fake::execute(ZETL_COMMAND_KERNEL, 10 * i, 10 * i + 5);
    ASSERT_EQ(metrics_.tracerDisableExp(tracer_, true), ZE_RESULT_SUCCESS);
    std::vector<std::uint8_t> all;
    for (std::vector<std::uint8_t> piece = read(ZE_RESULT_SUCCESS, 7); !piece.empty();) {
        all.insert(all.end(), piece.begin(), piece.end());
        std::vector<std::uint8_t> raw(7);
        std::size_t size = raw.size();
        piece.clear();
        if (metrics_.tracerReadDataExp(tracer_, &size, raw.data()) == ZE_RESULT_SUCCESS)
            piece.assign(raw.begin(), raw.begin() + static_cast<std::ptrdiff_t>(size));
    }
    ASSERT_EQ(decode(all), ZE_RESULT_SUCCESS);
    EXPECT_EQ(entries_.size(), 12u);
    EXPECT_EQ(consumed_, all.size());
    auto cut = all;
    cut.resize(all.size() - 9);
    ASSERT_EQ(decode(cut), ZE_RESULT_SUCCESS);
    EXPECT_EQ(entries_.size(), 11u);
    EXPECT_EQ(consumed_, all.size() / 12 * 11) << "the record that was cut is to be passed again";
    ASSERT_EQ(decode(all, 4), ZE_RESULT_SUCCESS);
    EXPECT_EQ(entries_.size(), 4u);
    EXPECT_EQ(consumed_, all.size() / 12 * 4);
}

TEST_F(Tracers, LossIsToldAndCounted) {
    start();
    fake::execute(ZETL_COMMAND_KERNEL, 1, 2);
    fake::loseCommands(40);
    read(ZE_RESULT_WARNING_DROPPED_DATA);
    ASSERT_EQ(metrics_.tracerDisableExp(tracer_, true), ZE_RESULT_SUCCESS);
    ASSERT_EQ(decode(read()), ZE_RESULT_SUCCESS);
    ASSERT_EQ(entries_.size(), 1u);
    EXPECT_EQ(entries_[0].value.ui64, 40u);
}

TEST_F(Tracers, OneADeviceAndNotDestroyedWhileEnabled) {
    zet_metric_tracer_exp_handle_t second = nullptr;
    EXPECT_EQ(create(second), ZE_RESULT_NOT_READY) << "the group is not active";
    start();
    EXPECT_NE(desc_.notifyEveryNBytes, 10u) << "what the device can do is written back";
    EXPECT_EQ(create(second), ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE);
    EXPECT_EQ(metrics_.tracerDestroyExp(tracer_), ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE);
    ASSERT_EQ(activate({}), ZE_RESULT_SUCCESS);
    EXPECT_EQ(metrics_.deviceDisableMetricsExp(device_), ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE) << "a tracer is use";
    ASSERT_EQ(metrics_.tracerDisableExp(tracer_, true), ZE_RESULT_SUCCESS);
    const auto raw = read();
    EXPECT_EQ(metrics_.tracerDestroyExp(tracer_), ZE_RESULT_SUCCESS);
    EXPECT_EQ(metrics_.tracerDestroyExp(tracer_), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(metrics_.tracerEnableExp(tracer_, true), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(decode(raw), ZE_RESULT_SUCCESS) << "the decoder outlives the tracer";
    EXPECT_EQ(metrics_.decoderDestroyExp(decoder_), ZE_RESULT_SUCCESS);
    EXPECT_EQ(metrics_.decoderDestroyExp(decoder_), ZE_RESULT_ERROR_INVALID_ARGUMENT);
}

TEST_F(Tracers, TheEventIsSignalledOnceThereAreData) {
    ASSERT_EQ(activate({group_}), ZE_RESULT_SUCCESS);
    fake::Event event{false};
    ASSERT_EQ(create(tracer_, fake::handleOf(event)), ZE_RESULT_SUCCESS);
    EXPECT_FALSE(test::waitFor([&] { return event.load(); }, std::chrono::milliseconds(20)));
    ASSERT_EQ(metrics_.tracerEnableExp(tracer_, true), ZE_RESULT_SUCCESS);
    while (!event) std::this_thread::yield();
    ASSERT_EQ(metrics_.tracerDisableExp(tracer_, true), ZE_RESULT_SUCCESS);
    EXPECT_EQ(metrics_.tracerDestroyExp(tracer_), ZE_RESULT_SUCCESS);
}

TEST_F(Tracers, OtherGroupsAreRefusedHereAndTracedOnesElsewhere) {
    auto counters = timeGroup();
    ASSERT_EQ(activate({counters, group_}), ZE_RESULT_SUCCESS);
    zet_metric_tracer_exp_handle_t tracer = nullptr;
    EXPECT_EQ(metrics_.tracerCreateExp(context_, device_, 1, &counters, &desc_, nullptr, &tracer),
              ZE_RESULT_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(metrics_.tracerCreateExp(context_, device_, 0, &group_, &desc_, nullptr, &tracer),
              ZE_RESULT_ERROR_INVALID_ARGUMENT);
    zet_metric_streamer_desc_t stream{ZET_STRUCTURE_TYPE_METRIC_STREAMER_DESC, nullptr, 1, 1000};
    zet_metric_streamer_handle_t streamer = nullptr;
    EXPECT_EQ(metrics_.streamerOpen(context_, device_, group_, &stream, nullptr, &streamer),
              ZE_RESULT_ERROR_INVALID_ARGUMENT);
    std::uint32_t count = 0;
    const std::uint8_t raw[64] = {};
    EXPECT_EQ(metrics_.groupCalculateMetricValues(group_, ZET_METRIC_GROUP_CALCULATION_TYPE_METRIC_VALUES, sizeof raw,
                                                  raw, &count, nullptr),
              ZE_RESULT_ERROR_INVALID_ARGUMENT);
}

TEST_F(Tracers, DamagedDataAreRefusedOrRead) {
    start();
    for (std::uint64_t i = 0; i < 5; ++i) fake::execute(ZETL_COMMAND_COPY, 10 * i, 10 * i + 5);
    const auto raw = read();
    EXPECT_EQ(decode(std::vector<std::uint8_t>(raw.begin() + 1, raw.end())), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    std::mt19937 random(4711);
    for (int i = 0; i < 2000; ++i) {
        auto damaged = raw;
        damaged[random() % damaged.size()] = static_cast<std::uint8_t>(random());
        const auto result = decode(damaged);
        EXPECT_TRUE(result == ZE_RESULT_SUCCESS || result == ZE_RESULT_ERROR_INVALID_ARGUMENT) << result;
    }
}

/// A device with a memory whose words are traced.
struct Words : Tracers {
    Words() : Tracers({.commands = true, .eventMemory = true}) {
        group_ = group("SoftwareEvents", ZET_METRIC_GROUP_SAMPLING_TYPE_FLAG_EXP_TRACER_BASED);
    }
};

TEST_F(Words, AreEntriesAndNothingElseIs) {
    start();
    fake::execute(ZETL_COMMAND_KERNEL, 100, 200);
    fake::leave(0xab, 200);
    ASSERT_EQ(decode(read()), ZE_RESULT_SUCCESS);
    ASSERT_EQ(entries_.size(), 1u);
    EXPECT_EQ(nameOfEntry(0), "SoftwareEvent");
    EXPECT_EQ(entries_[0].value.ui64, 0xabu);
    EXPECT_EQ(entries_[0].timeStamp, 200u);
}

TEST_F(Words, LieInMemoryThatTheGroupExports) {
    zet_export_dma_buf_exp_properties_t memory{ZET_STRUCTURE_TYPE_EXPORT_DMA_EXP_PROPERTIES, nullptr, -1, 0};
    zet_metric_group_properties_t properties{};
    properties.pNext = &memory;
    ASSERT_EQ(metrics_.groupGetProperties(group_, &properties), ZE_RESULT_SUCCESS);
    EXPECT_EQ(memory.fd, 42);
    EXPECT_EQ(memory.size, 4096u);
    memory.fd = -1;
    group_ = group("CommandTrace", ZET_METRIC_GROUP_SAMPLING_TYPE_FLAG_EXP_TRACER_BASED);
    ASSERT_EQ(metrics_.groupGetProperties(group_, &properties), ZE_RESULT_SUCCESS);
    EXPECT_EQ(memory.fd, -1) << "another group exports none";
}

TEST_F(Tracers, WordsNeedADeviceThatTellsOfThem) {
    EXPECT_EQ(group("SoftwareEvents", ZET_METRIC_GROUP_SAMPLING_TYPE_FLAG_EXP_TRACER_BASED), nullptr);
}

}  // namespace
}  // namespace zetl::metrics
