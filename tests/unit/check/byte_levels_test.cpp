// Levels of bytes: what holds of dwords by lane holds of each of them alone.
#include "emulator/check/byte_levels.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <random>

namespace zetl::emulator::check {
namespace {

constexpr std::uint64_t kLevelBytes = 300;

bool eachDefined(const MemoryLevels& levels, const std::array<std::uint64_t, 32>& offsets, std::uint32_t lanes) {
    bool all = true;
    for (; lanes != 0; lanes &= lanes - 1) {
        const std::uint64_t offset = offsets[static_cast<std::size_t>(std::countr_zero(lanes))];
        all = all && offset + 4 <= kLevelBytes && levels.defined(offset, 4);
    }
    return all;
}

TEST(MemoryLevels, WordsAreDefinedAsEachOfThemIs) {
    std::mt19937 random(3);
    int defined = 0;
    for (int round = 0; round < 2000; ++round) {
        const auto levels = MemoryLevels::make(kLevelBytes);
        ASSERT_NE(levels, nullptr);
        std::array<std::uint64_t, 32> offsets{};
        const auto draw = [&] {
            const std::uint64_t bytes = kLevelBytes - (random() % 8 == 0 ? 0 : 3);  // or beyond the end
            for (std::uint64_t& offset : offsets) offset = random() % 64 == 0 ? bytes - 1 : random() % (bytes - 3);
        };
        draw();
        const std::uint32_t lanes = random() % 2 == 0 ? ~0u : static_cast<std::uint32_t>(random());
        const bool fits = levels->defineWords(offsets, lanes);
        EXPECT_EQ(fits, eachDefined(*levels, offsets, lanes)) << "what was defined is so";
        if (random() % 2 == 0) draw();
        if (random() % 2 == 0) levels->set(random() % kLevelBytes, Level::partly);
        EXPECT_EQ(levels->wordsDefined(offsets, lanes), eachDefined(*levels, offsets, lanes));
        defined += levels->wordsDefined(offsets, lanes) ? 1 : 0;
    }
    EXPECT_GT(defined, 200);
    EXPECT_LT(defined, 1800);
}

TEST(MemoryLevels, BytesBehindTheEndAreNoWords) {
    const auto levels = MemoryLevels::make(3);
    ASSERT_NE(levels, nullptr);
    EXPECT_FALSE(levels->defineWords(std::array<std::uint64_t, 32>{}, 1));
    EXPECT_FALSE(levels->wordsDefined(std::array<std::uint64_t, 32>{~std::uint64_t{0}}, 1));
}

}  // namespace
}  // namespace zetl::emulator::check
