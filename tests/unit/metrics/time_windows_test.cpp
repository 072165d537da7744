// Which intervals between reports make one row of values.
#include "metrics/calculation/time_windows.h"

#include <gtest/gtest.h>

namespace zetl::metrics {
namespace {

using Times = std::vector<std::uint64_t>;

/// "window.section first-last" of each.
std::vector<std::string> sectionsOf(const TimeWindows& windows, const Times& times) {
    std::vector<std::string> all;
    for (const auto& [key, first, last] : windows.sectionsOf(times).all)
        all.push_back(std::to_string(key.first) + "." + std::to_string(key.second) + " " + std::to_string(first) + "-" +
                      std::to_string(last));
    return all;
}

using Expected = std::vector<std::string>;

TEST(TimeWindows, OneSectionHasAllReports) {
    const TimeWindows all({}, UINT64_MAX);
    EXPECT_EQ(sectionsOf(all, {0, 10, 25, 30}), Expected{"0.0 0-3"});
    EXPECT_EQ(all.sectionsOf(Times{0, 10}).open, RowKey(0, 0)) << "later reports may follow";
    EXPECT_TRUE(sectionsOf(all, {}).empty());
    EXPECT_TRUE(sectionsOf(all, {5}).empty()) << "one report is no interval";
}

TEST(TimeWindows, AnIntervalBelongsToTheSectionInWhichItBegins) {
    const TimeWindows tens({}, 10);
    EXPECT_EQ(sectionsOf(tens, {0, 5, 12, 19, 20, 41}), (Expected{"0.0 0-2", "0.1 2-4", "0.2 4-5"}));
    EXPECT_EQ(tens.sectionsOf(Times{0, 5, 12}).open, RowKey(0, 1)) << "an interval may begin at 12";
    EXPECT_EQ(sectionsOf(TimeWindows({}, 1), {0, 3, 4}), (Expected{"0.0 0-1", "0.3 1-2"})) << "each for itself";
}

TEST(TimeWindows, WhatIsBetweenWindowsIsLeftOut) {
    const TimeWindows two({{5, 10}, {20, 7}}, 5);
    EXPECT_EQ(sectionsOf(two, {0, 5, 10, 15, 19, 20, 24, 26, 27, 30}),
              (Expected{"0.0 1-2", "0.1 2-3", "1.0 5-7", "1.1 7-8"}));
    EXPECT_EQ(two.sectionsOf(Times{0}).open, RowKey(0, 0));
    EXPECT_EQ(two.sectionsOf(Times{16}).open, RowKey(1, 0));
    EXPECT_EQ(two.sectionsOf(Times{40}).open, RowKey(2, 0)) << "nothing can come";
}

TEST(TimeWindows, AWindowMayReachToTheEndOfTime) {
    const TimeWindows late({{UINT64_MAX - 4, UINT64_MAX}}, UINT64_MAX);
    EXPECT_EQ(sectionsOf(late, {0, UINT64_MAX - 3, UINT64_MAX}), Expected{"0.0 1-2"});
}

}  // namespace
}  // namespace zetl::metrics
