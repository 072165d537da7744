// A set-associative cache of line numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>

#include "emulator/machine/model/cache_set.h"
#include "emulator/machine/model/prefetch.h"

namespace zetl::emulator::machine {

/// Replaces the least recently used line of a set. Not thread-safe. It takes memory when it is first used.
class Cache {
  public:
    struct Shape {
        std::uint64_t bytes = 0;
        std::uint32_t lineBytes = 64;
        std::uint32_t ways = 16;
    };
    explicit Cache(Shape shape) noexcept : Cache(shape, cache_set::widest()) {}
    /// `vectors`: for sets that have as many ways as vectors are made for.
    Cache(Shape shape, cache_set::Vectors vectors) noexcept;
    /// Throws bad_alloc.
    Cache(const Cache& other);
    Cache(Cache&&) noexcept = default;

    enum class Use : std::uint8_t { read, write };
    struct Result {
        bool hit = false;
        bool wroteBack = false;    ///< a changed line had to be written back
        std::uint32_t former = 0;  ///< that line
    };
    /// Finds the line or puts it in. Line numbers have 31 bits.
    Result access(std::uint32_t line, Use use);

    static constexpr std::size_t kTogether = 64;
    using Lines = std::span<const std::uint32_t>;
    /// Reads up to kTogether lines one after the other. Returns one bit per line, set if the line was there.
    std::uint64_t read(Lines lines);
    /// The same, but only marks lines that are there as used, and puts none in.
    std::uint64_t touch(Lines lines);
    bool touch(std::uint32_t line) { return touch(Lines(&line, 1)) != 0; }
    void drop(std::uint32_t line);
    /// Empties it; changed lines are forgotten.
    void clear() noexcept;
    /// The line will be accessed soon: fetches its set into the host's cache.
    void prepare(std::uint32_t line) const noexcept {
        if (ways_ == nullptr) return;
        const std::uint32_t number = setOf(line);
        prefetch(ways_ + std::size_t{number} * number_);
        prefetch(filledIn_ + number);
    }

  private:
    /// The host gives zeros: unused sets take no memory.
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

    const std::uint32_t number_;  ///< number of ways
    const std::uint32_t sets_;
    const std::uint32_t mask_;  ///< if the number of sets is a power of two: that number less one
    const cache_set::Vectors vectors_;
    std::uint8_t generation_ = 1;  ///< changes when the cache is emptied
    std::unique_ptr<std::byte, Release> memory_;
    /// By set, the latest used way first: the number of the line plus one, and in the lowest bit whether it was
    /// changed. 0: this way and those behind it are empty.
    std::uint32_t* ways_ = nullptr;
    std::uint8_t* filledIn_ = nullptr;  ///< the generation of a set; a set of an earlier one is empty
};

}  // namespace zetl::emulator::machine
