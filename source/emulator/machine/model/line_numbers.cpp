#include "emulator/machine/model/line_numbers.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace zetl::emulator::machine {
namespace {

constexpr std::size_t kFirstPlaces = 1024;
constexpr std::uint64_t kSpread = 0x9e3779b97f4a7c15;  // 2^64 divided by the golden ratio

}  // namespace

LineNumbers::LineNumbers(std::uint32_t lineBytes, FindHome findHome) noexcept
    : lineBits_(std::min(static_cast<std::uint32_t>(std::countr_zero(lineBytes)), kPageBits)),
      findHome_(std::move(findHome)) {}

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

LineNumbers::Page& LineNumbers::enter(std::uint64_t page, std::uint32_t number) {
    if (2 * met_ >= pages_.size()) grow();
    Page& place = placeOf(page);
    place.page = page;
    place.number = number;
    ++met_;
    return place;
}

/// Of a page that is met for the first time. The first page of a block is in the table once one of the block is.
std::uint32_t LineNumbers::numberOf(std::uint64_t page, const Home& home) {
    const std::uint64_t begin = home.begin >> kPageBits;
    const std::uint64_t within = (page - begin) % kBlock;
    const Page& first = placeOf(page - within);
    const bool numbered = first.page == page - within && first.number % kBlock == 0;
    if (within != 0 && numbered) return first.number + static_cast<std::uint32_t>(within);
    const auto block = static_cast<std::uint32_t>(isHost_.size());
    const bool known = first.page == page - within;  // under a number of an allocation that was here before
    isHost_.resize(isHost_.size() + kBlock);
    homes_.emplace_back();
    if (within != 0 && !known) enter(page - within, block);
    return block + static_cast<std::uint32_t>(within);
}

const LineNumbers::Home& LineNumbers::homeAt(std::uint64_t address) {
    const auto known = std::ranges::find_if(lately_, [&](const Home& home) { return home.contains(address); });
    if (known != lately_.end()) return *known;
    Home& home = lately_[nextLately_++ % lately_.size()];
    home = findHome_ ? findHome_(address) : Home();
    return home;
}

LineNumbers::Page LineNumbers::find(std::uint64_t address) {
    const std::uint64_t page = address >> kPageBits;
    if (pages_.empty()) grow();
    if (const Page& found = placeOf(page); found.round == round_ && found.page == page) return found;
    const Home home = homeAt(address);
    Page* found = &placeOf(page);
    if (found->page != page) {
        const std::uint32_t number = numberOf(page, home);
        found = &enter(page, number);
    }
    isHost_[found->number] = home.host;
    homes_[found->number / kBlock] = home;
    found->round = round_;
    return *found;
}

void LineNumbers::clear() noexcept {
    pages_.clear();
    isHost_.clear();
    homes_.clear();
    met_ = 0;
    lookAgain();
}

void LineNumbers::lookAgain() noexcept {
    latest_ = Page();
    lately_ = {};
    if (++round_ != 0) return;
    round_ = 1;
    for (Page& page : pages_) page.round = 0;
}

}  // namespace zetl::emulator::machine
