#include "emulator/machine/model/memory_way.h"

#include <algorithm>

namespace zetl::emulator::machine {
namespace {

constexpr std::size_t kWorthDropping = 4096;  // spans

}  // namespace

/// Full spans are passed over together: each learns how far its followers got.
std::size_t MemoryWay::firstWithRoom(std::size_t span) {
    std::size_t at = span;
    while (at < spans_.size() && spans_[at].skip != 0) at += spans_[at].skip;
    if (at >= spans_.size()) spans_.resize(at + 1);
    for (std::size_t passed = span; passed != at;) {
        const std::size_t next = passed + spans_[passed].skip;
        spans_[passed].skip = static_cast<std::uint32_t>(at - passed);
        passed = next;
    }
    return at;
}

std::uint64_t MemoryWay::take(std::uint64_t time) {
    const std::uint64_t span = time / kSpan;
    const std::uint64_t left = std::max(span - std::min(span, earlier_), std::min(span, leftSince_));
    const std::uint64_t asked = std::max(left, first_) - first_;
    std::size_t at = firstWithRoom(static_cast<std::size_t>(asked));
    const std::uint64_t begin = std::max(time, (first_ + at) * kSpan + spans_[at].used / kParts);
    crowded_ = crowded_ || begin - time > kSpan;
    for (std::uint64_t left = parts_;;) {
        Span& span = spans_[at];
        const std::uint64_t taken = std::min(left, kCapacity - span.used);
        span.used += static_cast<std::uint32_t>(taken);
        if (span.used == kCapacity) span.skip = 1;
        left -= taken;
        if (left == 0) return begin;
        at = firstWithRoom(at);
    }
}

void MemoryWay::passed(std::uint64_t time) noexcept {
    const std::uint64_t needed = time / kSpan - std::min(time / kSpan, earlier_);
    const std::uint64_t gone = needed - std::min(first_, needed);
    if (gone < kWorthDropping) return;
    spans_.erase(spans_.begin(),
                 spans_.begin() + static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(gone, spans_.size())));
    first_ += gone;
}

}  // namespace zetl::emulator::machine
