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
    /// Finds the line or puts it in.
    Result access(std::uint32_t line, Use use);
    /// Whether it is there; used now, if so. Nothing is put in.
    bool touch(std::uint32_t line);
    void drop(std::uint32_t line);
    /// Empties it; changed lines are forgotten.
    void clear() noexcept;

  private:
    struct Way {
        std::uint32_t line = 0;
        std::uint32_t used : 31 = 0;  ///< time of the last use; not after emptied_: empty
        std::uint32_t changed : 1 = 0;
    };
    /// Zeros from the host: sets that nobody uses take no memory.
    struct Release {
        void operator()(Way* ways) const noexcept { std::free(ways); }
    };
    std::size_t count() const noexcept { return std::size_t{sets_} * ways_; }
    bool holds(const Way& way) const noexcept { return way.used > emptied_; }
    Way* set(std::uint32_t line);
    Way* find(std::uint32_t line);
    std::uint32_t now() noexcept;

    const std::uint32_t ways_;
    const std::uint32_t sets_;
    std::uint32_t clock_ = 0;
    std::uint32_t emptied_ = 0;  ///< time of the last clear()
    std::unique_ptr<Way[], Release> lines_;
};

}  // namespace zetl::emulator::machine
