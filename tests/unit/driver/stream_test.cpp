// Which thread executes what was submitted, and in which order.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "support/wait_for.h"
#include "unit/driver/direct.h"

namespace zetl::emulator::driver::test {
namespace {

using std::chrono::milliseconds;
using zetl::test::isAsleep;
using zetl::test::letPass;
using zetl::test::waitFor;

void waitUntil(const std::atomic<bool>& word) {
    while (!word) std::this_thread::yield();
}

/// What a host function of a list does: it says where it is, and ends when it may.
struct Work {
    std::atomic<std::thread::id> where{};
    std::atomic<bool> begun{false};
    std::atomic<bool> mayEnd{true};

    static void run(void* data) {
        auto& work = *static_cast<Work*>(data);
        work.where = std::this_thread::get_id();
        work.begun = true;
        waitUntil(work.mayEnd);
    }
    bool wasHere() const { return where.load() == std::this_thread::get_id(); }
};

/// Threads of this process that execute submissions.
int queueThreads() {
    int count = 0;
    for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
        std::ifstream file(task.path() / "comm");
        std::string name;
        std::getline(file, name);
        count += name == "zetl-queue" ? 1 : 0;
    }
    return count;
}

class StreamTest : public DriverTest {
  protected:
    void SetUp() override {
        DriverTest::SetUp();
        const ze_event_pool_desc_t description{ZE_STRUCTURE_TYPE_EVENT_POOL_DESC, nullptr, 0, 2};
        ASSERT_OK(CALL(zeEventPoolCreate)(context, &description, 0, nullptr, &pool_));
        for (std::uint32_t i = 0; i < events_.size(); ++i) {
            const ze_event_desc_t each{ZE_STRUCTURE_TYPE_EVENT_DESC, nullptr, i, 0, ZE_EVENT_SCOPE_FLAG_HOST};
            ASSERT_OK(CALL(zeEventCreate)(pool_, &each, &events_[i]));
        }
    }
    void TearDown() override {
        for (const auto event : events_) EXPECT_OK(CALL(zeEventDestroy)(event));
        EXPECT_OK(CALL(zeEventPoolDestroy)(pool_));
        DriverTest::TearDown();
    }

