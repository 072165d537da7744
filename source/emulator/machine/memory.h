// The memory that kernels see: identity-mapped host memory, with a table of the bytes of it that exist.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "base/file_descriptor.h"
#include "emulator/machine/fault.h"

namespace zetl::emulator::machine {

enum class MemoryKind : std::uint8_t {
    device,  ///< counted against a device's memory
    host,
    shared,
    imported,  ///< another process's memory, by file descriptor
    mapped,    ///< virtual range with physical memory behind it
    global,    ///< a module's variables
    code,      ///< instruction heap
    internal,  ///< the machine's own: argument blocks, scratch
};

enum class Permission : std::uint8_t { none, read, readWrite };

enum class MemoryStatus : std::uint8_t {
    ok,
    outOfHostMemory,    ///< the host refused
    outOfDeviceMemory,  ///< the budget is used up
    tooLarge,           ///< larger than a single allocation may be
    invalid,            ///< not what an earlier call returned, zero size, bad alignment, overlap
    lost,               ///< forked child: the memory belongs to the parent
};

/// The table's entry for one allocation. Bounds are exact to the byte.
struct Allocation {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    MemoryKind kind = MemoryKind::device;
    Permission permission = Permission::readWrite;
    std::uint64_t id = 0;     ///< never reused
    std::uint64_t owner = 0;  ///< the allocator's own word, such as a context's or device's address
    /// Memory behind the end is nobody's up to here, as far as pages of the device reach; 0: there is none.
    std::uint64_t reach = 0;
    std::uint64_t bytes() const noexcept { return end - begin; }
    bool contains(std::uint64_t address) const noexcept { return begin <= address && address < end; }
};

/// Counts how much may still be allocated. Thread-safe; shared by all allocations made against it.
class MemoryBudget {
  public:
    /// An amount taken from a budget with a `whole` is taken from the whole, too.
    explicit MemoryBudget(std::uint64_t limit, std::shared_ptr<MemoryBudget> whole = {}) noexcept
        : limit_(limit), whole_(std::move(whole)) {}
    bool take(std::uint64_t bytes) noexcept;
    void give(std::uint64_t bytes) noexcept;
    std::uint64_t limit() const noexcept { return limit_; }
    std::uint64_t used() const noexcept { return used_.load(std::memory_order_relaxed); }

  private:
    bool takeOwn(std::uint64_t bytes) noexcept;

    const std::uint64_t limit_;
    const std::shared_ptr<MemoryBudget> whole_;
    std::atomic<std::uint64_t> used_{0};
};

/// Bytes taken from a budget, given back at the end of its life.
class MemoryCharge {
  public:
    MemoryCharge() = default;
    /// Empty if the budget does not have that many bytes left. Without a budget, the charge is nothing.
    static std::optional<MemoryCharge> take(std::shared_ptr<MemoryBudget> budget, std::uint64_t bytes) noexcept {
        if (budget && !budget->take(bytes)) return std::nullopt;
        return MemoryCharge(std::move(budget), bytes);
    }
    MemoryCharge(MemoryCharge&& other) noexcept = default;
    MemoryCharge& operator=(MemoryCharge&& other) noexcept {
        budget_.swap(other.budget_);
        std::swap(bytes_, other.bytes_);
        return *this;
    }
    ~MemoryCharge() {
        if (budget_) budget_->give(bytes_);
    }

  private:
    MemoryCharge(std::shared_ptr<MemoryBudget> budget, std::uint64_t bytes) noexcept
        : budget_(std::move(budget)), bytes_(bytes) {}
    std::shared_ptr<MemoryBudget> budget_;
    std::uint64_t bytes_ = 0;
};

/// Physical memory for virtual ranges: a file's pages.
class PhysicalMemory {
  public:
    PhysicalMemory(FileDescriptor file, std::uint64_t bytes, MemoryCharge charge) noexcept
        : file_(std::move(file)), bytes_(bytes), charge_(std::move(charge)) {}
    PhysicalMemory(const PhysicalMemory&) = delete;
    PhysicalMemory& operator=(const PhysicalMemory&) = delete;
    std::uint64_t bytes() const noexcept { return bytes_; }
    int descriptor() const noexcept { return file_.get(); }

