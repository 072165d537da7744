#include "emulator/machine/model/shared_lines.h"

#include <algorithm>
#include <cstdlib>

#include "emulator/machine/model/share.h"

namespace zetl::emulator::machine {

void SharedLines::begin(std::uint32_t simulated, std::uint32_t subslices) noexcept {
    simulated_ = simulated;
    subslices_ = subslices;
    weight_ = kWeight;
    places_.clear();
    blocks_.clear();
    regions_.clear();
    current_ = 0;
}

void SharedLines::forgetLines() noexcept {
    places_.clear();
    current_ = blocks_.size();
}

SharedLines::Block* SharedLines::find(std::uint32_t line) noexcept {
    const std::size_t block = line / kLines;
    return block < places_.size() && places_[block] != 0 ? &blocks_[places_[block] - 1] : nullptr;
}

/// A dispatch uses a few of them.
std::uint32_t SharedLines::regionOf(const Owner& owner) {
    const auto known =
        std::ranges::find(regions_, owner.begin, [](const Region& region) { return region.owner.begin; });
    if (known != regions_.end()) return static_cast<std::uint32_t>(known - regions_.begin());
    regions_.push_back({.owner = owner});
    return static_cast<std::uint32_t>(regions_.size() - 1);
}

SharedLines::Block& SharedLines::findOrMake(std::uint32_t line, const Owner& owner) {
    const std::size_t number = line / kLines;
    if (number >= places_.size()) places_.resize(number + 1);
    if (places_[number] == 0) {
        const std::uint32_t region = regionOf(owner);
        blocks_.emplace_back().region = region;
        places_[number] = static_cast<std::uint32_t>(blocks_.size());
    }
    return blocks_[places_[number] - 1];
}

void SharedLines::missed(std::uint32_t line, std::uint32_t subslice, Use use, const Owner& owner, std::uint64_t time) {
    Block& block = findOrMake(line, owner);
    Region& region = regions_[block.region];
    ++block.missed;
    block.weighed += weight_;
    block.weighedRead += use == Use::read ? weight_ : 0;
    ++region.missed;
    region.weighed += weight_;
    block.lines[line % kLines] = {static_cast<std::uint32_t>(time), static_cast<std::uint8_t>(subslice + 1)};
    if (use == Use::written) bring(block, region);
}

void SharedLines::found(std::uint32_t line, std::uint32_t subslice, std::uint64_t time) noexcept {
    Block* const block = find(line);
    if (block == nullptr) return;
    Bringing& brought = block->lines[line % kLines];
    if (brought.by == 0 || brought.by == kBoth || brought.by == subslice + 1) return;
    brought.by = kBoth;
    ++block->shared;
    Region& region = regions_[block->region];
    const auto since = static_cast<std::int32_t>(static_cast<std::uint32_t>(time) - brought.at);
    ++region.shared;
    region.apart += static_cast<std::uint64_t>(std::abs(std::int64_t{since}));
}

/// What the sample brings stands for what all bring, of its block and of the allocation.
bool SharedLines::othersBring(std::uint32_t line) noexcept {
    Block* const block = find(line);
    if (block == nullptr) return false;
    Region& region = regions_[block->region];
    if (aloneOf(block->brought + 1) > estimateOf(*block) ||
        aloneOf(region.brought + 1) > limitOf(region, aloneOf(region.missed)))
        return true;
    bring(*block, region);
    return false;
}

/// Of many that use a line at any time within a span, two are a third of it apart in the mean, and one comes half of it
/// after the first.
std::uint64_t SharedLines::broughtSince(std::uint32_t line) noexcept {
    const Block* const block = find(line);
    if (block == nullptr || simulated_ == 1) return kLong;
    const Region& region = regions_[block->region];
    return share(region.apart, 3, 2 * region.shared);
}

void SharedLines::bring(Block& block, Region& region) noexcept {
    ++block.brought;
    ++region.brought;
}

/// As many as all sub-slices bring if none of them shares a line.
std::uint64_t SharedLines::aloneOf(std::uint64_t missed) const noexcept { return missed * subslices_ / simulated_; }

/// If a part r of all sub-slices uses a line, both sub-slices of the sample do so with r^2, and at least one of them
/// with 2r - r^2. So r is 2 shared / (missed + shared), and each of the `missed` lines stands for 1 / (2r - r^2). If
/// the two have no lines in common, the size of the allocation still says how many must share one.
std::uint64_t SharedLines::estimateOf(const Block& block) const noexcept {
    const std::uint64_t alone = aloneOf(block.missed);
    if (block.shared == 0) return alone;
    const std::uint64_t both = std::uint64_t{block.missed} + block.shared;
    return std::min(alone, both * both / (4 * std::uint64_t{block.shared}));
}

/// So many lines of an allocation, or as many as it has.
std::uint64_t SharedLines::limitOf(const Region& region, std::uint64_t lines) const noexcept {
    return region.owner.lines == 0 ? lines : std::min(lines, std::max(region.owner.lines, region.missed));
}

SharedLines::Lines SharedLines::sum(std::uint64_t Block::*part) const {
    struct OfRegion {
        std::uint64_t all = 0;
        std::uint64_t ofPart = 0;
        std::uint64_t weighed = 0;  ///< of the part
    };
    std::vector<OfRegion> estimates(regions_.size());
    for (const Block& block : blocks_) {
        OfRegion& sum = estimates[block.region];
        const std::uint64_t estimate = estimateOf(block);
        sum.all += share(estimate, block.weighed, block.missed);
        sum.ofPart += share(estimate, block.*part, block.missed);
        sum.weighed += block.*part;
    }
    Lines lines;
    for (std::size_t i = 0; i < regions_.size(); ++i) {
        const OfRegion& sum = estimates[i];
        const Region& region = regions_[i];
        const std::uint64_t all = sum.all / kWeight;
        const std::uint64_t alone = aloneOf(sum.weighed) / kWeight;
        const std::uint64_t estimated = share(sum.ofPart / kWeight, limitOf(region, all), all);
        const std::uint64_t fits =
            share(limitOf(region, aloneOf(region.weighed) / kWeight), sum.weighed, region.weighed);
        lines.alone += alone;
        lines.estimated += estimated;
        lines.most += region.owner.lines == 0 ? estimated : std::max(estimated, fits);
    }
    return lines;
}

}  // namespace zetl::emulator::machine
