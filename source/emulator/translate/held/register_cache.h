// Holds registers of the emulated thread in registers of the host, within one block of host code.
//
// The home of a register is its 64-byte slot of Thread::state; here a slot, or a vector of a constant, may be in a zmm
// register as well, and newer there than at home. Every function emits what it needs.
#pragma once

#include <asmjit/x86.h>

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "emulator/isa/state_slots.h"
#include "emulator/translate/assembler/host_assembler.h"

namespace zetl::emulator::translate {

class RegisterCache {
  public:
    static constexpr std::uint32_t kSlotBytes = isa::layout::kRegisterBytes;
    static constexpr std::uint32_t kFirst =
        7;  ///< of the registers below six are for temporary values, then comes lane()
    static constexpr std::uint32_t kEnd = 32;

    RegisterCache(HostAssembler& to, const asmjit::x86::Gp& state) : a_(to), state_(state) {}

    /// Grows with each operation that may have changed the flags' slot.
    std::uint32_t flagChanges() const noexcept { return flagChanges_; }

    /// From now on, registers handed out before may be given to others.
    void release() noexcept { ++time_; }

    /// The slot at a place, or the constant at an address, that begins on its boundary.
    asmjit::x86::Zmm read(std::uint64_t where);
    /// The same, about to be changed.
    asmjit::x86::Zmm update(std::uint32_t place);
    /// The same, about to be replaced as a whole.
    asmjit::x86::Zmm replace(std::uint32_t place);
    /// A register with 4 or 8 bytes of a place in all lanes of that size, if there is one.
    std::optional<asmjit::x86::Zmm> heldBroadcast(std::uint32_t place, std::uint32_t bytes);
    /// The same, made from a register or memory with those bytes.
    asmjit::x86::Zmm broadcast(std::uint32_t place, std::uint32_t bytes, const asmjit::Operand& from);
    /// The slot, which a register holds, has only dwords in its lanes of 64 bits, until it changes.
    void holdExtended(std::uint32_t place) noexcept { entries_[find(place)].extended = true; }
    bool isExtended(std::uint32_t place) const noexcept {
        const std::uint32_t index = find(place);
        return index != 0 && entries_[index].extended;
    }
    /// The register that holds the slot now, if one does.
    std::optional<asmjit::x86::Zmm> held(std::uint64_t where) const noexcept;

    /// The value last given to a single lane, in the low bytes of this register and at home.
    static asmjit::x86::Xmm lane() noexcept { return asmjit::x86::Xmm(kFirst - 1); }
    /// From now on lane() holds so many bytes of this place.
    void holdLane(std::uint32_t place, std::uint32_t bytes) noexcept { lane_ = {place, bytes}; }
    /// Call it before a branch to code in which lane() is not kept.
    void forgetLane() noexcept { lane_.reset(); }
    bool isLane(std::uint32_t place, std::uint32_t bytes) const noexcept {
        return lane_ && lane_->place == place && lane_->bytes >= bytes;
    }
    /// A general register to compute in. General registers keep the single numbers that were stored last; this one is
    /// forgotten, and if possible it is none that has one of these places.
    asmjit::x86::Gp takeSingle(std::span<const std::uint32_t> needed) noexcept;
    /// From now on it holds so many bytes of this place.
    void holdSingle(const asmjit::x86::Gp& general, std::uint32_t place, std::uint32_t bytes) noexcept;
    std::optional<asmjit::x86::Gp> heldSingle(std::uint32_t place, std::uint32_t bytes) const noexcept;
    /// Call it before these registers are used for something else.
    void forgetSingles() noexcept { singles_ = {}; }
    /// The block does not use the slot any more: its register is given to another first.
    void finish(std::uint32_t place) noexcept;
    /// Nobody reads the slot before it is written: it need not be stored any more.
    void lose(std::uint32_t place) noexcept;
    /// Forgets slots of registers that are not among these.
    void keepOnly(const isa::StateSlots& needed) noexcept;

