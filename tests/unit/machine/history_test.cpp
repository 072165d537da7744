// The history of a recorded launch: back, forth, and what was found there.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <optional>
#include <span>
#include <thread>

#include "emulator/isa/registers.h"
#include "stop_events.h"

namespace zetl::emulator::machine::bench {
namespace {

using isa::RegisterSet;
using Kind = HistoryRequest::Kind;
using Status = HistoryAnswer::Status;

constexpr std::uint32_t kItems = 32;   // of a group
constexpr std::uint32_t kGroups = 20;  // more than run at the same time
constexpr std::uint32_t kRounds = 40;

// Local memory, barriers, atomics, a loop that lanes leave at different times, memory of its own; enough for several
// turns of each thread.
constexpr const char* kSource = R"(
kernel void busy(global uint* out, global uint* count, global uint* last, global uint* nowhere) {
    local uint exchange[32];
    uint own[8];
    uint i = get_local_id(0), g = get_group_id(0), value = i + g;
    for (uint k = 0; k < 8; ++k) own[k] = k;
    for (uint round = 0; round < 40; ++round) {
        exchange[i] = value;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint k = 0; k < i % 5u; ++k) own[(value + k) % 8u] += exchange[31u - i] + k;
        value = value * 3u + own[round % 8u];
        out[g * 32u + i] = value;
        atomic_inc(count);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (g == 9 && i == 0 && round == 20) *nowhere = 1;  // a page fault, at which the tests stop it
    }
    last[g * 32u + i] = value;
})";

std::vector<std::uint32_t> expected(std::uint32_t group) {
    std::array<std::array<std::uint32_t, 8>, kItems> own{};
    std::vector<std::uint32_t> value(kItems);
    for (std::uint32_t i = 0; i < kItems; ++i) {
        value[i] = i + group;
        for (std::uint32_t k = 0; k < 8; ++k) own[i][k] = k;
    }
    for (std::uint32_t round = 0; round < kRounds; ++round) {
        const auto exchange = value;
        for (std::uint32_t i = 0; i < kItems; ++i) {
            for (std::uint32_t k = 0; k < i % 5; ++k) own[i][(value[i] + k) % 8] += exchange[31 - i] + k;
            value[i] = value[i] * 3 + own[i][round % 8];
        }
    }
    return value;
}

/// Makes machines record, as long as it lives.
struct Recording {
    Recording() { setenv("ZETL_EMULATOR_RECORD", "1", 1); }
    ~Recording() { unsetenv("ZETL_EMULATOR_RECORD"); }
    Recording(const Recording&) = delete;
    Recording& operator=(const Recording&) = delete;
};

class HistoryTest : public testing::Test {
  protected:
    HistoryTest() { EXPECT_TRUE(control().attach(events.sink())); }
    ~HistoryTest() override {
        control().detach();
        for (const auto& each : {running, other}) {
            if (!each) continue;
            each->cancel();
            each->wait();
        }
    }
    Control& control() { return bench.tile().control(); }

    HistoryReport ask(Kind kind, const HistoryRequest& details = {}, std::span<const MarkedCode> code = {}) {
        HistoryRequest request = details;
        request.kind = static_cast<std::uint32_t>(kind);
        return control().history(request, code);
    }
    /// Asks about one interval after the other.
    HistoryReport findEntry(HistoryRequest request, std::span<const MarkedCode> code) {
        for (;;) {
            HistoryReport report = ask(Kind::entry, request, code);
            if (!is(report.answer, Status::absent) || report.answer.found <= report.answer.begin) return report;
            request.time = report.answer.found;
        }
    }
    HistoryAnswer look() { return ask(Kind::look).answer; }
    HistoryAnswer goTo(std::uint64_t time) {
        HistoryRequest request;
        request.time = time;
        HistoryAnswer answer;
        do answer = ask(Kind::go, request).answer;
        while (answer.status == static_cast<std::uint32_t>(Status::moves));
        return answer;
    }
    static bool is(const HistoryAnswer& answer, Status status) {
        return answer.status == static_cast<std::uint32_t>(status);
    }

