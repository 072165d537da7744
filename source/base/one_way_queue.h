// A queue from one thread to another one, for a writer that must not be held up.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <new>
#include <utility>

namespace zetl {

/// Values in their order, in chunks. One thread calls push() and makeRoom(), another one takeAll(). Neither waits for
/// the other, and makeRoom() allocates what push() would otherwise need memory for.
template <class T, std::size_t kInAChunk = 1024>
class OneWayQueue {
  public:
    /// Throws std::bad_alloc.
    OneWayQueue() : reading_(new Chunk), writing_(reading_) {}
    ~OneWayQueue() {
        delete spare_.load();
        delete ahead_;
        while (reading_) delete std::exchange(reading_, reading_->next.load());
    }
    OneWayQueue(const OneWayQueue&) = delete;
    OneWayQueue& operator=(const OneWayQueue&) = delete;

    /// Returns false if there is no memory.
    bool push(const T& value) noexcept {
        if (used_ == kInAChunk && !startChunk()) return false;
        writing_->values[used_] = value;
        writing_->written.store(++used_, std::memory_order_release);
        return true;
    }
    /// Lets the next pushes, as many as half a chunk holds, find their memory. Where it fails, so may push().
    void makeRoom() noexcept {
        if (used_ > kInAChunk / 2 && !ahead_) ahead_ = newChunk();
    }

    /// Calls `take` with each value that was pushed.
    template <class Take>
    void takeAll(Take&& take) {
        for (;;) {
            const auto written = reading_->written.load(std::memory_order_acquire);
            while (taken_ < written) take(static_cast<const T&>(reading_->values[taken_++]));
            Chunk* const next = taken_ == kInAChunk ? reading_->next.load(std::memory_order_acquire) : nullptr;
            if (!next) return;
            recycle(std::exchange(reading_, next));
            taken_ = 0;
        }
    }

  private:
    struct Chunk {
        std::array<T, kInAChunk> values{};  // written here, so that no push meets a page for the first time
        std::atomic<std::size_t> written{0};
        std::atomic<Chunk*> next{nullptr};
    };

    Chunk* newChunk() noexcept {
        Chunk* const used = spare_.exchange(nullptr, std::memory_order_acquire);
        return used ? used : new (std::nothrow) Chunk;
    }
    [[gnu::cold, gnu::noinline]] bool startChunk() noexcept {
        Chunk* const next = ahead_ ? std::exchange(ahead_, nullptr) : newChunk();
        if (!next) return false;
        std::exchange(writing_, next)->next.store(next, std::memory_order_release);
        used_ = 0;
        return true;
    }
    void recycle(Chunk* chunk) noexcept {
        chunk->written.store(0, std::memory_order_relaxed);
        chunk->next.store(nullptr, std::memory_order_relaxed);
        delete spare_.exchange(chunk, std::memory_order_release);
    }

    // The reader's own.
    Chunk* reading_;
    std::size_t taken_ = 0;
    // The writer's own, on other lines of the cache.
    alignas(64) Chunk* writing_;
    std::size_t used_ = 0;  ///< of its values
    Chunk* ahead_ = nullptr;
    std::atomic<Chunk*> spare_{nullptr};  ///< from the reader to the writer
};

}  // namespace zetl