    static ze_command_queue_desc_t of(ze_command_queue_mode_t mode) {
        ze_command_queue_desc_t description{};
        description.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC;
        description.mode = mode;
        return description;
    }
    ze_command_list_handle_t asynchronous() const {
        const auto description = of(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
        ze_command_list_handle_t list = nullptr;
        EXPECT_OK(CALL(zeCommandListCreateImmediate)(context, device, &description, &list));
        return list;
    }
    ze_command_queue_handle_t queue(ze_command_queue_mode_t mode) const {
        const auto description = of(mode);
        ze_command_queue_handle_t created = nullptr;
        EXPECT_OK(CALL(zeCommandQueueCreate)(context, device, &description, &created));
        return created;
    }
    ze_command_list_handle_t closed(Work& work) const {
        const ze_command_list_desc_t description{ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC, nullptr, 0, 0};
        ze_command_list_handle_t list = nullptr;
        EXPECT_OK(CALL(zeCommandListCreate)(context, device, &description, &list));
        append(list, work);
        EXPECT_OK(CALL(zeCommandListClose)(list));
        return list;
    }
    static void append(ze_command_list_handle_t list, Work& work, ze_event_handle_t signal = nullptr,
                       ze_event_handle_t wait = nullptr) {
        EXPECT_OK(CALL(zeCommandListAppendHostFunction)(list, Work::run, &work, nullptr, signal, wait != nullptr,
                                                        wait == nullptr ? nullptr : &wait));
    }

    ze_event_handle_t event(std::uint32_t i) const { return events_[i]; }

  private:
    ze_event_pool_handle_t pool_ = nullptr;
    std::array<ze_event_handle_t, 2> events_{};
};

/// The worker may be faster than a thread that goes on to wait, but not always.
template <class F>
::testing::AssertionResult sometimes(F&& happens) {
    for (int i = 0; i < 10'000; ++i)
        if (happens()) return ::testing::AssertionSuccess();
    return ::testing::AssertionFailure() << "never";
}

TEST_F(StreamTest, ACallThatWaitsExecutes) {
    const auto list = immediate();
    Work work;
    append(list, work);
    EXPECT_TRUE(work.wasHere());
    EXPECT_OK(CALL(zeCommandListDestroy)(list));
}

TEST_F(StreamTest, WhoWaitsForAnEventExecutes) {
    const auto list = asynchronous();
    EXPECT_TRUE(sometimes([&] {
        Work work;
        append(list, work, event(0));
        EXPECT_OK(CALL(zeEventHostSynchronize)(event(0), UINT64_MAX));
        EXPECT_OK(CALL(zeEventHostReset)(event(0)));
        return work.wasHere();
    }));
    EXPECT_OK(CALL(zeCommandListDestroy)(list));
}

TEST_F(StreamTest, WhoWaitsForAListExecutes) {
    const auto list = asynchronous();
    EXPECT_TRUE(sometimes([&] {
        Work work;
        append(list, work);
        EXPECT_OK(CALL(zeCommandListHostSynchronize)(list, UINT64_MAX));
        return work.wasHere();
    }));
    EXPECT_OK(CALL(zeCommandListDestroy)(list));
}

TEST_F(StreamTest, WhoWaitsForAQueueOrItsFenceExecutes) {
    const auto queue = this->queue(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    Work work;
    auto list = closed(work);
    EXPECT_TRUE(sometimes([&] {
        EXPECT_OK(CALL(zeCommandQueueExecuteCommandLists)(queue, 1, &list, nullptr));
        EXPECT_OK(CALL(zeCommandQueueSynchronize)(queue, UINT64_MAX));
        return work.wasHere();
    }));
    const ze_fence_desc_t description{ZE_STRUCTURE_TYPE_FENCE_DESC, nullptr, 0};
    ze_fence_handle_t fence = nullptr;
    ASSERT_OK(CALL(zeFenceCreate)(queue, &description, &fence));
    EXPECT_TRUE(sometimes([&] {
        work.where = std::thread::id();
        EXPECT_OK(CALL(zeCommandQueueExecuteCommandLists)(queue, 1, &list, fence));
        EXPECT_OK(CALL(zeFenceHostSynchronize)(fence, UINT64_MAX));
        EXPECT_OK(CALL(zeFenceReset)(fence));
        return work.wasHere();
    }));
    EXPECT_OK(CALL(zeFenceDestroy)(fence));
    EXPECT_OK(CALL(zeCommandListDestroy)(list));
    EXPECT_OK(CALL(zeCommandQueueDestroy)(queue));
}

TEST_F(StreamTest, WhoWaitsForATimeExecutesNothing) {
    const auto list = asynchronous();
    for (int i = 0; i < 200; ++i) {
        Work work;
        append(list, work, event(0));
        EXPECT_OK(CALL(zeEventHostSynchronize)(event(0), UINT64_MAX - 1));
        EXPECT_OK(CALL(zeEventHostReset)(event(0)));
        EXPECT_FALSE(work.wasHere());
        Work other;
        append(list, other);
        EXPECT_OK(CALL(zeCommandListHostSynchronize)(list, UINT64_MAX - 1));
        EXPECT_FALSE(other.wasHere());
    }
    EXPECT_OK(CALL(zeCommandListDestroy)(list));
}

// What another thread submitted meanwhile may wait for this one to return.
TEST_F(StreamTest, WhoExecutesHisOwnLeavesTheRest) {
    Work first;
    Work second;
    first.mayEnd = second.mayEnd = false;
    const auto queue = this->queue(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    ze_command_list_handle_t lists[] = {closed(first), closed(second)};
    std::thread other([&] {
        waitUntil(first.begun);
        std::thread releases([&, waits = gettid()] {
            EXPECT_TRUE(waitFor([&] { return isAsleep(waits); })) << "for the first list, behind which its own is";
            first.mayEnd = true;
        });
        EXPECT_OK(CALL(zeCommandQueueExecuteCommandLists)(queue, 1, &lists[1], nullptr));
        releases.join();
    });
    EXPECT_OK(CALL(zeCommandQueueExecuteCommandLists)(queue, 1, &lists[0], nullptr));
    EXPECT_TRUE(first.wasHere());
    second.mayEnd = true;
    other.join();
    EXPECT_FALSE(second.wasHere());
    for (const auto each : lists) EXPECT_OK(CALL(zeCommandListDestroy)(each));
    EXPECT_OK(CALL(zeCommandQueueDestroy)(queue));
}

TEST_F(StreamTest, WhoHelpsLeavesWhatComesBehindHisEvent) {
    const auto list = asynchronous();
    for (int i = 0; i < 100; ++i) {
        Work first;
        Work second;
        second.mayEnd = false;
        append(list, first, event(0));
        append(list, second);
        EXPECT_OK(CALL(zeEventHostSynchronize)(event(0), UINT64_MAX));
        second.mayEnd = true;
        EXPECT_OK(CALL(zeCommandListHostSynchronize)(list, UINT64_MAX));
        EXPECT_OK(CALL(zeEventHostReset)(event(0)));
    }
    EXPECT_OK(CALL(zeCommandListDestroy)(list));
}

// The event comes from elsewhere, and only then may what is submitted begin.
TEST_F(StreamTest, NobodyHelpsWithWhatWaitsForAnEvent) {
    const auto list = asynchronous();
    for (int i = 0; i < 100; ++i) {
        Work work;
        append(list, work, event(0), event(1));
        std::thread other([&, waits = gettid()] {
            EXPECT_TRUE(waitFor([&] { return isAsleep(waits); }));
            EXPECT_OK(CALL(zeEventHostSignal)(event(0)));
        });
        EXPECT_OK(CALL(zeEventHostSynchronize)(event(0), UINT64_MAX));
        EXPECT_FALSE(work.begun);
        EXPECT_OK(CALL(zeEventHostSignal)(event(1)));
        EXPECT_OK(CALL(zeCommandListHostSynchronize)(list, UINT64_MAX));
        other.join();
        for (int each = 0; each < 2; ++each) EXPECT_OK(CALL(zeEventHostReset)(event(each)));
    }
    EXPECT_OK(CALL(zeCommandListDestroy)(list));
}

// A second is as long as a worker waits for something to do.
TEST_F(StreamTest, NothingOvertakesWhatAThreadHelpsWithWhenTheWorkerHasGone) {
    const auto list = asynchronous();
    EXPECT_TRUE(sometimes([&] {
        Work first;
        Work second;
        first.mayEnd = false;
        append(list, first, event(0));
        std::thread helper([&] { EXPECT_OK(CALL(zeEventHostSynchronize)(event(0), UINT64_MAX)); });
        waitUntil(first.begun);
        const bool helps = first.where.load() == helper.get_id();
        EXPECT_TRUE(!helps || waitFor([] { return queueThreads() == 0; })) << "the worker has gone";
        append(list, second);
        EXPECT_FALSE(waitFor([&] { return second.begun.load(); }, milliseconds(helps ? 1200 : 0)));
        first.mayEnd = true;
        helper.join();
        EXPECT_OK(CALL(zeCommandListHostSynchronize)(list, UINT64_MAX - 1));
        EXPECT_TRUE(second.begun);
        EXPECT_OK(CALL(zeEventHostReset)(event(0)));
        return helps;
    }));
    EXPECT_OK(CALL(zeCommandListDestroy)(list));
}

// An event that was signalled by a list, and is signalled by the host the next time.
TEST_F(StreamTest, NobodyHelpsWithWhatDoesNotSignalHisEvent) {
    const auto list = asynchronous();
    for (int i = 0; i < 100; ++i) {
        Work first;
        Work work;
        work.mayEnd = false;
        append(list, first, event(0));
        EXPECT_OK(CALL(zeEventHostSynchronize)(event(0), UINT64_MAX));
        EXPECT_OK(CALL(zeEventHostReset)(event(0)));
        append(list, work);
        std::thread other([&, waits = gettid()] {
            EXPECT_TRUE(waitFor([&] { return isAsleep(waits); }));
            EXPECT_OK(CALL(zeEventHostSignal)(event(0)));
        });
        EXPECT_OK(CALL(zeEventHostSynchronize)(event(0), UINT64_MAX));
        work.mayEnd = true;
        EXPECT_OK(CALL(zeCommandListHostSynchronize)(list, UINT64_MAX));
        other.join();
        EXPECT_OK(CALL(zeEventHostReset)(event(0)));
    }
    EXPECT_OK(CALL(zeCommandListDestroy)(list));
}

TEST_F(StreamTest, AWorkerLeavesThoughOthersTookWhatItWaitedFor) {
    const auto list = asynchronous();
    Work first;
    Work second;
    first.mayEnd = false;
    EXPECT_TRUE(sometimes([&] {
        first.begun = false;
        append(list, first, event(0));
        append(list, second, event(1));
        std::thread helper([&] { EXPECT_OK(CALL(zeEventHostSynchronize)(event(1), UINT64_MAX)); });
        waitUntil(first.begun);
        const bool helps = first.where.load() == helper.get_id();
        if (helps) letPass(milliseconds(1200));  // longer than the worker waits
        first.mayEnd = true;
        helper.join();
        for (const std::uint32_t i : {0u, 1u}) EXPECT_OK(CALL(zeEventHostReset)(event(i)));
        if (!helps) first.mayEnd = false;
        return helps;
    }));
    EXPECT_OK(CALL(zeCommandListDestroy)(list));
    EXPECT_TRUE(waitFor([] { return queueThreads() == 0; }));
}

/// Each of them had a thread of its own for a second.
TEST_F(StreamTest, ManyListsShareThreads) {
    constexpr int kLists = 3000;
    std::vector<ze_command_list_handle_t> lists;
    std::vector<Work> works(kLists);
    int most = 0;
    for (int i = 0; i < kLists; ++i) {
        lists.push_back(asynchronous());
        append(lists.back(), works[static_cast<std::size_t>(i)]);
        if (i % 100 == 0) most = std::max(most, queueThreads());
    }
    most = std::max(most, queueThreads());
    EXPECT_LE(most, 300);
    for (const auto list : lists) EXPECT_OK(CALL(zeCommandListHostSynchronize)(list, UINT64_MAX));
    for (const Work& work : works) EXPECT_TRUE(work.begun);
    for (const auto list : lists) EXPECT_OK(CALL(zeCommandListDestroy)(list));
}

/// More than work at the same time: those that wait make room for the one that ends it.
TEST_F(StreamTest, ListsThatWaitForAnotherDoNotKeepItFromWorking) {
    constexpr int kLists = 400;
    std::vector<ze_command_list_handle_t> lists;
    for (int i = 0; i < kLists; ++i) {
        lists.push_back(asynchronous());
        ze_event_handle_t wait = event(0);
        EXPECT_OK(CALL(zeCommandListAppendBarrier)(lists.back(), nullptr, 1, &wait));
    }
    const auto last = asynchronous();
    Work work;
    append(last, work, event(0));
    for (const auto list : lists) EXPECT_OK(CALL(zeCommandListHostSynchronize)(list, 20'000'000'000));
    EXPECT_OK(CALL(zeCommandListHostSynchronize)(last, 20'000'000'000));
    for (const auto list : lists) EXPECT_OK(CALL(zeCommandListDestroy)(list));
    EXPECT_OK(CALL(zeCommandListDestroy)(last));
    EXPECT_OK(CALL(zeEventHostReset)(event(0)));
}

/// Notes in which order the submissions of several threads to one list are executed.
class Order {
  public:
    struct Entry {
        Order* order;
        int thread;
        int number;
    };
    static void run(void* data) {
        const auto& entry = *static_cast<Entry*>(data);
        Order& order = *entry.order;
        if (order.inside_.fetch_add(1) != 0) order.together = true;
        order.executed_.push_back(entry);
        order.inside_.fetch_sub(1);
    }
    bool keeps(int threads, int each) const {
        std::vector<int> next(static_cast<std::size_t>(threads), 0);
        for (const Entry& entry : executed_)
            if (next[static_cast<std::size_t>(entry.thread)]++ != entry.number) return false;
        return executed_.size() == static_cast<std::size_t>(threads) * static_cast<std::size_t>(each);
    }
    std::atomic<bool> together{false};

  private:
    std::atomic<int> inside_{0};
    std::vector<Entry> executed_;
};

TEST_F(StreamTest, OneAfterTheOtherWhoeverExecutes) {
    constexpr int kThreads = 4;
    constexpr int kEach = 500;
    for (const auto mode : {ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS, ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS}) {
        const auto list = mode == ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS ? immediate() : asynchronous();
        Order order;
        const auto submit = [&](int thread) {
            std::vector<Order::Entry> entries;
            for (int i = 0; i < kEach; ++i) entries.push_back({&order, thread, i});
            for (int i = 0; i < kEach; ++i) {
                EXPECT_OK(CALL(zeCommandListAppendHostFunction)(list, Order::run, &entries[static_cast<std::size_t>(i)],
                                                                nullptr, nullptr, 0, nullptr));
                // Some wait and help, some wait for the worker, some go on.
                const std::uint64_t limit = i % 3 == thread % 3 ? UINT64_MAX : i % 7 == thread ? UINT64_MAX - 1 : 0;
                const ze_result_t waited = CALL(zeCommandListHostSynchronize)(list, limit);
                EXPECT_TRUE(waited == ZE_RESULT_SUCCESS || (limit == 0 && waited == ZE_RESULT_NOT_READY));
            }
            EXPECT_OK(CALL(zeCommandListHostSynchronize)(list, UINT64_MAX));
        };
        std::vector<std::thread> threads;
        for (int i = 0; i < kThreads; ++i) threads.emplace_back(submit, i);
        for (auto& each : threads) each.join();
        EXPECT_FALSE(order.together);
        EXPECT_TRUE(order.keeps(kThreads, kEach));
        EXPECT_OK(CALL(zeCommandListDestroy)(list));
    }
}

}  // namespace
}  // namespace zetl::emulator::driver::test
