#include "emulator/check/mark_table.h"

namespace zetl::emulator::check {

void MarkTable::join(std::uint64_t block) noexcept {
    const std::uint64_t word = shared(block);
    if (!isApart(word)) return;
    const std::uint64_t first = block * kBlock;
    const std::uint64_t all = marks_[first].load(kRelaxed);
    const isa::Line line = areLinesApart(word) ? lines_[first].load(kRelaxed) : lineIn(word);
    for (std::uint64_t at = first + 1; at < first + kBlock; ++at) {
        if (marks_[at].load(kRelaxed) != all) return;
        if (areLinesApart(word) && lines_[at].load(kRelaxed) != line) return;
    }
    setShared(block, all, line);
}

std::uint64_t MarkTable::takeApart(std::uint64_t block, isa::Line line) noexcept {
    const std::uint64_t all = shared(block);
    if (isApart(all)) return all;  // by another worker, just now
    for (std::uint64_t at = block * kBlock; at < (block + 1) * kBlock; ++at) marks_[at].store(all, kRelaxed);
    const isa::Line known = all == 0 ? line : shared_[block].line[side_].load(kRelaxed);
    const std::uint64_t word = kApart | std::uint64_t{known} << kLineAt;
    shared_[block].mark[side_].store(word, std::memory_order_release);
    return word;
}

std::uint64_t MarkTable::takeLinesApart(std::uint64_t block) noexcept {
    const std::uint64_t all = shared(block);
    if (!isApart(all) || areLinesApart(all)) return all;  // by another worker, just now
    for (std::uint64_t at = block * kBlock; at < (block + 1) * kBlock; ++at) lines_[at].store(lineIn(all), kRelaxed);
    shared_[block].mark[side_].store(kApart | kLinesApart, std::memory_order_release);
    return kApart | kLinesApart;
}

}  // namespace zetl::emulator::check
