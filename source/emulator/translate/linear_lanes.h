// Lanes of which each is as much more than the one before: one number in a general register of the host stands for all.
//
// So are work-items' ids, and what is computed of them until it is an address. Such lanes are kept here until something
// needs them as vectors; where they lie they are newer than in a register of the cache and at home.
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
#include "emulator/translate/step_extents.h"

namespace zetl::emulator::translate {

/// lane i = scalar + offset + step * i, modulo 2 to the bits of the lanes.
struct Linear {
    static constexpr std::uint32_t kNone = ~0u;
    std::uint32_t scalar = kNone;  ///< of LinearLanes; kNone is nothing to add
    std::int64_t offset = 0;
    std::int64_t step = 0;
    bool exact = false;  ///< without the modulus

    bool operator==(const Linear&) const = default;
};

class LinearLanes {
  public:
    struct Held {
        Extent extent;
        Linear lanes;
        bool home = false;  ///< they are where they lie as well
    };

    /// `changed`: what is written beside; other places of the state hold at home what they hold. Where lanes are not as
    /// they were taken for, the code goes on at `otherwise`.
    LinearLanes(asmjit::x86::Assembler& to, const asmjit::x86::Gp& state,
                const std::bitset<isa::layout::kBytes>& changed, const asmjit::Label& otherwise);

    /// Numbers that are found or made from now on are needed together; earlier ones only if lanes are held of them.
    void beginStep() noexcept { ++time_; }

    /// What is held of these elements, or is at home and stays there.
    std::optional<Linear> find(const Extent& e);
    bool isHeld(const Extent& e) const;
    /// Whether such elements may be held.
    static bool canHold(const Extent& e) noexcept;
    /// Held from now on; nothing else is of these bytes.
    void hold(const Extent& e, const Linear& lanes, bool home = false);
    /// What is held of any of these bytes.
    std::vector<Held> overlapping(const Extent& e) const;
    /// Forgets what is held of any of these bytes, for it is elsewhere or replaced.
    void forget(const Extent& e);
    /// Forgets what lies in the working space, or in registers that are not among these.
    void keepOnly(const isa::StateSlots& needed);

    /// Numbers that are needed beside those of held lanes, until the next call.
    void alsoNeeded(std::vector<std::uint32_t> numbers) { alsoNeeded_ = std::move(numbers); }

    /// A number that a register has just been given.
    std::optional<Linear> fresh(asmjit::x86::Gp& reg, std::uint32_t bits);

    // Nothing where no code is known, or no register left.
    std::optional<Linear> sum(const Linear& x, const Linear& y, std::uint32_t bytes);
    std::optional<Linear> product(const Linear& x, const Linear& y, std::uint32_t bytes);
    std::optional<Linear> shifted(asmjit::InstId id, const Linear& x, std::uint32_t by, std::uint32_t bytes);
    std::optional<Linear> combined(asmjit::InstId id, const Linear& x, const Linear& y, std::uint32_t bytes);
    /// As lanes of another width.
    std::optional<Linear> extended(const Linear& x, const Extent& from, std::uint32_t bytes, bool isSigned);

    /// The lane as a number in `to`, all 64 bits or the low 32.
    bool load(const asmjit::x86::Gp& to, const Linear& x, std::uint32_t lane, std::uint32_t bytes);

  private:
    enum class Kind : std::uint8_t { given, home, constant, sum, product, operation, extension };
    /// What a number is, so that none is computed twice.
    struct Origin {
        Kind kind;
        std::uint32_t detail;  ///< instruction, or the bytes of what is extended
        std::uint32_t x;
        std::uint32_t y;
        std::int64_t value;
        std::uint32_t bytes;
        auto operator<=>(const Origin&) const = default;  // NOLINT(modernize-use-nullptr)
    };
    struct Scalar {
        Origin origin;
        std::optional<asmjit::x86::Gp> reg;
        std::uint32_t bits = 64;        ///< that may be set in it
        std::uint64_t highest = ~0ull;  ///< it is known not to be more
        std::uint64_t used = 0;
    };

    std::uint32_t number(const Origin& origin);
    std::optional<asmjit::x86::Gp> takeRegister(std::uint32_t number);
    /// The register of a number; loads what is at home.
    std::optional<asmjit::x86::Gp> registerOf(std::uint32_t number);
    bool isNeeded(std::uint32_t number) const;
    std::optional<Linear> findHeld(const Extent& e);
    bool isAtHome(const Extent& e) const;
    /// The same as a number of its own.
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
    std::array<std::uint32_t, kRegisters> owners_{};  ///< of the registers, by scalar; kNone is nobody
};

}  // namespace zetl::emulator::translate