    /// Stores the slots that overlap these bytes at home; they also stay here.
    void store(std::uint32_t place, std::uint32_t bytes);
    /// Call it before a part of the state's memory is written: stores the slots at home and forgets them.
    void evict(std::uint32_t place, std::uint32_t bytes);
    void storeAll();

    /// Registers of slots, by place.
    using Snapshot = std::vector<std::pair<std::uint64_t, std::uint32_t>>;
    /// For code that seldom needs registers at home: returns what such code has to store. Until settle() the registers
    /// that hold these slots are given to no others; if fewer than `free` would be left, everything is stored now.
    /// Slots that will be changed meanwhile must have been stored before.
    Snapshot defer(std::uint32_t free);
    void settle() noexcept { deferring_ = false; }
    /// Emits the stores of a snapshot.
    void storeDeferred(const Snapshot& snapshot);

    /// A step is complete: slots that it changed may be stored whenever registers are short. Until then the slots that
    /// it reads may still be at home.
    void endStep();

    /// What the code emitted so far may store, not counting deferred stores.
    const isa::StateSlots& stored() const noexcept { return stored_; }
    /// Emits the constants that were read, behind all code.
    void emitConstants();
    /// Holds nothing any more. Values that were not stored are lost.
    void forgetAll() noexcept {
        entries_ = {};
        lane_.reset();
        forgetSingles();
        a_.forgetHeld(kFirst - 1, kEnd);
    }
    /// The working space of the steps is not read any more.
    void forgetWorkingSpace() noexcept;

    /// The slots and constants that are held.
    Snapshot snapshot() const;
    /// Loads them again behind code that no register survives. `deferred`: what was stored before; `written`: which of
    /// it may have changed.
    void reload(const Snapshot& snapshot, const Snapshot& deferred, const isa::StateSlots& written);

  private:
    struct Entry {
        std::uint64_t where = kNothing;
        bool dirty = false;
        std::uint64_t used = 0;
        bool extended = false;
        bool finished = false;
    };
    static constexpr std::uint64_t kNothing = ~0ull;

    struct Lane {
        std::uint32_t place;
        std::uint32_t bytes;
    };

    std::uint32_t find(std::uint64_t where) const noexcept;
    /// The register that holds it; loads it if needed.
    std::uint32_t hold(std::uint64_t where);
    std::uint64_t sameConstant(std::uint64_t where);
    std::uint32_t take(std::uint64_t where);
    std::uint64_t rankOf(const Entry& e) const noexcept;
    void use(std::uint32_t index) noexcept;
    void load(std::uint64_t where, std::uint32_t index);
    void storeEntry(std::uint32_t index);
    void forget(std::uint32_t index) noexcept;
    static bool overlaps(const Entry& entry, std::uint32_t place, std::uint32_t bytes) noexcept;
    void forgetBroadcasts(std::uint32_t place, std::uint32_t bytes) noexcept;
    void changes(std::uint32_t place, std::uint32_t bytes) noexcept;
    void changesInStep(std::uint32_t index);

    HostAssembler& a_;
    asmjit::x86::Gp state_;
    std::array<Entry, kEnd> entries_{};
    std::uint64_t time_ = 1;
    std::uint32_t flagChanges_ = 0;
    bool deferring_ = false;
    std::uint32_t changed_ = 0;  ///< registers whose slots the step has changed, one bit each
    std::optional<Lane> lane_;
    std::array<std::optional<Lane>, 2> singles_;
    std::size_t lastSingle_ = 0;
    isa::StateSlots stored_;
    std::map<std::uint64_t, asmjit::Label> constants_;  // by address
    using Contents = std::array<std::uint64_t, kSlotBytes / sizeof(std::uint64_t)>;
    std::map<Contents, std::uint64_t> contents_;   // addresses of constants
    std::map<std::uint64_t, std::uint64_t> same_;  // by address: the first constant with the same contents
};

}  // namespace zetl::emulator::translate
