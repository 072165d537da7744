#include "emulator/machine/memory/indirect_arena.h"

#include <algorithm>
#include <utility>

namespace zetl::emulator::machine {

IndirectArena::IndirectArena(Memory& memory) : memory_(memory) {
    base_ = memory.allocate({kBytes, 0, MemoryKind::internal, 0, nullptr, 0}).address;
}

IndirectArena::~IndirectArena() {
    if (base_ != 0) memory_.free(base_);
}

std::optional<IndirectArena::Block> IndirectArena::allocate(std::uint64_t bytes) {
    if (base_ == 0) return {};
    bytes = std::max<std::uint64_t>(bytes, 1);
    const Lock guard(mutex_);
    const auto offset = ranges_.allocate(bytes);
    if (!offset) return {};
    return std::optional<Block>(std::in_place, *this, *offset, bytes);
}

IndirectArena::Block& IndirectArena::Block::operator=(Block&& other) noexcept {
    std::swap(arena_, other.arena_);
    std::swap(offset_, other.offset_);
    std::swap(bytes_, other.bytes_);
    return *this;
}

IndirectArena::Block::~Block() {
    if (arena_ == nullptr) return;
    const Lock guard(arena_->mutex_);
    arena_->ranges_.release(offset_, bytes_);
}

}  // namespace zetl::emulator::machine
