#include "emulator/machine/model/line_numbers.h"

#include <algorithm>
#include <bit>

namespace zetl::emulator::machine {

LineNumbers::LineNumbers(std::uint32_t lineBytes) noexcept
    : lineBits_(std::min(static_cast<std::uint32_t>(std::countr_zero(lineBytes)), kPageBits)) {}

std::uint32_t LineNumbers::numberOf(std::uint64_t page) {
    if (page == lastPage_) return lastNumber_;
    lastNumber_ = pages_.try_emplace(page, static_cast<std::uint32_t>(pages_.size())).first->second;
    lastPage_ = page;
    return lastNumber_;
}

std::uint32_t LineNumbers::of(std::uint64_t address) {
    const std::uint32_t within = static_cast<std::uint32_t>(address & ((1u << kPageBits) - 1)) >> lineBits_;
    return numberOf(address >> kPageBits) << (kPageBits - lineBits_) | within;
}

void LineNumbers::clear() noexcept {
    pages_.clear();
    lastPage_ = ~std::uint64_t{0};
}

}  // namespace zetl::emulator::machine
