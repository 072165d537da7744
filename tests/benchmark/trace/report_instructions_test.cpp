// The gate on what a report takes for each call of a recording, in instructions.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <string>

#include "benchmark/callgrind.h"

namespace zetl::test {
namespace {

namespace fs = std::filesystem;

class ReportInstructions : public testing::Test {
  protected:
    ReportInstructions() {
        auto pattern = (fs::temp_directory_path() / "zetl-report-XXXXXX").native();
        directory_ = mkdtemp(pattern.data());
    }
    ~ReportInstructions() override { fs::remove_all(directory_); }

    /// Of the table and the timeline of a recording of so many calls.
    double of(long calls) {
        const auto zetl = inBuildTree("bin/zetl");
        const auto recording = (directory_ / std::to_string(calls)).native();
        const auto traced = Process({zetl, "trace", "--no-device", "--recording", recording, "-o", "", "--",
                                     inBuildTree("tests/benchmark/trace_report"), "--calls", std::to_string(calls)})
                                .with("ZE_ENABLE_ALT_DRIVERS", inBuildTree("tests/support/libze_fake_driver.so.1"))
                                .run();
        EXPECT_TRUE(traced.good()) << traced;
        return instructionsOf(ZETL_VALGRIND,
                              Process({zetl, "report", recording, "-o", directory_ / "timeline.pftrace"}));
    }

  private:
    fs::path directory_;
};

/// 2 million calls a second are 1600 cycles each of a core of 3.2 GHz, in which it does 3200 instructions at two a
/// cycle.
TEST_F(ReportInstructions, EachCall) {
    constexpr double kMost = 3200;
    constexpr long kFew = 5'000;
    constexpr long kMany = 105'000;
    // Where things lie differs from run to run, and with it what it takes: by a hundredth (3167 to 3203 on Debian 13).
    constexpr int kTries = 3;
    double least = std::numeric_limits<double>::infinity();
    for (int n = 0; n < kTries && least > kMost; ++n) {
        const double each = (of(kMany) - of(kFew)) / (kMany - kFew);
        std::printf("%.1f instructions a call\n", each);
        least = std::min(least, each);
    }
    EXPECT_LE(least, kMost);
}

}  // namespace
}  // namespace zetl::test
