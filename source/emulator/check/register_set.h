// Registers of a thread, a bit for each; all flags are one.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "emulator/isa/state_layout.h"
#include "emulator/isa/thread.h"

namespace zetl::emulator::check {

class RegisterSet {
  public:
    static constexpr std::uint32_t kRegisters =
        (isa::layout::kGrfBytes + isa::layout::kAccumulatorBytes) / isa::layout::kRegisterBytes;
    static constexpr std::uint32_t kFlags = kRegisters;  ///< the number of all flags

    constexpr void add(std::uint32_t number) noexcept { words_[number / 64] |= std::uint64_t{1} << number % 64; }
    constexpr void remove(std::uint32_t number) noexcept { words_[number / 64] &= ~(std::uint64_t{1} << number % 64); }
    constexpr bool has(std::uint32_t number) const noexcept { return (words_[number / 64] >> number % 64 & 1) != 0; }
    /// Those that [place, place + bytes) of a thread's state reaches into.
    constexpr void addBytes(std::uint32_t place, std::uint32_t bytes) noexcept {
        for (std::uint32_t at = place / isa::layout::kRegisterBytes;
             at < kRegisters && at * isa::layout::kRegisterBytes < place + bytes; ++at)
            add(at);
    }
    constexpr void addAll() noexcept { words_.fill(~std::uint64_t{0}); }
    constexpr void clear() noexcept { words_.fill(0); }
    constexpr bool empty() const noexcept { return !meets(*this); }
    constexpr bool meets(const RegisterSet& other) const noexcept {
        std::uint64_t common = 0;
        for (std::size_t i = 0; i < words_.size(); ++i) common |= words_[i] & other.words_[i];
        return common != 0;
    }
    template <class F>
    constexpr void each(F&& f) const {
        eachIn(*this, f);
    }
    /// Those that are in the other set, too; `f` may remove the one that it is called for from either set.
    template <class F>
    constexpr void eachIn(const RegisterSet& other, F&& f) const {
        for (std::uint32_t word = 0; word < words_.size(); ++word)
            for (std::uint64_t rest = words_[word] & other.words_[word]; rest != 0; rest &= rest - 1)
                f(word * 64 + static_cast<std::uint32_t>(std::countr_zero(rest)));
    }

    constexpr const isa::Followed& words() const noexcept { return words_; }

  private:
    isa::Followed words_{};
    static_assert(kFlags < sizeof(isa::Followed) * 8);
};

}  // namespace zetl::emulator::check
