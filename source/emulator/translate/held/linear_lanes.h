// Lanes of which each is greater than the one before by the same step: one number in a general register of the host
// stands for all.
//
// Work-items' ids are such lanes, and so is all that is computed from them up to an address. They are kept here until
// something needs them as vectors; until then they are newer here than in a register of the cache and at home.
#pragma once

#include <asmjit/x86.h>

#include <array>
#include <bitset>
#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "emulator/isa/state_layout.h"
#include "emulator/translate/plan/step_extents.h"

namespace zetl::emulator::translate {

/// lane i = scalar + offset + step * i, modulo 2 to the bits of the lanes.
struct Linear {
    static constexpr std::uint32_t kNone = ~0u;
    std::uint32_t scalar = kNone;  ///< index in LinearLanes; kNone: nothing to add
    std::int64_t offset = 0;
    std::int64_t step = 0;
    bool exact = false;  ///< exact without the modulus

    bool operator==(const Linear&) const = default;
};

class LinearLanes {
  public:
    struct Held {
        Extent extent;
        Linear lanes;
        bool home = false;  ///< they are also at home
    };

    /// `changed`: places that are written besides; other places of the state hold their values at home. If lanes are
    /// not as assumed, the code goes on at `otherwise`.
    LinearLanes(asmjit::x86::Assembler& to, const asmjit::x86::Gp& state,
                const std::bitset<isa::layout::kBytes>& changed, const asmjit::Label& otherwise);

    /// Numbers that are found or made from now on are needed together; earlier ones only if lanes that use them are
    /// held.
    void beginStep() noexcept { ++time_; }

    /// The lanes held for these elements, or those that are at home and stay there.
    std::optional<Linear> find(const Extent& e);
    bool isHeld(const Extent& e) const;
    /// Whether such elements may be held.
    static bool canHold(const Extent& e) noexcept;
    /// Holds them from now on, and nothing else for these bytes.
    void hold(const Extent& e, const Linear& lanes, bool home = false);
    /// The lanes held for any of these bytes.
    std::vector<Held> overlapping(const Extent& e) const;
    /// Forgets lanes held for any of these bytes, because they are elsewhere or replaced.
    void forget(const Extent& e);
    /// Forgets lanes in the working space, or in registers that are not among these.
    void keepOnly(const isa::StateSlots& needed);

    /// Numbers that are needed beside those of held lanes, until the next call.
    void alsoNeeded(std::vector<std::uint32_t> numbers) { alsoNeeded_ = std::move(numbers); }

    /// A number for the value that a register has just received.
    std::optional<Linear> fresh(asmjit::x86::Gp& reg, std::uint32_t bits);

    // Return nothing if no code for it is known, or if there is no register left.
    std::optional<Linear> sum(const Linear& x, const Linear& y, std::uint32_t bytes);
    std::optional<Linear> product(const Linear& x, const Linear& y, std::uint32_t bytes);
    std::optional<Linear> shifted(asmjit::InstId id, const Linear& x, std::uint32_t by, std::uint32_t bytes);
    std::optional<Linear> combined(asmjit::InstId id, const Linear& x, const Linear& y, std::uint32_t bytes);
    /// The same lanes with another width.
    std::optional<Linear> extended(const Linear& x, const Extent& from, std::uint32_t bytes, bool isSigned);

    /// Loads the lane as a number into `to`, all 64 bits or the low 32.
    bool load(const asmjit::x86::Gp& to, const Linear& x, std::uint32_t lane, std::uint32_t bytes);

  private:
    enum class Kind : std::uint8_t { given, home, constant, sum, product, operation, extension };
    /// How a number was computed, so that none is computed twice.
    struct Origin {
        Kind kind;
        std::uint32_t detail;  ///< the instruction, or the number of bytes that are extended
        std::uint32_t x;
        std::uint32_t y;
        std::int64_t value;
        std::uint32_t bytes;
        auto operator<=>(const Origin&) const = default;  // NOLINT(modernize-use-nullptr)
    };
    struct Scalar {
        Origin origin;
        std::optional<asmjit::x86::Gp> reg;
        std::uint32_t bits = 64;        ///< number of low bits that may be set
        std::uint64_t highest = ~0ull;  ///< upper bound of its value
        std::uint64_t used = 0;
    };

    std::uint32_t number(const Origin& origin);
    std::optional<asmjit::x86::Gp> takeRegister(std::uint32_t number);
    /// The register of a number; loads it if it is at home.
    std::optional<asmjit::x86::Gp> registerOf(std::uint32_t number);
    bool isNeeded(std::uint32_t number) const;
    std::optional<Linear> findHeld(const Extent& e);
    bool isAtHome(const Extent& e) const;
    /// The same value as a number of its own.
    std::optional<std::uint32_t> plain(const Linear& x, std::uint32_t bytes);
    template <class F>
    std::optional<Linear> made(const Origin& origin, F&& emit);

    asmjit::x86::Assembler& a_;
    asmjit::x86::Gp state_;
    const std::bitset<isa::layout::kBytes>& changed_;
    asmjit::Label otherwise_;
    std::uint64_t time_ = 1;
    std::vector<Held> held_;
    std::vector<std::uint32_t> alsoNeeded_;
    std::vector<Scalar> scalars_;
    std::map<Origin, std::uint32_t> numbers_;
    static constexpr std::size_t kRegisters = 9;
    std::array<std::uint32_t, kRegisters> owners_{};  ///< scalar in each register; kNone: free
};

}  // namespace zetl::emulator::translate
