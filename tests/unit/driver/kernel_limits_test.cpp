// Sizes of groups that the driver suggests.
#include "emulator/driver/program/kernel_limits.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <ostream>

#include "emulator/machine/profile.h"

namespace zetl::emulator::driver::test {
namespace {

using module::Extent;

binary::KernelImage ofWidth(std::uint32_t simd) {
    binary::KernelImage image;
    image.environment.simdSize = simd;
    image.environment.grfCount = 128;
    return image;
}

const machine::DeviceProfile& profile() {
    static const machine::DeviceProfile stack = machine::loadProfile("max1550").devices.front();
    return stack;
}

Extent suggested(std::uint32_t simd, const Extent& global) {
    return suggestGroupSize(ofWidth(simd), profile(), global);
}

/// Hardware threads that hold all work-items, in groups of that size.
std::uint64_t threadsOf(const Extent& size, const Extent& global, std::uint32_t simd) {
    std::uint64_t groups = 1;
    std::uint64_t items = 1;
    for (int dimension = 0; dimension < 3; ++dimension) {
        if (size[dimension] == 0 || global[dimension] % size[dimension] != 0) return 0;
        groups *= global[dimension] / size[dimension];
        items *= size[dimension];
    }
    return items > largestGroup(ofWidth(simd), profile()) ? 0 : groups * ((items + simd - 1) / simd);
}

struct Case {
    std::uint32_t simd;
    Extent global;
    Extent size;
};
std::ostream& operator<<(std::ostream& out, const Case& c) {
    return out << c.global[0] << "x" << c.global[1] << "x" << c.global[2] << " by " << c.simd;
}

class SuggestedSize : public testing::TestWithParam<Case> {};

TEST_P(SuggestedSize, FillsThreads) {
    const Case& c = GetParam();
    EXPECT_EQ(suggested(c.simd, c.global), c.size);
}
INSTANTIATE_TEST_SUITE_P(KernelLimits, SuggestedSize,
                         testing::Values(Case{32, {1 << 20, 1, 1}, {1024, 1, 1}},   // the largest
                                         Case{32, {1'000'000, 1, 1}, {800, 1, 1}},  // not 1000, a quarter thread more
                                         Case{16, {1'000'000, 1, 1}, {800, 1, 1}},  //
                                         Case{32, {1000, 1000, 1}, {200, 4, 1}},    //
                                         Case{32, {1920, 1080, 1}, {960, 1, 1}},    //
                                         Case{32, {10, 1, 1}, {10, 1, 1}},          // less than a thread
                                         Case{32, {10, 10, 10}, {10, 10, 10}},      // the last thread has room
                                         Case{32, {1'000'003, 1, 1}, {1, 1, 1}},    // nothing divides it
                                         Case{32, {7, 64, 1}, {7, 64, 1}},          //
                                         Case{32, {0, 5, 0}, {1, 5, 1}},            // no item: any size
                                         Case{1, {4096, 8, 1}, {64, 1, 1}}));

TEST(KernelLimits, NoSizeTakesFewerThreads) {
    for (const std::uint32_t simd : {8u, 16u, 32u})
        for (const Extent& global : {Extent{96, 10, 1}, Extent{30, 30, 30}, Extent{17, 12, 5}, Extent{1, 360, 7},
                                     Extent{1025, 3, 1}, Extent{49, 49, 2}, Extent{2310, 1, 2}}) {
            std::uint64_t fewest = std::numeric_limits<std::uint64_t>::max();
            for (std::uint32_t x = 1; x <= std::min(global[0], 1024u); ++x)
                for (std::uint32_t y = 1; y <= global[1]; ++y)
                    for (std::uint32_t z = 1; z <= global[2]; ++z)
                        if (const auto threads = threadsOf({x, y, z}, global, simd); threads != 0)
                            fewest = std::min(fewest, threads);
            EXPECT_EQ(threadsOf(suggested(simd, global), global, simd), fewest)
                << global[0] << "x" << global[1] << "x" << global[2] << " by " << simd;
        }
}

TEST(KernelLimits, WhatTheSourceRequiresIsSuggested) {
    auto image = ofWidth(32);
    image.environment.requiredGroupSize = {3, 5, 1};
    EXPECT_EQ(suggestGroupSize(image, profile(), {96, 10, 1}), (Extent{3, 5, 1}));
}

}  // namespace
}  // namespace zetl::emulator::driver::test
