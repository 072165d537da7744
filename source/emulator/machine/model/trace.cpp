#include "emulator/machine/model/trace.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace zetl::emulator::machine {
namespace {

// [31:30] tell what a word is. Arrival: [29:0] line. Program: [29:0] its number, that of the arrivals from here on.
// Access: [29:27] space, [26] write, [25] atomic, [24:17] passes or number of runs, [16:15] form of the runs; in the
// next word the line, and if there are runs, the first line of all in two more words, and the runs.
constexpr std::uint32_t kKind = 3u << 30;
constexpr std::uint32_t kArrival = 0;
constexpr std::uint32_t kProgram = 1u << 30;
constexpr std::uint32_t kAccess = 2u << 30;
constexpr std::uint32_t kNumber = ~kKind;
constexpr int kSpaceBit = 27;
constexpr std::uint32_t kWrite = 1u << 26;
constexpr std::uint32_t kAtomic = 1u << 25;
constexpr int kCountBit = 17;
constexpr int kFormBit = 15;
constexpr std::size_t kHeader = 2;       // words of an access
constexpr std::size_t kBase = 2;         // more of them
constexpr std::size_t kFirstWords = 64;  // what a short thread needs
constexpr std::size_t kAhead = 32;       // words of a trace that are asked of the host before they are needed

TraceSpace spaceOf(std::uint32_t word) noexcept { return static_cast<TraceSpace>(word >> kSpaceBit & 7); }
std::uint32_t countOf(std::uint32_t word) noexcept { return word >> kCountBit & 0xff; }
PackedRuns::Form formOf(std::uint32_t word) noexcept { return static_cast<PackedRuns::Form>(word >> kFormBit & 3); }

/// The number of words of an entry that begins with this one.
std::size_t lengthOf(std::uint32_t word) noexcept {
    if ((word & kKind) != kAccess) return 1;
    if (spaceOf(word) == TraceSpace::local || countOf(word) == 0) return kHeader;
    return kHeader + kBase + PackedRuns::wordsFor(formOf(word), countOf(word));
}

}  // namespace

std::uint64_t PackedRuns::lines() const noexcept {
    if (form_ == Form::bytes || form_ == Form::words) return count_;
    std::uint64_t sum = 0;
    each([&](const LineRun& run) { sum += run.count; });
    return sum;
}

PackedRuns::Fit PackedRuns::fitFor(std::span<const LineRun> runs) noexcept {
    constexpr std::uint64_t kMostNear = (1u << 24) - 1;
    std::uint64_t least = ~std::uint64_t{0};
    std::uint64_t most = 0;
    std::uint32_t longest = 0;
    for (const LineRun& run : runs) {
        least = std::min(least, run.first);
        most = std::max(most, run.first);
        longest = std::max(longest, run.count);
    }
    const std::uint64_t apart = most - least;
    const Form form = apart > kMostNear                                    ? Form::far
                      : longest > 1                                        ? Form::runs
                      : apart <= std::numeric_limits<std::uint8_t>::max()  ? Form::bytes
                      : apart <= std::numeric_limits<std::uint16_t>::max() ? Form::words
                                                                           : Form::runs;
    return {form, least};
}

std::size_t PackedRuns::wordsFor(Form form, std::size_t count) noexcept {
    switch (form) {
        case Form::bytes:
            return (count + 3) / 4;
        case Form::words:
            return (count + 1) / 2;
        case Form::runs:
            return count;
        case Form::far:
            break;
    }
    return 2 * count;
}

void PackedRuns::pack(const Fit& fit, std::span<const LineRun> runs, std::uint32_t* to) noexcept {
    auto* const bytes = reinterpret_cast<std::uint8_t*>(to);
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const std::uint64_t distance = runs[i].first - fit.base;
        const auto near = static_cast<std::uint16_t>(distance);
        const std::uint64_t far = runs[i].first << 8 | (runs[i].count - 1);
        switch (fit.form) {
            case Form::bytes:
                bytes[i] = static_cast<std::uint8_t>(distance);
                break;
            case Form::words:
                std::memcpy(bytes + i * sizeof near, &near, sizeof near);
                break;
            case Form::runs:
                to[i] = static_cast<std::uint32_t>(distance << 8 | (runs[i].count - 1));
                break;
            case Form::far:
                std::memcpy(to + 2 * i, &far, sizeof far);
                break;
        }
    }
}

bool ThreadTrace::takesMore(std::size_t words) {
    full_ = full_ || used_ + words > limit_ || (used_ + words > kShort && TraceMemory::scarce());
    if (full_) return false;
    words_.resize(std::min(limit_, std::max(kFirstWords, 2 * (used_ + words))));
    memory_.become(words_.capacity() * sizeof words_.front());
    return true;
}

/// Arrivals belong to this program from now on.
void ThreadTrace::turnTo(const Schedule& program) {
    const auto found = std::ranges::find(programs_, &program);
    const auto index = static_cast<std::uint32_t>(found - programs_.begin());
    if (found == programs_.end()) programs_.push_back(&program);
    full_ = full_ || index > kNumber;
    if (takes(1)) words_[used_++] = kProgram | index;
    latest_ = &program;
}

