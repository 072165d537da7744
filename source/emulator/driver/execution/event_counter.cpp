#include "emulator/driver/execution/event_counter.h"

#include <utility>
#include <vector>

#include "base/mutex.h"
#include "base/never_destroyed.h"
#include "emulator/driver/device/platform.h"
#include "emulator/driver/execution/watched_word.h"
#include "emulator/machine/memory.h"

namespace zetl::emulator::driver {
namespace {

constexpr std::uint64_t kBlockBytes = 65536;
constexpr std::uint64_t kSlotBytes = 64;  // a cache line: commands of different lists write different lines

/// Words in internal memory of the machine, which is never given back.
class Slots {
  public:
    static Slots& instance() {
        static NeverDestroyed<Slots> all;
        return *all;
    }
    /// 0 if there is no memory.
    std::uint64_t take() {
        const Lock guard(mutex_);
        if (free_.empty()) grow();
        if (free_.empty()) return 0;
        const std::uint64_t slot = free_.back();
        free_.pop_back();
        return slot;
    }
    void give(std::uint64_t slot) noexcept {
        const Lock guard(mutex_);
        free_.push_back(slot);  // has room: grow() reserves it
    }

  private:
    void grow() ZETL_REQUIRES(mutex_) {
        free_.reserve((blocks_ + 1) * kBlockBytes / kSlotBytes);
        machine::Memory::Request request;
        request.bytes = kBlockBytes;
        request.kind = machine::MemoryKind::internal;
        const auto block = platform().memory().allocate(request);
        if (block.status != machine::MemoryStatus::ok) return;
        ++blocks_;
        for (std::uint64_t at = 0; at < kBlockBytes; at += kSlotBytes) free_.push_back(block.address + at);
    }

    Mutex mutex_;
    std::vector<std::uint64_t> free_ ZETL_GUARDED_BY(mutex_);
    std::size_t blocks_ ZETL_GUARDED_BY(mutex_) = 0;
};

/// A device address is a host address.
std::atomic_ref<std::uint64_t> wordAt(std::uint64_t address) noexcept {
    return std::atomic_ref<std::uint64_t>(*reinterpret_cast<std::uint64_t*>(address));
}

template <class Word>
void raise(Word&& word, std::uint64_t number) noexcept {
    std::uint64_t now = word.load(std::memory_order_relaxed);
    while (now < number && !word.compare_exchange_weak(now, number, std::memory_order_release)) continue;
}

}  // namespace

std::shared_ptr<EventCounter> EventCounter::create() {
    const std::uint64_t address = Slots::instance().take();
    return address ? std::make_shared<EventCounter>(address) : nullptr;
}

EventCounter::EventCounter(std::uint64_t address) noexcept : address_(address) { wordAt(address).store(0); }

EventCounter::EventCounter(std::shared_ptr<const WatchedWord> word, std::uint64_t increment) noexcept
    : address_(word->address()), word_(std::move(word)), increment_(increment) {}

EventCounter::~EventCounter() {
    if (!word_) Slots::instance().give(address_);
}

void EventCounter::accepted(std::uint64_t number) noexcept { raise(accepted_, number); }

void EventCounter::complete(std::uint64_t number) {
    if (word_)
        word_->add(increment_);
    else
        raise(wordAt(address_), number);
}

}  // namespace zetl::emulator::driver
