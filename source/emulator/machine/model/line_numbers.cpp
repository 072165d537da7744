#include "emulator/machine/model/line_numbers.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace zetl::emulator::machine {
namespace {

constexpr std::size_t kFirstPlaces = 1024;
constexpr std::uint64_t kSpread = 0x9e3779b97f4a7c15;  // 2^64 divided by the golden ratio

}  // namespace

LineNumbers::LineNumbers(std::uint32_t lineBytes, IsHost isHost) noexcept
    : lineBits_(std::min(static_cast<std::uint32_t>(std::countr_zero(lineBytes)), kPageBits)),
      asksIfHost_(std::move(isHost)) {}

/// Where it is or would be.
LineNumbers::Page& LineNumbers::placeOf(std::uint64_t page) noexcept {
    std::size_t at = page * kSpread >> shift_;
    while (pages_[at].page != page && pages_[at].page != kNoPage) at = (at + 1) & (pages_.size() - 1);
    return pages_[at];
}

void LineNumbers::grow() {
    std::vector<Page> former(pages_.empty() ? kFirstPlaces : 2 * pages_.size());
    former.swap(pages_);
    shift_ = 64 - std::countr_zero(pages_.size());
    for (const Page& page : former)
        if (page.page != kNoPage) placeOf(page.page) = page;
}

LineNumbers::Page LineNumbers::find(std::uint64_t address) {
    const std::uint64_t page = address >> kPageBits;
    if (2 * isHost_.size() >= pages_.size()) grow();
    Page& found = placeOf(page);
    if (found.round == round_ && found.page == page) return found;
    const bool isHost = asksIfHost_ && asksIfHost_(address);
    if (found.page == page) {
        isHost_[found.number] = isHost;
    } else {
        isHost_.push_back(isHost);
        found.page = page;
        found.number = static_cast<std::uint32_t>(isHost_.size() - 1);
    }
    found.round = round_;
    return found;
}

void LineNumbers::clear() noexcept {
    pages_.clear();
    isHost_.clear();
    lookAgain();
}

void LineNumbers::lookAgain() noexcept {
    latest_ = Page();
    if (++round_ != 0) return;
    round_ = 1;
    for (Page& page : pages_) page.round = 0;
}

}  // namespace zetl::emulator::machine
