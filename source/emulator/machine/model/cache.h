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
        uint64_t bytes = 0;
        uint32_t lineBytes = 64;
        uint32_t ways = 16;
    };
    explicit Cache(Shape shape) noexcept;

    enum class Use : uint8_t { read, write };
    struct Result {
        bool hit = false;
        bool wroteBack = false;  ///< a changed line had to go
    };
    /// Finds the line or puts it in.
    Result access(uint32_t line, Use use);
    /// Whether it is there; used now, if so. Nothing is put in.
    bool touch(uint32_t line);
    void drop(uint32_t line);
    /// Empties it; changed lines are forgotten.
    void clear() noexcept;

  private:
    struct Way {
        uint32_t line = 0;
        uint32_t used : 31 = 0;  ///< time of the last use; not after emptied_: empty
        uint32_t changed : 1 = 0;
    };
    /// Zeros from the host: sets that nobody uses take no memory.
    struct Release {
        void operator()(Way* ways) const noexcept { std::free(ways); }
    };
    size_t count() const noexcept { return size_t{sets_} * ways_; }
    bool holds(const Way& way) const noexcept { return way.used > emptied_; }
    Way* set(uint32_t line);
    Way* find(uint32_t line);
    uint32_t now() noexcept;

    const uint32_t ways_;
    const uint32_t sets_;
    uint32_t clock_ = 0;
    uint32_t emptied_ = 0;  ///< time of the last clear()
    std::unique_ptr<Way[], Release> lines_;
};

}  // namespace zetl::emulator::machine
