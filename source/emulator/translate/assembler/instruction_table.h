// Tables of rows, found by instruction.
#pragma once

#include <asmjit/x86.h>

#include <array>
#include <cstddef>
#include <cstdint>

namespace zetl::emulator::translate::avx2 {

/// A table of rows, each with its own `id`. An instruction is looked up in many tables, one after the other, so each
/// has to find the row at once.
template <class Row, std::size_t kRows>
class InstructionTable {
  public:
    // NOLINTNEXTLINE(google-explicit-constructor): a table is written as its rows
    constexpr InstructionTable(const Row (&rows)[kRows]) noexcept {
        for (std::size_t n = 0; n < kRows; ++n) {
            rows_[n] = rows[n];
            numbers_[rows[n].id] = static_cast<std::uint8_t>(n + 1);
        }
    }
    /// Null if there is none.
    constexpr const Row* find(asmjit::InstId id) const noexcept {
        const std::uint8_t number = numbers_[id];
        return number == 0 ? nullptr : &rows_[number - 1];
    }

  private:
    static_assert(kRows < 0xff);
    std::array<Row, kRows> rows_{};
    std::array<std::uint8_t, asmjit::x86::Inst::_kIdCount> numbers_{};
};

}  // namespace zetl::emulator::translate::avx2