    void halt() {
        control().halt({}, 7);
        for (StopEvent event = events.next(); event.kind != StopEvent::Kind::halted; event = events.next()) {
        }
    }
    /// Runs the kernel until a thread of group 9 stops in the midst of its work.
    void runToFault() {
        kernel = bench.build(kSource, "busy", "-cl-opt-disable");
        out = bench.buffer(std::size_t{kItems} * kGroups);
        count = bench.buffer(1);
        last = bench.buffer(std::size_t{kItems} * kGroups);
        running = bench.launch(kernel, {kItems, 1, 1}, {kGroups, 1, 1}, {out, count, last, std::uint64_t{0}});
        awaitFault();
    }
    void awaitFault() {
        StopEvent event = events.next();
        while (event.kind != StopEvent::Kind::stopped) event = events.next();
        EXPECT_EQ(event.cause, StopCause::fault);
        faulty = event.thread;
    }
    void run() {
        runToFault();
        halt();
        // That threads have stopped is said before the turn of their group ends.
        while (is(look(), Status::runs)) std::this_thread::yield();
    }
    void goOn() { control().run({}); }
    /// Faults that come again are passed over.
    void finish() {
        goOn();
        EXPECT_TRUE(KernelBench::eventually([&] {
            if (!running->done() && events.waiting() != 0) {
                events.next();
                goOn();
            }
            return running->done();
        }));
        EXPECT_FALSE(running->fault()) << running->fault().describe();
        EXPECT_EQ(*count, kItems * kGroups * kRounds);
        for (std::uint32_t group = 0; group < kGroups; ++group) {
            const auto values = expected(group);
            EXPECT_TRUE(std::equal(values.begin(), values.end(), last + std::size_t{group} * kItems)) << group;
        }
    }

    /// All that a debugger can see: registers of every thread, local memory, buffers.
    using State = std::map<std::string, std::vector<std::byte>>;
    State state() {
        State all;
        const auto& profile = bench.device().profile();
        const isa::RegisterFile file{profile.architecture(), 128};
        for (const StoppedThread& thread : control().stopped()) {
            const std::string name = std::to_string(profile.slotOf(thread.thread));
            for (const auto set : {RegisterSet::grf, RegisterSet::addr, RegisterSet::flag, RegisterSet::ce,
                                   RegisterSet::sr, RegisterSet::acc, RegisterSet::mme, RegisterSet::sp}) {
                const auto known = isa::registerSet(file, set);
                if (!known) continue;
                std::vector<std::byte> values(std::size_t{known->count} * 1024);
                EXPECT_EQ(control().readRegisters(thread.thread, set, 0, known->count, values.data()),
                          ControlStatus::ok);
                all[name + "/" + std::to_string(static_cast<unsigned>(set))] = std::move(values);
            }
            std::array<std::uint32_t, 4> cr{};
            EXPECT_EQ(control().readRegisters(thread.thread, RegisterSet::cr, 0, 1, cr.data()), ControlStatus::ok);
            all[name + "/ip"] = {std::byte(cr[2]), std::byte(cr[2] >> 8), std::byte(cr[2] >> 16)};
            std::vector<std::byte> local(kItems * 4);
            EXPECT_EQ(control().readSlm(thread.thread, 0, local.data(), local.size()), ControlStatus::ok);
            all[name + "/local"] = std::move(local);
        }
        const auto add = [&](const char* name, const std::uint32_t* data, std::size_t words) {
            const auto* bytes = reinterpret_cast<const std::byte*>(data);
            all[name] = {bytes, bytes + words * 4};
        };
        add("out", out, std::size_t{kItems} * kGroups);
        add("last", last, std::size_t{kItems} * kGroups);
        add("count", count, 1);
        return all;
    }
    static void expectSame(const State& one, const State& other, const std::string& when) {
        EXPECT_EQ(one.size(), other.size()) << when;
        for (const auto& [name, bytes] : one) {
            const auto found = other.find(name);
            ASSERT_NE(found, other.end()) << when << ": " << name;
            EXPECT_TRUE(found->second == bytes) << when << ": " << name << " differs";
        }
    }

    Recording recording;
    KernelBench bench{"tiny", 2};
    StopEvents events;
    Kernel kernel;
    ThreadId faulty;
    std::uint32_t* out = nullptr;
    std::uint32_t* count = nullptr;
    std::uint32_t* last = nullptr;
    std::shared_ptr<Dispatch> running;
    std::shared_ptr<Dispatch> other;
};