void ThreadTrace::clear() noexcept {
    full_ = growing_ = false;
    used_ = settled_ = 0;
    executed = 0;
    latest_ = nullptr;
    programs_.clear();
}

void ThreadTrace::clear(std::size_t mostWords) noexcept {
    clear();
    limit_ = mostWords;
    if (words_.size() > limit_) words_.resize(limit_);
}

/// The index of the first arrival with so many words before it, if there is one, or of the last arrival.
std::size_t ThreadTrace::arrivalBehind(std::size_t words) const noexcept {
    std::size_t at = 0;
    while (at < settled_ && (at < words || (words_[at] & kKind) != kArrival)) at += lengthOf(words_[at]);
    return std::min(at, settled_);
}

ThreadTrace ThreadTrace::soFar(std::size_t mostWords) const {
    if (full_ && used_ <= mostWords) return *this;
    ThreadTrace known(limit_);
    known.growing_ = true;
    known.used_ = arrivalBehind(mostWords);
    known.words_.assign(words_.begin(), words_.begin() + static_cast<std::ptrdiff_t>(known.used_));
    known.memory_.become(known.words_.capacity() * sizeof(std::uint32_t));
    known.programs_ = programs_;
    return known;
}

std::uint64_t ThreadTrace::instructions() const noexcept {
    std::uint64_t sum = 0;
    TraceCursor cursor(*this);
    for (TraceCursor::Arrival at = cursor.arrival(); at.program != nullptr; at = cursor.arrival()) {
        isa::Line line = at.line;
        while (!at.program->plans[line].lastOfBlock) ++line;
        sum += line + 1 - at.line;
    }
    return sum;
}

ThreadTrace ThreadTrace::unbegun() {
    ThreadTrace nothing(0);
    nothing.growing_ = true;
    return nothing;
}

/// Where its runs are stored; null: nowhere.
std::uint32_t* ThreadTrace::begin(const TracedAccess& access, std::size_t count, PackedRuns::Fit fit) {
    const bool local = access.space == TraceSpace::local;
    const bool some = !local && count != 0;
    const std::size_t packed = some ? kBase + PackedRuns::wordsFor(fit.form, count) : 0;
    if (!takes(kHeader + packed)) return nullptr;
    std::uint32_t* const to = words_.data() + used_;
    to[0] = kAccess | std::uint32_t{static_cast<std::uint8_t>(access.space)} << kSpaceBit |
            (access.write ? kWrite : 0) | (access.atomic ? kAtomic : 0) |
            static_cast<std::uint32_t>(local ? access.passes : count) << kCountBit |
            std::uint32_t{static_cast<std::uint8_t>(fit.form)} << kFormBit;
    to[1] = access.line;
    used_ += kHeader + packed;
    if (!some) return nullptr;
    std::memcpy(to + kHeader, &fit.base, sizeof fit.base);
    return to + kHeader + kBase;
}

void ThreadTrace::access(const TracedAccess& access, std::span<const LineRun> runs) {
    const PackedRuns::Fit fit = runs.empty() ? PackedRuns::Fit{} : PackedRuns::fitFor(runs);
    if (std::uint32_t* const to = begin(access, runs.size(), fit)) PackedRuns::pack(fit, runs, to);
}

void ThreadTrace::access(const TracedAccess& access, std::uint64_t base, std::span<const std::uint8_t> distances) {
    if (std::uint32_t* const to = begin(access, distances.size(), {PackedRuns::Form::bytes, base}))
        std::memcpy(to, distances.data(), distances.size());
}

TraceCursor::Arrival TraceCursor::arrival() noexcept {
    for (;;) {
        if (at_ == end_) return {nullptr, 0, growing_};
        const std::uint32_t word = *at_;
        at_ += lengthOf(word);
        if ((word & kKind) == kProgram) program_ = programs_[word & kNumber];
        // Accesses of lines that the model does not take for messages are passed over.
        if ((word & kKind) != kArrival) continue;
        prefetch(at_ + kAhead);
        return {program_, word, false};
    }
}

bool TraceCursor::access(isa::Line line, TracedAccess& access) noexcept {
    if (at_ == end_) return false;
    const std::uint32_t word = *at_;
    if ((word & kKind) != kAccess || at_[1] != line) return false;
    access.space = spaceOf(word);
    access.write = (word & kWrite) != 0;
    access.atomic = (word & kAtomic) != 0;
    access.line = line;
    const bool local = access.space == TraceSpace::local;
    access.passes = local ? static_cast<std::uint8_t>(countOf(word)) : std::uint8_t{1};
    access.runs = {};
    if (!local && countOf(word) != 0) {
        const std::uint64_t base = at_[kHeader] | std::uint64_t{at_[kHeader + 1]} << 32;
        access.runs = PackedRuns(at_ + kHeader + kBase, countOf(word), base, formOf(word));
    }
    at_ += lengthOf(word);
    prefetch(at_ + kAhead);
    return true;
}

}  // namespace zetl::emulator::machine
