// Everything at once: threads calling, threads creating, enabling, disabling and destroying tracers, threads being born
// and dying, and forks in between. Nothing may crash or hang, and no pair may be lost.
//
// ZETL_STRESS_SECONDS sets how long each scenario runs (default 3).
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

#include "layer/tracer.h"
#include "support/scenario.h"

namespace zetl::test {
namespace {

std::chrono::seconds duration() {
    const char* const value = std::getenv("ZETL_STRESS_SECONDS");
    return std::chrono::seconds(value ? std::atol(value) : 3);
}

/// Threads that repeat something until the time is up.
class Crew {
  public:
    template <class F>
    void add(int threads, F work) {
        for (int i = 0; i < threads; ++i)
            threads_.emplace_back([this, work, i] {
                for (unsigned round = 0; !over_; ++round) work(static_cast<unsigned>(i), round);
            });
    }
    void runFor(std::chrono::seconds time) {
        std::this_thread::sleep_for(time);
        over_ = true;
        for (auto& each : threads_) each.join();
    }

  private:
    std::atomic<bool> over_{false};
    std::vector<std::thread> threads_;
};

std::atomic<long> calls{0};
void callOnce(unsigned, unsigned) {
    if (barrier() == ZE_RESULT_SUCCESS) calls.fetch_add(1, std::memory_order_relaxed);
}

/// A whole life of a tracer; counts must agree once it is destroyed, because destroying waits for the last pair.
std::atomic<long> lives{0};
void liveOnce(unsigned, unsigned round) {
    BarrierTracer tracer;
    for (unsigned i = 0; i <= round % 3; ++i) {
        EXPECT_EQ(tracer.enable(true), ZE_RESULT_SUCCESS);
        if (round % 2) std::this_thread::yield();
        EXPECT_EQ(tracer.enable(false), ZE_RESULT_SUCCESS);
    }
    EXPECT_EQ(tracer.destroy(), ZE_RESULT_SUCCESS);
    EXPECT_EQ(tracer.prologues, tracer.epilogues);
    ++lives;
}

void bearAndBury(unsigned, unsigned) {
    std::thread([] {
        for (int i = 0; i < 20; ++i) barrier();
    }).join();
}

/// AddressSanitizer's allocator, unlike the C library's, takes no care of forks: a child may find its locks taken for
/// ever. With it nobody allocates while somebody forks; calls go on, they do not allocate.
#if defined(__SANITIZE_ADDRESS__)
std::mutex allocating;
std::atomic<bool> aboutToFork{false};  // who allocates lets it pass

void liveOnceBetweenForks(unsigned thread, unsigned round) {
    while (aboutToFork) std::this_thread::yield();
    const std::lock_guard lock(allocating);
    liveOnce(thread, round);
}
pid_t forkAlone() {
    aboutToFork = true;
    const std::lock_guard lock(allocating);
    aboutToFork = false;
    return fork();
}
#else
constexpr auto liveOnceBetweenForks = liveOnce;
pid_t forkAlone() { return fork(); }
#endif

/// A child with one thread left: it must be able to call, trace and destroy.
std::atomic<long> forks{0};
void forkOnce(unsigned, unsigned) {
    const pid_t child = forkAlone();
    if (child == 0) {
        alarm(20);  // a child that hangs is a failure, not a wait
        BarrierTracer tracer;
        tracer.enable();
        const bool traced = barrier() == ZE_RESULT_SUCCESS && tracer.prologues == 1 && tracer.epilogues == 1;
        _exit(traced && tracer.destroy() == ZE_RESULT_SUCCESS ? 0 : 1);
    }
    int status = -1;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0) << "the child " << (WIFSIGNALED(status) ? "was killed" : "failed");
    ++forks;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

SCENARIO(everythingAtOnce) {
    BarrierTracer permanent;
    EXPECT_EQ(permanent.enable(), ZE_RESULT_SUCCESS);
    Crew crew;
    crew.add(3, callOnce);
    crew.add(3, liveOnce);
    crew.add(1, bearAndBury);
    crew.runFor(duration());
    EXPECT_EQ(permanent.destroy(), ZE_RESULT_SUCCESS);
    EXPECT_EQ(permanent.prologues, permanent.epilogues);
    EXPECT_GE(permanent.epilogues, calls) << "every call was seen by the tracer that was enabled throughout";
    EXPECT_GT(lives, 0);
    std::printf("%ld calls, %ld pairs, %ld tracers\n", calls.load(), permanent.epilogues.load(), lives.load());
}

SCENARIO(everythingAtOnceWithForks) {
    BarrierTracer permanent;
    EXPECT_EQ(permanent.enable(), ZE_RESULT_SUCCESS);
    Crew crew;
    crew.add(2, callOnce);
    crew.add(2, liveOnceBetweenForks);
    crew.add(1, forkOnce);
    crew.runFor(duration());
    EXPECT_EQ(permanent.destroy(), ZE_RESULT_SUCCESS);
    EXPECT_EQ(permanent.prologues, permanent.epilogues);
    EXPECT_GT(forks, 0);
    std::printf("%ld calls, %ld tracers, %ld forks\n", calls.load(), lives.load(), forks.load());
}

/// One tracer, switched by one thread and given other callbacks in between, while others call.
SCENARIO(oneTracerSwitchedForever) {
    BarrierTracer tracer;
    Crew crew;
    crew.add(3, callOnce);
    crew.add(1, [&](unsigned, unsigned round) {
        if (round % 8 == 0) {
            EXPECT_EQ(zelTracerCommandListResetRegisterCallback(tracer.handle(), ZEL_REGISTER_PROLOGUE, nullptr),
                      ZE_RESULT_SUCCESS);
        }
        EXPECT_EQ(tracer.enable(true), ZE_RESULT_SUCCESS);
        EXPECT_EQ(tracer.enable(false), ZE_RESULT_SUCCESS);
    });
    crew.runFor(duration());
    EXPECT_EQ(tracer.destroy(), ZE_RESULT_SUCCESS);
    EXPECT_EQ(tracer.prologues, tracer.epilogues);
    std::printf("%ld calls, %ld pairs\n", calls.load(), tracer.epilogues.load());
}

void expectSurvives(const char* scenario, Slots slots) {
    const auto outcome = fresh(scenario, slots).run(duration() * 2 + std::chrono::seconds(60));
    EXPECT_TRUE(outcome.good()) << outcome;
    std::fputs(outcome.output.c_str(), stdout);
}

TEST(Stress, EverythingAtOnce) { expectSurvives("everythingAtOnce", Slots::tracing); }
TEST(Stress, EverythingAtOnceBothSlots) { expectSurvives("everythingAtOnce", Slots::both); }
TEST(Stress, WithForks) { expectSurvives("everythingAtOnceWithForks", Slots::tracing); }
TEST(Stress, OneTracerSwitched) { expectSurvives("oneTracerSwitchedForever", Slots::tracing); }

}  // namespace
}  // namespace zetl::test
