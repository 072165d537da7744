#include "emulator/machine/execution/footprints.h"

#include <algorithm>
#include <new>

namespace zetl::emulator::machine {
namespace {

constexpr std::uint64_t kMostFootprintBytes = 16 << 20;
constexpr std::uint64_t kLeastBetween = 1 << 12;  // instructions
constexpr std::size_t kWordBits = 64;

void add(LineSet& lines, std::size_t line) { lines[line / kWordBits] |= std::uint64_t{1} << line % kWordBits; }

std::size_t wordsFor(std::size_t lines) { return (lines + kWordBits - 1) / kWordBits; }

}  // namespace

LineSet Footprints::since(const Tally& tally) {
    LineSet ran;
    std::size_t first = 0;
    tally.eachRuns([&](const LoadedProgram& program, const std::int64_t* runs) {
        const std::size_t lines = program.lines.size();
        if (then_.size() < first + lines) then_.resize(first + lines);
        ran.resize(wordsFor(first + lines));
        std::int64_t times = 0;
        for (std::size_t line = 0; line < lines; ++line) {
            std::int64_t& then = then_[first + line];
            times += runs[line] - then;
            then = runs[line];
            if (times != 0) add(ran, first + line);
        }
        first += lines;
    });
    return ran;
}

std::uint32_t Footprints::take(const Tally& tally) noexcept try {
    LineSet ran = since(tally);
    const std::uint64_t bytes = ran.size() * sizeof ran[0];
    const auto number = static_cast<std::uint32_t>(sets_.size());
    const auto known = numbers_.find(ran);
    if (known != numbers_.end()) return known->second;
    if (bytes_ + bytes > kMostFootprintBytes) return kUnknown;
    sets_.push_back(nullptr);
    sets_.back() = &numbers_.emplace(std::move(ran), number).first->first;
    bytes_ += bytes;
    return number;
} catch (const std::bad_alloc&) {
    return kUnknown;
}

std::uint64_t Footprints::interval() const noexcept { return std::max<std::uint64_t>(kLeastBetween, then_.size()); }

LineSet Footprints::lines(const Tally& tally, const std::function<bool(std::uint32_t)>& isChosen) {
    LineSet lines;
    std::size_t first = 0;
    tally.eachRuns([&](const LoadedProgram& program, const std::int64_t*) {
        const std::size_t count = program.lines.size();
        lines.resize(wordsFor(first + count));
        for (isa::Line line = 0; line < count; ++line)
            if (isChosen(program.program->ipOf(line))) add(lines, first + line);
        first += count;
    });
    return lines;
}

bool Footprints::mayTouch(std::uint32_t number, const LineSet& lines) const noexcept {
    if (number >= sets_.size() || sets_[number] == nullptr) return true;
    const LineSet& ran = *sets_[number];
    for (std::size_t word = 0; word < std::min(ran.size(), lines.size()); ++word)
        if ((ran[word] & lines[word]) != 0) return true;
    return false;
}

void Footprints::clear() noexcept {
    then_.clear();
    sets_.clear();
    numbers_.clear();
    bytes_ = 0;
}

}  // namespace zetl::emulator::machine
