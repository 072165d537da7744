// Kernels whose times, stalls and hit rates can be worked out by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <thread>

#include "emulator/machine/code/schedule.h"
#include "emulator/machine/model/arrivals.h"
#include "emulator/machine/model/cache.h"
#include "emulator/machine/model/memory_way.h"
#include "kernel_bench.h"
#include "support/effort.h"
#include "support/wait_for.h"

namespace zetl::emulator::machine::bench {
namespace {

/// A bench that collects.
struct Collecting : KernelBench {
    explicit Collecting(const std::string& profile = "small", std::uint32_t workers = 0)
        : KernelBench(profile, workers) {}
    explicit Collecting(const Profile& profile) : KernelBench(profile) {}
    ~Collecting() { hold.reset(); }
    std::shared_ptr<void> hold = tile().collect();
    TimingModel timing = device().profile().timing;

    Counts counts(const Kernel& kernel, Extent groupSize, Extent groupCount, const std::vector<Argument>& arguments) {
        const auto dispatch = run(kernel, groupSize, groupCount, arguments);
        EXPECT_FALSE(dispatch->fault());
        return dispatch->counts();
    }
};

TEST(Cache, ReplacesTheLineThatWasUnusedLongest) {
    Cache cache({4 * 64, 64, 2});  // two sets of two
    using Use = Cache::Use;
    EXPECT_FALSE(cache.access(0, Use::read).hit);
    EXPECT_FALSE(cache.access(2, Use::write).hit);
    EXPECT_TRUE(cache.access(0, Use::read).hit);
    EXPECT_FALSE(cache.access(1, Use::read).hit) << "the other set";
    const Cache::Result third = cache.access(4, Use::read);
    EXPECT_FALSE(third.hit);
    EXPECT_TRUE(third.wroteBack) << "2 was changed and is the older one";
    EXPECT_TRUE(cache.touch(0));
    EXPECT_FALSE(cache.touch(2));
    cache.drop(0);
    EXPECT_FALSE(cache.touch(0));
    cache.clear();
    EXPECT_FALSE(cache.touch(4));
}

// Two users, of which the second comes after all that the first wants, with the same times.
TEST(MemoryWay, CarriesNoMoreThanItCanInAnyOrderOfTime) {
    constexpr std::uint64_t kEach = 1000;
    constexpr std::uint64_t kLineCycles = 4;
    MemoryWay way(kLineCycles * MemoryWay::kParts);
    std::uint64_t last = 0;
    const auto take = [&](std::uint64_t time) {
        const std::uint64_t begin = way.take(time);
        EXPECT_GE(begin, time);
        last = std::max(last, begin);
        return begin - time;
    };
    std::uint64_t waits = 0;
    for (std::uint64_t i = 0; i < kEach; ++i) waits += take(i * 2 * kLineCycles);
    EXPECT_LT(waits, kEach) << "half of what there is";
    for (std::uint64_t i = 0; i < kEach; ++i) take(i * 2 * kLineCycles);
    EXPECT_LT(last, kEach * 2 * kLineCycles + 64) << "the other half is left to the second";
    for (std::uint64_t i = 0; i < kEach; ++i) take(0);
    EXPECT_GE(last, kEach * 3 * kLineCycles - 64) << "it is full: the third waits for all of it";
    way.passed(1 << 20);
    EXPECT_EQ(way.take(1 << 20), 1u << 20);
}

TEST(MemoryWay, LaterUsesTakeWhatWasLeftBeforeThem) {
    constexpr std::uint64_t kUses = 32;  // in 64 cycles
    constexpr std::uint64_t kParts = 2 * MemoryWay::kParts;
    MemoryWay way(kParts);
    const auto usesAt = [&](std::uint64_t time) {
        std::uint64_t uses = 0;
        while (way.take(time) < time + 64) ++uses;
        return uses;
    };
    way.leaveRoom(0);
    EXPECT_EQ(usesAt(1024), kUses) << "only if it is asked for";
    way.restart(kParts, 128);
    EXPECT_EQ(usesAt(1024), kUses) << "nobody leaves anything yet";
    way.restart(kParts, 128);
    way.leaveRoom(2048);
    way.leaveRoom(1024 - 64);
    EXPECT_EQ(usesAt(1024), 2 * kUses) << "what was left since the first of both";
    way.restart(kParts, 128);
    way.leaveRoom(0);
    EXPECT_EQ(usesAt(1024), 3 * kUses);
    way.passed(std::uint64_t{1} << 20);
    EXPECT_EQ(usesAt(std::uint64_t{1} << 20), 3 * kUses) << "also of spans that nobody asks for any more";
}

TEST(MemoryWay, TakesWhatIsWiderThanItsSpans) {
    MemoryWay way(1000 * MemoryWay::kParts);
    EXPECT_EQ(way.take(0), 0u);
    EXPECT_EQ(way.take(0), 1000u);
    EXPECT_EQ(way.take(5000), 5000u);
}

TEST(Arrivals, ALineIsThereForEverybodyAtTheSameTime) {
    constexpr std::uint64_t kBase = 1000;
    Arrivals arrivals;
    EXPECT_EQ(arrivals.await(7, kBase, kBase + 100), kBase + 100) << "nothing was asked for";
    arrivals.expect(7, kBase, kBase + 500);
    EXPECT_EQ(arrivals.await(7, kBase + 50, kBase + 150), kBase + 500);
    EXPECT_EQ(arrivals.await(7, kBase + 450, kBase + 550), kBase + 550);
    EXPECT_EQ(arrivals.await(8, kBase + 50, kBase + 150), kBase + 150) << "another line";
    EXPECT_EQ(arrivals.await(7, kBase - 200, kBase - 100), kBase + 300) << "it was the first who asked";
    EXPECT_EQ(arrivals.await(7, kBase + 50, kBase + 150), kBase + 300);
    arrivals.restart();
    EXPECT_EQ(arrivals.await(7, 0, 100), 100u);
}

const char* const kChase =
    "kernel void chase(global const uint* p, uint n, global uint* out) { uint i = 0;"
    " for (uint k = 0; k < n; ++k) i = p[i]; *out = i; }";

/// A ring through `lines` cache lines, in the order of a stride that is prime to their number.
std::uint32_t* ring(KernelBench& bench, std::uint32_t lines) {
    constexpr std::uint32_t kWords = 16;
    constexpr std::uint32_t kStride = 97;
    auto* const p = bench.buffer(std::size_t{lines} * kWords);
    for (std::uint32_t at = 0, i = 0; i < lines; ++i) {
        const std::uint32_t next = (at + kStride) % lines;
        p[at * kWords] = next * kWords;
        at = next;
    }
    return p;
}

TEST(TimingModel, APointerChaseShowsTheLatencyOfEachLevel) {
    Collecting bench;
    const Kernel kernel = bench.build(kChase, "chase");
    auto* const out = bench.buffer(1);
    constexpr std::uint32_t kSteps = 1 << 15;
    constexpr std::uint32_t kFew = 64;
    auto* const large = ring(bench, kSteps);  // 2 MiB: more than L1
    auto* const small = ring(bench, kFew);
    const auto cycles = [&](std::uint32_t* p) {
        return bench.counts(kernel, {1, 1, 1}, {1, 1, 1}, {p, kSteps, out})[Counter::workCycles];
    };
    const double memory = static_cast<double>(cycles(large));
    const double l3 = static_cast<double>(cycles(large));
    const double l1 = static_cast<double>(cycles(small));
    EXPECT_NEAR((memory - l3) / kSteps, bench.timing.memory - bench.timing.l3Hit, 1);
    EXPECT_NEAR((l3 - l1) / kSteps, bench.timing.l3Hit - bench.timing.l1Hit, 2);
    EXPECT_GT(l1 / kSteps, bench.timing.l1Hit);
    EXPECT_LT(l1 / kSteps, bench.timing.l1Hit + 100) << "the loop around the load";
}

// One thread on each sub-slice asks for the same lines at about the same time: for each of them they come from memory.
TEST(TimingModel, ALineOnItsWayToL3IsNotThereYet) {
    const auto occupied = [](std::uint32_t groups) {
        Collecting bench;
        const Kernel kernel = bench.build(kChase, "chase");
        auto* const out = bench.buffer(1);
        constexpr std::uint32_t kSteps = 1024;
        auto* const p = ring(bench, kSteps);
        const Counts counts = bench.counts(kernel, {1, 1, 1}, {groups, 1, 1}, {p, kSteps, out});
        EXPECT_EQ(counts[Counter::memoryBytesRead] / bench.timing.lineBytes / kSteps, 1u) << "but they come once";
        return static_cast<double>(counts[Counter::occupiedCycles]);
    };
    EXPECT_NEAR(occupied(8) / occupied(1), 8, 0.1);
}

// The store takes the load's token, and says by nothing else that it waits for the load.
TEST(TimingModel, AStoreWaitsForTheLoadOfItsData) {
    Collecting bench("tiny");
    const Kernel kernel = bench.build(
        "kernel void copy(global volatile const uint* from, global volatile uint* to, uint n) {"
        " for (uint k = 0; k < n; ++k) to[k * 16] = from[k * 16]; }",
        "copy");
    constexpr std::uint32_t kLines = 256;
    auto* const from = bench.buffer(kLines * 16);
    auto* const to = bench.buffer(kLines * 16);
    const Counts counts = bench.counts(kernel, {1, 1, 1}, {1, 1, 1}, {from, to, kLines});
    EXPECT_GT(counts[Counter::workCycles] / kLines, bench.timing.memory);
}

TEST(TimingModel, StridesHaveTheirHitRates) {
    Collecting bench("tiny");
    const Kernel kernel = bench.build(
        "kernel void walk(global volatile const uint* p, uint stride, uint n, global uint* out) { uint s = 0;"
        " for (uint k = 0; k < n; ++k) s += p[k * stride]; *out = s; }",
        "walk");
    auto* const p = bench.buffer(1 << 16);
    auto* const out = bench.buffer(1);
    constexpr std::uint32_t kLoads = 1024;
    for (const std::uint32_t stride : {1u, 2u, 4u, 8u, 16u, 32u}) {
        const Counts counts = bench.counts(kernel, {1, 1, 1}, {1, 1, 1}, {p, stride, kLoads, out});
        const double missed = std::min(1.0, stride / 16.0);
        EXPECT_NEAR(static_cast<double>(counts[Counter::l1Reads] - counts[Counter::l1ReadHits]), kLoads * missed, 8)
            << stride;
        EXPECT_NEAR(static_cast<double>(counts[Counter::l1Reads]), kLoads, 8) << stride;
    }
}

/// Words that the lanes of one thread want: within a row of lanes at a distance, and from row to row.
struct Lanes {
    std::uint32_t row;
    std::uint32_t within;
    std::uint32_t between;
    std::uint32_t word(std::uint32_t lane) const { return lane % row * within + lane / row * between; }
};
constexpr Lanes kPatterns[] = {{32, 0, 0}, {32, 1, 0},  {32, 2, 0},  {32, 16, 0},  {32, 17, 0},
                               {16, 0, 1}, {16, 0, 16}, {16, 1, 16}, {16, 1, 512}, {8, 1, 100}};
constexpr std::uint32_t kLoads = 64;
constexpr std::uint32_t kWords = 1024;  // of local memory

/// What so many loads of one thread count more than none.
std::uint64_t counted(Collecting& bench, const Kernel& kernel, const Lanes& lanes, Counter counter) {
    const std::uint32_t simd = kernel.image->environment.simdSize;
    auto* const in = bench.buffer(std::size_t{kWords} * (kLoads + 1));
    auto* const out = bench.buffer(simd);
    const auto of = [&](std::uint32_t loads) {
        return bench.counts(
            kernel, {simd, 1, 1}, {1, 1, 1},
            {in, out, Argument::local(kWords * 4), lanes.row, lanes.within, lanes.between, loads})[counter];
    };
    return of(kLoads) - of(0);
}

constexpr const char* kPatternLoads =
    "kernel void loads(global volatile const uint* in, global uint* out, local volatile uint* s, uint row, uint within,"
    " uint between, uint n) { uint x = get_local_id(0), at = (x % row * within + x / row * between) & 1023, v = 0;"
    " for (uint k = 0; k < n; ++k) v += PLACE; out[x] = v; }";

Kernel patternKernel(KernelBench& bench, const std::string& place) {
    std::string source = kPatternLoads;
    source.replace(source.find("PLACE"), 5, place);
    return bench.build(source.c_str(), "loads");
}

TEST(TimingModel, LanesTakeTheBanksOfTheirWords) {
    Collecting bench("tiny");
    const Kernel kernel = patternKernel(bench, "s[(at + k * 64) & 1023]");
    for (const Lanes& lanes : kPatterns) {
        std::map<std::uint32_t, std::set<std::uint32_t>> banks;
        std::size_t passes = 0;
        for (std::uint32_t lane = 0; lane < kernel.image->environment.simdSize; ++lane) {
            auto& words = banks[lanes.word(lane) % kWords % bench.timing.slmBanks];
            words.insert(lanes.word(lane) % kWords);
            passes = std::max(passes, words.size());
        }
        EXPECT_EQ(counted(bench, kernel, lanes, Counter::slmBankConflicts), kLoads * (passes - 1))
            << lanes.row << ' ' << lanes.within << ' ' << lanes.between;
    }
}

TEST(TimingModel, LanesTouchTheLinesOfTheirWords) {
    Collecting bench("tiny");
    const Kernel kernel = patternKernel(bench, "in[at + k * 1024]");
    for (const Lanes& lanes : kPatterns) {
        std::set<std::uint32_t> lines;
        for (std::uint32_t lane = 0; lane < kernel.image->environment.simdSize; ++lane)
            lines.insert(lanes.word(lane) % kWords * 4 / bench.timing.lineBytes);
        EXPECT_EQ(counted(bench, kernel, lanes, Counter::l1Reads), kLoads * lines.size())
            << lanes.row << ' ' << lanes.within << ' ' << lanes.between;
    }
}

TEST(TimingModel, AStreamGetsTheBandwidthOfItsLevel) {
    Collecting bench("small");
    const Kernel kernel = bench.build(
        "kernel void sum(global const float4* in, global float* out) { size_t i = get_global_id(0), n = "
        "get_global_size(0);"
        " float4 v = 0; for (int k = 0; k < 32; k += 8) { float4 a = in[i + k * n], b = in[i + (k + 1) * n],"
        " c = in[i + (k + 2) * n], d = in[i + (k + 3) * n], e = in[i + (k + 4) * n], f = in[i + (k + 5) * n],"
        " g = in[i + (k + 6) * n], h = in[i + (k + 7) * n]; v += a + b + c + d + e + f + g + h; }"
        " if (v.x + v.y + v.z + v.w == 1.0f) out[i] = 1.0f; }",
        "sum");
    // 8 MiB
    constexpr std::uint32_t kItems = 1 << 14;
    constexpr std::uint32_t kBytes = kItems * 32 * 16;
    auto* const in = bench.buffer<float>(kBytes / 4);
    auto* const out = bench.buffer<float>(kItems);
    const Counts counts = bench.counts(kernel, {256, 1, 1}, {kItems / 256, 1, 1}, {in, out});
    EXPECT_NEAR(static_cast<double>(counts[Counter::memoryBytesRead]), kBytes, kBytes * 0.02);
    const double perCycle =
        static_cast<double>(counts[Counter::l3BytesRead]) / static_cast<double>(counts[Counter::workCycles]);
    const double most = 8.0 * bench.timing.l3BytesPerCycle;  // eight sub-slices; memory could give 1.3 times as much
    EXPECT_LE(perCycle, most);
    EXPECT_GE(perCycle, 0.8 * most);
}

// L3 takes changed lines in for as long as there is room; from then on each has to wait until another one is written.
TEST(TimingModel, AStreamOfStoresGetsTheBandwidthOfMemory) {
    Profile profile = loadProfile("small");
    DeviceProfile& device = profile.devices.front();
    device.cacheBytes = 1 << 18;
    device.memoryClockMhz /= 4;  // less than the ways to L3 carry
    const double most =
        1e-2 * device.memoryClockMhz * device.memoryBusBits / 8 * device.timing.memoryPercent / device.coreClockMhz;
    Collecting bench(profile);
    const Kernel kernel = bench.build(
        "kernel void fill(global float4* out) { size_t i = get_global_id(0), n = get_global_size(0);"
        " for (int k = 0; k < 32; ++k) out[i + k * n] = i; }",
        "fill");
    // 2 MiB
    constexpr std::uint32_t kItems = 1 << 12;
    constexpr std::uint32_t kBytes = kItems * 32 * 16;
    auto* const out = bench.buffer<float>(kBytes / 4);
    const Counts counts = bench.counts(kernel, {256, 1, 1}, {kItems / 256, 1, 1}, {out});
    const auto written = static_cast<double>(counts[Counter::memoryBytesWritten]);
    EXPECT_NEAR(written, kBytes - static_cast<double>(device.cacheBytes), kBytes * 0.02);
    const double perCycle = written / static_cast<double>(counts[Counter::workCycles]);
    EXPECT_LE(perCycle, most);
    EXPECT_GE(perCycle, 0.7 * most);
}

const char* const kMultiplyAdds =
    "#define FOUR a = fma(a, 1.5f, b); a = fma(a, 1.5f, b); a = fma(a, 1.5f, b); a = fma(a, 1.5f, b);\n"
    "kernel void fmas(global float* out, uint n) { float a = get_global_id(0), b = a;"
    " for (uint k = 0; k < n; ++k) { FOUR FOUR FOUR FOUR FOUR FOUR FOUR FOUR } out[get_global_id(0)] = a; }";

TEST(TimingModel, MultiplyAddsIssueAtTheirRate) {
    Collecting bench("tiny");
    const Kernel kernel = bench.build(kMultiplyAdds, "fmas");
    auto* const out = bench.buffer<float>(1 << 14);
    constexpr std::uint32_t kTurns = 100;
    constexpr std::uint32_t kAdds = 32;
    const std::uint32_t simd = kernel.image->environment.simdSize;
    const std::uint32_t slots = simd * 4 / 64;
    // One thread: each waits for the one before.
    const Counts one = bench.counts(kernel, {simd, 1, 1}, {1, 1, 1}, {out, kTurns});
    const double chain = 1.0 * kAdds * kTurns * (bench.timing.accumulator + slots - 1);  // it keeps the sum there
    EXPECT_GT(static_cast<double>(one[Counter::workCycles]), chain * 0.9);
    EXPECT_LT(static_cast<double>(one[Counter::workCycles]), chain + kTurns * 100.0);
    EXPECT_GT(one[Counter::distanceStalls], one[Counter::workCycles] / 4);
    // Every slot taken: the pipe is never idle.
    const Counts all = bench.counts(kernel, {simd * 8, 1, 1}, {8, 1, 1}, {out, kTurns});
    EXPECT_EQ(all[Counter::threads], 64u);
    EXPECT_LE(all[Counter::floatSlots], all[Counter::floatInstructions] * slots);
    EXPECT_GT(all[Counter::floatSlots], all[Counter::floatInstructions] * (slots - 1)) << "but for a few of one lane";
    const double real = static_cast<double>(all[Counter::floatSlots]) / 8;  // of one engine
    EXPECT_GT(real / static_cast<double>(all[Counter::workCycles]), 0.85);
    EXPECT_LE(real / static_cast<double>(all[Counter::workCycles]), 1.0);
    EXPECT_GT(all[Counter::pipeStalls], 0u);
}

TEST(TimingModel, ThreadsWaitAtABarrierForTheSlowestOne) {
    Collecting bench("tiny");
    const Kernel kernel = bench.build(
        "kernel void wait(global const uint* p, uint n, global uint* out) { uint i = 0;"
        " if (get_local_id(0) == 0) for (uint k = 0; k < n; ++k) i = p[i];"
        " barrier(CLK_LOCAL_MEM_FENCE); out[get_global_id(0)] = i; }",
        "wait");
    auto* const p = ring(bench, 64);
    auto* const out = bench.buffer(1024);
    constexpr std::uint32_t kSteps = 500;
    const std::uint32_t threads = 16;
    const std::uint32_t items = threads * kernel.image->environment.simdSize;
    const Counts counts = bench.counts(kernel, {items, 1, 1}, {1, 1, 1}, {p, kSteps, out});
    EXPECT_EQ(counts[Counter::barriers], threads);
    const double slow = kSteps * 1.0 * bench.timing.l1Hit;
    EXPECT_GT(static_cast<double>(counts[Counter::syncStalls]), slow * (threads - 1));
    EXPECT_LT(counts[Counter::syncStalls], counts[Counter::workCycles] * threads);
}

TEST(TimingModel, SamplesPileUpWhereASlowLoadIsAwaited) {
    Collecting bench("tiny");
    const Kernel kernel = bench.build(kChase, "chase");
    auto* const p = ring(bench, 4096);
    auto* const out = bench.buffer(1);
    bench.counts(kernel, {1, 1, 1}, {1, 1, 1}, {p, 4096u, out});
    const auto stalls = bench.tile().stalls();
    ASSERT_FALSE(stalls.empty());
    const auto waits = [](const InstructionStalls& s) {
        return s.cycles[static_cast<std::size_t>(StallReason::token)];
    };
    const auto top = std::ranges::max_element(stalls, {}, waits);
    std::uint64_t all = 0;
    for (const auto& each : stalls) all += std::accumulate(each.cycles.begin(), each.cycles.end(), std::uint64_t{0});
    EXPECT_GT(waits(*top), all / 2);
    // It is the first instruction that names the token of a load before it.
    const LoadedProgram& loaded = *kernel.code->program();
    const auto& program = *loaded.program;
    const isa::Line line = program.lineAt(static_cast<std::uint32_t>(top->address - bench.device().code().base()));
    ASSERT_NE(line, isa::kNoLine);
    const isa::Scoreboard awaited = isa::scoreboardOf(program.instruction(line));
    EXPECT_EQ(awaited.token, isa::Scoreboard::Token::written);
    bool loads = false;
    for (isa::Line before = 0; before < program.lineCount(); ++before) {
        const isa::Scoreboard set = isa::scoreboardOf(program.instruction(before));
        loads |= set.token == isa::Scoreboard::Token::set && set.number == awaited.number &&
                 program.instruction(before).opcode == isa::Opcode::send;
    }
    EXPECT_TRUE(loads);
}

TEST(TimingModel, CyclesOfThreadsAddUp) {
    Collecting bench;
    const Kernel kernel = bench.build(kMultiplyAdds, "fmas");
    auto* const out = bench.buffer<float>(1 << 14);
    const Counts c = bench.counts(kernel, {64, 1, 1}, {40, 1, 1}, {out, 20u});
    const std::uint64_t stalled = c[Counter::controlStalls] + c[Counter::pipeStalls] + c[Counter::sendStalls] +
                                  c[Counter::distanceStalls] + c[Counter::tokenStalls] + c[Counter::syncStalls] +
                                  c[Counter::fetchStalls] + c[Counter::otherStalls];
    EXPECT_EQ(stalled + c[Counter::instructions], c[Counter::occupiedCycles]) << "one cycle an instruction";
    EXPECT_GE(c[Counter::busyCycles], c[Counter::activeCycles]);
    EXPECT_GE(c[Counter::occupiedCycles], c[Counter::busyCycles]);
    EXPECT_LE(c[Counter::busyCycles], c[Counter::workCycles] * bench.device().profile().eus());
    EXPECT_LE(c[Counter::realAndIntegerCycles], c[Counter::severalPipesCycles]);
    EXPECT_LE(c[Counter::severalPipesCycles], c[Counter::activeCycles]);
}

const char* const kMultiply =
    "kernel void multiply(global const float* a, global const float* b, global float* c, uint n,"
    " local float* s, local float* t) { uint x = get_global_id(0), y = get_global_id(1);"
    " uint lx = get_local_id(0), ly = get_local_id(1); float sum = 0;"
    " for (uint k = 0; k < n; k += 16) { s[ly * 16 + lx] = a[y * n + k + lx]; t[ly * 16 + lx] = b[(k + ly) * n + x];"
    "  barrier(CLK_LOCAL_MEM_FENCE); for (uint i = 0; i < 16; ++i) sum += s[ly * 16 + i] * t[i * 16 + lx];"
    "  barrier(CLK_LOCAL_MEM_FENCE); } c[y * n + x] = sum; }";

/// Cycles with windows of so many cycles; 0: the usual ones.
Profile profileWith(std::uint32_t window, const char* name) {
    Profile profile = loadProfile(name);
    if (window != 0) profile.devices.front().timing.window = window;
    return profile;
}

// Sub-slices come to L3 out of order by up to a window. Here each finds lines that others bring.
TEST(TimingModel, CyclesHardlyDependOnTheWindows) {
    constexpr std::uint32_t kSize = 128;
    constexpr std::size_t kElements = std::size_t{kSize} * kSize;
    const auto cycles = [](std::uint32_t window) {
        Collecting bench(profileWith(window, "small"));
        const Kernel kernel = bench.build(kMultiply, "multiply");
        auto* const a = bench.buffer<float>(kElements);
        auto* const b = bench.buffer<float>(kElements);
        auto* const c = bench.buffer<float>(kElements);
        const std::vector<Argument> arguments{a, b, c, kSize, Argument::local(1024), Argument::local(1024)};
        const Counts counts = bench.counts(kernel, {16, 16, 1}, {kSize / 16, kSize / 16, 1}, arguments);
        return static_cast<double>(counts[Counter::workCycles]);
    };
    const double fine = cycles(64);
    EXPECT_NEAR(cycles(0), fine, 0.05 * fine);
}

// A sub-slice that is early in a long window would get all that its groups ask of memory, while others wait.
TEST(TimingModel, CyclesHardlyDependOnTheWindowsWhereMemoryIsCrowded) {
    constexpr std::uint32_t kElements = 1 << 22;
    const auto cycles = [](std::uint32_t window) {
        Collecting bench(profileWith(window, "max1550"));
        const Kernel kernel = bench.build(
            "kernel void reduce(global const uint* a, global uint* out) { local uint box[256];"
            " uint l = get_local_id(0), i = get_group_id(0) * 2048 + l, sum = 0;"
            " for (uint k = 0; k < 8; ++k) sum += a[i + k * 256]; box[l] = sum;"
            " for (uint n = 128; n > 0; n >>= 1) { barrier(CLK_LOCAL_MEM_FENCE); if (l < n) box[l] += box[l + n]; }"
            " if (l == 0) out[get_group_id(0)] = box[0]; }",
            "reduce");
        auto* const a = bench.buffer<std::uint32_t>(kElements);
        auto* const out = bench.buffer<std::uint32_t>(kElements / 2048);
        const Counts counts = bench.counts(kernel, {256, 1, 1}, {kElements / 2048, 1, 1}, {a, out});
        return static_cast<double>(counts[Counter::workCycles]);
    };
    const double fine = cycles(64);
    EXPECT_NEAR(cycles(0), fine, 0.05 * fine);
}

constexpr int kRuns = test::effort(20, 3);
constexpr std::uint32_t kWalkSteps = test::effort(30000, 1000);

/// Programs with lines that somebody else watches run by their steps.
class Bystander : public isa::LineObserver {
  public:
    void beforeLine(isa::Thread&, isa::Line) noexcept override { ++lines; }
    std::atomic<std::uint64_t> lines = 0;
};

// As host code and by steps.
TEST(TimingModel, EveryRunCountsTheSame) {
    Bystander bystander;
    constexpr std::uint32_t kSize = 96;
    constexpr std::uint32_t kWorkers[] = {1, 2, 8};
    std::optional<Counts> first;
    for (int run = 0; run < kRuns; ++run) {
        Collecting bench("small", kWorkers[run % 3]);
        const auto elsewhere =
            std::vector<char>(static_cast<std::size_t>(run) * 70'000);  // memory lies elsewhere each time
        const Kernel kernel = bench.build(kMultiply, "multiply");
        if (run % 2 == 1) kernel.code->program()->program->watch(0, bystander);
        const std::size_t elements = std::size_t{kSize} * kSize;
        auto* const a = bench.buffer<float>(elements);
        auto* const b = bench.buffer<float>(elements);
        auto* const c = bench.buffer<float>(elements);
        Counts sum;
        for (int launch = 0; launch < 2; ++launch)
            sum += bench.counts(kernel, {16, 16, 1}, {kSize / 16, kSize / 16, 1},
                                {a, b, c, kSize, Argument::local(1024), Argument::local(1024)});
        if (!first) first = sum;
        for (std::size_t i = 0; i < kCounters; ++i)
            EXPECT_EQ(sum.values[i], first->values[i]) << counterDescriptions()[i].name << " in run " << run;
    }
    EXPECT_GT(bystander.lines, 0u);
    // To compare processes, run the test with --gtest_output=xml.
    for (std::size_t i = 0; i < kCounters; ++i)
        RecordProperty(counterDescriptions()[i].name, std::to_string(first->values[i]));
    EXPECT_GT((*first)[Counter::workCycles], 0u);
    EXPECT_GT((*first)[Counter::l3Hits], 0u);
    EXPECT_GT((*first)[Counter::syncStalls], 0u);
}

/// Cycles that threads waited.
std::uint64_t stalled(const Counts& counts) {
    using enum Counter;
    std::uint64_t sum = 0;
    for (const auto stall :
         {controlStalls, pipeStalls, sendStalls, distanceStalls, tokenStalls, syncStalls, fetchStalls, otherStalls})
        sum += counts[stall];
    return sum;
}

/// Work by group: most groups turn a few times, and some, far apart, often.
const char* const kHeavyTail =
    "kernel void tail(global uint* p, uint few, uint many, uint apart) { uint g = get_group_id(0), x = g;"
    " uint n = g % apart == apart - 1 ? many : few;"
    " for (uint k = 0; k < n; ++k) x = x * 1664525u + p[x & 15]; p[16 + get_global_id(0)] = x; }";

// A batch's end is no barrier: slow groups of different batches run side by side. With a wait for the last of a batch
// they would run one after the other.
TEST(TimingModel, ASlowGroupHoldsNobodyUp) {
    constexpr std::uint32_t kSlow = 8;
    constexpr std::uint32_t kApart = 128;  // a batch or more
    constexpr std::uint32_t kMany = 1000;
    Collecting bench("tiny", 2);
    const Kernel kernel = bench.build(kHeavyTail, "tail");
    auto* const p = bench.buffer(std::size_t{16} + kSlow * kApart * 32);
    const auto cycles = [&](std::uint32_t groups, std::uint32_t apart) {
        const Counts counts = bench.counts(kernel, {32, 1, 1}, {groups, 1, 1}, {p, 1u, kMany, apart});
        EXPECT_EQ(counts[Counter::groups], groups);
        return counts[Counter::workCycles];
    };
    const std::uint64_t one = cycles(1, 1);
    const std::uint64_t all = cycles(kSlow * kApart, kApart);
    EXPECT_GT(all, one);
    EXPECT_LT(all, one * kSlow / 2);
}

// What a thread executes beyond its trace takes as long as it would: it keeps its place, while others go on.
TEST(TimingModel, WhatIsNotInATraceTakesItsTime) {
    constexpr std::uint32_t kGroups = 1024;  // so many that their traces are short
    constexpr std::uint32_t kHalf = 2'500;
    constexpr std::uint32_t kCut = test::effort(30'000u, 10'000u);
    constexpr double kGrowth = kCut / double{kHalf} - 2;
    Collecting bench("small", 2);
    const Kernel kernel = bench.build(kHeavyTail, "tail");
    auto* const p = bench.buffer(std::size_t{16} + kGroups * 64);
    const auto counts = [&](std::uint32_t many) {
        return bench.counts(kernel, {64, 1, 1}, {kGroups, 1, 1}, {p, 50u, many, kGroups});
    };
    counts(50);  // fills the cache
    const Counts half = counts(kHalf);
    const Counts whole = counts(2 * kHalf);
    const Counts cut = counts(kCut);
    const auto growth = [&](Counter counter) {
        return static_cast<double>(cut[counter] - whole[counter]) / static_cast<double>(whole[counter] - half[counter]);
    };
    EXPECT_NEAR(growth(Counter::instructions), kGrowth, 0.01);
    EXPECT_NEAR(growth(Counter::workCycles), kGrowth, 0.3) << "of the slow group";
    EXPECT_NEAR(growth(Counter::l1Reads), kGrowth, 1);
    EXPECT_EQ(cut[Counter::instructions] + stalled(cut), cut[Counter::occupiedCycles]) << "one cycle an instruction";
    EXPECT_GE(cut[Counter::busyCycles], cut[Counter::activeCycles]);
    EXPECT_LE(cut[Counter::busyCycles], cut[Counter::workCycles] * bench.device().profile().eus());
}

// More groups than two batches: the traces of the first have to be replayed before the last may begin.
TEST(TimingModel, ALargeGridIsReplayedInBatches) {
    Collecting bench("tiny", 2);
    const Kernel kernel = bench.build(
        "kernel void copy(global const uint* in, global uint* out) { size_t i = get_global_id(0); out[i] = in[i]; }",
        "copy");
    constexpr std::uint32_t kGroups = 700;
    constexpr std::uint32_t kItems = kGroups * 32;
    auto* const in = bench.buffer(kItems);
    auto* const out = bench.buffer(kItems);
    const Counts counts = bench.counts(kernel, {32, 1, 1}, {kGroups, 1, 1}, {in, out});
    EXPECT_EQ(counts[Counter::groups], kGroups);
    EXPECT_EQ(counts[Counter::l1Writes], kItems / 16);
    EXPECT_GE(counts[Counter::l1Reads], kItems / 16);
    EXPECT_GT(counts[Counter::workCycles], kItems * 4 / bench.timing.l3BytesPerCycle);
}

using Stalls = std::map<std::uint64_t, StallCycles>;

Stalls stallsIn(const Tile& tile, const Kernel& kernel) {
    Stalls all;
    for (const auto& [address, cycles] : tile.stalls()) all[address - kernel.code->address()] = cycles;
    return all;
}

bool isBeginningOf(const Stalls& part, const Stalls& whole) {
    return std::ranges::all_of(part, [&](const auto& line) {
        const auto& [address, cycles] = line;
        return whole.contains(address) && std::ranges::equal(cycles, whole.at(address), std::less_equal<>());
    });
}

// Six groups that meet at barriers, more than fit at once, of which each takes long.
TEST(TimingModel, LooksFindABeginningOfTheWhole) {
    const auto stalls = [](bool looks) {
        Collecting bench("tiny", 2);
        const Kernel kernel = bench.build(
            "kernel void walk(global uint* p, uint n) { uint at = get_global_id(0), s = 0; for (uint k = 0; k < n; "
            "++k) {"
            " s += p[(at * 33 + k * 17) & 4095]; barrier(CLK_LOCAL_MEM_FENCE); } p[4096 + at] = s; }",
            "walk");
        auto* const p = bench.buffer(8192);
        const auto dispatch = bench.launch(kernel, {64, 1, 1}, {6, 1, 1}, {p, kWalkSteps});
        Stalls seen;
        while (looks && !dispatch->wait(std::chrono::milliseconds(1))) {
            const auto now = stallsIn(bench.tile(), kernel);
            EXPECT_TRUE(isBeginningOf(seen, now)) << "nothing is taken back";
            seen = now;
        }
        EXPECT_EQ(seen.empty(), !looks);
        dispatch->wait();
        return stallsIn(bench.tile(), kernel);
    };
    const auto whole = stalls(false);
    EXPECT_FALSE(whole.empty());
    EXPECT_EQ(stalls(true), whole) << "as if nobody had looked";
}

// A kernel that does not end by itself, seen by a stream and not by queries.
TEST(TimingModel, CountsAdvanceWhileAKernelRuns) {
    Collecting bench("tiny", 2);
    const Kernel spin = bench.build(
        "kernel void spin(global volatile uint* go) { while (*go == 0) ; go[1 + get_global_id(0)] = 1; }", "spin");
    auto* const go = bench.buffer(64);
    const auto dispatch = bench.launch(spin, {16, 1, 1}, {1, 1, 1}, {go});
    Counts first;
    Counts then;
    const auto occupied = [&](Counts& counts) {
        counts = bench.tile().countersSoFar().counts;
        return counts[Counter::occupiedCycles];
    };
    while (occupied(first) == 0) std::this_thread::yield();
    EXPECT_GT(first[Counter::workCycles], 0u);
    EXPECT_GT(first[Counter::tokenStalls], 0u) << "each turn awaits its load";
    EXPECT_GE(first[Counter::busyCycles], first[Counter::activeCycles]);
    EXPECT_LE(first[Counter::occupiedCycles], first[Counter::workCycles]) << "of one thread";
    EXPECT_LT(stalled(first), first[Counter::occupiedCycles]) << "in the others they issue";
    while (occupied(then) == first[Counter::occupiedCycles]) std::this_thread::yield();
    EXPECT_EQ(bench.tile().counters().counts[Counter::occupiedCycles], 0u) << "what queries read is whole dispatches";
    EXPECT_FALSE(dispatch->done());
    *static_cast<volatile std::uint32_t*>(go) = 1;
    dispatch->wait();
    const Counts whole = dispatch->counts();
    EXPECT_GE(whole[Counter::occupiedCycles], then[Counter::occupiedCycles]);
    EXPECT_GE(bench.tile().countersSoFar().counts[Counter::occupiedCycles], whole[Counter::occupiedCycles]);
    EXPECT_EQ(bench.tile().counters().counts[Counter::occupiedCycles], whole[Counter::occupiedCycles]);
}

/// What a stream reads while a kernel runs.
struct Watched {
    std::vector<Snapshot> readings;  ///< those of a moment each
    std::uint64_t begin = 0;         ///< device ticks
    std::uint64_t end = 0;
    Counts whole;
    Snapshot after;
};

Watched watch(Collecting& bench, const Kernel& kernel, std::uint32_t groups) {
    Watched watched;
    auto* const p = bench.buffer(std::size_t{groups} * 64);
    watched.begin = bench.device().clock().timestamp();
    const auto dispatch = bench.launch(kernel, {64, 1, 1}, {groups, 1, 1}, {p});
    while (!dispatch->wait(std::chrono::microseconds(50))) {
        const Snapshot now = bench.tile().countersSoFar();
        if (now.inFlight != 0 && (watched.readings.empty() || watched.readings.back().timestamp != now.timestamp))
            watched.readings.push_back(now);
    }
    watched.end = bench.device().clock().timestamp();
    watched.whole = dispatch->counts();
    watched.after = bench.tile().countersSoFar();
    return watched;
}

// Equal batches, seen by a stream: what was executed and what the model found belong together in each reading, and
// readings have times within the kernel, though executed work is up to two batches ahead of the model.
// A host that takes long for a batch shows more than what is settled, which is another matter.
TEST(TimingModel, ReadingsOfARunningKernelAreSettled) {
    constexpr std::uint64_t kSoon = 500'000'000;  // nanoseconds
    Collecting bench("small", 2);
    const Kernel kernel = bench.build(
        "kernel void mix(global uint* p) { uint x = get_global_id(0);"
        " for (uint k = 0; k < 20; ++k) x = x * 1664525u + (x >> 7); p[get_global_id(0)] = x; }",
        "mix");
    std::size_t seen = 0;
    while (seen < 3) {
        const Counts before = bench.tile().counters().counts;
        const Watched watched = watch(bench, kernel, 4096);
        const auto part = [&](const Counts& counts, Counter counter) {
            return static_cast<double>(counts[counter] - before[counter]) / static_cast<double>(watched.whole[counter]);
        };
        seen += watched.readings.size();
        EXPECT_EQ(watched.after.inFlight, 0u);
        EXPECT_LE(bench.device().clock().at(watched.after.settledAt), watched.end) << "before the kernel ends";
        EXPECT_EQ(part(watched.after.counts, Counter::instructions), 1);
        if (bench.device().clock().nanoseconds(watched.end - watched.begin) > kSoon) continue;
        for (const Snapshot& reading : watched.readings) {
            EXPECT_GE(reading.timestamp, watched.begin);
            EXPECT_LE(reading.timestamp, watched.end);
            const double cycles = part(reading.counts, Counter::workCycles);
            // The device is empty when the first batch begins, and not when others do.
            EXPECT_NEAR(part(reading.counts, Counter::instructions), cycles, 0.05);
            EXPECT_NEAR(part(reading.counts, Counter::globalBytesWritten), cycles, 0.05);
        }
    }
}

TEST(TimingModel, NothingIsModelledWhileNobodyCollects) {
    KernelBench bench;
    const Kernel kernel = bench.build(kMultiplyAdds, "fmas");
    auto* const out = bench.buffer<float>(1 << 14);
    const auto dispatch = bench.run(kernel, {64, 1, 1}, {4, 1, 1}, {out, 20u});
    EXPECT_GT(dispatch->counts()[Counter::instructions], 0u);
    for (std::size_t i = static_cast<std::size_t>(Counter::workCycles); i < kCounters; ++i)
        EXPECT_EQ(dispatch->counts().values[i], 0u) << counterDescriptions()[i].name;
    EXPECT_TRUE(bench.tile().stalls().empty());
}

// What queries that only count have for a clock.
TEST(TimingModel, IssueCyclesFollowFromTheCountsAlone) {
    const auto issue = [](bool collects, std::uint32_t groups) {
        KernelBench bench("tiny");
        const auto hold = collects ? bench.tile().collect() : nullptr;
        const Kernel kernel = bench.build(kMultiplyAdds, "fmas");
        const std::uint32_t simd = kernel.image->environment.simdSize;
        const auto dispatch = bench.run(kernel, {simd * 4, 1, 1}, {groups, 1, 1}, {bench.buffer<float>(1 << 14), 100u});
        const Counts c = dispatch->counts();
        const double real = static_cast<double>(c[Counter::floatInstructions]) * simd * 4 / 64;
        const double engines = std::min(groups * 4, 8u);
        EXPECT_NEAR(static_cast<double>(c[Counter::issueCycles]), real / engines, real / engines * 0.01) << groups;
        EXPECT_EQ(c[Counter::workCycles] != 0, collects);
        EXPECT_TRUE(!collects || c[Counter::issueCycles] < c[Counter::workCycles]) << "nothing waits";
        return c[Counter::issueCycles];
    };
    for (const std::uint32_t groups : {1u, 2u, 16u}) EXPECT_EQ(issue(true, groups), issue(false, groups));
}

TEST(TimingModel, TheCoreClockIsTheModelsWhileWorkRunsAndTheHostsWhileIdle) {
    Collecting bench;
    const Kernel kernel = bench.build(kMultiplyAdds, "fmas");
    auto* const out = bench.buffer<float>(1 << 14);
    const Snapshot before = bench.tile().counters();
    const auto begin = std::chrono::steady_clock::now();
    test::letPass(std::chrono::milliseconds(5));
    const std::chrono::nanoseconds passed = std::chrono::steady_clock::now() - begin;
    const Snapshot idle = bench.tile().counters();
    EXPECT_GE(idle.coreClocks - before.coreClocks, static_cast<std::uint64_t>(passed.count()) * 16 / 10);
    const Counts counts = bench.counts(kernel, {64, 1, 1}, {40, 1, 1}, {out, 400u});
    const Snapshot after = bench.tile().counters();
    EXPECT_EQ(after.counts[Counter::workCycles] - idle.counts[Counter::workCycles], counts[Counter::workCycles]);
    EXPECT_GE(after.coreClocks - idle.coreClocks, counts[Counter::workCycles]);
}

TEST(Timing, BadFilesAreExplained) {
    EXPECT_THROW(static_cast<void>(loadTiming("no-such-core")), TimingError);
    EXPECT_THROW(static_cast<void>(parseTiming("")), TimingError);
    EXPECT_THROW(static_cast<void>(parseTiming("{")), TimingError);
    try {
        static_cast<void>(parseTiming("arithmetic: 0\n"));
        FAIL();
    } catch (const TimingError& error) {
        EXPECT_NE(std::string(error.what()).find("arithmetic"), std::string::npos);
    }
}

}  // namespace
}  // namespace zetl::emulator::machine::bench
