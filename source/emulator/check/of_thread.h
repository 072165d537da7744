// What the threads that look at accesses keep for themselves, because a lock for each access would be most of what
// checks cost.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

namespace zetl::emulator::check {

/// The calling thread's own T, which goes with the thread; null if the host has no memory. It lies on the heap: a
/// library that a program loads late has little room for variables of threads, and is refused if it needs more.
template <class T>
T* ofThread() noexcept {
    thread_local const std::unique_ptr<T> own(new (std::nothrow) T);
    return own.get();
}

/// The few of a kind of values that the calling thread found last, by numbers.
template <class Value>
class FoundLast {
  public:
    /// The value of that number, or what find() gives, which may be null. Values found under another version are
    /// forgotten.
    template <class Find>
    static Value* of(std::uint64_t version, std::uint64_t number, Find&& find) noexcept {
        FoundLast* const all = ofThread<FoundLast>();
        if (all == nullptr) return find();
        Known& one = all->known_[number % kFew];
        if (one.version != version || one.number != number) one = {version, number, find()};
        return one.value;
    }

  private:
    static constexpr std::size_t kFew = 8;
    struct Known {
        std::uint64_t version = 0;
        std::uint64_t number = 0;
        Value* value = nullptr;
    };
    std::array<Known, kFew> known_{};
};

}  // namespace zetl::emulator::check
