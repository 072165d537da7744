#include "emulator/machine/model/shared_lines.h"

#include <algorithm>

#include "emulator/machine/model/share.h"

namespace zetl::emulator::machine {
namespace {

constexpr std::uint64_t kSampled = 2;        // sub-slices
constexpr std::uint32_t kFewToJudgeBy = 32;  // lines of a block

}  // namespace

void SharedLines::begin(std::uint32_t subslices) noexcept {
    subslices_ = subslices;
    places_.clear();
    blocks_.clear();
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

void SharedLines::missed(std::uint32_t line, std::uint32_t subslice, Use use) {
    const std::size_t number = line / kLines;
    if (number >= places_.size()) places_.resize(number + 1);
    if (places_[number] == 0) {
        blocks_.emplace_back();
        places_[number] = static_cast<std::uint32_t>(blocks_.size());
    }
    Block& block = blocks_[places_[number] - 1];
    ++block.missed;
    block.read += use == Use::read;
    block.by[line % kLines] = static_cast<std::uint8_t>(subslice + 1);
}

void SharedLines::found(std::uint32_t line, std::uint32_t subslice) noexcept {
    Block* const block = find(line);
    if (block == nullptr) return;
    std::uint8_t& by = block->by[line % kLines];
    if (by == 0 || by == kBoth || by == subslice + 1) return;
    by = kBoth;
    ++block->shared;
}

/// If a part r of all sub-slices uses a line, both sub-slices of the sample do so with r^2, and at least one of them
/// with 2r - r^2. So r is 2 shared / (missed + shared), and one in r times all sub-slices brings the line.
bool SharedLines::othersBring(std::uint32_t line) noexcept {
    Block* const block = find(line);
    if (block == nullptr || block->missed < kFewToJudgeBy || block->shared == 0) return false;
    const std::uint64_t users = kSampled * block->shared * subslices_ / (std::uint64_t{block->missed} + block->shared);
    return users > 1 && ++block->turn % users != 0;
}

/// Of `missed` lines that two sub-slices brought, each stands for 1 / (2r - r^2) lines.
std::uint64_t SharedLines::estimateOf(const Block& block) const noexcept {
    const std::uint64_t alone = block.missed * subslices_ / kSampled;
    if (block.shared == 0) return alone;
    const std::uint64_t both = std::uint64_t{block.missed} + block.shared;
    return std::min(alone, both * both / (4 * std::uint64_t{block.shared}));
}

SharedLines::Lines SharedLines::all() const noexcept {
    Lines lines;
    for (const Block& block : blocks_) {
        lines.alone += block.missed * subslices_ / kSampled;
        lines.estimated += estimateOf(block);
    }
    return lines;
}

SharedLines::Lines SharedLines::read() const noexcept {
    Lines lines;
    for (const Block& block : blocks_) {
        lines.alone += block.read * subslices_ / kSampled;
        lines.estimated += share(estimateOf(block), block.read, block.missed);
    }
    return lines;
}

}  // namespace zetl::emulator::machine
