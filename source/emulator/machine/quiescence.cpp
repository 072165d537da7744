#include "emulator/machine/quiescence.h"

#include <algorithm>
#include <chrono>
#include <thread>

namespace zetl::emulator::machine {
namespace {

constexpr std::chrono::microseconds kPoll{50};

}  // namespace

Quiescence::Reader::Reader(Quiescence& owner) : owner_(owner) {
    std::lock_guard guard(owner_.readersMutex_);
    owner_.readers_.push_back(this);
}

Quiescence::Reader::~Reader() {
    std::lock_guard guard(owner_.readersMutex_);
    owner_.readers_.remove(this);
}

void Quiescence::Reader::enter() noexcept {
    for (;;) {
        // Sequentially consistent on both sides: either a writer sees us inside, or we see what it did before it
        // looked.
        epoch_.store(owner_.epoch_.load(std::memory_order_seq_cst), std::memory_order_seq_cst);
        if (!owner_.closed_.load(std::memory_order_seq_cst)) return;
        leave();
        std::unique_lock guard(owner_.gateMutex_);
        owner_.gate_.wait(guard, [&] { return !owner_.closed_.load(std::memory_order_seq_cst); });
    }
}

Quiescence::Exclusive::Exclusive(Quiescence& owner) : owner_(owner), turn_(owner.exclusive_) {
    owner_.closed_.store(true, std::memory_order_seq_cst);
    while (owner_.anyoneInside()) std::this_thread::sleep_for(kPoll);
}

Quiescence::Exclusive::~Exclusive() {
    {
        std::lock_guard guard(owner_.gateMutex_);
        owner_.closed_.store(false, std::memory_order_seq_cst);
    }
    owner_.gate_.notify_all();
}

bool Quiescence::anyoneInside() const {
    std::lock_guard guard(readersMutex_);
    return std::ranges::any_of(readers_,
                               [](const Reader* r) { return r->epoch_.load(std::memory_order_seq_cst) != kOutside; });
}

bool Quiescence::passed(Ticket ticket) const {
    std::lock_guard guard(readersMutex_);
    return std::ranges::all_of(readers_, [ticket](const Reader* r) {
        const uint64_t epoch = r->epoch_.load(std::memory_order_seq_cst);
        return epoch == kOutside || epoch >= ticket;
    });
}

void Quiescence::synchronize(Ticket ticket) const {
    while (!passed(ticket)) std::this_thread::sleep_for(kPoll);
}

}  // namespace zetl::emulator::machine
