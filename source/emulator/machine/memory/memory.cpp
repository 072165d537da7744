#include "emulator/machine/memory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <new>

#include "base/log.h"
#include "emulator/machine/memory/host_pages.h"
#include "emulator/machine/memory/memory_state.h"
#include "emulator/machine/memory/shared_file.h"

namespace zetl::emulator::machine {

namespace {

constexpr std::uint64_t kDevicePage = 64 << 10;

/// A program's allocations and imports begin at pages of the device, of which nobody else has a part.
bool hasPages(MemoryKind kind) noexcept {
    return kind == MemoryKind::device || kind == MemoryKind::host || kind == MemoryKind::shared;
}

/// From so many bytes to whole pages of the device.
std::uint64_t tailBehind(std::uint64_t bytes) noexcept { return -bytes & (kDevicePage - 1); }

}  // namespace

bool MemoryBudget::take(std::uint64_t bytes) noexcept {
    if (!takeOwn(bytes)) return false;
    if (!whole_ || whole_->take(bytes)) return true;
    used_.fetch_sub(bytes, std::memory_order_relaxed);
    return false;
}

void MemoryBudget::give(std::uint64_t bytes) noexcept {
    used_.fetch_sub(bytes, std::memory_order_relaxed);
    if (whole_) whole_->give(bytes);
}

bool MemoryBudget::takeOwn(std::uint64_t bytes) noexcept {
    std::uint64_t used = used_.load(std::memory_order_relaxed);
    do {
        if (bytes > limit_ || used > limit_ - bytes) return false;
    } while (!used_.compare_exchange_weak(used, used + bytes, std::memory_order_relaxed));
    return true;
}

Memory::Memory() : table_(nullptr), quiescence_(std::make_unique<Quiescence>()), state_(std::make_unique<State>()) {
    table_ = std::make_unique<AllocationTable>(*quiescence_);
}

Memory::~Memory() {
    if (state_->fork.inChild()) {
        // Its locks may be held for ever by threads that exist in the parent only.
        static_cast<void>(state_.release());
        static_cast<void>(quiescence_.release());
        static_cast<void>(table_.release());
        return;
    }
    for (const auto& [begin, backing] : state_->backings) pages::unmap(begin, backing.mapped());
    for (const State::Pages& range : state_->pending) pages::unmap(range.begin, range.bytes);
    for (const State::Pages& range : state_->quarantine) pages::unmap(range.begin, range.bytes);
    for (const auto& [begin, range] : state_->reservations) pages::unmap(begin, range.bytes());
}

void Memory::State::reap(const Quiescence& quiescence) {
    const auto inUse = [&](const Pages& range) { return !quiescence.passed(range.ticket); };
    const auto idle = std::stable_partition(pending.begin(), pending.end(), inUse);
    for (auto range = idle; range != pending.end(); ++range) {
        try {
            quarantine.push_back(*range);
            if (range->isPrivate) spare.keep(range->begin, range->bytes);
            pages::discard(range->begin, range->bytes);
        } catch (const std::bad_alloc&) {
            pages::unmap(range->begin, range->bytes);
        }
    }
    pending.erase(idle, pending.end());
    while (quarantine.size() > kQuarantined) {
        pages::unmap(quarantine.front().begin, quarantine.front().bytes);
        quarantine.pop_front();
    }
}

Memory::Answer Memory::allocate(const Request& request) {
    if (state_->fork.inChild()) return {MemoryStatus::lost, 0};
    const bool powerOfTwo = (request.alignment & (request.alignment - 1)) == 0;
    if (request.bytes == 0 || !powerOfTwo) return {MemoryStatus::invalid, 0};
    if (request.largest != 0 && request.bytes > request.largest) return {MemoryStatus::tooLarge, 0};
    const std::uint64_t length = pages::roundUp(request.bytes);
    const std::uint64_t tail = hasPages(request.kind) ? tailBehind(length) : 0;
    if (length == 0 || length + tail < length) return {MemoryStatus::tooLarge, 0};
    auto charge = MemoryCharge::take(request.budget, length);
    if (!charge) return {MemoryStatus::outOfDeviceMemory, 0};

    const Lock guard(state_->mutex);
    state_->reap(*quiescence_);
    const std::uint64_t alignment = hasPages(request.kind) ? kDevicePage : 0;
    const std::uint64_t begin = pages::map(length + tail, std::max(request.alignment, alignment));
    if (begin == 0) return {MemoryStatus::outOfHostMemory, 0};
    const std::uint64_t end = begin + request.bytes;
    try {
        State::Backing& backing = state_->backings[begin];
        backing.bytes = length;
        backing.tail = tail;
        backing.charge = *std::move(charge);
        const std::uint64_t reach = hasPages(request.kind) ? begin + length + tail : 0;
        table_->insert({begin, end, request.kind, Permission::readWrite, state_->nextId++, request.owner, reach});
        if (request.shareable)
            state_->makeShareable(begin, backing);
        else
            state_->spare.place(begin, length + tail);
    } catch (const std::bad_alloc&) {
        state_->backings.erase(begin);
        pages::unmap(begin, length + tail);
        return {MemoryStatus::outOfHostMemory, 0};
    }
    state_->freed.forget(begin, end);
    return {MemoryStatus::ok, begin};
}

MemoryStatus Memory::free(std::uint64_t address) {
    if (state_->fork.inChild()) return MemoryStatus::lost;
    const Lock guard(state_->mutex);
    const auto found = state_->backings.find(address);
    if (found == state_->backings.end()) return MemoryStatus::invalid;
    const Allocation allocation = *table_->find(address);
    try {
        state_->pending.reserve(state_->pending.size() + 1);
        table_->erase(address);
    } catch (const std::bad_alloc&) {
        log::error(log::Channel::emulator, "{} bytes at 0x{:x} are not freed: the host is out of memory",
                   found->second.bytes, address);
        return MemoryStatus::outOfHostMemory;
    }
    const State::Backing backing = std::move(found->second);
    if (backing.spare) --state_->spareFiles;
    state_->backings.erase(found);
    try {
        state_->freed.add(allocation);
    } catch (const std::bad_alloc&) {
        // A use after this free is reported as a use of addresses that never were anything.
    }
    state_->pending.push_back({address, backing.mapped(), quiescence_->ticket(), !backing.file});
    state_->reap(*quiescence_);
    return MemoryStatus::ok;
}

void Memory::State::makeShareable(std::uint64_t begin, Backing& backing) {
    if (spareFiles >= shared_file::mostSpare()) return;
    FileDescriptor file = shared_file::createSpare(shared_file::Content::memory, backing.bytes);
    if (!file || !pages::replaceShared(begin, file.get(), 0, backing.bytes)) return;
    backing.file = std::move(file);
    backing.spare = true;
    ++spareFiles;
}

bool Memory::State::moveToFile(std::uint64_t begin, Backing& backing) {
    FileDescriptor file = shared_file::create(shared_file::Content::memory, backing.bytes);
    if (!file) return false;
    const std::uint64_t copy = pages::mapShared(file.get(), backing.bytes);
    if (copy == 0) return false;
    std::memcpy(reinterpret_cast<void*>(copy), reinterpret_cast<void*>(begin), backing.bytes);
    pages::unmap(copy, backing.bytes);
    if (!pages::replaceShared(begin, file.get(), 0, backing.bytes)) return false;
    backing.file = std::move(file);
    return true;
}

FileDescriptor Memory::exportDescriptor(std::uint64_t address) {
    if (state_->fork.inChild()) return FileDescriptor();
    const auto duplicate = [&](bool move) {
        const Lock guard(state_->mutex);
        const Allocation* allocation = table_->find(address);
        const auto found = allocation == nullptr ? state_->backings.end() : state_->backings.find(allocation->begin);
        if (found == state_->backings.end()) return FileDescriptor();
        State::Backing& backing = found->second;
        if (!backing.file && (!move || !state_->moveToFile(found->first, backing))) return FileDescriptor();
        return FileDescriptor(fcntl(backing.file.get(), F_DUPFD_CLOEXEC, 0));
    };
    if (FileDescriptor known = duplicate(false)) return known;
    const Quiescence::Exclusive alone(*quiescence_);
    return duplicate(true);
}

Memory::Answer Memory::import(int descriptor, std::uint64_t bytes, std::uint64_t owner) {
    if (state_->fork.inChild()) return {MemoryStatus::lost, 0};
    const std::uint64_t length = pages::roundUp(bytes);
    // Sealed first: a size that was read before may not be true any more.
    if (length == 0 || !shared_file::keepsSize(descriptor) || !shared_file::holds(descriptor, length))
        return {MemoryStatus::invalid, 0};
    const Lock guard(state_->mutex);
    state_->reap(*quiescence_);
    FileDescriptor own(fcntl(descriptor, F_DUPFD_CLOEXEC, 0));
    const std::uint64_t tail = tailBehind(length);
    const std::uint64_t begin = own && length + tail >= length ? pages::map(length + tail, kDevicePage) : 0;
    if (begin == 0) return {MemoryStatus::outOfHostMemory, 0};
    if (!pages::replaceShared(begin, own.get(), 0, length)) {
        pages::unmap(begin, length + tail);
        return {MemoryStatus::outOfHostMemory, 0};
    }
    try {
        state_->freed.forget(begin, begin + bytes);
        State::Backing& backing = state_->backings[begin];
        backing.bytes = length;
        backing.tail = tail;
        backing.file = std::move(own);
        table_->insert({begin, begin + bytes, MemoryKind::imported, Permission::readWrite, state_->nextId++, owner,
                        begin + length + tail});
    } catch (const std::bad_alloc&) {
        state_->backings.erase(begin);
        pages::unmap(begin, length + tail);
        return {MemoryStatus::outOfHostMemory, 0};
    }
    return {MemoryStatus::ok, begin};
}

std::optional<Allocation> Memory::find(std::uint64_t address) const {
    if (state_->fork.inChild()) return {};
    const Lock guard(state_->mutex);
    const Allocation* found = table_->find(address);
    return found == nullptr ? std::nullopt : std::optional<Allocation>(*found);
}

std::optional<Allocation> Memory::findFreed(std::uint64_t address) const {
    if (state_->fork.inChild()) return {};
    const Lock guard(state_->mutex);
    return table_->find(address) == nullptr ? state_->freed.find(address) : std::nullopt;
}

std::vector<Allocation> Memory::list() const {
    if (state_->fork.inChild()) return {};
    const Lock guard(state_->mutex);
    return table_->list();
}

bool Memory::read(std::uint64_t address, void* to, std::size_t bytes) const {
    if (state_->fork.inChild()) return false;
    const Lock guard(state_->mutex);
    if (!table_->covers(address, address + bytes, false)) return false;
    std::memcpy(to, reinterpret_cast<const void*>(address), bytes);
    return true;
}

bool Memory::write(std::uint64_t address, const void* from, std::size_t bytes) {
    if (state_->fork.inChild()) return false;
    const Lock guard(state_->mutex);
    if (!table_->covers(address, address + bytes, true)) return false;
    std::memcpy(reinterpret_cast<void*>(address), from, bytes);
    return true;
}

namespace {

std::string describe(const Allocation& a) {
    return fmt::format("[0x{:x}, 0x{:x}), {} bytes", a.begin, a.end, a.bytes());
}

/// Names the live allocation that is closest to an address outside of all. Linux maps nothing in the first 64 KiB by
/// default, so an address there comes from a null pointer.
std::string nearest(const AllocationTable& table, std::uint64_t address) {
    if (address == 0) return "the pointer is null";
    if (address < kDevicePage) return fmt::format("{} bytes past a null pointer", address);
    const Allocation* below = table.before(address);
    const Allocation* above = table.after(address);
    const std::uint64_t under = below == nullptr ? ~0ull : address - below->end;
    const std::uint64_t over = above == nullptr ? ~0ull : above->begin - address;
    if (below != nullptr && under <= over) {
        return fmt::format("{} bytes behind the end of the allocation {}", under, describe(*below));
    }
    if (above != nullptr) return fmt::format("{} bytes before the allocation {}", over, describe(*above));
    return "there are no allocations";
}

}  // namespace

Fault Memory::explain(std::uint64_t address, std::uint64_t bytes, Access access) const {
    Fault fault;
    fault.kind = FaultKind::pageFault;
    fault.address = address;
    fault.bytes = bytes;
    fault.access = access;
    if (state_->fork.inChild()) return fault;
    const Lock guard(state_->mutex);
    if (const Allocation* live = table_->find(address)) {
        const bool denied = live->permission < (access == Access::read ? Permission::read : Permission::readWrite);
        if (denied) fault.kind = FaultKind::accessDenied;
        fault.detail =
            fmt::format("{} {}", denied ? "permission does not allow it in" : "runs past the end of", describe(*live));
    } else if (const auto gone = state_->freed.find(address)) {
        fault.kind = FaultKind::useAfterFree;
        fault.detail = "freed allocation " + describe(*gone);
    } else if (const Allocation* reserved = state_->reservationAt(address)) {
        fault.detail = "nothing is mapped there in the reservation " + describe(*reserved);
    } else {
        fault.detail = nearest(*table_, address);
    }
    return fault;
}

}  // namespace zetl::emulator::machine
