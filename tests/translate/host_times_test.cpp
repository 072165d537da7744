// What host code measures of itself, and by it: which messages it does without their steps.
#include "emulator/isa/host_times.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "assembler.h"
#include "emulator/isa/code.h"
#include "emulator/translate/translation.h"
#include "lone_thread.h"

namespace zetl::test {
namespace {

namespace isa = emulator::isa;

constexpr std::uint32_t kMeasuredAt = 0x10000;
constexpr std::uint32_t kMeasuredLanes = 16;

/// Stores the low bytes or words of r20 at the addresses in r10, from lanes of flag f0.
struct NarrowStore {
    std::uint32_t bytes;
    const char* text;
};
constexpr NarrowStore kNarrowStores[] = {
    {1, "(f0.0) send.ugm (16|M0) null r10 r20:1 0x0 0x04000984\n"},
    {2, "(f0.0) send.ugm (16|M0) null r10 r20:1 0x0 0x04000B84\n"},
    {1, "send.ugm (16|M0) null r10 r20:1 0x0 0x04000984\n"},
    {2, "send.ugm (16|M0) null r10 r20:1 0x0 0x04000B84\n"},
};

class MeasuredThread {
  public:
    explicit MeasuredThread(const std::string& text) {
        thread_.load(assembleProgram(text));
        thread_.program().code().times = times_;
        emulator::translate::translateAnyway(thread_.program(), kMeasuredAt, kMeasuredLanes);
    }

    /// From the beginning; the times of this run alone are there afterwards.
    void run() {
        times_->hostCode = 0;
        for (auto& ticks : times_->called) ticks = 0;
        thread_.thread().enter(thread_.program(), kMeasuredAt);
        isa::resume(thread_.thread(), isa::kQuantum, isa::Windows::kept);
    }
    LoneThread& operator*() noexcept { return thread_; }
    LoneThread* operator->() noexcept { return &thread_; }
    const isa::HostTimes& times() const noexcept { return *times_; }

  private:
    static constexpr std::size_t kMostLines = 8;
    LoneThread thread_;
    std::shared_ptr<isa::HostTimes> times_ = std::make_shared<isa::HostTimes>(kMostLines);
};

/// The first run finds the memory, by the step.
TEST(HostTimes, NarrowStoresOfSomeLanesCallNoStep) {
    if (!emulator::translate::hostObstacle().empty()) GTEST_SKIP() << emulator::translate::hostObstacle();
    for (const NarrowStore& store : kNarrowStores) {
        for (const std::uint32_t distance : {store.bytes, 3 * store.bytes, 200u}) {
            MeasuredThread t(store.text);
            auto& memory = t->allocate(4096);
            std::vector<std::uint64_t> addresses;
            std::vector<std::uint32_t> values;
            for (std::uint32_t lane = 0; lane < kMeasuredLanes; ++lane) {
                addresses.push_back(LoneThread::addressOf(memory) + lane * distance);
                values.push_back(lane + 1);
            }
            t->set(10, addresses);
            t->set(20, values);
            t->setFlag(0, 0x7ff5);
            t.run();
            EXPECT_GT(t.times().called[0].load(), 0u) << store.text << distance;
            t.run();
            EXPECT_EQ(t.times().called[0].load(), 0u) << store.text << distance;
            EXPECT_GT(t.times().hostCode.load(), 0u) << store.text << distance;
        }
    }
}

}  // namespace
}  // namespace zetl::test
