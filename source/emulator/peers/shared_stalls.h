// Where threads of a process wait, in memory that several processes share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/file_descriptor.h"
#include "emulator/machine/stalls.h"
#include "emulator/peers/sealed_memory.h"

namespace zetl::emulator::peers {

/// Cycles of one instruction on one tile.
struct StallRow {
    std::uint32_t tile = 0;
    std::uint64_t address = 0;
    machine::StallCycles cycles{};
};

/// The writer's side. Rows are added at the end, and their cycles grow. One thread at a time may call it.
class SharedStalls {
  public:
    /// Beyond these, rows are left out.
    static constexpr std::size_t kMostRows = 65536;

    /// Returns nothing, and sets errno, if the host has no memory or descriptor for it. Pages without rows take no
    /// memory.
    static std::optional<SharedStalls> create();

    /// For readers, which can only read it.
    int descriptor() const noexcept { return memory_.descriptor.get(); }
    /// The number of the row, or kMostRows if there is no room.
    std::size_t add(std::uint32_t tile, std::uint64_t address) noexcept;
    /// Cycles that are less than before change nothing.
    void raise(std::size_t row, const machine::StallCycles& cycles) noexcept;
    /// Shows readers what was added and raised.
    void publish() noexcept;

  private:
    struct Table;
    friend class SeenStalls;
    explicit SharedStalls(SealedMemory memory) noexcept : memory_(std::move(memory)) {}
    Table& table() const noexcept;
    SealedMemory memory_;
    std::size_t rows_ = 0;
};

/// The reader's side. The writer is not trusted: its data are numbers and nothing else.
class SeenStalls {
  public:
    /// Returns nothing if the descriptor is no such memory.
    static std::optional<SeenStalls> map(const FileDescriptor& descriptor);

    /// Whether there is more to read; a writer that rests only has to check this.
    bool changed() const noexcept;
    /// Sets the growth of all rows since the last call, those that grew. Returns false, with no rows, if a value cannot
    /// be a number of cycles, or the table is none. Throws bad_alloc.
    bool take(std::vector<StallRow>& growth);

  private:
    explicit SeenStalls(Mapping mapping) noexcept : mapping_(std::move(mapping)) {}
    const SharedStalls::Table& table() const noexcept;
    Mapping mapping_;
    std::uint64_t version_ = 0;                ///< of what was taken
    std::vector<machine::StallCycles> taken_;  ///< by row
};

}  // namespace zetl::emulator::peers
