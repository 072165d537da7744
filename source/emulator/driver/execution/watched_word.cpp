#include "emulator/driver/execution/watched_word.h"

#include <sys/uio.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <utility>
#include <vector>

#include "base/log.h"
#include "base/never_destroyed.h"
#include "base/service_thread.h"
#include "emulator/driver/device/platform.h"
#include "emulator/driver/shared_parts.h"
#include "emulator/machine/memory/allocation_table.h"

namespace zetl::emulator::driver {
namespace {

/// Keeps allocations from being freed while it exists.
class Reading {
  public:
    Reading() : reader_(platform().memory().quiescence()) { reader_.enter(); }
    ~Reading() { reader_.leave(); }
    Reading(const Reading&) = delete;
    Reading& operator=(const Reading&) = delete;

  private:
    machine::Quiescence::Reader reader_;
};

std::atomic_ref<std::uint64_t> allocatedWord(std::uint64_t address) noexcept {
    return std::atomic_ref<std::uint64_t>(*reinterpret_cast<std::uint64_t*>(address));
}

bool isAllocated(std::uint64_t address) {
    return platform().memory().table().covers(address, address + sizeof(std::uint64_t), true);
}

/// Host memory that the driver did not allocate may be gone at any time: the kernel looks.
std::optional<std::uint64_t> foreignWord(std::uint64_t address) noexcept {
    std::uint64_t value = 0;
    const iovec local{&value, sizeof value};
    const iovec remote{reinterpret_cast<void*>(address), sizeof value};
    if (process_vm_readv(getpid(), &local, 1, &remote, 1, 0) != ssize_t{sizeof value}) return std::nullopt;
    return value;
}

bool isAllocatedNow(std::uint64_t address) {
    const Reading reading;
    return isAllocated(address);
}

std::optional<std::uint64_t> wordOfDriver(std::uint64_t address) {
    const Reading reading;
    if (isAllocated(address)) return allocatedWord(address).load(std::memory_order_acquire);
    return std::nullopt;
}

/// Looks at all words that somebody waits for, in a thread that exists as long as there are any.
class Watch {
  public:
    static Watch& instance() {
        static NeverDestroyed<Watch> all;
        return *all;
    }
    /// Returns false if the system gives no thread.
    bool add(std::shared_ptr<const WatchedWord> word, std::weak_ptr<SignalState> state) {
        const Lock guard(mutex_);
        watched_.emplace_back(std::move(word), std::move(state));
        if (running_) return true;
        auto thread = ServiceThread::start(log::Channel::emulator, "zetl-words", [this]() noexcept { run(); });
        running_ = thread.has_value();
        if (thread) thread->detach();
        if (!running_) watched_.pop_back();
        return running_;
    }

  private:
    using Entry = std::pair<std::shared_ptr<const WatchedWord>, std::weak_ptr<SignalState>>;

    static bool settled(const Entry& entry) {
        const auto state = entry.second.lock();
        if (!state) return true;
        const auto now = entry.first->look();
        if (now == SignalState::Value::signalled) state->signal({});
        if (now == SignalState::Value::lost) state->lose();
        return now != SignalState::Value::pending;
    }

    void run() noexcept {
        // A word that has not come for long need not be seen at once.
        constexpr std::chrono::microseconds kShort{20};
        constexpr std::chrono::microseconds kLong{500};
        for (auto pause = kShort;; pause = std::min(kLong, pause + pause / 8)) {
            {
                const Lock guard(mutex_);
                const std::size_t before = watched_.size();
                std::erase_if(watched_, settled);
                if (watched_.empty()) {
                    running_ = false;
                    return;
                }
                if (watched_.size() != before) pause = kShort;
            }
            std::this_thread::sleep_for(pause);
        }
    }

    Mutex mutex_;
    std::vector<Entry> watched_ ZETL_GUARDED_BY(mutex_);
    bool running_ ZETL_GUARDED_BY(mutex_) = false;
};

}  // namespace

WatchedWord::WatchedWord(std::uint64_t address, std::uint64_t value)
    : address_(address), value_(value), isOfDriver_(isAllocatedNow(address)) {}

SignalState::Value WatchedWord::look() const {
    const auto now = isOfDriver_ ? wordOfDriver(address_) : foreignWord(address_);
    if (now) return *now >= value_ ? SignalState::Value::signalled : SignalState::Value::pending;
    log::error(log::Channel::emulator, "the counter of an event, at {:#x}, is no memory any more", address_);
    return SignalState::Value::lost;
}

std::shared_ptr<SignalState> WatchedWord::state() {
    const Lock guard(mutex_);
    if (auto known = pending_.lock(); known && known->value() == SignalState::Value::pending) return known;
    auto state = std::make_shared<SignalState>();
    const auto now = look();
    if (now == SignalState::Value::signalled) state->signal({});
    const bool watched = now == SignalState::Value::pending && Watch::instance().add(shared_from_this(), state);
    if (watched)
        pending_ = state;
    else if (now != SignalState::Value::signalled)
        state->lose();
    return state;
}

void WatchedWord::add(std::uint64_t increment) const {
    const Reading reading;
    if (isAllocated(address_))
        allocatedWord(address_).fetch_add(increment, std::memory_order_release);
    else
        log::error(log::Channel::emulator, "the counter of an event, at {:#x}, is no memory any more", address_);
}

Status checkWatched(std::uint64_t address, bool mustBeAllocated) {
    if (address % sizeof(std::uint64_t) != 0)
        return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "the event's counter at {:#x} is not aligned to 8 bytes",
                      address);
    if (!mustBeAllocated || isAllocatedNow(address)) return ZE_RESULT_SUCCESS;
    return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                  "the event's counter at {:#x} is in no memory of zeMemAllocDevice, ...Shared or ...Host", address);
}

}  // namespace zetl::emulator::driver
