// The bytes that exist: a sorted table that workers search without locks while other threads change it.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "emulator/machine/memory.h"
#include "emulator/machine/memory/quiescence.h"

namespace zetl::emulator::machine {

/// Allocations by address, without overlap. Search is O(log n); a change copies one leaf of a few hundred entries.
///
/// Readers must be inside a Quiescence::Reader while they use what find() returned, or must hold the writers' lock. The
/// owner, Memory, serialises writers.
class AllocationTable {
  public:
    explicit AllocationTable(Quiescence& quiescence);
    ~AllocationTable();
    AllocationTable(const AllocationTable&) = delete;
    AllocationTable& operator=(const AllocationTable&) = delete;

    /// The allocation that contains the address, or null.
    const Allocation* find(std::uint64_t address) const noexcept;
    /// The last allocation that begins at or before the address, and the first after it; for messages.
    const Allocation* before(std::uint64_t address) const noexcept;
    const Allocation* after(std::uint64_t address) const noexcept;
    /// True if live allocations with that permission cover [first, last) without a gap.
    bool covers(std::uint64_t first, std::uint64_t last, bool write) const noexcept;

    std::vector<Allocation> list() const;

    /// Another one after each change: what find() has returned since version() was read is valid as long as that stays.
    std::uint64_t version() const noexcept { return version_.load(std::memory_order_seq_cst); }

    /// Returns false if it overlaps another allocation.
    bool insert(const Allocation& allocation);
    void erase(std::uint64_t begin);
    /// Replaces one allocation by `parts`, which cover the same bytes; readers see either.
    void split(std::uint64_t begin, const std::vector<Allocation>& parts);
    /// Frees the old versions that no reader can see any more.
    void reap();

  private:
    using Leaf = std::vector<Allocation>;
    struct Branch {
        std::uint64_t first;
        std::shared_ptr<const Leaf> leaf;
    };
    using Root = std::vector<Branch>;
    struct Retired {
        Quiescence::Ticket ticket;
        std::unique_ptr<const Root> root;
    };

    static const Branch* branchOf(const Root& root, std::uint64_t address) noexcept;
    static void add(Root& root, const Allocation& allocation);
    static void remove(Root& root, std::uint64_t begin);
    const Root& root() const noexcept { return *root_.load(std::memory_order_seq_cst); }
    void publish(std::unique_ptr<const Root> next);

    Quiescence& quiescence_;
    std::atomic<const Root*> root_;
    std::atomic<std::uint64_t> version_{1};
    std::vector<Retired> retired_;
};

}  // namespace zetl::emulator::machine
