// From raw reports to rows: widths, wraps, times, blocks, and what a descriptor must not be.
#include "metrics/calculation/calculator.h"

#include <gtest/gtest.h>

#include <cstring>
#include <thread>

#include "metrics/calculation/equation.h"

namespace zetl::metrics {
namespace {

constexpr auto kValues = ZET_METRIC_GROUP_CALCULATION_TYPE_METRIC_VALUES;
constexpr auto kMaxima = ZET_METRIC_GROUP_CALCULATION_TYPE_MAX_METRIC_VALUES;

/// Reports of a stream: a time of four bytes, a place for a counter, and a reason.
struct Stream {
    Descriptor descriptor;
    std::vector<std::byte> raw;

    explicit Stream(Field counter, CounterClock clock = {1'000'000'000, 32}) {
        descriptor.name = "Test";
        descriptor.cumulative = true;
        descriptor.reportBytes = 24;
        descriptor.clock = clock;
        descriptor.time = {.name = "Time", .kind = Kind::last, .bits = 32, .offset = 0, .bytes = 4};
        counter.name = "Counter";
        descriptor.fields = {counter, {.name = "Reason", .kind = Kind::last, .bits = 8, .offset = 4, .bytes = 1}};
        descriptor.columns = {
            {.name = "Counter"},
            {.name = "Reason"},
            {.name = "Time", .equation = "$ElapsedTime"},
            {.name = "Begin", .equation = "$BeginTime"},
            {.name = "Share", .value = ZET_VALUE_TYPE_FLOAT32, .equation = "$Counter", .maximum = "100"}};
    }
    /// `low` and `high` go where the counter's parts are.
    void report(std::uint32_t time, std::uint64_t low, std::uint64_t high = 0, std::uint8_t reason = 0) {
        std::byte one[24] = {};
        const auto& counter = descriptor.fields[0];
        std::memcpy(one, &time, sizeof time);
        std::memcpy(one + 4, &reason, 1);
        std::memcpy(one + counter.offset, &low, counter.bytes);
        std::memcpy(one + counter.highOffset, &high, counter.highBytes);
        raw.insert(raw.end(), one, one + sizeof one);
    }
    std::vector<zet_typed_value_t> rows(zet_metric_group_calculation_type_t type = kValues) const {
        const Calculator calculator(descriptor);
        const auto count = calculator.rows(calculator.reports(raw.size()));
        std::vector<zet_typed_value_t> values(count * calculator.columns());
        calculator.calculate(type, raw, count, values.data());
        return values;
    }
};

TEST(Calculator, CountersOfEveryWidthWrap) {
    for (const std::uint32_t bits : {8u, 12u, 16u, 24u, 32u, 40u, 48u, 63u, 64u}) {
        const std::uint32_t bytes = bits <= 8 ? 1 : bits <= 16 ? 2 : bits <= 32 ? 4 : 8;
        const std::uint64_t mask = bits == 64 ? UINT64_MAX : (std::uint64_t{1} << bits) - 1;
        Stream stream({.bits = bits, .offset = 8, .bytes = bytes});
        stream.report(0, mask - 2);
        stream.report(1, 4);
        stream.report(2, 4);
        const auto rows = stream.rows();
        EXPECT_EQ(rows[0].value.ui64, 7u) << bits;
        EXPECT_EQ(rows[5].value.ui64, 0u) << bits;
    }
}

TEST(Calculator, CountersInTwoPartsAreOneNumber) {
    Stream stream({.bits = 40, .offset = 8, .bytes = 4, .highOffset = 16, .highBytes = 1});
    stream.report(0, 0xffff'fffe, 0x00);
    stream.report(1, 0x0000'0003, 0x01);
    stream.report(2, 0x0000'0001, 0x00);  // 2^40 later
    const auto rows = stream.rows();
    EXPECT_EQ(rows[0].value.ui64, 5u);
    EXPECT_EQ(rows[5].value.ui64, (std::uint64_t{1} << 40) - 0x1'0000'0002u);
}

TEST(Calculator, TimesWrapAndConvertExactly) {
    Stream stream({.offset = 8}, {12'500'000, 31});
    stream.report(0x7fff'ffff, 0);
    stream.report(4, 0, 0, 3);
    const auto rows = stream.rows();
    EXPECT_EQ(rows[1].value.ui64, 3u) << "what is no counter is the later report's";
    EXPECT_EQ(rows[2].value.ui64, 5u * 80);
    EXPECT_EQ(rows[3].value.ui64, 0x7fff'ffffull * 80);
    // A rate that does not divide, and ticks whose product does not fit.
    const Nanoseconds odd({19'200'000, 64});
    EXPECT_EQ(odd(19'200'000), 1'000'000'000u);
    EXPECT_EQ(odd(1), 52u);
    EXPECT_EQ(odd(UINT64_MAX / 60), static_cast<std::uint64_t>((long double)(UINT64_MAX / 60) * 625 / 12));
    EXPECT_EQ(Nanoseconds({0, 64})(5), 0u);
}

TEST(Calculator, RowsAreOneFewerThanReportsOfAStream) {
    Stream stream({.offset = 8});
    EXPECT_TRUE(stream.rows().empty());
    stream.report(0, 7);
    EXPECT_TRUE(stream.rows().empty());
    stream.descriptor.cumulative = false;
    ASSERT_EQ(stream.rows().size(), 5u);
    EXPECT_EQ(stream.rows()[0].value.ui64, 7u) << "a report that is a row holds the difference already";
}

TEST(Calculator, BlocksJoinWithoutASeam) {
    for (const std::uint32_t reports : {64u, 65u, 192u, 193u, 194u, 385u, 1000u}) {
        Stream stream({.offset = 8});
        for (std::uint64_t i = 0; i < reports; ++i) stream.report(static_cast<std::uint32_t>(10 * i), i * i);
        const auto rows = stream.rows();
        ASSERT_EQ(rows.size(), (reports - 1) * 5);
        for (std::uint64_t i = 0; i + 1 < reports; ++i) {
            ASSERT_EQ(rows[5 * i].value.ui64, 2 * i + 1) << i;
            ASSERT_EQ(rows[5 * i + 3].value.ui64, 10 * i) << i;
            ASSERT_EQ(rows[5 * i + 4].value.fp32, static_cast<float>(2 * i + 1)) << i;
        }
    }
}

TEST(Calculator, MaximaAreTheirEquationOrTheValue) {
    Stream stream({.offset = 8});
    stream.report(0, 0);
    stream.report(0, 9);
    const auto rows = stream.rows(kMaxima);
    EXPECT_EQ(rows[0].value.ui64, 9u);
    EXPECT_EQ(rows[4].value.fp32, 100.0f);
    EXPECT_EQ(rows[4].type, ZET_VALUE_TYPE_FLOAT32);
}

TEST(Calculator, OneServesManyThreads) {
    Stream stream({.offset = 8});
    for (std::uint64_t i = 0; i < 500; ++i) stream.report(0, 3 * i);
    const Calculator calculator(stream.descriptor);
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i)
        threads.emplace_back([&] {
            for (int turn = 0; turn < 20; ++turn) {
                std::vector<zet_typed_value_t> values(499 * 5);
                calculator.calculate(kValues, stream.raw, 499, values.data());
                for (std::size_t row = 0; row < 499; ++row) ASSERT_EQ(values[5 * row].value.ui64, 3u);
            }
        });
    for (auto& thread : threads) thread.join();
}

TEST(Calculator, UnsoundLayoutsAreRefused) {
    const auto refused = [](auto&& spoil) {
        Stream stream({.offset = 8});
        spoil(stream.descriptor);
        EXPECT_THROW(Calculator{stream.descriptor}, DescriptionError);
    };
    refused([](Descriptor& each) { each.reportBytes = 0; });
    refused([](Descriptor& each) { each.reportBytes = UINT32_MAX; });
    refused([](Descriptor& each) { each.fields[0].offset = 17; });
    refused([](Descriptor& each) { each.fields[0].offset = UINT32_MAX; });
    refused([](Descriptor& each) { each.fields[0].bytes = 3; });
    refused([](Descriptor& each) { each.fields[0].bits = 65; });
    refused([](Descriptor& each) { each.fields[0].bits = 0; });
    refused([](Descriptor& each) { each.fields[0].highBytes = 1; });
    refused([](Descriptor& each) { each.time.offset = 100; });
    refused([](Descriptor& each) { each.clock.validBits = 65; });
    refused([](Descriptor& each) { each.columns.clear(); });
    refused([](Descriptor& each) { each.columns[0].value = ZET_VALUE_TYPE_STRING; });
    refused([](Descriptor& each) { each.columns[0].equation = "$NoSuchCounter"; });
    refused([](Descriptor& each) { each.columns[0].maximum = "1 UADD"; });
}

}  // namespace
}  // namespace zetl::metrics
