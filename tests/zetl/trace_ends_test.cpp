// `zetl trace` loses no command in silence: each way to submit, with each way to learn of the end, and with each way in
// which a process ends.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <tuple>

#include "support/process.h"
#include "trace_directory.h"

namespace {

using Json = nlohmann::json;
using namespace zetl::test;

constexpr std::uint64_t kCommands = 6;

struct Counts {
    std::uint64_t measured = 0;
    std::uint64_t unmeasured = 0;
};

class TraceEnds : public TraceDirectory, public testing::WithParamInterface<std::tuple<const char*, const char*>> {
  protected:
    void expectAll(const std::string& submit, const std::string& wait, const std::string& end, bool known) {
        const auto outcome =
            Process({inBuildTree("bin/zetl"), "trace", "--emulated", "--device", "tiny", "-o", "", "--json",
                     directory_ / "t.json", "--", inBuildTree("tests/zetl/submitting_program"), submit, wait, end})
                .run(std::chrono::seconds(120));
        ASSERT_NE(outcome.exitCode, 98) << outcome;
        const auto all = Json::parse(textOf("t.json"));
        Counts counts{0, all.at("unmeasured")};
        for (const auto& row : all.at("device")) counts.measured += row.at("launches").get<std::uint64_t>();
        EXPECT_EQ(counts.measured + counts.unmeasured, kCommands) << outcome;
        EXPECT_GE(counts.measured, known ? kCommands : 0) << outcome;
        EXPECT_EQ(outcome.times("could not be measured"), counts.unmeasured > 0 ? 1u : 0u) << outcome;
    }

    static bool isSynchronous(const std::string& submit) {
        return submit.find("ynchronous") != std::string::npos && submit != "asynchronous";
    }
};

constexpr auto kSubmits = {"synchronous",        "asynchronous", "default",         "ordered",
                           "orderedSynchronous", "queue",        "synchronousQueue"};

/// Of a program that waits for nothing: what a synchronous submission did is known when it returns.
using TraceEndsUnawaited = TraceEnds;
TEST_P(TraceEndsUnawaited, EveryCommandIsMeasuredOrCounted) {
    const auto [submit, end] = GetParam();
    expectAll(submit, "none", end, isSynchronous(submit));
}
INSTANTIATE_TEST_SUITE_P(Every, TraceEndsUnawaited,
                         testing::Combine(testing::ValuesIn(kSubmits),
                                          testing::Values("return", "destroy", "thread", "quick", "_exit", "kill",
                                                          "abort")));

/// What a program waited for is known, however it ends.
using TraceEndsAwaited = TraceEnds;
TEST_P(TraceEndsAwaited, EveryCommandIsMeasured) {
    const auto [submit, wait] = GetParam();
    expectAll(submit, wait, "_exit", true);
}
INSTANTIATE_TEST_SUITE_P(Every, TraceEndsAwaited,
                         testing::Combine(testing::ValuesIn(kSubmits),
                                          testing::Values("stream", "event", "poll", "fence")));

/// What the device wrote in memory tells a program that commands are over, and no call does.
using TraceEndsSeen = TraceEnds;
TEST_P(TraceEndsSeen, EveryCommandIsMeasuredOrCounted) {
    const auto [submit, end] = GetParam();
    expectAll(submit, "memory", end, isSynchronous(submit));
}
INSTANTIATE_TEST_SUITE_P(Every, TraceEndsSeen,
                         testing::Combine(testing::ValuesIn(kSubmits), testing::Values("return", "_exit")));

}  // namespace
