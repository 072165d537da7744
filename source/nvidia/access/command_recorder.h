// Times of tagged commands, from CUPTI's records of the CUDA calls that submitted them.
#pragma once

#include <ze_tools_layer/command_times.h>

#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/mutex.h"
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
    struct Call {
        std::uint32_t id = 0;
        Number submission = 0;
    };
    struct Ended {
        Number submission = 0;
        std::uint64_t tag = 0;
        bool good = false;
    };
    /// What threads of the application and of CUPTI leave for the recorder's thread.
    struct News {
        std::vector<Call> calls;
        std::vector<Ended> ended;
        std::vector<activity::Record> records;

        void clear() noexcept;
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

    void fetch();
    void serve();
    void learn(const News& news);
    void add(const activity::Record& record);
    void giveOut();

    static constinit thread_local Number submitting_;
    static constinit thread_local std::uint64_t submittingTag_;

    std::atomic<Number> lastNumber_{0};
    std::atomic<std::uint64_t> outstanding_{0};  ///< submitted, and not yet given out
    std::atomic<std::uint64_t> asked_{0};        ///< calls of flush()
    std::atomic<std::uint64_t> answered_{0};
    std::atomic<bool> last_{false};
    std::atomic<bool> running_{false};
    std::atomic<std::size_t> ready_{0};  ///< size of times_
    pid_t process_ = 0;

    Mutex mutex_;
    News news_ ZETL_GUARDED_BY(mutex_);
    std::deque<zetl_command_time_t> times_ ZETL_GUARDED_BY(mutex_);

    // The thread's own.
    News taken_;  ///< in turns with news_: both keep their room, so that no launch waits for memory
    std::unordered_map<std::uint32_t, Number> submissionOf_;  ///< by call
    std::map<Number, Pending> pending_;

    PollingThread thread_;
};

/// Why commands are timed by events in this process; empty if they need not be.
std::string whyNotRecorded();

}  // namespace zetl::nvidia::access
