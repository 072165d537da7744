// What a trace keeps of accesses, in whatever form.
#include "emulator/machine/model/trace.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "emulator/machine/model/spare_traces.h"

namespace zetl::emulator::machine {
namespace {

using Runs = std::vector<std::pair<std::uint64_t, std::uint32_t>>;

constexpr std::size_t kWords = 1 << 16;

/// As the first access of a line that a thread makes is read back; none: it is not there.
struct Read {
    bool there = false;
    TracedAccess access;
    Runs runs;
};
Read readOf(TraceCursor& cursor, isa::Line line) {
    Read read;
    read.there = cursor.access(line, read.access);
    read.access.runs.each([&](const LineRun& run) { read.runs.emplace_back(run.first, run.count); });
    return read;
}
void add(ThreadTrace& trace, const TracedAccess& access, const Runs& runs) {
    std::vector<LineRun> list;
    for (const auto& [first, count] : runs) list.push_back({first, count});
    trace.access(access, list);
}

TEST(ThreadTrace, GivesBackLinesThatLieAtAnyDistance) {
    const std::vector<Runs> all = {
        {{7, 1}},
        {{0x3ffff00000, 256}},
        {{300, 1}, {45, 1}, {299, 1}},
        {{100, 1}, {65635, 1}},
        {{100, 1}, {65636, 1}},
        {{9, 2}, {8, 1}},
        {{0, 3}, {(1u << 24) - 1, 4}},
        {{0, 3}, {1u << 24, 4}, {std::uint64_t{1} << 50, 256}},
    };
    ThreadTrace trace(kWords);
    isa::Line line = 0;
    for (const Runs& runs : all)
        add(trace,
            {.space = TraceSpace::scratch, .write = true, .atomic = false, .passes = 1, .line = line++, .runs = {}},
            runs);
    TraceCursor cursor(trace);
    for (line = 0; line < all.size(); ++line) {
        const Read read = readOf(cursor, line);
        ASSERT_TRUE(read.there) << line;
        EXPECT_EQ(read.runs, all[line]) << line;
        EXPECT_EQ(read.access.space, TraceSpace::scratch);
        EXPECT_TRUE(read.access.write);
        std::uint64_t lines = 0;
        for (const auto& run : all[line]) lines += run.second;
        EXPECT_EQ(read.access.runs.lines(), lines);
    }
    EXPECT_FALSE(readOf(cursor, line).there);
}

TEST(ThreadTrace, GivesBackLinesByTheirDistances) {
    ThreadTrace trace(kWords);
    const std::vector<std::uint8_t> distances = {5, 0, 63, 1, 2};
    trace.access({.space = TraceSpace::global, .write = false, .atomic = true, .passes = 1, .line = 3, .runs = {}},
                 1000, distances);
    TraceCursor cursor(trace);
    EXPECT_FALSE(readOf(cursor, 2).there) << "of another line";
    const Read read = readOf(cursor, 3);
    ASSERT_TRUE(read.there);
    EXPECT_TRUE(read.access.atomic);
    EXPECT_EQ(read.runs, (Runs{{1005, 1}, {1000, 1}, {1063, 1}, {1001, 1}, {1002, 1}}));
}

TEST(ThreadTrace, KeepsPassesOfLocalMemory) {
    ThreadTrace trace(kWords);
    add(trace, {.space = TraceSpace::local, .write = false, .atomic = false, .passes = 32, .line = 1, .runs = {}}, {});
    TraceCursor cursor(trace);
    const Read read = readOf(cursor, 1);
    EXPECT_TRUE(read.there);
    EXPECT_EQ(read.access.passes, 32);
    EXPECT_TRUE(read.runs.empty());
}

TEST(ThreadTrace, EndsAtItsLimit) {
    ThreadTrace trace(16);
    for (isa::Line line = 0; line < 4; ++line)
        add(trace,
            {.space = TraceSpace::global, .write = false, .atomic = false, .passes = 1, .line = line, .runs = {}},
            {{line, 1}});
    EXPECT_FALSE(trace.complete()) << "five words each";
    TraceCursor cursor(trace);
    for (isa::Line line = 0; line < 3; ++line) EXPECT_TRUE(readOf(cursor, line).there);
    EXPECT_FALSE(readOf(cursor, 3).there);
    trace.clear();
    EXPECT_TRUE(trace.complete());
    EXPECT_FALSE(readOf(cursor = TraceCursor(trace), 0).there);
}

/// Many dispatches at the same time have one bound together, not one each.
TEST(ThreadTrace, StaysShortWhileAllTracesTakeMuch) {
    const auto fill = [](ThreadTrace& trace) {
        const TracedAccess access{
            .space = TraceSpace::local, .write = false, .atomic = false, .passes = 3, .line = 1, .runs = {}};
        std::size_t accesses = 0;
        for (add(trace, access, {}); trace.complete() && accesses < kWords; add(trace, access, {})) ++accesses;
        return accesses;
    };
    ThreadTrace alone(kWords);
    EXPECT_GT(fill(alone), kWords / 4);
    TraceMemory others;
    others.become(TraceMemory::kMostBytes);
    ThreadTrace beside(kWords);
    const std::size_t few = fill(beside);
    EXPECT_GT(few, ThreadTrace::kShort / 4);
    EXPECT_LE(few, 2 * ThreadTrace::kShort);
    const ThreadTrace copy = beside;
    others.become(0);
    ThreadTrace again(kWords);
    EXPECT_GT(fill(again), kWords / 4) << "what traces took is given back";
}

TEST(SpareTraces, ServeGroupsOfAnyShape) {
    SpareTraces spare;
    const auto fill = [](GroupTrace& group) {
        for (ThreadTrace& thread : group.threads)
            for (std::uint64_t i = 0; i < 100; ++i) add(thread, {}, {{i, 1}});
    };
    auto trace = spare.take(3, kWords);
    ASSERT_EQ(trace->threads.size(), 3u);
    fill(*trace);
    const std::size_t bytes = trace->threads[0].bytes();
    ASSERT_GT(bytes, 0u);
    std::vector<SpareTraces::Trace> all;
    all.push_back(std::move(trace));
    all.push_back(nullptr);  // of a group that was left out
    spare.keep(std::move(all));
    trace = spare.take(2, 64);
    ASSERT_EQ(trace->threads.size(), 2u);
    EXPECT_EQ(trace->threads[0].bytes(), bytes) << "its memory";
    TraceCursor empty(trace->threads[0]);
    EXPECT_FALSE(readOf(empty, 0).there);
    fill(*trace);
    EXPECT_FALSE(trace->threads[0].complete()) << "the limit is that of this group";
}

TEST(SpareTraces, KeepAFewMiBBehindADispatch) {
    SpareTraces spare;
    constexpr std::size_t kMany = 64;
    std::vector<SpareTraces::Trace> all;
    for (std::size_t i = 0; i < kMany; ++i) {
        all.push_back(spare.take(1, std::size_t{1} << 20));
        while (all.back()->threads[0].bytes() < 2 * SpareTraces::kMostBytes / kMany)
            add(all.back()->threads[0], {}, Runs(200, {1, 1}));
    }
    spare.keep(std::move(all));
    spare.trim();
    std::size_t kept = 0;
    for (std::size_t i = 0; i < kMany; ++i) kept += spare.take(1, kWords)->threads[0].bytes() != 0;
    EXPECT_GT(kept, 0u);
    EXPECT_LE(kept, kMany / 2);
}

}  // namespace
}  // namespace zetl::emulator::machine