  private:
    const FileDescriptor file_;
    const std::uint64_t bytes_;
    const MemoryCharge charge_;
};

/// A place in physical memory.
struct PhysicalView {
    std::shared_ptr<PhysicalMemory> physical;
    std::uint64_t offset = 0;
};

class AllocationTable;
class Quiescence;

/// One process's device-visible memory. Every function is thread-safe, also against kernels that are running.
///
/// Freed memory stays mapped until no worker can still be inside an access that was checked before the free; then its
/// pages go back to the host, and its addresses stay reserved for a while, so that a late access, by kernel or host, is
/// a named fault instead of somebody else's data.
class Memory {
  public:
    Memory();
    ~Memory();
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;

    struct Request {
        std::uint64_t bytes = 0;
        std::uint64_t alignment = 0;  ///< power of two or 0
        MemoryKind kind = MemoryKind::device;
        std::uint64_t owner = 0;
        std::shared_ptr<MemoryBudget> budget = {};  ///< none: unlimited
        std::uint64_t largest = 0;                  ///< limit of a single allocation; 0: none
        bool shareable = false;  ///< the host may store to it while it is exported for the first time
    };
    struct Answer {
        MemoryStatus status = MemoryStatus::ok;
        std::uint64_t address = 0;
    };

    /// Allocates zeroed memory.
    Answer allocate(const Request& request);
    /// `address` must be the begin of a live allocation made by allocate() or import().
    MemoryStatus free(std::uint64_t address);

    /// A new descriptor whose pages are the allocation's, for other processes (SCM_RIGHTS). The pages of shareable
    /// allocations are a file's from the beginning. The first export of another one moves its pages: kernels are kept
    /// out meanwhile, and what host threads store then may be lost.
    FileDescriptor exportDescriptor(std::uint64_t address);
    /// Maps another process's export. The descriptor stays the caller's. `invalid`: not so many bytes, or of a file
    /// that may become shorter (shared_file.h).
    Answer import(int descriptor, std::uint64_t bytes, std::uint64_t owner);

    // Virtual memory. Sizes and addresses are multiples of pageBytes().
    static std::uint64_t pageBytes() noexcept;
    Answer reserve(std::uint64_t hint, std::uint64_t bytes);
    /// Releases a whole reservation, with the memory mapped there. Returns `invalid` for anything else.
    MemoryStatus release(std::uint64_t address, std::uint64_t bytes);
    std::shared_ptr<PhysicalMemory> createPhysical(std::uint64_t bytes, std::shared_ptr<MemoryBudget> budget);
    /// The first `bytes` behind a descriptor, which stays the caller's; nothing if there are not so many, or if the
    /// file may become shorter (shared_file.h).
    std::shared_ptr<PhysicalMemory> importPhysical(int descriptor, std::uint64_t bytes);
    MemoryStatus map(std::uint64_t address, std::uint64_t bytes, std::shared_ptr<PhysicalMemory> physical,
                     std::uint64_t offset, Permission permission, std::uint64_t owner);
    /// Unmaps all mappings in a part of a reserved range. There may be none, but none may reach out of that part.
    MemoryStatus unmap(std::uint64_t address, std::uint64_t bytes);
    /// The physical memory mapped at an address; nothing if the address is in no mapped range.
    std::optional<PhysicalView> physicalBehind(std::uint64_t address) const;
    /// Changes the permission of mappings in a reserved range; later mappings have their own.
    MemoryStatus protect(std::uint64_t address, std::uint64_t bytes, Permission permission);

    /// The allocation, live at this moment, that contains the address.
    std::optional<Allocation> find(std::uint64_t address) const;
    /// The allocation that contained the address until it was freed, if nothing was allocated there since. The last
    /// few thousand are known.
    std::optional<Allocation> findFreed(std::uint64_t address) const;
    /// The reservation that contains the address.
    std::optional<Allocation> findReserved(std::uint64_t address) const;
    std::vector<Allocation> list() const;

    /// For debuggers: copies if every byte is in live memory whose permission allows it. False: nothing was copied.
    bool read(std::uint64_t address, void* to, std::size_t bytes) const;
    bool write(std::uint64_t address, const void* from, std::size_t bytes);

    /// The reason why [address, address + bytes) cannot be accessed: page fault, use after free or denied. The text
    /// names the nearest allocation.
    Fault explain(std::uint64_t address, std::uint64_t bytes, Access access) const;

    /// For the executing workers, which look up without locks between Quiescence::enter and leave.
    const AllocationTable& table() const noexcept { return *table_; }
    Quiescence& quiescence() noexcept { return *quiescence_; }

  private:
    struct State;
    std::unique_ptr<AllocationTable> table_;
    std::unique_ptr<Quiescence> quiescence_;
    std::unique_ptr<State> state_;
};

}  // namespace zetl::emulator::machine
