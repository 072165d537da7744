// The bytes of a thread's registers, and flags, that an instruction names.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "emulator/check/register_set.h"

namespace zetl::emulator::check {

class UsedBytes {
  public:
    /// A bit for each byte of a register.
    using Bytes = std::uint64_t;
    static_assert(isa::layout::kRegisterBytes == 64);
    struct Piece {
        std::uint32_t number;  ///< of the register, as RegisterSet's
        Bytes bytes;
    };

    /// Calls f(number, bytes) for each register that [place, place + bytes) of a thread's state reaches into.
    template <class F>
    static constexpr void eachPiece(std::uint32_t place, std::uint32_t bytes, F&& f) {
        const std::uint32_t end = place + bytes;
        for (std::uint32_t at = place; at < end;) {
            const std::uint32_t number = at / isa::layout::kRegisterBytes;
            if (number >= RegisterSet::kRegisters) return;
            const std::uint32_t begin = number * isa::layout::kRegisterBytes;
            const std::uint32_t next = std::min(end, begin + isa::layout::kRegisterBytes);
            f(number, ~Bytes{0} >> (isa::layout::kRegisterBytes - (next - at)) << (at - begin));
            at = next;
        }
    }

    void addBytes(std::uint32_t place, std::uint32_t bytes) {
        eachPiece(place, bytes, [this](std::uint32_t number, Bytes some) {
            const auto known = std::ranges::find(pieces_, number, &Piece::number);
            if (known != pieces_.end())
                known->bytes |= some;
            else
                pieces_.push_back({number, some});
        });
    }
    void addFlags() noexcept { flags_ = true; }
    const std::vector<Piece>& pieces() const noexcept { return pieces_; }
    bool flags() const noexcept { return flags_; }
    void addTo(RegisterSet& registers) const noexcept {
        for (const Piece& piece : pieces_) registers.add(piece.number);
        if (flags_) registers.add(RegisterSet::kFlags);
    }

  private:
    std::vector<Piece> pieces_;
    bool flags_ = false;
};

}  // namespace zetl::emulator::check
