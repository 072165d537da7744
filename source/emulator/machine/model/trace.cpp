#include "emulator/machine/model/trace.h"

#include <algorithm>

namespace zetl::emulator::machine {
namespace {

// Arrival: [63] 0, [47:32] program, [31:0] line. Access: [63] 1, [62:60] space, [59] write, [58] atomic, [55:48] runs,
// [39:32] passes, [31:0] line; its runs follow, [63:8] first line, [7:0] number less one.
constexpr std::uint64_t kAccess = std::uint64_t{1} << 63;
constexpr std::uint64_t kWrite = std::uint64_t{1} << 59;
constexpr std::uint64_t kAtomic = std::uint64_t{1} << 58;
constexpr int kSpaceBit = 60;
constexpr int kRunsBit = 48;
constexpr int kPassesBit = 32;
constexpr int kProgramBit = 32;
constexpr std::size_t kMostPrograms = 1 << 16;
constexpr std::uint32_t kMostLines = 256;  // of a run
constexpr std::size_t kFirstWords = 32;    // what a short thread needs
constexpr std::size_t kAhead = 16;         // words of a trace that are asked of the host before they are needed

}  // namespace

bool ThreadTrace::takes(std::size_t words) {
    full_ = full_ || words_.size() + words > limit_;
    if (words_.capacity() == 0 && !full_) words_.reserve(std::min(limit_, kFirstWords));
    return !full_;
}

std::uint64_t ThreadTrace::indexOf(const Schedule& program) {
    if (!programs_.empty() && programs_.front() == &program) return 0;
    const auto found = std::ranges::find(programs_, &program);
    const auto index = static_cast<std::uint64_t>(found - programs_.begin());
    if (found == programs_.end()) programs_.push_back(&program);
    return index;
}

void ThreadTrace::clear() noexcept {
    full_ = growing_ = false;
    settled_ = 0;
    executed = 0;
    words_.clear();
    programs_.clear();
}

void ThreadTrace::arrive(const Schedule& program, isa::Line line) {
    if (!takes(1)) return;
    const std::uint64_t index = indexOf(program);
    full_ = index >= kMostPrograms;
    settled_ = words_.size();
    if (!full_) words_.push_back(index << kProgramBit | line);
}

/// The place of the first arrival that has so many words before it, if there is one, or of the last.
std::size_t ThreadTrace::arrivalBehind(std::size_t words) const noexcept {
    std::size_t at = 0;
    while (at < settled_ && (at < words || (words_[at] & kAccess) != 0))
        at += (words_[at] & kAccess) != 0 ? 1 + (words_[at] >> kRunsBit & 0xff) : 1;
    return std::min(at, settled_);
}

ThreadTrace ThreadTrace::soFar(std::size_t mostWords) const {
    if (full_ && words_.size() <= mostWords) return *this;
    ThreadTrace known(limit_);
    known.growing_ = true;
    known.words_.assign(words_.begin(), words_.begin() + static_cast<std::ptrdiff_t>(arrivalBehind(mostWords)));
    known.programs_ = programs_;
    return known;
}

ThreadTrace ThreadTrace::unbegun() {
    ThreadTrace nothing(0);
    nothing.growing_ = true;
    return nothing;
}

void ThreadTrace::access(const TracedAccess& access, std::span<const LineRun> runs) {
    if (!takes(runs.size() + 1)) return;
    words_.push_back(kAccess | std::uint64_t{static_cast<std::uint8_t>(access.space)} << kSpaceBit |
                     (access.write ? kWrite : 0) | (access.atomic ? kAtomic : 0) |
                     std::uint64_t{runs.size()} << kRunsBit | std::uint64_t{access.passes} << kPassesBit | access.line);
    for (const LineRun& run : runs) words_.push_back(run.first << 8 | (std::min(run.count, kMostLines) - 1));
}

TraceCursor::Arrival TraceCursor::arrival() noexcept {
    // Accesses of lines that the model does not take for messages are passed over.
    while (at_ != end_ && (*at_ & kAccess) != 0) at_ += 1 + (*at_ >> kRunsBit & 0xff);
    if (at_ == end_) return {nullptr, 0, growing_};
    const std::uint64_t word = *at_++;
    __builtin_prefetch(at_ + kAhead);
    return {programs_[word >> kProgramBit], static_cast<isa::Line>(word), false};
}

bool TraceCursor::access(isa::Line line, TracedAccess& access) noexcept {
    if (at_ == end_) return false;
    const std::uint64_t word = *at_;
    if ((word & kAccess) == 0 || static_cast<isa::Line>(word) != line) return false;
    const std::size_t runs = word >> kRunsBit & 0xff;
    access = {static_cast<TraceSpace>(word >> kSpaceBit & 7),
              (word & kWrite) != 0,
              (word & kAtomic) != 0,
              static_cast<std::uint8_t>(word >> kPassesBit),
              line,
              std::span(at_ + 1, runs)};
    at_ += 1 + runs;
    __builtin_prefetch(at_ + kAhead);
    return true;
}

}  // namespace zetl::emulator::machine