TEST_F(HistoryTest, BackAndForthAllStateIsTheSame) {
    run();
    const HistoryAnswer present = look();
    ASSERT_TRUE(is(present, Status::ok)) << present.status << " " << present.reason;
    EXPECT_EQ(present.now, present.end);
    ASSERT_GT(present.end, 10'000u);
    const State before = state();
    std::map<std::uint64_t, State> seen;
    const std::uint64_t end = present.end;
    for (const std::uint64_t time : {end - 1, end / 2, end / 3, std::uint64_t{0}, end / 2 + 1, end - 1000}) {
        EXPECT_GE(goTo(time).now, time);
        seen[look().now] = state();
        expectSame(before, before, "itself");
    }
    EXPECT_GE(seen.size(), 5u);
    EXPECT_TRUE(seen.begin()->second != seen.rbegin()->second);
    for (const auto& [time, known] : seen) {
        EXPECT_EQ(goTo(time).now, time);
        expectSame(known, state(), "again at " + std::to_string(time));
    }
    EXPECT_EQ(goTo(end).now, end);
    expectSame(before, state(), "the present");
    finish();
}

/// Machines shuffle turns, as long as it lives.
struct Shuffling {
    Shuffling() { setenv("ZETL_EMULATOR_ORDER", "5", 1); }
    ~Shuffling() { unsetenv("ZETL_EMULATOR_ORDER"); }
    Shuffling(const Shuffling&) = delete;
    Shuffling& operator=(const Shuffling&) = delete;
};
class ShuffledHistoryTest : Shuffling, public HistoryTest {};

TEST_F(ShuffledHistoryTest, BackAndForthAllStateIsTheSame) {
    run();
    const HistoryAnswer present = look();
    ASSERT_TRUE(is(present, Status::ok)) << present.reason;
    const State now = state();
    for (const std::uint64_t part : {1'000'000, 4, 2}) {
        const std::uint64_t time = goTo(present.end / part).now;
        const State then = state();
        EXPECT_EQ(goTo(present.end).now, present.end);
        expectSame(now, state(), "the present");
        EXPECT_EQ(goTo(time).now, time);
        expectSame(then, state(), "the past");
    }
    goTo(present.end);
    finish();
}

TEST_F(HistoryTest, FromAnEarlierTimeItReturnsToThePresentAndGoesOn) {
    run();
    const std::uint64_t end = look().end;
    for (const std::uint64_t time : {end / 2, end / 4, std::uint64_t{0}}) {
        EXPECT_GE(goTo(time).now, time);
        EXPECT_EQ(look().end, end) << "what was recorded is kept";
    }
    EXPECT_GE(goTo(end / 5).now, end / 5);
    finish();
}

TEST_F(HistoryTest, StepsOfAThreadAndItsWay) {
    run();
    const ThreadId thread = faulty;
    HistoryRequest of;
    of.slot = bench.device().profile().slotOf(thread);
    of.count = 100;
    const HistoryReport way = ask(Kind::way, of);
    ASSERT_GE(way.way.size(), 50u);
    const auto ipNow = [&] {
        std::array<std::uint32_t, 4> cr{};
        EXPECT_EQ(control().readRegisters(thread, RegisterSet::cr, 0, 1, cr.data()), ControlStatus::ok);
        return cr[2];
    };
    for (auto step = way.way.rbegin(); step != way.way.rbegin() + 20; ++step) {
        const HistoryAnswer back = ask(Kind::back, of).answer;
        ASSERT_TRUE(is(back, Status::ok));
        EXPECT_EQ(back.found, step->time);
        goTo(back.found);
        EXPECT_EQ(ipNow(), step->ip);
    }
    const std::uint64_t from = look().now;
    const HistoryAnswer forth = ask(Kind::forth, of).answer;
    ASSERT_TRUE(is(forth, Status::ok));
    EXPECT_GT(forth.found, from);
    goTo(forth.found);
    EXPECT_EQ(ipNow(), (way.way.rbegin() + 18)->ip);
    finish();
}

/// What `entry` means, by all instructions of a thread.
std::optional<std::uint64_t> entryIn(const std::vector<HistoryStep>& way, std::span<const MarkedCode> code) {
    const auto marksOf = [&](const HistoryStep& step) {
        std::uint32_t marks = 0;
        for (const MarkedCode& each : code)
            if (step.ip >= each.begin && step.ip < each.end) marks |= each.marks;
        return marks;
    };
    const bool wantsTo = std::ranges::any_of(code, [](const MarkedCode& each) { return each.marks != 1; });
    const auto isFrom = [&](const HistoryStep& step) { return (marksOf(step) & MarkedCode::kFrom) != 0; };
    const auto last = std::find_if(way.rbegin(), way.rend(), isFrom);
    if (!wantsTo) return last == way.rend() ? std::nullopt : std::optional(last->time);
    const auto from = last == way.rend() ? way.begin() : last.base() - 1;
    const auto to =
        std::find_if(from, way.end(), [&](const HistoryStep& step) { return (marksOf(step) & MarkedCode::kTo) != 0; });
    return to == way.end() ? std::nullopt : std::optional(to->time);
}

/// Of each pair of instructions: where the thread came from one to the other.
TEST_F(HistoryTest, FindsWhereAThreadCameToCode) {
    run();
    HistoryRequest of;
    of.slot = bench.device().profile().slotOf(faulty);
    of.count = 1 << 16;
    const std::vector<HistoryStep> way = ask(Kind::way, of).way;
    ASSERT_GT(way.size(), 1000u);
    ASSERT_LT(way.size(), of.count) << "all of the thread";
    std::vector<std::uint64_t> ips;
    for (const HistoryStep& step : way) ips.push_back(step.ip);
    std::ranges::sort(ips);
    ips.erase(std::unique(ips.begin(), ips.end()), ips.end());
    of.time = look().end;
    const State present = state();
    for (std::size_t from = 0; from < ips.size(); from += 11)
        for (std::size_t to = from % 7; to < ips.size(); to += ips.size() / 5) {
            std::vector<MarkedCode> code = {{ips[from], ips[from] + 1, MarkedCode::kFrom, 0}};
            const std::uint32_t marks = to == from ? MarkedCode::kFrom | MarkedCode::kTo : MarkedCode::kTo;
            if (to == from) code.clear();
            if (to % 2 == 0 || to == from) code.push_back({ips[to], ips[to] + 1, marks, 0});
            std::ranges::sort(code, {}, &MarkedCode::begin);
            const auto expected = entryIn(way, code);
            const HistoryReport found = findEntry(of, code);
            ASSERT_EQ(is(found.answer, Status::ok), expected.has_value()) << from << " to " << to;
            if (!expected) continue;
            ASSERT_EQ(found.answer.found, *expected) << from << " to " << to;
            ASSERT_EQ(found.way.size(), 1u);
            const auto step = std::ranges::find(way, *expected, &HistoryStep::time);
            EXPECT_EQ(found.way[0].ip, step->ip);
        }
    goTo(look().end);
    expectSame(present, state(), "the present");
    finish();
}

/// A loop of more instructions than lie between two moments, that a second thread goes through earlier.
TEST_F(HistoryTest, ALongLoopIsPassedByWhatWasExecuted) {
    kernel = bench.build(
        "kernel void loops(global uint* out, uint turns, global uint* nowhere) {"
        " uint x = get_global_id(0);"
        " for (uint k = 0; k < turns; ++k) x = x * 3u + k;"
        " out[get_global_id(0)] = x; barrier(CLK_GLOBAL_MEM_FENCE);"
        " if (x != 0) *nowhere = 1; }",
        "loops", "-cl-opt-disable");
    out = bench.buffer(64);
    running = bench.launch(kernel, {64, 1, 1}, {1, 1, 1}, {out, std::uint32_t{100'000}, std::uint64_t{0}});
    awaitFault();
    halt();
    while (is(look(), Status::runs)) std::this_thread::yield();
    HistoryRequest of;
    of.slot = bench.device().profile().slotOf(faulty);
    of.count = 3000;
    of.time = look().end;
    const std::vector<HistoryStep> way = ask(Kind::way, of).way;
    ASSERT_GT(of.time, std::uint64_t{2} << 20);
    std::map<std::uint64_t, std::size_t> times;
    for (const HistoryStep& step : way) ++times[step.ip];
    std::vector<MarkedCode> code;  // the loop: what is executed often
    for (const auto& [ip, count] : times)
        if (count > 10) code.push_back({ip, ip + 1, MarkedCode::kTo, 0});
    ASSERT_GT(code.size(), 3u);
    std::vector<MarkedCode> all;
    std::uint64_t covered = 0;
    for (const MarkedCode& each : code) {
        all.push_back({covered, each.begin, MarkedCode::kFrom, 0});
        all.push_back(each);
        covered = each.end;
    }
    of.time = std::ranges::find_if(way, [&](const HistoryStep& step) { return times[step.ip] > 10; })->time;
    const HistoryReport entry = findEntry(of, all);
    ASSERT_TRUE(is(entry.answer, Status::ok));
    EXPECT_LT(entry.answer.found, of.time / 2);
    goTo(entry.answer.found);
    of.count = 2;
    const HistoryReport before = ask(Kind::way, of);
    ASSERT_FALSE(before.way.empty());
    EXPECT_LE(times[before.way.back().ip], 1u) << "the instruction before it is not of the loop";
    EXPECT_EQ(times[entry.way[0].ip] > 10, true);
    goTo(look().end);
    goOn();
    running->cancel();
    EXPECT_TRUE(running->wait(std::chrono::seconds(60)));
}

TEST_F(HistoryTest, FindsTheLastWriteToGlobalAndLocalMemory) {
    run();
    const std::uint64_t end = look().end;
    HistoryRequest request;
    request.address = reinterpret_cast<std::uint64_t>(out + 9 * kItems + 5);
    request.bytes = 4;
    request.time = end;
    std::uint32_t value = out[9 * kItems + 5];
    for (int times = 0; times < 5; ++times) {
        const HistoryAnswer found = ask(Kind::access, request).answer;
        ASSERT_TRUE(is(found, Status::ok)) << times << ": " << found.status;
        EXPECT_TRUE(std::has_single_bit(found.lanes)) << found.lanes;
        EXPECT_EQ(found.isWrite, 1u);
        EXPECT_NE(out[9 * kItems + 5], value) << "before the write";
        EXPECT_GT(goTo(found.found + 1).now, found.found);
        EXPECT_EQ(out[9 * kItems + 5], value) << "after it";
        goTo(found.found);
        value = out[9 * kItems + 5];
        request.time = found.found;
    }
    HistoryRequest local;
    local.slot = bench.device().profile().slotOf(faulty);
    local.isLocal = 1;
    local.address = 4 * 7;
    local.bytes = 4;
    local.time = look().now;
    const ThreadId thread = faulty;
    const auto there = [&] {
        std::uint32_t word = 0;
        EXPECT_EQ(control().readSlm(thread, 4 * 7, &word, sizeof word), ControlStatus::ok);
        return word;
    };
    const std::uint32_t later = there();
    const HistoryAnswer found = ask(Kind::access, local).answer;
    ASSERT_TRUE(is(found, Status::ok));
    EXPECT_NE(there(), later);
    goTo(found.found + 1);
    EXPECT_EQ(there(), later);
    request.address = reinterpret_cast<std::uint64_t>(last + 9 * kItems);
    request.time = found.found;
    for (HistoryAnswer none = ask(Kind::access, request).answer;; none = ask(Kind::access, request).answer) {
        ASSERT_TRUE(is(none, Status::absent));
        if (none.found == none.begin) break;
        request.time = none.found;
    }
    finish();
}

TEST_F(HistoryTest, LocalMemoryHasNoAccessesOfTheGroupsBefore) {
    run();
    HistoryRequest local;
    local.slot = bench.device().profile().slotOf(faulty);
    local.isLocal = 1;
    local.address = 4 * 7;
    local.bytes = 4;
    local.time = look().end;
    std::uint32_t writes = 0;
    for (HistoryAnswer found = ask(Kind::access, local).answer;; found = ask(Kind::access, local).answer) {
        const bool isFound = is(found, Status::ok);
        if (!isFound && found.found == found.begin) break;
        writes += isFound;
        local.time = found.found;
        ASSERT_LE(writes, kRounds);
    }
    EXPECT_EQ(writes, 21u) << "one in each round, up to the one in which the group stands";
    finish();
}

TEST_F(HistoryTest, WhatADebuggerChangesInThePastDoesNotLast) {
    run();
    const std::uint64_t end = goTo(look().end / 2).now;
    std::uint32_t* const place = last + std::size_t{kGroups - 1} * kItems;  // written at the end
    const std::uint32_t changed = 77;
    control().changes(reinterpret_cast<std::uint64_t>(place), 4);
    EXPECT_TRUE(bench.memory().write(reinterpret_cast<std::uint64_t>(place), &changed, sizeof changed));
    goTo(0);
    EXPECT_EQ(*place, 0u);
    goTo(end);
    EXPECT_EQ(*place, 0u) << "what is changed in the past does not last";
    finish();
}

/// The worker and the debugger keep pages at the same time; none of them is lost.
TEST_F(HistoryTest, ADebuggerMayWriteWhileTheLaunchRuns) {
    constexpr std::size_t kPages = 1024;
    constexpr std::size_t kWords = 1024;  // of a page
    kernel = bench.build(
        "kernel void fills(global uint* out, global uint* nowhere) {"
        " for (uint page = 0; page < 1024; ++page) out[page * 1024u] = 1;"
        " *nowhere = 1; }",
        "fills", "-cl-opt-disable");
    std::uint32_t* const written = bench.buffer(kPages * kWords);
    std::uint32_t* const own = bench.buffer(kPages * kWords);
    running = bench.launch(kernel, {1, 1, 1}, {1, 1, 1}, {written, std::uint64_t{0}});
    const std::atomic_ref<std::uint32_t> first(*written);
    ASSERT_TRUE(test::waitFor([&] { return first.load() == 1; }, std::chrono::seconds(60), {}));
    for (std::size_t page = 0; page < kPages; ++page) {
        const std::uint32_t value = 77;
        const auto address = reinterpret_cast<std::uint64_t>(own + page * kWords);
        control().changes(address, sizeof value);
        EXPECT_TRUE(bench.memory().write(address, &value, sizeof value));
    }
    awaitFault();
    halt();
    EXPECT_EQ(written[(kPages - 1) * kWords], 1u);
    EXPECT_EQ(goTo(0).now, 0u);
    std::size_t left = 0;
    for (std::size_t page = 0; page < kPages; ++page) left += written[page * kWords];
    EXPECT_EQ(left, 0u) << "pages that the launch has written, and that were not taken back";
    goOn();
    EXPECT_TRUE(running->wait(std::chrono::seconds(60)));
}

TEST_F(HistoryTest, HostWritesThatChangeTheLaunchAreNoticed) {
    kernel = bench.build(
        "kernel void waits(global volatile uint* go, global uint* out) { while (*go == 0) ;"
        " for (uint i = 0; *go != 2; ++i) out[0] = i; }",
        "waits");
    out = bench.buffer(1);
    count = bench.buffer(1);
    running = bench.launch(kernel, {1, 1, 1}, {1, 1, 1}, {count, out});
    const std::atomic_ref<std::uint32_t> flag(*count);
    const std::atomic_ref<std::uint32_t> written(*out);
    flag.store(1);
    EXPECT_TRUE(KernelBench::eventually([&] { return written.load() > 1000; }));
    halt();
    const std::uint64_t end = look().end;
    flag.store(2);
    // Not where a turn ends, of which the state is kept: nothing is repeated to go there.
    const HistoryAnswer answer = goTo(end - 1);
    EXPECT_TRUE(is(answer, Status::broken)) << answer.status;
    EXPECT_EQ(answer.reason, static_cast<std::uint32_t>(HistoryAnswer::Reason::differs));
    goOn();
    EXPECT_TRUE(running->wait(std::chrono::seconds(60)));
}

TEST_F(HistoryTest, LaunchesAtTheSameTimeAreNoticed) {
    runToFault();
    const Kernel second = bench.build("kernel void second(global uint* out) { out[get_global_id(0)] = 1; }", "second");
    std::uint32_t* const there = bench.buffer(16);
    other = bench.launch(second, {16, 1, 1}, {1, 1, 1}, {there});
    EXPECT_TRUE(other->wait(std::chrono::seconds(60)));
    halt();
    const HistoryAnswer answer = look();
    EXPECT_TRUE(is(answer, Status::broken)) << answer.status;
    EXPECT_EQ(answer.reason, static_cast<std::uint32_t>(HistoryAnswer::Reason::launches));
    finish();
}

TEST_F(HistoryTest, NothingIsRecordedOfWhatDoesNotRun) {
    EXPECT_TRUE(is(look(), Status::none));
    HistoryRequest request;
    request.kind = 99;
    request.slot = ~0u;
    EXPECT_TRUE(is(control().history(request).answer, Status::none));
    run();
    const std::uint64_t end = look().end;
    for (std::uint32_t kind = 0; kind < 12; ++kind)
        for (const std::uint64_t number : {std::uint64_t{0}, end / 2, ~std::uint64_t{0}}) {
            HistoryRequest wild;
            wild.kind = kind;
            wild.slot = static_cast<std::uint32_t>(number);
            wild.time = wild.address = wild.bytes = number;
            wild.count = static_cast<std::uint32_t>(number);
            wild.isLocal = wild.isRead = kind % 2;
            const MarkedCode backwards[] = {{number, 0, ~0u, 0}, {0, number, ~0u, 0}};
            control().history(wild, backwards);
        }
    goTo(end);
    finish();
}

}  // namespace
}  // namespace zetl::emulator::machine::bench
