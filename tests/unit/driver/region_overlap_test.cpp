#include "driver/region_overlap.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace zetl::driver::test {
namespace {

bool haveBytesInCommon(const ByteBox& a, const ByteBox& b) {
    std::set<std::uint64_t> bytes;
    const auto each = [](const ByteBox& box, auto&& f) {
        for (std::uint64_t z = 0; z < box.depth; ++z)
            for (std::uint64_t y = 0; y < box.height; ++y)
                for (std::uint64_t x = 0; x < box.width; ++x) f(box.begin + z * box.slicePitch + y * box.pitch + x);
    };
    each(a, [&](std::uint64_t at) { bytes.insert(at); });
    bool common = false;
    each(b, [&](std::uint64_t at) { common = common || bytes.contains(at); });
    return common;
}

TEST(RegionOverlap, IsByBytesAndNotBySpans) {
    std::mt19937_64 random(7);
    const auto any = [&](std::uint64_t below) { return random() % below; };
    int apart = 0;
    for (int i = 0; i < 20'000; ++i) {
        ByteBox a{.begin = 1000, .width = 1 + any(6), .height = 1 + any(4), .depth = 1 + any(4)};
        a.pitch = a.width + any(6);
        a.slicePitch = (a.height - 1) * a.pitch + a.width + any(9);
        ByteBox b = a;
        b.begin = 1000 + any(2 * (a.end() - a.begin)) - any(a.end() - a.begin);
        ASSERT_EQ(overlap(a, b), haveBytesInCommon(a, b))
            << b.begin << ": " << a.width << "x" << a.height << "x" << a.depth << " " << a.pitch << " " << a.slicePitch;
        apart += overlap(a, b) ? 0 : 1;
    }
    EXPECT_GT(apart, 5000);
}

TEST(RegionOverlap, RowsThatShareBytesAreTakenAsOneSpan) {
    const ByteBox a{.begin = 0, .width = 8, .height = 4, .depth = 1, .pitch = 4, .slicePitch = 0};
    ByteBox b = a;
    b.begin = a.end() - 1;
    EXPECT_TRUE(overlap(a, b));
    b.begin = a.end();
    EXPECT_FALSE(overlap(a, b));
}

}  // namespace
}  // namespace zetl::driver::test
