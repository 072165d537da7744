#include "instrumentation/register_set.h"

#include <algorithm>

namespace zetl::instrumentation {
namespace {

std::uint32_t endOf(ByteRange range) noexcept {
    return range.start >= place::kEnd ? range.start : range.start + std::min(range.count, place::kEnd - range.start);
}

}  // namespace

RegisterSet RegisterSet::all() noexcept { return ~RegisterSet(); }

void RegisterSet::add(ByteRange range) noexcept {
    for (std::uint32_t byte = range.start; byte < endOf(range); ++byte) bytes_.set(byte);
}

void RegisterSet::remove(ByteRange range) noexcept {
    for (std::uint32_t byte = range.start; byte < endOf(range); ++byte) bytes_.reset(byte);
}

bool RegisterSet::meets(ByteRange range) const noexcept {
    for (std::uint32_t byte = range.start; byte < endOf(range); ++byte)
        if (bytes_[byte]) return true;
    return false;
}

RegisterSet& RegisterSet::operator|=(const RegisterSet& other) noexcept {
    bytes_ |= other.bytes_;
    return *this;
}

RegisterSet RegisterSet::operator~() const noexcept {
    RegisterSet inverse(*this);
    inverse.bytes_.flip();
    return inverse;
}

std::vector<ByteRange> RegisterSet::ranges(std::uint32_t begin, std::uint32_t end) const {
    std::vector<ByteRange> found;
    for (std::uint32_t byte = begin; byte < std::min(end, place::kEnd); ++byte) {
        if (!bytes_[byte]) continue;
        if (!found.empty() && found.back().start + found.back().count == byte)
            ++found.back().count;
        else
            found.push_back({byte, 1});
    }
    return found;
}

}  // namespace zetl::instrumentation
