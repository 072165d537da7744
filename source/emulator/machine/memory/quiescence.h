// Finds out when memory that was unlinked is certainly out of use, by epochs of the executing workers.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/mutex.h"

namespace zetl::emulator::machine {

/// Readers announce when they are inside. Writers unlink something, take a ticket, and free it once the ticket has
/// passed: when every reader has left, or has entered after the ticket was taken.
class Quiescence {
  public:
    /// Each reading thread has one. It must not outlive the Quiescence.
    class Reader {
      public:
        explicit Reader(Quiescence& owner) noexcept;
        ~Reader();
        Reader(const Reader&) = delete;
        Reader& operator=(const Reader&) = delete;

        /// Waits while an Exclusive exists. Must not be nested.
        void enter() noexcept;
        void leave() noexcept { epoch_.store(kOutside, std::memory_order_seq_cst); }

      private:
        friend class Quiescence;
        Quiescence& owner_;
        // a list of readers: joining it takes no memory
        Reader* previous_ = nullptr;
        Reader* next_ = nullptr;
        alignas(64) std::atomic<std::uint64_t> epoch_{kOutside};
    };

    /// While it exists no reader is inside. Its constructor waits for those that are; do not make it inside of a
    /// reader.
    class Exclusive {
      public:
        explicit Exclusive(Quiescence& owner);
        ~Exclusive();
        Exclusive(const Exclusive&) = delete;
        Exclusive& operator=(const Exclusive&) = delete;

      private:
        Quiescence& owner_;
        Lock turn_;
    };

    using Ticket = std::uint64_t;
    Ticket ticket() noexcept { return epoch_.fetch_add(1, std::memory_order_seq_cst) + 1; }
    bool passed(Ticket ticket) const;
    /// Waits until the ticket has passed: at most the longest turn of a worker, about a millisecond. Do not call it
    /// inside of a reader.
    void synchronize(Ticket ticket) const;

  private:
    static constexpr std::uint64_t kOutside = 0;

    bool anyoneInside() const;
    template <class Holds>
    bool allReaders(Holds holds) const;

    std::atomic<std::uint64_t> epoch_{1};
    std::atomic<bool> closed_{false};
    Mutex exclusive_;
    mutable Mutex readersMutex_;
    Reader* readers_ ZETL_GUARDED_BY(readersMutex_) = nullptr;
    Mutex gateMutex_;
    Condition gate_;
};

}  // namespace zetl::emulator::machine
