// The instruction heap's functions for debuggers.
#include <algorithm>
#include <cstring>

#include "emulator/machine/code/code_breakpoints.h"
#include "emulator/machine/code/code_heap_state.h"

namespace zetl::emulator::machine {
namespace {

LineSpan allLines(const LoadedProgram& loaded) noexcept { return {0, loaded.program->lineCount()}; }

bool insideRange(const CodeRange* range, std::uint64_t address, std::size_t bytes) noexcept {
    return range != nullptr && bytes <= range->address() + range->bytes() - address;
}

}  // namespace

bool CodeHeap::read(std::uint64_t address, void* to, std::size_t bytes, TileMask tiles) const {
    const ReadLock guard(state_->mutex);
    const std::uint64_t offset = address - state_->base;
    const CodeRange* const range = state_->rangeAt(offset);
    if (!insideRange(range, address, bytes) && !state_->isDebugArea(offset, bytes)) return false;
    if (range == nullptr || range->programs_.empty() || state_->tileBreakpoints.none()) {
        std::memcpy(to, CodeHeapState::at(address), bytes);
        return true;
    }
    const std::byte* const code = CodeHeapState::at(range->address());
    std::vector<std::byte> seen(code, code + range->bytes());
    const LoadedProgram& loaded = *range->programs_.back();
    state_->tileBreakpoints.hideOthers(*loaded.program, seen.data(), allLines(loaded), tiles);
    std::memcpy(to, seen.data() + (address - range->address()), bytes);
    return true;
}

bool CodeHeap::write(std::uint64_t address, const void* from, std::size_t bytes, TileMask tiles) {
    const WriteLock guard(state_->mutex);
    const std::uint64_t offset = address - state_->base;
    if (state_->isDebugArea(offset, bytes)) {
        std::memcpy(CodeHeapState::at(address), from, bytes);
        return true;
    }
    CodeRange* range = state_->rangeAt(offset);
    if (!insideRange(range, address, bytes)) return false;
    state_->change(*range, address - range->address(), {static_cast<const std::byte*>(from), bytes}, tiles);
    return true;
}

/// A change of breakpoint bits only moves stops; anything else, the range's first breakpoint
/// included, lowers the range anew, and its threads move over at their next turn.
void CodeHeapState::change(CodeRange& range, std::uint64_t position, std::span<const std::byte> bytes, TileMask tiles) {
    std::byte* const code = at(range.address());
    const std::vector<std::byte> before(code, code + range.bytes());
    if (range.programs_.empty()) {
        std::ranges::copy(bytes, code + position);
        return;
    }
    isa::Program& program = *range.programs_.back()->program;
    const LineSpan lines = linesTouching(program, position, bytes.size());
    tileBreakpoints.hideOthers(program, code, lines, tiles);
    std::ranges::copy(bytes, code + position);
    const bool breakpointsAlone = sameButBreakpoints(program, before.data(), code, lines);
    if (breakpointsAlone) {
        tileBreakpoints.take(program, before.data(), code, lines, tiles);
    } else {
        tileBreakpoints.forget(range.offset() + position, range.offset() + position + bytes.size());
    }
    const bool first = !range.markLines_ && anyMarked(program, code, lines);
    range.markLines_ |= first;
    if (first || !breakpointsAlone) return lower(range);
    updateBreakpoints(program, code, lines, armed != 0);
}

bool CodeHeap::stopsTile(std::uint32_t offset, std::uint32_t tile) const {
    const ReadLock guard(state_->mutex);
    return (state_->tileBreakpoints.of(offset) >> tile & 1) != 0;
}

/// The code that a debugger put into the debug area from that offset on. Debuggers place instructions anywhere, so the
/// bytes before them do not show where they begin.
const LoadedProgram* CodeHeapState::areaProgramAt(std::uint64_t offset) {
    constexpr std::uint64_t kLongest = 16;  // bytes of an instruction
    const std::byte* const begin = at(base + offset);
    const std::byte* end = at(base + CodeHeap::kDebugAreaBytes);
    while (end > begin && end[-1] == std::byte(0)) --end;
    // One instruction more, which is illegal: a step over the last one ends there.
    const auto used = static_cast<std::uint64_t>(end - begin) + 2 * kLongest;
    std::vector<std::byte> code(begin,
                                begin + std::min(used / kLongest * kLongest, CodeHeap::kDebugAreaBytes - offset));
    auto& program = areaPrograms[{offset, code}];
    if (program == nullptr)
        program = std::make_shared<LoadedProgram>(
            code, isa::LowerOptions{
                      .architecture = &architecture, .base = static_cast<std::uint32_t>(offset), .markLines = true});
    return program.get();
}

/// Makes the range's bytes its program.
void CodeHeapState::lower(CodeRange& range) {
    const std::span<const std::byte> code(at(range.address()), range.bytes());
    auto loaded = std::make_shared<LoadedProgram>(code, isa::LowerOptions{.architecture = &architecture,
                                                                          .base = range.offset(),
                                                                          .limits = range.limits_,
                                                                          .markLines = range.markLines_});
    loaded->counted = range.counted_;
    updateBreakpoints(*loaded->program, code.data(), allLines(*loaded), armed != 0);
    range.program_.store(loaded.get(), std::memory_order_release);
    range.programs_.push_back(std::move(loaded));
    version.fetch_add(1, std::memory_order_release);
}

void CodeHeap::stopEverywhere(std::uint64_t address) {
    const WriteLock guard(state_->mutex);
    CodeRange* const range = state_->rangeAt(address - state_->base);
    if (range == nullptr || range->markLines_ || range->programs_.empty()) return;
    range->markLines_ = true;
    state_->lower(*range);
}

void CodeHeap::arm() {
    const WriteLock guard(state_->mutex);
    if (state_->armed++ != 0) return;
    for (const auto& [offset, range] : state_->live) {
        if (range->programs_.empty()) continue;
        const LoadedProgram& loaded = *range->programs_.back();
        updateBreakpoints(*loaded.program, CodeHeapState::at(range->address()), allLines(loaded), true);
    }
}

/// The debuggers of the tiles are gone, and their breakpoints with them.
void CodeHeapState::clearBreakpoints(TileMask tiles) {
    for (const auto offset : tileBreakpoints.release(tiles)) {
        const CodeRange* const range = rangeAt(offset);
        if (range == nullptr || range->programs_.empty()) continue;
        isa::Program& program = *range->programs_.back()->program;
        const isa::Line line = program.lineAt(static_cast<std::uint32_t>(offset));
        if (line == isa::kNoLine) continue;
        std::byte* const code = at(range->address());
        setMark(program, line, code, false);
        updateBreakpoints(program, code, {line, line + 1}, armed != 0);
    }
}

void CodeHeap::disarm(TileMask tiles) {
    const WriteLock guard(state_->mutex);
    const bool last = --state_->armed == 0;
    state_->clearBreakpoints(last ? kAllTiles : tiles);
    if (!last) return;
    for (const auto& [offset, range] : state_->live) {
        for (const auto& loaded : range->programs_) {
            updateBreakpoints(*loaded->program, CodeHeapState::at(range->address()), allLines(*loaded), false);
        }
    }
}

std::uint64_t CodeHeap::version() const noexcept { return state_->version.load(std::memory_order_acquire); }

}  // namespace zetl::emulator::machine
