#include "emulator/machine/code_heap.h"

#include <algorithm>
#include <cstring>

#include "emulator/machine/code/code_heap_state.h"
#include "emulator/machine/memory/host_pages.h"

namespace zetl::emulator::machine {

namespace {

constexpr std::uint64_t kNoHeap = 0;

/// What a debugger finds at the instruction base.
struct DebugAreaHeader {
    char magic[8] = {'d', 'b', 'g', 'a', 'r', 'e', 'a', 0};
    std::uint64_t reserved = 1;
    std::uint8_t version = 0;
    std::uint8_t pageSizeCode = 1;
    std::uint8_t bytes = sizeof(DebugAreaHeader);
    std::uint8_t reserved2 = 0;
    std::uint16_t scratchBegin = sizeof(DebugAreaHeader);
    std::uint16_t scratchEnd = CodeHeap::kDebugAreaBytes - sizeof(DebugAreaHeader);
    std::uint64_t sharedByTiles = 1;
};
static_assert(sizeof(DebugAreaHeader) == 32);

}  // namespace

CodeHeapState::CodeHeapState(const zetl::isa::xe::Architecture& executed) : architecture(executed) {
    base = pages::reserve(0, kBytes);
    if (base == kNoHeap || !pages::commit(base, CodeHeap::kDebugAreaBytes)) return;
    const DebugAreaHeader header;
    std::memcpy(CodeHeapState::at(base), &header, sizeof header);
}

CodeHeapState::~CodeHeapState() { pages::unmap(base, base == kNoHeap ? 0 : kBytes); }

CodeRange* CodeHeapState::rangeAt(std::uint64_t offset) const {
    const auto next = live.upper_bound(offset);
    if (next == live.begin()) return nullptr;
    CodeRange* range = std::prev(next)->second;
    return offset < range->offset() + range->bytes() ? range : nullptr;
}

CodeRange::~CodeRange() {
    const WriteLock guard(heap_->mutex);
    heap_->ranges.erase(offset_);
    heap_->live.erase(offset_);
    heap_->tileBreakpoints.forget(offset_, offset_ + bytes_);
    heap_->free.release(offset_, bytes_ + CodeHeapState::kPrefetchSlack);
}

CodeHeap::CodeHeap(const zetl::isa::xe::Architecture& architecture)
    : state_(std::make_shared<CodeHeapState>(architecture)) {}
CodeHeap::~CodeHeap() = default;

std::uint64_t CodeHeap::base() const noexcept { return state_->base; }

std::shared_ptr<CodeRange> CodeHeap::allocate(std::uint64_t bytes) {
    if (bytes == 0 || bytes > CodeHeapState::kBytes || state_->base == kNoHeap) return nullptr;
    const WriteLock guard(state_->mutex);
    const std::uint64_t whole = bytes + CodeHeapState::kPrefetchSlack;
    const auto offset = state_->free.allocate(whole);
    if (!offset) return nullptr;
    const std::uint64_t first = (state_->base + *offset) & ~(pages::size() - 1);
    const std::uint64_t last = pages::roundUp(state_->base + *offset + whole);
    if (!pages::commit(first, last - first)) {
        state_->free.release(*offset, whole);
        return nullptr;
    }
    std::memset(CodeHeapState::at(state_->base + *offset), 0, whole);
    std::shared_ptr<CodeRange> range(new CodeRange);
    range->heap_ = state_;
    range->offset_ = static_cast<std::uint32_t>(*offset);
    range->address_ = state_->base + *offset;
    range->bytes_ = bytes;
    state_->ranges[*offset] = range;
    state_->live[*offset] = range.get();
    return range;
}

void CodeHeap::install(CodeRange& range, std::span<const std::byte> code, std::vector<isa::RegisterLimit> limits) {
    const WriteLock guard(state_->mutex);
    range.limits_ = std::move(limits);
    const auto fitting = code.first(std::min<std::size_t>(code.size(), range.bytes()));
    std::ranges::copy(fitting, CodeHeapState::at(range.address()));
    state_->lower(range);
}

CodeHeap::Found CodeHeap::find(std::uint64_t address) const {
    const ReadLock guard(state_->mutex);
    const std::uint64_t offset = address - state_->base;
    if (state_->isDebugArea(offset, 1)) return {state_->base, state_->base + kDebugAreaBytes};
    const CodeRange* range = state_->rangeAt(offset);
    return range == nullptr ? Found{} : Found{range->address(), range->address() + range->bytes()};
}

const LoadedProgram* CodeHeap::programAt(std::uint32_t offset) {
    {
        const ReadLock guard(state_->mutex);
        if (const CodeRange* range = state_->rangeAt(offset)) return range->program();
    }
    if (!state_->isDebugArea(offset, 1)) return nullptr;
    const WriteLock guard(state_->mutex);
    return state_->areaProgramAt(offset);
}

std::vector<std::shared_ptr<CodeRange>> CodeHeap::ranges() const {
    std::vector<std::shared_ptr<CodeRange>> found;
    const ReadLock guard(state_->mutex);
    for (const auto& [offset, range] : state_->ranges) {
        if (auto kept = range.lock()) found.push_back(std::move(kept));
    }
    return found;
}

}  // namespace zetl::emulator::machine
