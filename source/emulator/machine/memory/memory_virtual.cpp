// Virtual ranges and the physical memory mapped into them.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>

#include "base/file_descriptor.h"
#include "emulator/machine/memory/host_pages.h"
#include "emulator/machine/memory/memory_state.h"
#include "emulator/machine/memory/shared_file.h"

namespace zetl::emulator::machine {
namespace {

bool aligned(std::uint64_t address, std::uint64_t bytes) noexcept {
    return bytes != 0 && address % pages::size() == 0 && bytes % pages::size() == 0 && address + bytes > address;
}

/// The mapped ranges that overlap [first, last), which is reserved: nothing else can be there.
std::vector<Allocation> mappedParts(const AllocationTable& table, std::uint64_t first, std::uint64_t last) {
    std::vector<Allocation> parts;
    for (const Allocation* part = table.before(last - 1); part != nullptr && part->end > first;
         part = table.before(part->begin - 1))
        parts.push_back(*part);
    std::ranges::reverse(parts);
    return parts;
}

}  // namespace

std::uint64_t Memory::pageBytes() noexcept { return pages::size(); }

const Allocation* Memory::State::reservationAt(std::uint64_t address) const {
    const auto next = reservations.upper_bound(address);
    if (next == reservations.begin()) return nullptr;
    const Allocation& candidate = std::prev(next)->second;
    return candidate.contains(address) ? &candidate : nullptr;
}

bool Memory::State::reserved(std::uint64_t begin, std::uint64_t end) const {
    while (begin < end) {
        const Allocation* reservation = reservationAt(begin);
        if (reservation == nullptr) return false;
        begin = reservation->end;
    }
    return true;
}

bool Memory::State::leavingOverlaps(std::uint64_t begin, std::uint64_t end) const {
    return std::ranges::any_of(leaving, [=](const auto& range) { return range.first < end && begin < range.second; });
}

std::optional<Allocation> Memory::findReserved(std::uint64_t address) const {
    if (state_->fork.inChild()) return {};
    const Lock guard(state_->mutex);
    const Allocation* found = state_->reservationAt(address);
    return found == nullptr ? std::nullopt : std::optional<Allocation>(*found);
}

Memory::Answer Memory::reserve(std::uint64_t hint, std::uint64_t bytes) {
    if (state_->fork.inChild()) return {MemoryStatus::lost, 0};
    if (!aligned(0, bytes)) return {MemoryStatus::invalid, 0};
    const Lock guard(state_->mutex);
    state_->reap(*quiescence_);
    const std::uint64_t begin = pages::reserve(hint, bytes);
    if (begin == 0) return {MemoryStatus::outOfHostMemory, 0};
    state_->freed.forget(begin, begin + bytes);
    state_->reservations[begin] = {begin, begin + bytes, MemoryKind::mapped, Permission::none, state_->nextId++, 0};
    return {MemoryStatus::ok, begin};
}

MemoryStatus Memory::release(std::uint64_t address, std::uint64_t bytes) {
    if (state_->fork.inChild()) return MemoryStatus::lost;
    {
        const Lock guard(state_->mutex);
        const auto whole = state_->reservations.find(address);
        if (whole == state_->reservations.end() || whole->second.bytes() != bytes) return MemoryStatus::invalid;
    }
    if (const MemoryStatus bad = unmap(address, bytes); bad != MemoryStatus::ok) return bad;
    const Lock guard(state_->mutex);
    const auto found = state_->reservations.find(address);
    if (found == state_->reservations.end() || found->second.bytes() != bytes) return MemoryStatus::invalid;
    const Allocation* inside = table_->before(address + bytes - 1);
    if (inside != nullptr && inside->end > address) return MemoryStatus::invalid;
    if (state_->leavingOverlaps(address, address + bytes)) return MemoryStatus::invalid;
    state_->freed.add(found->second);
    state_->reservations.erase(found);
    pages::unmap(address, bytes);
    return MemoryStatus::ok;
}

std::shared_ptr<PhysicalMemory> Memory::createPhysical(std::uint64_t bytes, std::shared_ptr<MemoryBudget> budget) {
    if (state_->fork.inChild() || !aligned(0, bytes)) return nullptr;
    auto charge = MemoryCharge::take(std::move(budget), bytes);
    if (!charge) return nullptr;
    FileDescriptor file = shared_file::create(shared_file::Content::memory, bytes);
    return file ? std::make_shared<PhysicalMemory>(std::move(file), bytes, *std::move(charge)) : nullptr;
}

std::shared_ptr<PhysicalMemory> Memory::importPhysical(int descriptor, std::uint64_t bytes) {
    if (state_->fork.inChild() || !aligned(0, bytes)) return nullptr;
    if (!shared_file::keepsSize(descriptor) || !shared_file::holds(descriptor, bytes)) return nullptr;
    FileDescriptor own(fcntl(descriptor, F_DUPFD_CLOEXEC, 0));
    return own ? std::make_shared<PhysicalMemory>(std::move(own), bytes, MemoryCharge()) : nullptr;
}

MemoryStatus Memory::map(std::uint64_t address, std::uint64_t bytes, std::shared_ptr<PhysicalMemory> physical,
                         std::uint64_t offset, Permission permission, std::uint64_t owner) {
    if (state_->fork.inChild()) return MemoryStatus::lost;
    if (!physical || !aligned(address, bytes) || offset % pages::size() != 0) return MemoryStatus::invalid;
    if (offset > physical->bytes() || bytes > physical->bytes() - offset) return MemoryStatus::invalid;
    const Lock guard(state_->mutex);
    const Allocation* reservation = state_->reservationAt(address);
    if (reservation == nullptr || address + bytes > reservation->end) return MemoryStatus::invalid;
    const Allocation range{address, address + bytes, MemoryKind::mapped, permission, state_->nextId, owner};
    const Allocation* inside = table_->before(range.end - 1);
    if (inside != nullptr && inside->end > address) return MemoryStatus::invalid;
    if (state_->leavingOverlaps(range.begin, range.end)) return MemoryStatus::invalid;
    if (!pages::replaceShared(address, physical->descriptor(), offset, bytes)) return MemoryStatus::outOfHostMemory;
    ++state_->nextId;
    state_->freed.forget(range.begin, range.end);
    state_->physicalAt[address] = {std::move(physical), offset};
    table_->insert(range);
    return MemoryStatus::ok;
}

MemoryStatus Memory::unmap(std::uint64_t address, std::uint64_t bytes) {
    if (state_->fork.inChild()) return MemoryStatus::lost;
    if (!aligned(address, bytes)) return MemoryStatus::invalid;
    Lock guard(state_->mutex);
    if (!state_->reserved(address, address + bytes)) return MemoryStatus::invalid;
    const auto parts = mappedParts(*table_, address, address + bytes);
    if (parts.empty()) return MemoryStatus::ok;
    if (parts.front().begin < address || parts.back().end > address + bytes) return MemoryStatus::invalid;
    for (const Allocation& part : parts) {
        table_->erase(part.begin);
        state_->freed.add(part);
        state_->physicalAt.erase(part.begin);
    }
    // A worker may be inside an access that was checked before; meanwhile nobody may map here.
    const auto leaving = state_->leaving.insert({address, address + bytes}).first;
    guard.unlock();
    quiescence_->synchronize(quiescence_->ticket());
    guard.lock();
    pages::discard(address, bytes);
    state_->leaving.erase(leaving);
    return MemoryStatus::ok;
}

std::optional<PhysicalView> Memory::physicalBehind(std::uint64_t address) const {
    if (state_->fork.inChild()) return {};
    const Lock guard(state_->mutex);
    const Allocation* range = table_->find(address);
    if (range == nullptr || range->kind != MemoryKind::mapped) return {};
    const PhysicalView& view = state_->physicalAt.at(range->begin);
    return PhysicalView{view.physical, view.offset + address - range->begin};
}

MemoryStatus Memory::protect(std::uint64_t address, std::uint64_t bytes, Permission permission) {
    if (state_->fork.inChild()) return MemoryStatus::lost;
    if (!aligned(address, bytes)) return MemoryStatus::invalid;
    const Lock guard(state_->mutex);
    const std::uint64_t last = address + bytes;
    if (!state_->reserved(address, last)) return MemoryStatus::invalid;
    for (const Allocation& part : mappedParts(*table_, address, last)) {
        const std::uint64_t begin = std::max(part.begin, address);
        const std::uint64_t end = std::min(part.end, last);
        const PhysicalView physical = state_->physicalAt[part.begin];
        std::vector<Allocation> pieces;
        const auto piece = [&](std::uint64_t from, std::uint64_t to, Permission allowed) ZETL_REQUIRES(state_->mutex) {
            if (from == to) return;
            pieces.push_back({from, to, part.kind, allowed, part.id, part.owner});
            state_->physicalAt[from] = {physical.physical, physical.offset + from - part.begin};
        };
        piece(part.begin, begin, part.permission);
        piece(begin, end, permission);
        piece(end, part.end, part.permission);
        table_->split(part.begin, pieces);
    }
    return MemoryStatus::ok;
}

}  // namespace zetl::emulator::machine
