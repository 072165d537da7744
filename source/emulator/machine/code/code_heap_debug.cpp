// The instruction heap as debuggers use it.
#include <cstring>

#include "emulator/machine/code/code_breakpoints.h"
#include "emulator/machine/code/code_heap_state.h"

namespace zetl::emulator::machine {
namespace {

LineSpan allLines(const LoadedProgram& loaded) noexcept { return {0, loaded.program->lineCount()}; }

bool insideRange(const CodeRange* range, uint64_t address, size_t bytes) noexcept {
    return range != nullptr && bytes <= range->address() + range->bytes() - address;
}

}  // namespace

bool CodeHeap::read(uint64_t address, void* to, size_t bytes) const {
    std::shared_lock guard(state_->mutex);
    const uint64_t offset = address - state_->base;
    if (!insideRange(state_->rangeAt(offset), address, bytes) && !state_->isDebugArea(offset, bytes)) return false;
    std::memcpy(to, CodeHeapState::at(address), bytes);
    return true;
}

// A change of breakpoint bits only moves stops; anything else lowers the range anew, and its threads move over at their
// next turn.
bool CodeHeap::write(uint64_t address, const void* from, size_t bytes) {
    std::unique_lock guard(state_->mutex);
    const uint64_t offset = address - state_->base;
    if (state_->isDebugArea(offset, bytes)) {
        std::memcpy(CodeHeapState::at(address), from, bytes);
        state_->areaChanged = true;
        return true;
    }
    CodeRange* range = state_->rangeAt(offset);
    if (!insideRange(range, address, bytes)) return false;
    std::byte* const code = CodeHeapState::at(range->address());
    const std::vector<std::byte> before(code, code + range->bytes());
    std::memcpy(CodeHeapState::at(address), from, bytes);
    if (range->programs_.empty()) return true;

    isa::Program& program = *range->programs_.back()->program;
    const LineSpan lines = linesTouching(program, address - range->address(), bytes);
    if (sameButBreakpoints(program, before.data(), code, lines)) {
        updateBreakpoints(program, code, lines, state_->armed != 0);
    } else {
        state_->lower(*range);
    }
    return true;
}

/// With the lock held: the range's bytes become its program.
void CodeHeapState::lower(CodeRange& range) {
    const std::span<const std::byte> code(at(range.address()), range.bytes());
    auto loaded =
        std::make_unique<LoadedProgram>(code, isa::LowerOptions{.base = range.offset(), .markLines = range.markLines_});
    updateBreakpoints(*loaded->program, code.data(), allLines(*loaded), armed != 0);
    range.program_.store(loaded.get(), std::memory_order_release);
    range.programs_.push_back(std::move(loaded));
    version.fetch_add(1, std::memory_order_release);
}

void CodeHeap::arm() {
    std::unique_lock guard(state_->mutex);
    if (state_->armed++ != 0) return;
    for (const auto& [offset, range] : state_->live) {
        if (range->programs_.empty()) continue;
        const LoadedProgram& loaded = *range->programs_.back();
        updateBreakpoints(*loaded.program, CodeHeapState::at(range->address()), allLines(loaded), true);
    }
}

void CodeHeap::disarm() {
    std::unique_lock guard(state_->mutex);
    if (--state_->armed != 0) return;
    for (const auto& [offset, range] : state_->live) {
        for (const auto& loaded : range->programs_) {
            updateBreakpoints(*loaded->program, CodeHeapState::at(range->address()), allLines(*loaded), false);
        }
    }
}

uint64_t CodeHeap::version() const noexcept { return state_->version.load(std::memory_order_acquire); }

}  // namespace zetl::emulator::machine
