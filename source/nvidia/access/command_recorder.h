// Times of tagged commands, from CUPTI's records of the CUDA calls that submitted them.
#pragma once

#include <pthread.h>
#include <ze_tools_layer/command_times.h>

#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/mutex.h"
#include "base/one_way_queue.h"
#include "base/polling_thread.h"
#include "nvidia/cupti/activity.h"
#include "nvidia/driver/execution/submission.h"

namespace zetl::nvidia::access {

/// A thread of its own fetches the records, ten times a second while there is something to fetch. Lives as long as the
/// process. Thread-safe.
class CommandRecorder final : public submissions::Observer, public activity::Listener {
  public:
    CommandRecorder() : thread_(PollingThread::makeWake()) {}

    /// Begins to record. Returns false, after a log line with the reason, if it cannot.
    bool start();
    std::uint32_t take(std::span<zetl_command_time_t> times);
    /// Returns when what is complete can be taken, or after a fifth of a second.
    void flush(bool last) noexcept;
    /// The process ends.
    void end() noexcept;

    void begins(std::uint64_t tag) noexcept override;
    void ends(bool good) noexcept override;
    void called(std::uint32_t call) noexcept override;
    void recorded(std::span<const activity::Record> records) noexcept override;

  private:
    /// A command that was submitted, with numbers in this order.
    using Number = std::uint64_t;
    /// What a thread that submits a command leaves for the recorder's thread.
    struct Entry {
        enum class What : std::uint8_t { call, good, failed };
        Number submission = 0;
        std::uint64_t subject = 0;  ///< the call's number; at the submission's end its tag
        What what = What::call;
    };
    /// Of one thread: until the device has a command, nothing may hold that thread up.
    struct Journal {
        OneWayQueue<Entry> entries;
        std::atomic<bool> ended{false};  ///< with its thread
    };
    /// The command that a thread submits.
    struct Submitting {
        Journal* journal = nullptr;  ///< the thread's; null until its first command
        Number number = 0;           ///< 0: none
        std::uint64_t tag = 0;
    };

    struct Pending {
        std::uint64_t tag = 0;
        std::uint32_t calls = 0;
        std::uint32_t seen = 0;
        std::uint64_t begin = UINT64_MAX;
        std::uint64_t end = 0;
        bool submitted = false;
        bool good = true;

        bool isOver() const noexcept { return submitted && (!good || seen == calls); }
        zetl_command_time_t time() const noexcept;
    };

    /// Gives the calling thread its journal. Returns false if there is no memory.
    [[gnu::cold, gnu::noinline]] bool open(Submitting& mine) noexcept;
    static void write(Submitting& mine, const Entry& entry) noexcept;
    static void leave(void* journal) noexcept;

    bool isIdle() const noexcept { return lastNumber_ == givenOut_; }
    void fetch();
    void serve();
    /// Records are taken before the journals are read, so that the calls of all of them are known.
    void readRecords();
    void readJournals();
    void learn(const Entry& entry);
    void add(const activity::Record& record);
    void giveOut();

    static constinit thread_local Submitting submitting_;
    std::optional<pthread_key_t>
        threadEnd_;  ///< calls leave(); none if the process has used up its keys: journals stay

    std::atomic<Number> lastNumber_{0};
    std::atomic<Number> givenOut_{0};      ///< how many of them
    std::atomic<std::uint64_t> asked_{0};  ///< calls of flush()
    std::atomic<std::uint64_t> answered_{0};
    std::atomic<bool> last_{false};
    std::atomic<bool> running_{false};
    std::atomic<std::size_t> ready_{0};  ///< size of times_
    pid_t process_ = 0;

    Mutex mutex_;
    std::vector<std::unique_ptr<Journal>> opened_ ZETL_GUARDED_BY(mutex_);  ///< that journals_ has not yet
    std::vector<activity::Record> records_ ZETL_GUARDED_BY(mutex_);
    std::deque<zetl_command_time_t> times_ ZETL_GUARDED_BY(mutex_);

    // The recorder's thread's own.
    std::vector<std::unique_ptr<Journal>> journals_;
    std::vector<activity::Record> taken_;
    std::unordered_map<std::uint32_t, Number> submissionOf_;  ///< by call
    std::map<Number, Pending> pending_;

    PollingThread thread_;
};

/// Why commands are timed by events in this process; empty if they need not be.
std::string whyNotRecorded();

}  // namespace zetl::nvidia::access
