#include "emulator/machine/code/line_runs.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <new>
#include <utility>

namespace zetl::emulator::machine {

namespace {

std::int64_t read(const std::int64_t& word) noexcept {
    return std::atomic_ref(const_cast<std::int64_t&>(word)).load(std::memory_order_acquire);
}

}  // namespace

/// The first line from this one on that has a difference; lines() if there is none. Most have none.
isa::Line LineRuns::nextChange(isa::Line line) const noexcept {
    constexpr std::ptrdiff_t kTogether = 4;
    const std::int64_t* at = &differences_[line];
    const std::int64_t* const end = &differences_.back();
    while (end - at >= kTogether && (read(at[0]) | read(at[1]) | read(at[2]) | read(at[3])) == 0) at += kTogether;
    while (at != end && read(*at) == 0) ++at;
    return static_cast<isa::Line>(at - differences_.data());
}

/// The same when nothing writes any more, by the host's library, which compares whole vectors. A module may have a
/// hundred thousand lines, and a launch executes some hundred of them.
isa::Line LineRuns::nextSettledChange(isa::Line line) const noexcept {
    static constexpr std::array<std::int64_t, 256> kNone{};
    for (; lines() - line >= kNone.size(); line += static_cast<isa::Line>(kNone.size()))
        if (std::memcmp(&differences_[line], kNone.data(), sizeof kNone) != 0) break;
    return nextChange(line);
}

// From low lines to high ones: isa::account() writes the end of a run before its beginning.
template <class Next>
std::vector<LineStretch> LineRuns::stretchesBy(Next next) const {
    std::vector<LineStretch> found;
    std::int64_t executed = 0;
    isa::Line begin = 0;
    for (isa::Line line = next(0);; line = next(line + 1)) {
        if (executed > 0) found.push_back({begin, line, static_cast<std::uint64_t>(executed)});
        if (line == lines()) return found;
        executed += read(differences_[line]);
        begin = line;
    }
}

std::vector<LineStretch> LineRuns::stretches() const {
    return stretchesBy([this](isa::Line line) { return nextChange(line); });
}

std::vector<LineStretch> LineRuns::take() {
    std::vector<LineStretch> found = stretchesBy([this](isa::Line line) { return nextSettledChange(line); });
    for (const LineStretch& stretch : found) differences_[stretch.begin] = differences_[stretch.end] = 0;
    cleared_ = true;
    return found;
}

void LineRuns::clear() noexcept {
    if (!cleared_) std::ranges::fill(differences_, 0);
    cleared_ = true;
}

std::unique_ptr<LineRuns> SpareLineRuns::take() noexcept {
    const Lock guard(mutex_);
    if (spare_.empty()) return nullptr;
    auto runs = std::move(spare_.back());
    spare_.pop_back();
    return runs;
}

void SpareLineRuns::give(std::unique_ptr<LineRuns> runs) noexcept {
    constexpr std::size_t kMost = 8;
    runs->clear();
    const Lock guard(mutex_);
    if (spare_.size() == kMost) return;
    try {
        spare_.push_back(std::move(runs));
    } catch (const std::bad_alloc&) {
        // It goes, which gives memory back.
    }
}

}  // namespace zetl::emulator::machine
