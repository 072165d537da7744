// Ranges that a program marks by Intel's ITT API, in `zetl trace`.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "made_recording.h"
#include "perfetto_reader.h"
#include "support/process.h"
#include "timeline/user_range.h"
#include "trace_directory.h"

namespace {

using Json = nlohmann::json;
using zetl::test::inBuildTree;
using zetl::test::Outcome;
using zetl::test::Process;

class Ranges : public zetl::test::TraceDirectory {
  protected:
    Outcome run(std::vector<std::string> options, const std::string& variant = "known") {
        options.insert(options.begin(), {inBuildTree("bin/zetl"), "trace"});
        options.insert(options.end(), {"--", inBuildTree("tests/zetl/ranged_program"), variant});
        return Process(options)
            .with("ZE_ENABLE_ALT_DRIVERS", inBuildTree("tests/support/libze_fake_driver.so.1"))
            .with("TMPDIR", directory_.native())
            .run(std::chrono::seconds(120));
    }
};

Json named(const Json& rows, const std::string& name) {
    for (const auto& row : rows)
        if (row.at("name") == name) return row;
    return nullptr;
}

std::vector<Json> slicesOf(const Json& timeline, const std::string& name) {
    std::vector<Json> slices;
    for (const auto& event : timeline.at("traceEvents"))
        if (event.at("name") == name) slices.push_back(event);
    return slices;
}

std::string rowOf(const Json& timeline, const Json& thread) {
    for (const auto& event : slicesOf(timeline, "thread_name"))
        if (event.at("tid") == thread) return event.at("args").at("name");
    return {};
}

TEST_F(Ranges, AreTablesAndSlicesAroundTheCalls) {
    const auto outcome = run({"-o", directory_ / "t.json", "--json", directory_ / "tables.json", "--html",
                              directory_ / "page.html", "--csv", directory_ / "tables.csv"});
    ASSERT_TRUE(outcome.good()) << outcome;
    EXPECT_NE(outcome.output.find("ranges of the program"), std::string::npos) << outcome;
    const auto ranges = Json::parse(textOf("tables.json")).at("ranges");
    for (const auto* name : {"set up", "find <drivers>", "range", "around a pause", "inside a hidden one",
                             "shown again", "on another thread", "around a fork", "in the child"}) {
        const auto row = named(ranges, name);
        ASSERT_FALSE(row.is_null()) << name << ranges;
        EXPECT_EQ(row.at("times"), 1) << name;
        EXPECT_EQ(row.at("unfinished"), 0) << name;
    }
    EXPECT_EQ(named(ranges, "never ended").at("unfinished"), 1);
    EXPECT_TRUE(named(ranges, "hidden").is_null());
    EXPECT_FALSE(named(ranges, std::string(254, 'n')).is_null()) << "a long name is cut";
    EXPECT_NE(textOf("tables.csv").find("\nrange,set up,1,"), std::string::npos);
    EXPECT_NE(textOf("page.html").find("find \\u003cdrivers>"), std::string::npos);
    Json outer;
    Json call;
    const auto timeline = Json::parse(textOf("t.json"));
    for (const auto& event : timeline.at("traceEvents")) {
        if (event.at("name") == "set up") outer = event;
        if (event.at("name") == "zeInit" && call.is_null()) call = event;
    }
    EXPECT_EQ(outer.at("args").at("domain"), "solver.example");
    EXPECT_LE(outer.at("ts"), call.at("ts"));
    EXPECT_GE(outer.at("ts").get<double>() + outer.at("dur").get<double>(),
              call.at("ts").get<double>() + call.at("dur").get<double>());
}

/// A thread's row can show only ranges that are within each other.
TEST_F(Ranges, ThatOverlapHaveRowsOfTheirOwn) {
    const auto outcome = run({"-o", directory_ / "t.json", "--json", directory_ / "tables.json"});
    ASSERT_TRUE(outcome.good()) << outcome;
    const auto ranges = Json::parse(textOf("tables.json")).at("ranges");
    EXPECT_EQ(named(ranges, "overlapped").at("times"), 2);
    EXPECT_EQ(named(ranges, "overlapped").at("unfinished"), 0);
    EXPECT_EQ(named(ranges, "event").at("times"), 1);
    EXPECT_EQ(named(ranges, "event").at("unfinished"), 0);
    const auto timeline = Json::parse(textOf("t.json"));
    const auto first = slicesOf(timeline, "overlapped").at(0);
    EXPECT_EQ(first.at("args").at("domain"), "late.example");
    const auto second = slicesOf(timeline, "overlapped").at(1);
    EXPECT_LT(second.at("ts"), first.at("ts").get<double>() + first.at("dur").get<double>());
    EXPECT_NE(first.at("tid"), second.at("tid"));
    EXPECT_EQ(rowOf(timeline, first.at("tid")), "ranges 1");
    EXPECT_EQ(rowOf(timeline, slicesOf(timeline, "event").at(0).at("tid")), "ranges 2");
    EXPECT_EQ(rowOf(timeline, second.at("tid")), "ranges 3");
}

TEST_F(Ranges, AreSlicesOfPerfetto) {
    const auto outcome = run({"-o", directory_ / "t.pftrace"});
    ASSERT_TRUE(outcome.good()) << outcome;
    const auto trace = zetl::test::readPerfetto(textOf("t.pftrace"));
    EXPECT_EQ(trace.faults, std::vector<std::string>());
    for (const auto* name : {"set up", "find <drivers>", "shown again", "in the child", "event"})
        EXPECT_EQ(trace.named(name).size(), 1u) << name;
    EXPECT_EQ(trace.named("overlapped").size(), 2u);
    EXPECT_EQ(trace.named("hidden").size(), 0u);
}

TEST_F(Ranges, TheProgramStartsRecordingItself) {
    const auto outcome =
        run({"-o", "", "--paused", "--recording", directory_ / "run", "--json", directory_ / "tables.json"});
    ASSERT_TRUE(outcome.good()) << outcome;
    const auto ranges = Json::parse(textOf("tables.json")).at("ranges");
    EXPECT_TRUE(named(ranges, "set up").is_null());
    EXPECT_FALSE(named(ranges, "shown again").is_null()) << "it resumed";
}

TEST_F(Ranges, OfAnUnknownLibraryAreLeftAlone) {
    const auto outcome = run({"-o", ""}, "unknown");
    EXPECT_NE(outcome.output.find("its ITT library is of an unknown version"), std::string::npos) << outcome;
}

TEST_F(Ranges, OfNvtxAreRangesToo) {
    const auto outcome = Process({inBuildTree("bin/zetl"), "trace", "-o", directory_ / "t.json", "--json",
                                  directory_ / "tables.json", "--", inBuildTree("tests/zetl/nvtx_program")})
                             .with("ZE_ENABLE_ALT_DRIVERS", inBuildTree("tests/support/libze_fake_driver.so.1"))
                             .with("TMPDIR", directory_.native())
                             .run(std::chrono::seconds(120));
    ASSERT_TRUE(outcome.good()) << outcome;
    const auto ranges = Json::parse(textOf("tables.json")).at("ranges");
    EXPECT_EQ(ranges.size(), 8u);
    for (const auto* name : {"outer", "wide \u00e9\u20ac", "registered", "inside", "started first", "with attributes",
                             "wide too", "left open"}) {
        const auto row = named(ranges, name);
        ASSERT_FALSE(row.is_null()) << name << ranges;
        EXPECT_EQ(row.at("times"), 1) << name;
        EXPECT_EQ(row.at("unfinished"), name == std::string("left open") ? 1 : 0) << name;
    }
    const auto timeline = Json::parse(textOf("t.json"));
    Json registered;
    for (const auto& event : timeline.at("traceEvents"))
        if (event.at("name") == "registered") registered = event;
    EXPECT_EQ(registered.at("args").at("domain"), "solver.example");
    const auto inDomain = slicesOf(timeline, "with attributes").at(0);
    EXPECT_EQ(inDomain.at("args").at("domain"), "solver.example");
    EXPECT_EQ(rowOf(timeline, inDomain.at("tid")), "ranges 2");
    for (const auto* name : {"started first", "wide too"})  // one after the other
        EXPECT_EQ(rowOf(timeline, slicesOf(timeline, name).at(0).at("tid")), "ranges 1") << name;
}

TEST_F(Ranges, CallsOfMpiAreRangesOnRequest) {
    const auto run = [&](const char* option) {
        return Process({inBuildTree("bin/zetl"), "trace", option, "-o", directory_ / "t.json", "--json",
                        directory_ / "tables.json", "--", inBuildTree("tests/zetl/mpi_program"),
                        inBuildTree("tests/zetl/libmpi_stand_in.so"), inBuildTree("tests/zetl/libmpi_rank.so")})
            .with("ZE_ENABLE_ALT_DRIVERS", inBuildTree("tests/support/libze_fake_driver.so.1"))
            .with("TMPDIR", directory_.native())
            .run(std::chrono::seconds(120));
    };
    const auto outcome = run("--mpi");
    ASSERT_TRUE(outcome.good()) << outcome;
    const auto ranges = Json::parse(textOf("tables.json")).at("ranges");
    EXPECT_EQ(ranges.size(), 5u) << ranges;
    EXPECT_EQ(named(ranges, "MPI_Barrier").at("times"), 20);
    EXPECT_EQ(named(ranges, "MPI_Bcast").at("times"), 1);
    for (const auto* name : {"MPI_Init", "MPI_Sendrecv", "MPI_Finalize"})
        EXPECT_EQ(named(ranges, name).at("times"), 1) << name;
    const auto timeline = Json::parse(textOf("t.json"));
    std::size_t barriers = 0;
    for (const auto& event : timeline.at("traceEvents"))
        if (event.at("name") == "MPI_Barrier" && event.at("args").at("domain") == "MPI") ++barriers;
    EXPECT_EQ(barriers, 20u);
    EXPECT_NE(run("--mangled").output.find("no Level Zero call was recorded"), std::string::npos);
}

/// Texts of damaged files may have no end.
TEST(UserRange, IsReadWithinItsRecord) {
    std::vector<std::uint64_t> memory(32);
    auto* at = reinterpret_cast<char*>(memory.data());
    auto* record = zetl::test::appendRecord(at, zetl::command::kRange, 3, 1, 10, 20);
    std::memset(record->payload(), 'x', 8 * 8);
    EXPECT_EQ(zetl::command::userRangeOf(*record).name, std::string(16, 'x'));
    EXPECT_EQ(zetl::command::userRangeOf(*record).domain, "");
    reinterpret_cast<char*>(record->payload())[8] = 0;
    EXPECT_EQ(zetl::command::userRangeOf(*record).name, "range");
    EXPECT_EQ(zetl::command::userRangeOf(*record).domain, std::string(15, 'x'));
}

}  // namespace
