#include "emulator/machine/model/line_numbers.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace zetl::emulator::machine {
namespace {

constexpr std::uint32_t kMostRounds = (1u << 31) - 1;

}  // namespace

LineNumbers::LineNumbers(std::uint32_t lineBytes, IsHost isHost) noexcept
    : lineBits_(std::min(static_cast<std::uint32_t>(std::countr_zero(lineBytes)), kPageBits)),
      isHost_(std::move(isHost)) {}

void LineNumbers::look(std::uint32_t number, std::uint64_t address) {
    if (number >= pageKinds_.size()) pageKinds_.resize(number + 1);
    auto& kind = pageKinds_[number];
    if (kind.round == round_) return;
    kind.round = round_ & kMostRounds;
    kind.host = isHost_ && isHost_(address) ? 1 : 0;
}

std::uint32_t LineNumbers::numberOf(std::uint64_t address) {
    const std::uint64_t page = address >> kPageBits;
    Lately& lately = lately_[page % kLately];
    if (page == lately.page) return lately.number;
    const std::uint32_t number = pages_.try_emplace(page, static_cast<std::uint32_t>(pages_.size())).first->second;
    look(number, address);
    lately = {page, number};
    return number;
}

std::uint32_t LineNumbers::of(std::uint64_t address) {
    const std::uint32_t within = static_cast<std::uint32_t>(address & ((1u << kPageBits) - 1)) >> lineBits_;
    return numberOf(address) << (kPageBits - lineBits_) | within;
}

void LineNumbers::clear() noexcept {
    pages_.clear();
    pageKinds_.clear();
    lookAgain();
}

void LineNumbers::lookAgain() noexcept {
    std::ranges::fill(lately_, Lately{});
    round_ = round_ == kMostRounds ? 1 : round_ + 1;
}

}  // namespace zetl::emulator::machine
