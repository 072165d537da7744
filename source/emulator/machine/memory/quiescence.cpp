#include "emulator/machine/memory/quiescence.h"

#include <chrono>
#include <thread>

namespace zetl::emulator::machine {
namespace {

constexpr std::chrono::microseconds kPoll{50};

}  // namespace

Quiescence::Reader::Reader(Quiescence& owner) noexcept : owner_(owner) {
    const Lock guard(owner_.readersMutex_);
    next_ = owner_.readers_;
    if (next_ != nullptr) next_->previous_ = this;
    owner_.readers_ = this;
}

Quiescence::Reader::~Reader() {
    const Lock guard(owner_.readersMutex_);
    if (next_ != nullptr) next_->previous_ = previous_;
    (previous_ != nullptr ? previous_->next_ : owner_.readers_) = next_;
}

void Quiescence::Reader::enter() noexcept {
    for (;;) {
        // Sequentially consistent on both sides: either a writer sees us inside, or we see what it did before it
        // looked.
        epoch_.store(owner_.epoch_.load(std::memory_order_seq_cst), std::memory_order_seq_cst);
        if (!owner_.closed_.load(std::memory_order_seq_cst)) return;
        leave();
        Lock guard(owner_.gateMutex_);
        owner_.gate_.wait(guard, [&] { return !owner_.closed_.load(std::memory_order_seq_cst); });
    }
}

Quiescence::Exclusive::Exclusive(Quiescence& owner) : owner_(owner), turn_(owner.exclusive_) {
    owner_.closed_.store(true, std::memory_order_seq_cst);
    while (owner_.anyoneInside()) std::this_thread::sleep_for(kPoll);
}

Quiescence::Exclusive::~Exclusive() {
    {
        const Lock guard(owner_.gateMutex_);
        owner_.closed_.store(false, std::memory_order_seq_cst);
    }
    owner_.gate_.notify_all();
}

/// Whether the condition holds for the epochs of all readers.
template <class Holds>
bool Quiescence::allReaders(Holds holds) const {
    const Lock guard(readersMutex_);
    for (const Reader* reader = readers_; reader != nullptr; reader = reader->next_)
        if (!holds(reader->epoch_.load(std::memory_order_seq_cst))) return false;
    return true;
}

bool Quiescence::anyoneInside() const {
    return !allReaders([](std::uint64_t epoch) { return epoch == kOutside; });
}

bool Quiescence::passed(Ticket ticket) const {
    return allReaders([ticket](std::uint64_t epoch) { return epoch == kOutside || epoch >= ticket; });
}

void Quiescence::synchronize(Ticket ticket) const {
    while (!passed(ticket)) std::this_thread::sleep_for(kPoll);
}

}  // namespace zetl::emulator::machine
