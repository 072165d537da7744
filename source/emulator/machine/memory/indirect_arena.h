// Memory for the argument blocks of dispatches in flight.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "base/mutex.h"
#include "emulator/machine/memory.h"
#include "emulator/machine/memory/range_allocator.h"

namespace zetl::emulator::machine {

/// One allocation of internal memory, cut into blocks. Thread-safe.
class IndirectArena {
  public:
    static constexpr std::uint64_t kBytes = 64u << 20;

    /// A block; it is freed with the object.
    class Block {
      public:
        Block() = default;
        Block(IndirectArena& arena, std::uint64_t offset, std::uint64_t bytes)
            : arena_(&arena), offset_(offset), bytes_(bytes) {}
        Block(Block&& other) noexcept { *this = std::move(other); }
        Block& operator=(Block&& other) noexcept;
        ~Block();
        std::uint64_t address() const noexcept { return arena_ == nullptr ? 0 : arena_->base_ + offset_; }
        std::span<std::byte> bytes() const noexcept { return {reinterpret_cast<std::byte*>(address()), bytes_}; }

      private:
        IndirectArena* arena_ = nullptr;
        std::uint64_t offset_ = 0;
        std::uint64_t bytes_ = 0;
    };

    explicit IndirectArena(Memory& memory);
    ~IndirectArena();
    IndirectArena(const IndirectArena&) = delete;
    IndirectArena& operator=(const IndirectArena&) = delete;

    /// False if the host refused the memory: then no block can ever be allocated.
    bool usable() const noexcept { return base_ != 0; }
    /// Returns nothing while there is no room.
    std::optional<Block> allocate(std::uint64_t bytes);

  private:
    Memory& memory_;
    std::uint64_t base_ = 0;
    Mutex mutex_;
    RangeAllocator ranges_ ZETL_GUARDED_BY(mutex_){0, kBytes};
};

}  // namespace zetl::emulator::machine
