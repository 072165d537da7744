// A set-associative cache of line numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>

#include "emulator/machine/model/cache_set.h"

namespace zetl::emulator::machine {

/// Replaces the least recently used line of a set. Not thread-safe. Memory is taken when it is first used.
class Cache {
  public:
    struct Shape {
        std::uint64_t bytes = 0;
        std::uint32_t lineBytes = 64;
        std::uint32_t ways = 16;
    };
    explicit Cache(Shape shape) noexcept : Cache(shape, cache_set::widest()) {}
    /// `vectors`: for sets of as many ways as those are for.
    Cache(Shape shape, cache_set::Vectors vectors) noexcept;
    /// Throws bad_alloc.
    Cache(const Cache& other);
    Cache(Cache&&) noexcept = default;

    enum class Use : std::uint8_t { read, write };
    struct Result {
        bool hit = false;
        bool wroteBack = false;    ///< a changed line had to go
        std::uint32_t former = 0;  ///< which
    };
    /// Finds the line or puts it in. Numbers of lines have 31 bits.
    Result access(std::uint32_t line, Use use);

    static constexpr std::size_t kTogether = 64;
    using Lines = std::span<const std::uint32_t>;
    /// Up to kTogether lines are read one after the other. A bit for each that was there.
    std::uint64_t read(Lines lines);
    /// The same for lines that are used now where they are there, while nothing is put in.
    std::uint64_t touch(Lines lines);
    bool touch(std::uint32_t line) { return touch(Lines(&line, 1)) != 0; }
    void drop(std::uint32_t line);
    /// Empties it; changed lines are forgotten.
    void clear() noexcept;
    /// The line will be asked for soon: the host is to have its set at hand.
    void prepare(std::uint32_t line) const noexcept {
        if (ways_ == nullptr) return;
        const std::uint32_t number = setOf(line);
        __builtin_prefetch(ways_ + std::size_t{number} * number_, 1);
        __builtin_prefetch(filledIn_ + number);
    }

  private:
    /// Zeros from the host: sets that nobody uses take no memory.
    struct Release {
        void operator()(std::byte* memory) const noexcept { std::free(memory); }
    };

    std::uint32_t setOf(std::uint32_t line) const noexcept { return mask_ != 0 ? line & mask_ : line % sets_; }
    std::size_t bytesOfWays() const noexcept { return std::size_t{sets_} * number_ * sizeof *ways_; }
    void take();
    std::uint32_t* set(std::uint32_t line) noexcept;
    template <class Set>
    Result accessBy(const Set& by, std::uint32_t line, Use use) noexcept;
    template <class Set>
    std::uint64_t readBy(const Set& by, Lines lines) noexcept;
    template <class Set>
    std::uint64_t touchBy(const Set& by, Lines lines) noexcept;
    Result accessByWhole(std::uint32_t line, Use use) noexcept;
    std::uint64_t readByWhole(Lines lines) noexcept;
    std::uint64_t touchByWhole(Lines lines) noexcept;

    const std::uint32_t number_;  ///< of ways
    const std::uint32_t sets_;
    const std::uint32_t mask_;  ///< where the number of sets is a power of two, that less one
    const cache_set::Vectors vectors_;
    std::uint8_t generation_ = 1;  ///< changes when it is emptied
    std::unique_ptr<std::byte, Release> memory_;
    /// By set, the latest used first: the number of the line plus one, and in the lowest bit whether it was changed; 0:
    /// empty, and so are those behind it.
    std::uint32_t* ways_ = nullptr;
    std::uint8_t* filledIn_ = nullptr;  ///< the generation of a set; of an earlier one: it is empty
};

}  // namespace zetl::emulator::machine
