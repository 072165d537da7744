// Pieces of memory that lanes access together, beside lanes looked at one by one.
#include "emulator/isa/access_spans.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>
#include <random>
#include <vector>

namespace zetl::emulator::isa {
namespace {

constexpr std::uint32_t kHalf = 16;  // lanes

template <class Address>
std::optional<AccessSpan> pieceOf(const Address* lanes, std::uint32_t count, const AccessShape& shape) {
    bool same = true;
    bool neighbours = true;
    for (std::uint32_t lane = 1; lane < count; ++lane) {
        same = same && lanes[lane] == lanes[0];
        neighbours = neighbours && lanes[lane] == static_cast<Address>(lanes[lane - 1] + shape.bytes);
    }
    if (!same && !neighbours) return {};
    const std::uint32_t bytes = same ? shape.bytes : shape.bytes * count;
    const auto begin = static_cast<Address>(lanes[0] + static_cast<Address>(shape.offset));
    if (bytes > std::numeric_limits<Address>::max() - begin) return {};
    return AccessSpan{begin, bytes};
}

template <class Address>
std::vector<AccessSpan> expectedOf(const std::vector<Address>& lanes, const AccessShape& shape) {
    std::vector<AccessSpan> spans;
    const auto count = static_cast<std::uint32_t>(lanes.size());
    for (std::uint32_t lane = 0; lane < count; lane += kHalf) {
        const auto span = pieceOf(lanes.data() + lane, std::min(kHalf, count), shape);
        if (!span) return {};
        const bool isFirst = spans.empty();
        if (!isFirst && span->address == spans[0].address && span->bytes == spans[0].bytes) continue;
        if (!isFirst && span->address == spans[0].address + spans[0].bytes)
            spans[0].bytes += span->bytes;
        else
            spans.push_back(*span);
    }
    return spans;
}

template <class Address>
std::vector<Address> someLanes(std::mt19937_64& random, std::uint32_t count, std::uint32_t bytes) {
    const auto isOne = [&](std::uint64_t of) { return random() % of == 0; };
    std::vector<Address> lanes(count);
    for (std::uint32_t lane = 0; lane < count; ++lane) {
        const bool begins = lane == 0 || (lane == kHalf && isOne(2));
        if (begins)
            lanes[lane] = isOne(8) ? static_cast<Address>(0) - static_cast<Address>(bytes * (random() % 40))
                                   : static_cast<Address>(random() % 3 * bytes * kHalf);
        else
            lanes[lane] = static_cast<Address>(lanes[lane - 1] + bytes);
    }
    for (std::uint32_t first = 0; first < count; first += kHalf)
        if (isOne(3)) std::fill_n(lanes.begin() + first, std::min(kHalf, count), lanes[first]);
    if (isOne(3)) lanes[random() % count] ^= Address{1} << random() % std::numeric_limits<Address>::digits;
    return lanes;
}

template <class Address>
void compareSpans() {
    std::mt19937_64 random(40);
    std::size_t found = 0;
    for (int round = 0; round < 20000; ++round) {
        AccessShape shape;
        shape.bytes = 1u << random() % 5;
        shape.addressBytes = sizeof(Address);
        shape.offset = random() % 2 == 0 ? 0 : static_cast<std::int64_t>(random() % 256) - 128;
        const std::uint32_t counts[] = {1, kHalf, 2 * kHalf};
        const auto lanes = someLanes<Address>(random, counts[random() % 3], shape.bytes);
        const auto expected = expectedOf(lanes, shape);
        std::vector<std::byte> registers(lanes.size() * sizeof(Address));
        std::memcpy(registers.data(), lanes.data(), registers.size());
        registers.resize(2 * kHalf * sizeof(Address));  // more registers lie behind them
        const AccessSpans spans = spansOf(registers.data(), shape, static_cast<std::uint32_t>(lanes.size()));
        ASSERT_EQ(spans.count, expected.size()) << round;
        for (std::uint32_t i = 0; i < spans.count; ++i) {
            ASSERT_EQ(spans.spans[i].address, expected[i].address) << round;
            ASSERT_EQ(spans.spans[i].bytes, expected[i].bytes) << round;
        }
        found += spans.count != 0;
    }
    EXPECT_GT(found, 5000u);
    EXPECT_LT(found, 15000u);
}

TEST(AccessSpans, AreThoseOfEachLane) {
    compareSpans<std::uint32_t>();
    compareSpans<std::uint64_t>();
}

}  // namespace
}  // namespace zetl::emulator::isa
