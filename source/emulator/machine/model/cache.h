// A set-associative cache of line numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>

namespace zetl::emulator::machine {

/// Replaces the least recently used line of a set. Not thread-safe. Memory is taken when it is first used.
class Cache {
  public:
    struct Shape {
        std::uint64_t bytes = 0;
        std::uint32_t lineBytes = 64;
        std::uint32_t ways = 16;
    };
    explicit Cache(Shape shape) noexcept;
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
    /// Whether it is there; used now, if so. Nothing is put in.
    bool touch(std::uint32_t line);
    void drop(std::uint32_t line);
    /// Empties it; changed lines are forgotten.
    void clear() noexcept;
    /// The line will be asked for soon: the host is to have its set at hand.
    void prepare(std::uint32_t line) const noexcept {
        if (ways_.get() != nullptr) __builtin_prefetch(ways_.get() + std::size_t{setOf(line)} * number_);
    }

  private:
    /// Zeros from the host: sets that nobody uses take no memory.
    struct Release {
        void operator()(void* memory) const noexcept { std::free(memory); }
    };
    template <class T>
    using Zeros = std::unique_ptr<T[], Release>;

    std::uint32_t setOf(std::uint32_t line) const noexcept { return mask_ != 0 ? line & mask_ : line % sets_; }
    std::uint32_t* set(std::uint32_t line);
    std::uint32_t find(const std::uint32_t* ways, std::uint32_t line) const noexcept;

    const std::uint32_t number_;  ///< of ways
    const std::uint32_t sets_;
    const std::uint32_t mask_;      ///< where the number of sets is a power of two, that less one
    std::uint32_t generation_ = 1;  ///< changes when it is emptied
    /// By set, the latest used first: the number of the line plus one, and in the lowest bit whether it was changed; 0:
    /// empty, and so are those behind it.
    Zeros<std::uint32_t> ways_;
    Zeros<std::uint32_t> filledIn_;  ///< the generation of a set; of an earlier one: it is empty
};

}  // namespace zetl::emulator::machine
