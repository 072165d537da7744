#include "instrumentation/xe/register_set.h"

#include <algorithm>

namespace zetl::instrumentation {

template <class F>
void RegisterSet::eachWord(ByteRange range, F&& function) noexcept {
    if (range.start >= place::kEnd) return;
    const std::uint32_t end = range.start + std::min(range.count, place::kEnd - range.start);
    for (std::uint32_t byte = range.start; byte < end;) {
        const std::uint32_t low = byte % kBits;
        const std::uint32_t bits = std::min(kBits - low, end - byte);
        const std::uint64_t mask = (bits == kBits ? ~0ull : (1ull << bits) - 1) << low;
        if (!function(byte / kBits, mask)) return;
        byte += bits;
    }
}

RegisterSet RegisterSet::all() noexcept { return ~RegisterSet(); }

void RegisterSet::add(ByteRange range) noexcept {
    eachWord(range, [&](std::uint32_t word, std::uint64_t mask) {
        words_[word] |= mask;
        return true;
    });
}

void RegisterSet::remove(ByteRange range) noexcept {
    eachWord(range, [&](std::uint32_t word, std::uint64_t mask) {
        words_[word] &= ~mask;
        return true;
    });
}

bool RegisterSet::meets(ByteRange range) const noexcept {
    bool found = false;
    eachWord(range, [&](std::uint32_t word, std::uint64_t mask) {
        found = (words_[word] & mask) != 0;
        return !found;
    });
    return found;
}

RegisterSet& RegisterSet::operator|=(const RegisterSet& other) noexcept {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] |= other.words_[i];
    return *this;
}

RegisterSet RegisterSet::operator~() const noexcept {
    RegisterSet inverse;
    inverse.add({0, place::kEnd});
    for (std::size_t i = 0; i < words_.size(); ++i) inverse.words_[i] &= ~words_[i];
    return inverse;
}

std::vector<ByteRange> RegisterSet::ranges(std::uint32_t begin, std::uint32_t end) const {
    std::vector<ByteRange> found;
    for (std::uint32_t byte = begin; byte < std::min(end, place::kEnd); ++byte) {
        if (!(words_[byte / kBits] >> byte % kBits & 1)) continue;
        if (!found.empty() && found.back().start + found.back().count == byte)
            ++found.back().count;
        else
            found.push_back({byte, 1});
    }
    return found;
}

}  // namespace zetl::instrumentation
