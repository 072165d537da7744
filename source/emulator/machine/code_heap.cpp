#include "emulator/machine/code_heap.h"

#include "emulator/isa/instruction.h"
#include "emulator/machine/host_pages.h"
#include "emulator/machine/loaded_program.h"
#include "emulator/machine/range_allocator.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <shared_mutex>

namespace zetl::emulator::machine {

struct CodeHeapState {
    static constexpr uint64_t kBytes = 4ull << 30;
    static constexpr uint64_t kPrefetchSlack = 256;  // the instruction prefetch reads behind the end

    CodeHeapState();
    ~CodeHeapState();

    const CodeRange* rangeAt(uint64_t offset) const;
    bool isDebugArea(uint64_t offset, uint64_t bytes) const noexcept {
        return offset < CodeHeap::kDebugAreaBytes && bytes <= CodeHeap::kDebugAreaBytes - offset;
    }

    mutable std::shared_mutex mutex;
    uint64_t base = 0;
    RangeAllocator free{CodeHeap::kDebugAreaBytes, kBytes - CodeHeap::kDebugAreaBytes};
    std::map<uint64_t, std::weak_ptr<CodeRange>> ranges;  // by offset
    std::map<uint64_t, CodeRange*> live;                  // the same, for use under the lock
    uint32_t armed = 0;
    std::vector<std::unique_ptr<LoadedProgram>> areaPrograms;  // code that debuggers put into the debug area
    bool areaChanged = true;
};

namespace {

constexpr uint64_t kNoHeap = 0;

/// What a debugger finds at the instruction base.
struct DebugAreaHeader {
    char magic[8] = {'d', 'b', 'g', 'a', 'r', 'e', 'a', 0};
    uint64_t reserved = 1;
    uint8_t version = 0;
    uint8_t pageSizeCode = 1;
    uint8_t bytes = sizeof(DebugAreaHeader);
    uint8_t reserved2 = 0;
    uint16_t scratchBegin = sizeof(DebugAreaHeader);
    uint16_t scratchEnd = CodeHeap::kDebugAreaBytes - sizeof(DebugAreaHeader);
    uint64_t sharedByTiles = 1;
};
static_assert(sizeof(DebugAreaHeader) == 32);

std::byte* at(uint64_t address) noexcept { return reinterpret_cast<std::byte*>(address); }

/// Where an instruction's breakpoint bit is: bit 7 of a compacted one, bit 30 of a full one.
struct BreakpointBit {
    explicit BreakpointBit(const isa::Instruction& i) noexcept
        : byte(i.bytes == 8 ? 0 : 3), mask(std::byte(i.bytes == 8 ? 0x80 : 0x40)) {}
    size_t byte;
    std::byte mask;
};

/// Whether the two images of an instruction agree in everything but the breakpoint bit.
bool sameButBreakpoint(const isa::Instruction& i, const std::byte* before, const std::byte* after) noexcept {
    const BreakpointBit bit(i);
    for (size_t b = 0; b < i.bytes; ++b) {
        const std::byte ignored = b == bit.byte ? bit.mask : std::byte(0);
        if (((before[b] ^ after[b]) & ~ignored) != std::byte(0)) return false;
    }
    return true;
}

bool hasBreakpoint(const isa::Instruction& i, const std::byte* code) noexcept {
    const BreakpointBit bit(i);
    return (code[bit.byte] & bit.mask) != std::byte(0);
}

/// Sets or clears the stops of lines [first, last) as the code's breakpoint bits say, or clears all if not armed.
void updateBreakpoints(LoadedProgram& loaded, const std::byte* code, isa::Line first, isa::Line last, bool armed) {
    isa::Program& program = *loaded.program;
    for (isa::Line line = first; line < last; ++line) {
        const isa::Instruction& i = program.instruction(line);
        const bool wanted = armed && hasBreakpoint(i, code + (program.ipOf(line) - program.base()));
        if (wanted != program.hasBreakpoint(line)) program.setBreakpoint(line, wanted);
    }
}

}  // namespace

CodeHeapState::CodeHeapState() {
    base = pages::reserve(0, kBytes);
    if (base == kNoHeap || !pages::commit(base, CodeHeap::kDebugAreaBytes)) return;
    const DebugAreaHeader header;
    std::memcpy(at(base), &header, sizeof header);
}

CodeHeapState::~CodeHeapState() { pages::unmap(base, base == kNoHeap ? 0 : kBytes); }

const CodeRange* CodeHeapState::rangeAt(uint64_t offset) const {
    const auto next = live.upper_bound(offset);
    if (next == live.begin()) return nullptr;
    const CodeRange* range = std::prev(next)->second;
    return offset < range->offset() + range->bytes() ? range : nullptr;
}

CodeRange::~CodeRange() {
    std::unique_lock guard(heap_->mutex);
    heap_->ranges.erase(offset_);
    heap_->live.erase(offset_);
    heap_->free.release(offset_, bytes_ + CodeHeapState::kPrefetchSlack);
}

CodeHeap::CodeHeap() : state_(std::make_shared<CodeHeapState>()) {}
CodeHeap::~CodeHeap() = default;

uint64_t CodeHeap::base() const noexcept { return state_->base; }

std::shared_ptr<CodeRange> CodeHeap::allocate(uint64_t bytes) {
    if (bytes == 0 || bytes > CodeHeapState::kBytes || state_->base == kNoHeap) return nullptr;
    std::unique_lock guard(state_->mutex);
    const uint64_t whole = bytes + CodeHeapState::kPrefetchSlack;
    const auto offset = state_->free.allocate(whole);
    if (!offset) return nullptr;
    const uint64_t first = (state_->base + *offset) & ~(pages::size() - 1);
    const uint64_t last = pages::roundUp(state_->base + *offset + whole);
    if (!pages::commit(first, last - first)) {
        state_->free.release(*offset, whole);
        return nullptr;
    }
    std::memset(at(state_->base + *offset), 0, whole);
    std::shared_ptr<CodeRange> range(new CodeRange);
    range->heap_ = state_;
    range->offset_ = static_cast<uint32_t>(*offset);
    range->address_ = state_->base + *offset;
    range->bytes_ = bytes;
    state_->ranges[*offset] = range;
    state_->live[*offset] = range.get();
    return range;
}

void CodeHeap::install(CodeRange& range, std::span<const std::byte> code, bool debuggable) {
    const size_t bytes = std::min<size_t>(code.size(), range.bytes());
    auto loaded = std::make_unique<LoadedProgram>(code.first(bytes), isa::LowerOptions{.base = range.offset(), .markLines = debuggable});
    std::unique_lock guard(state_->mutex);
    std::memcpy(at(range.address()), code.data(), bytes);
    if (state_->armed != 0) {
        updateBreakpoints(*loaded, code.data(), 0, loaded->program->lineCount(), true);
    }
    range.markLines_ = debuggable;
    range.program_.store(loaded.get(), std::memory_order_release);
    range.programs_.push_back(std::move(loaded));
}

bool CodeHeap::read(uint64_t address, void* to, size_t bytes) const {
    std::shared_lock guard(state_->mutex);
    const uint64_t offset = address - state_->base;
    const CodeRange* range = state_->rangeAt(offset);
    const bool inside = range != nullptr && bytes <= range->address() + range->bytes() - address;
    if (!inside && !state_->isDebugArea(offset, bytes)) return false;
    std::memcpy(to, at(address), bytes);
    return true;
}

bool CodeHeap::write(uint64_t address, const void* from, size_t bytes) {
    std::unique_lock guard(state_->mutex);
    const uint64_t offset = address - state_->base;
    if (state_->isDebugArea(offset, bytes)) {
        std::memcpy(at(address), from, bytes);
        state_->areaChanged = true;
        return true;
    }
    auto* range = const_cast<CodeRange*>(state_->rangeAt(offset));
    if (range == nullptr || bytes > range->address() + range->bytes() - address) return false;
    const std::vector<std::byte> before(at(range->address()), at(range->address()) + range->bytes());
    std::memcpy(at(address), from, bytes);
    if (range->programs_.empty()) return true;

    LoadedProgram& loaded = *range->programs_.back();
    const isa::Program& program = *loaded.program;
    const auto lineAfter = [&](uint64_t position) {  // the first line that begins behind the position
        isa::Line low = 0, high = program.lineCount();
        while (low < high) {
            const isa::Line middle = low + (high - low) / 2;
            program.ipOf(middle) - program.base() <= position ? low = middle + 1 : high = middle;
        }
        return low;
    };
    const uint64_t position = address - range->address();
    const isa::Line first = std::max(lineAfter(position), 1u) - 1, last = lineAfter(position + std::max<size_t>(bytes, 1) - 1);
    bool same = true;
    for (isa::Line line = first; line < last && same; ++line) {
        const uint32_t where = program.ipOf(line) - program.base();
        same = sameButBreakpoint(program.instruction(line), before.data() + where, at(range->address()) + where);
    }
    if (same) {
        updateBreakpoints(loaded, at(range->address()), first, last, state_->armed != 0);
        return true;
    }
    auto changed = std::make_unique<LoadedProgram>(std::span<const std::byte>(at(range->address()), range->bytes()),
                                                   isa::LowerOptions{.base = range->offset(), .markLines = range->markLines_});
    updateBreakpoints(*changed, at(range->address()), 0, changed->program->lineCount(), state_->armed != 0);
    range->program_.store(changed.get(), std::memory_order_release);
    range->programs_.push_back(std::move(changed));
    return true;
}

void CodeHeap::arm() {
    std::unique_lock guard(state_->mutex);
    if (state_->armed++ != 0) return;
    for (const auto& [offset, range] : state_->live) {
        if (range->programs_.empty()) continue;
        LoadedProgram& loaded = *range->programs_.back();
        updateBreakpoints(loaded, at(range->address()), 0, loaded.program->lineCount(), true);
    }
}

void CodeHeap::disarm() {
    std::unique_lock guard(state_->mutex);
    if (--state_->armed != 0) return;
    for (const auto& [offset, range] : state_->live) {
        for (const auto& loaded : range->programs_) {
            updateBreakpoints(*loaded, at(range->address()), 0, loaded->program->lineCount(), false);
        }
    }
}

CodeHeap::Found CodeHeap::find(uint64_t address) const {
    std::shared_lock guard(state_->mutex);
    const uint64_t offset = address - state_->base;
    if (state_->isDebugArea(offset, 1)) return {state_->base, state_->base + kDebugAreaBytes};
    const CodeRange* range = state_->rangeAt(offset);
    return range == nullptr ? Found{} : Found{range->address(), range->address() + range->bytes()};
}

const LoadedProgram* CodeHeap::programAt(uint32_t offset) {
    {
        std::shared_lock guard(state_->mutex);
        if (const CodeRange* range = state_->rangeAt(offset)) return range->program();
    }
    if (!state_->isDebugArea(offset, 1)) return nullptr;
    std::unique_lock guard(state_->mutex);
    if (state_->areaChanged) {
        state_->areaPrograms.push_back(std::make_unique<LoadedProgram>(
            std::span<const std::byte>(at(state_->base), kDebugAreaBytes), isa::LowerOptions{.base = 0, .markLines = true}));
        state_->areaChanged = false;
    }
    return state_->areaPrograms.back().get();
}

std::vector<std::shared_ptr<CodeRange>> CodeHeap::ranges() const {
    std::vector<std::shared_ptr<CodeRange>> found;
    std::shared_lock guard(state_->mutex);
    for (const auto& [offset, range] : state_->ranges) {
        if (auto kept = range.lock()) found.push_back(std::move(kept));
    }
    return found;
}

}  // namespace zetl::emulator::machine
