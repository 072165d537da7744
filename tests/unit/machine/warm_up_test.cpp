// Kernels run by their steps until host code would have paid for itself, then as host code: what is executed by which,
// and that nobody sees where the one ends and the other begins.
#include <gtest/gtest.h>
#include <pthread.h>

#include <cstdlib>

#include "emulator/machine/code/loaded_program.h"
#include "emulator/translate/translation.h"
#include "kernel_bench.h"

namespace zetl::emulator::machine::bench {
namespace {

const char* const kScale =
    "kernel void scale(global uint* out) { out[get_global_id(0)] = get_global_id(0) * 3u + 1u; }";
const char* const kLoop =
    "kernel void loop(global uint* out, uint n) {"
    "  uint x = get_global_id(0);"
    "  for (uint i = 0; i < n; ++i) x = (x * 1664525u + 1013904223u) ^ i;"
    "  out[get_global_id(0)] = x; }";
const char* const kMeet =
    "kernel void meet(global uint* out, uint n) {"
    "  local uint box[128]; uint l = get_local_id(0), x = get_global_id(0);"
    "  for (uint i = 0; i < n; ++i) {"
    "    box[l] = x; barrier(CLK_LOCAL_MEM_FENCE);"
    "    x = x * 1664525u + box[(l + i) % 128]; barrier(CLK_LOCAL_MEM_FENCE); }"
    "  out[get_global_id(0)] = x; }";
constexpr std::uint32_t kItems = 128;  // of a group
constexpr std::uint32_t kMostLaunches = 1'000'000;

std::uint32_t loopOnHost(std::uint32_t x, std::uint32_t n) {
    for (std::uint32_t i = 0; i < n; ++i) x = (x * 1664525u + 1013904223u) ^ i;
    return x;
}
void meetOnHost(std::vector<std::uint32_t>& items, std::uint32_t n) {
    for (std::uint32_t i = 0; i < n; ++i) {
        const std::vector<std::uint32_t> box = items;
        for (std::uint32_t l = 0; l < kItems; ++l) items[l] = items[l] * 1664525u + box[(l + i) % kItems];
    }
}

class WarmUps : public testing::Test {
  protected:
    void SetUp() override {
        if (std::getenv("ZETL_EMULATOR_TRANSLATE") != nullptr) GTEST_SKIP() << "asks for it at once, or never";
        if (!translate::obstacle().empty()) GTEST_SKIP() << translate::obstacle();
    }
    static bool isHostCode(const Kernel& kernel) { return kernel.code->program()->translations() != 0; }
    static std::uint32_t linesOf(const Kernel& kernel) {
        return translate::linesFrom(*kernel.code->program()->program, kernel.offset);
    }
};

TEST_F(WarmUps, FewThreadsThatEndSoonAreNotTranslated) {
    KernelBench bench("small", 2);
    const Kernel kernel = bench.build(kScale, "scale");
    auto* out = bench.buffer(kItems);
    const auto dispatch = bench.run(kernel, {kItems, 1, 1}, {1, 1, 1}, {out});
    ASSERT_FALSE(dispatch->fault()) << dispatch->fault().describe();
    EXPECT_EQ(out[kItems - 1], (kItems - 1) * 3 + 1);
    EXPECT_FALSE(isHostCode(kernel));
}

TEST_F(WarmUps, ManyThreadsAreTranslatedBeforeTheFirst) {
    KernelBench bench("small", 2);
    const Kernel kernel = bench.build(kScale, "scale");
    const std::uint32_t threads = kItems / kernel.image->environment.simdSize;
    const std::uint32_t groups = (translate::executionsThatPay() + threads - 1) / threads;
    auto* out = bench.buffer(std::size_t{kItems} * groups);
    const auto fewer = bench.run(kernel, {kItems, 1, 1}, {groups - 1, 1, 1}, {out});
    EXPECT_FALSE(isHostCode(kernel)) << fewer->counts()[Counter::threads];
    const auto enough = bench.launch(kernel, {kItems, 1, 1}, {groups, 1, 1}, {out});
    EXPECT_TRUE(isHostCode(kernel)) << "when submit() returns";
    ASSERT_TRUE(enough->wait(std::chrono::minutes(1)));
    EXPECT_EQ(fewer->counts()[Counter::instructions] / fewer->counts()[Counter::threads],
              enough->counts()[Counter::instructions] / enough->counts()[Counter::threads]);
    for (std::uint32_t i = 0; i < kItems * groups; ++i) ASSERT_EQ(out[i], i * 3 + 1);
}

TEST_F(WarmUps, LaunchesAddUp) {
    KernelBench bench("small", 1);
    const Kernel kernel = bench.build(kScale, "scale");
    auto* out = bench.buffer(kItems);
    std::uint64_t executed = 0;
    std::uint32_t launches = 0;
    for (; !isHostCode(kernel) && launches < kMostLaunches; ++launches)
        executed += bench.run(kernel, {kItems, 1, 1}, {1, 1, 1}, {out})->counts()[Counter::instructions];
    const std::uint64_t pays = std::uint64_t{linesOf(kernel)} * translate::executionsThatPay();
    EXPECT_GE(executed, pays);
    EXPECT_LT(executed - executed / launches, pays) << "not before the last of them";
}

// A thread that waits gives the turn in which it happens (Launch::awaited), and may have little stack.
TEST_F(WarmUps, ACallersStackMayBeSmall) {
    struct Caller {
        KernelBench bench{"small", 1};
        Kernel kernel = bench.build(kScale, "scale");
        std::uint32_t* out = bench.buffer(kItems);
        static void* call(void* self) {
            auto& [bench, kernel, out] = *static_cast<Caller*>(self);
            for (std::uint32_t launches = 0; !isHostCode(kernel) && launches < kMostLaunches; ++launches) {
                Launch launch = bench.prepare(kernel, {kItems, 1, 1}, {1, 1, 1}, {out});
                launch.awaited = true;
                bench.tile().submit(std::move(launch))->wait();
            }
            return nullptr;
        }
    } caller;
    pthread_attr_t small;
    pthread_attr_init(&small);
    ASSERT_EQ(pthread_attr_setstacksize(&small, 64 << 10), 0);
    pthread_t thread;
    ASSERT_EQ(pthread_create(&thread, &small, Caller::call, &caller), 0);
    pthread_join(thread, nullptr);
    pthread_attr_destroy(&small);
    EXPECT_TRUE(isHostCode(caller.kernel));
}

TEST_F(WarmUps, OneThreadThatGoesOnAndOnBecomesHostCodeOnItsWay) {
    constexpr std::uint32_t kRounds = 300'000;
    KernelBench bench("small", 1);
    const Kernel kernel = bench.build(kLoop, "loop");
    auto* out = bench.buffer(1);
    const auto dispatch = bench.run(kernel, {1, 1, 1}, {1, 1, 1}, {out, kRounds});
    ASSERT_FALSE(dispatch->fault()) << dispatch->fault().describe();
    EXPECT_TRUE(isHostCode(kernel));
    EXPECT_EQ(out[0], loopOnHost(0, kRounds));
}

TEST_F(WarmUps, SeveralWorkersRunGroupsMeanwhile) {
    constexpr std::uint32_t kRounds = 20'000;
    constexpr std::uint32_t kGroups = 12;
    for (int attempt = 0; attempt < 5; ++attempt) {
        KernelBench bench("small", 3);
        const Kernel kernel = bench.build(kLoop, "loop");
        auto* out = bench.buffer(kItems * kGroups);
        const auto dispatch = bench.run(kernel, {kItems, 1, 1}, {kGroups, 1, 1}, {out, kRounds});
        ASSERT_FALSE(dispatch->fault()) << dispatch->fault().describe();
        EXPECT_TRUE(isHostCode(kernel));
        for (std::uint32_t i = 0; i < kItems * kGroups; ++i) ASSERT_EQ(out[i], loopOnHost(i, kRounds)) << i;
    }
}

// The group that ran by steps when its kernel became host code goes on in it, and others take over the states of its
// threads. They count as those that are host code from the beginning.
TEST_F(WarmUps, ThreadsThatMeetGoOnTogether) {
    constexpr std::uint32_t kRounds = 30'000;
    constexpr std::uint32_t kGroups = 3;
    KernelBench bench("small", 1);
    const Kernel kernel = bench.build(kMeet, "meet");
    auto* out = bench.buffer(kItems * kGroups);
    const auto first = bench.run(kernel, {kItems, 1, 1}, {kGroups, 1, 1}, {out, kRounds});
    ASSERT_FALSE(first->fault()) << first->fault().describe();
    EXPECT_TRUE(isHostCode(kernel));
    for (std::uint32_t g = 0; g < kGroups; ++g) {
        std::vector<std::uint32_t> items(kItems);
        for (std::uint32_t l = 0; l < kItems; ++l) items[l] = g * kItems + l;
        meetOnHost(items, kRounds);
        EXPECT_TRUE(std::equal(items.begin(), items.end(), out + g * kItems)) << g;
    }
    const auto again = bench.run(kernel, {kItems, 1, 1}, {kGroups, 1, 1}, {out, kRounds});
    EXPECT_EQ(first->counts().values, again->counts().values);
}

}  // namespace
}  // namespace zetl::emulator::machine::bench
