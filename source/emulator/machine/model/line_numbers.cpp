#include "emulator/machine/model/line_numbers.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace zetl::emulator::machine {
namespace {

constexpr std::size_t kFirstPlaces = 1024;
constexpr std::uint64_t kMostDirect = std::uint64_t{1} << 14;  // pages: a table of 64 KiB stays in the host's caches
constexpr std::uint64_t kSpread = 0x9e3779b97f4a7c15;          // 2^64 divided by the golden ratio

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

LineNumbers::Lately* LineNumbers::latelyAt(std::uint64_t address) noexcept {
    const auto known =
        std::ranges::find_if(lately_, [&](const Lately& lately) { return lately.home.contains(address); });
    return known == lately_.end() ? nullptr : &*known;
}

const LineNumbers::Home& LineNumbers::homeAt(std::uint64_t address) {
    if (const Lately* const known = latelyAt(address)) return known->home;
    Lately& lately = lately_[nextLately_++ % lately_.size()];
    lately.home = findHome_ ? findHome_(address) : Home();
    const Home& home = lately.home;
    const std::uint64_t pages = ((home.begin + home.bytes - 1) >> kPageBits) - (home.begin >> kPageBits) + 1;
    lately.numbers.clear();
    if (home.bytes != 0 && pages <= kMostDirect) lately.numbers.resize(pages);
    return home;
}

/// Kernels that take lines from all over an allocation need another page for each.
LineNumbers::Page LineNumbers::find(std::uint64_t address) {
    const std::uint64_t page = address >> kPageBits;
    Lately* lately = latelyAt(address);
    const std::uint32_t* const known = lately == nullptr ? nullptr : lately->numberOf(page);
    if (known != nullptr && *known != 0) return {page, *known - 1, round_};
    const Page found = findInTable(address);
    lately = latelyAt(address);
    if (std::uint32_t* const number = lately == nullptr ? nullptr : lately->numberOf(page)) *number = found.number + 1;
    return found;
}

LineNumbers::Page LineNumbers::findInTable(std::uint64_t address) {
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
    for (Lately& lately : lately_) {
        lately.home = {};
        lately.numbers.clear();
    }
    if (++round_ != 0) return;
    round_ = 1;
    for (Page& page : pages_) page.round = 0;
}

}  // namespace zetl::emulator::machine
