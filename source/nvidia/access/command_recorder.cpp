#include "nvidia/access/command_recorder.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iterator>
#include <new>
#include <unordered_set>
#include <utility>

#include "base/log.h"
#include "base/settings.h"

namespace zetl::nvidia::access {
namespace {

constexpr int kMillisecondsBetweenRecords = 100;  // one fetch takes 0.2 ms, in which launches may have to wait
constexpr int kMostWaits = 1000;
constexpr timespec kWait{0, 200'000};

CommandRecorder* atWork = nullptr;

/// CUDA and CUPTI end after this, since they were started before.
void endAtExit() { atWork->end(); }

void sayNoMemory() noexcept { log::warn(log::Channel::nvidia, "no memory for the times of commands; some are lost"); }

bool isTraced() {
    std::ifstream status("/proc/self/status");
    constexpr std::string_view kTracer = "TracerPid:";
    for (std::string line; std::getline(status, line);)
        if (line.starts_with(kTracer)) return std::strtol(line.c_str() + kTracer.size(), nullptr, 10) != 0;
    return false;
}

}  // namespace

constinit thread_local CommandRecorder::Submitting CommandRecorder::submitting_{};

std::string whyNotRecorded() {
    if (settings::enabled(settings::kProgramDebugging) || settings::value(settings::kDebugWait) || isTraced())
        return "a debugger may attach, which CUDA does not allow beside CUPTI";
    if (settings::enabled(settings::kMetrics))
        return "metrics are switched on (ZET_ENABLE_METRICS), and CUPTI serves one of both";
    return openCupti();
}

zetl_command_time_t CommandRecorder::Pending::time() const noexcept {
    if (good && calls == 0) return {tag, 0, 0, ZETL_COMMAND_WITHOUT_WORK, 0};
    if (!good || end == 0) return {tag, 0, 0, ZETL_COMMAND_WITHOUT_TIME, 0};
    return {tag, begin, std::max(begin, end), ZETL_COMMAND_TIMED, 0};
}

bool CommandRecorder::start() {
    if (const auto why = whyNotRecorded(); !why.empty()) {
        log::info(log::Channel::nvidia, "events time commands: {}", why);
        return false;
    }
    if (thread_.wake() < 0 || activity::start(*this) != ZETL_OK) return false;
    process_ = getpid();
    atWork = this;
    if (pthread_key_t key{}; pthread_key_create(&key, leave) == 0) threadEnd_ = key;
    submissions::observe(*this);
    running_ = thread_.start(log::Channel::nvidia, "zetl-times", [this] { fetch(); }) && std::atexit(endAtExit) == 0;
    return running_;
}

/// A thread ends. Commands that it submits after that open another journal.
void CommandRecorder::leave(void* journal) noexcept {
    submitting_ = {};
    static_cast<Journal*>(journal)->ended.store(true, std::memory_order_release);
}

bool CommandRecorder::open(Submitting& mine) noexcept try {
    auto journal = std::make_unique<Journal>();
    auto* const opened = journal.get();
    const Lock guard(mutex_);
    opened_.push_back(std::move(journal));
    if (threadEnd_) pthread_setspecific(*threadEnd_, opened);
    mine.journal = opened;
    return true;
} catch (const std::bad_alloc&) {
    sayNoMemory();
    return false;
}

void CommandRecorder::write(Submitting& mine, const Entry& entry) noexcept {
    if (!mine.journal->entries.push(entry)) sayNoMemory();
}

void CommandRecorder::begins(std::uint64_t tag) noexcept {
    Submitting& mine = submitting_;
    if (!mine.journal && !open(mine)) return;
    mine.number = ++lastNumber_;
    mine.tag = tag;
}

void CommandRecorder::called(std::uint32_t call) noexcept {
    if (Submitting& mine = submitting_; mine.number != 0) write(mine, {mine.number, call, Entry::What::call});
}

void CommandRecorder::ends(bool good) noexcept {
    Submitting& mine = submitting_;
    if (mine.number == 0) return;
    write(mine, {std::exchange(mine.number, 0), mine.tag, good ? Entry::What::good : Entry::What::failed});
    mine.journal->entries.makeRoom();
}

void CommandRecorder::recorded(std::span<const activity::Record> records) noexcept try {
    const Lock guard(mutex_);
    records_.insert(records_.end(), records.begin(), records.end());
} catch (const std::bad_alloc&) {
    sayNoMemory();
}

void CommandRecorder::fetch() {
    while (!thread_.ending()) {
        pollfd wake{thread_.wake(), POLLIN, 0};
        poll(&wake, 1, kMillisecondsBetweenRecords);
        thread_.drainWake();
        serve();
    }
}

void CommandRecorder::serve() {
    const auto asked = asked_.load();
    const bool last = last_.exchange(false);
    if (!isIdle()) {
        activity::flush(last);
        readRecords();
        readJournals();
        for (const auto& record : taken_) add(record);
        giveOut();
    }
    answered_ = asked;
}

void CommandRecorder::readRecords() {
    taken_.clear();
    const Lock guard(mutex_);
    std::swap(taken_, records_);
    std::move(opened_.begin(), opened_.end(), std::back_inserter(journals_));
    opened_.clear();
}

void CommandRecorder::readJournals() {
    std::erase_if(journals_, [this](const auto& journal) {
        const bool ended = journal->ended.load(std::memory_order_acquire);
        journal->entries.takeAll([this](const Entry& entry) { learn(entry); });
        return ended;
    });
}

void CommandRecorder::learn(const Entry& entry) {
    Pending& pending = pending_[entry.submission];
    if (entry.what == Entry::What::call) {
        submissionOf_[static_cast<std::uint32_t>(entry.subject)] = entry.submission;
        ++pending.calls;
        return;
    }
    pending.tag = entry.subject;
    pending.good = entry.what == Entry::What::good;
    pending.submitted = true;
}

void CommandRecorder::add(const activity::Record& record) {
    const auto call = submissionOf_.find(record.call);
    if (call == submissionOf_.end()) return;  // of a command without a tag
    const auto found = pending_.find(call->second);
    submissionOf_.erase(call);
    if (found == pending_.end()) return;
    Pending& pending = found->second;
    ++pending.seen;
    if (record.end == 0) return;
    pending.begin = std::min(pending.begin, record.begin);
    pending.end = std::max(pending.end, record.end);
}

void CommandRecorder::giveOut() {
    std::vector<zetl_command_time_t> over;
    std::unordered_set<std::uint64_t> executing;  // tags whose earlier execution is not over
    for (auto next = pending_.begin(); next != pending_.end();) {
        const Pending& pending = next->second;
        if (!pending.isOver() || executing.contains(pending.tag)) {
            executing.insert(pending.tag);
            ++next;
            continue;
        }
        over.push_back(pending.time());
        next = pending_.erase(next);
    }
    const Lock guard(mutex_);
    times_.insert(times_.end(), over.begin(), over.end());
    ready_ = times_.size();
    givenOut_ += over.size();
}

std::uint32_t CommandRecorder::take(std::span<zetl_command_time_t> times) {
    if (ready_ == 0) return 0;
    const Lock guard(mutex_);
    const auto count = std::min(times.size(), times_.size());
    const auto end = times_.begin() + static_cast<std::ptrdiff_t>(count);
    std::copy(times_.begin(), end, times.begin());
    times_.erase(times_.begin(), end);
    ready_ = times_.size();
    return static_cast<std::uint32_t>(count);
}

void CommandRecorder::end() noexcept {
    flush(true);
    if (getpid() != process_) return;
    running_ = false;
    thread_.end();
}

/// Waits for the recorder's thread without a lock: a signal handler may have interrupted a thread that holds one.
void CommandRecorder::flush(bool last) noexcept {
    if (!running_ || isIdle() || getpid() != process_) return;
    if (last) last_ = true;
    const auto ticket = ++asked_;
    eventfd_write(thread_.wake(), 1);
    for (int i = 0; i < kMostWaits && answered_ < ticket; ++i) nanosleep(&kWait, nullptr);
}

}  // namespace zetl::nvidia::access
