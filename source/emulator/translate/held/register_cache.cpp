// tidy: without the analyzer, which follows asmjit into shifts that its callers exclude
#include "emulator/translate/held/register_cache.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "emulator/isa/state_layout.h"

namespace zetl::emulator::translate {

using asmjit::x86::Gp;
using asmjit::x86::ptr;
using asmjit::x86::Zmm;
namespace Inst = asmjit::x86::Inst;
namespace layout = isa::layout;

namespace {

const Gp kSingles[] = {asmjit::x86::rdi, asmjit::x86::r10};

bool isConstant(std::uint64_t where) { return where >= layout::kBytes; }

/// A place of which all lanes are a copy, as where an entry is from.
struct Broadcast {
    std::uint32_t place;
    std::uint32_t bytes;
};
constexpr std::uint64_t kIsBroadcast = 1ull << 62;  // beyond all addresses
constexpr std::uint32_t kBytesShift = 32;
std::uint64_t keyOf(const Broadcast& b) { return kIsBroadcast | std::uint64_t{b.bytes} << kBytesShift | b.place; }
std::optional<Broadcast> broadcastOf(std::uint64_t where) {
    if (where >> 62 != 1) return {};
    return Broadcast{static_cast<std::uint32_t>(where), static_cast<std::uint32_t>(where >> kBytesShift) & 0xff};
}
asmjit::InstId broadcasting(std::uint32_t bytes) { return bytes == 4 ? Inst::kIdVpbroadcastd : Inst::kIdVpbroadcastq; }

}  // namespace

std::uint32_t RegisterCache::find(std::uint64_t where) const noexcept {
    for (std::uint32_t i = kFirst; i < entries_.size(); ++i)
        if (entries_[i].where == where) return i;
    return 0;
}

std::optional<Zmm> RegisterCache::held(std::uint64_t where) const noexcept {
    const std::uint32_t index = find(where);
    return index == 0 ? std::nullopt : std::optional(Zmm(index));
}

/// The lower, the sooner a register is given to another: first those whose slots are finished.
std::uint64_t RegisterCache::rankOf(const Entry& e) const noexcept {
    const bool empty = e.where == kNothing;
    return e.used + (empty || e.finished ? 0 : time_) + (deferring_ && e.dirty ? 2 * time_ : 0);
}

/// A register for it, by taking among those of the lowest kind the one that was used the longest ago.
std::uint32_t RegisterCache::take(std::uint64_t where) {
    std::uint32_t oldest = kFirst;
    std::uint64_t least = rankOf(entries_[oldest]);
    for (std::uint32_t i = kFirst + 1; i < kEnd; ++i) {
        const std::uint64_t rank = rankOf(entries_[i]);
        if (rank >= least) continue;
        least = rank;
        oldest = i;
    }
    storeEntry(oldest);
    forget(oldest);
    entries_[oldest] = {.where = where, .used = time_};
    return oldest;
}

void RegisterCache::load(std::uint64_t where, std::uint32_t index) {
    if (const auto b = broadcastOf(where)) {
        a_.emit(broadcasting(b->bytes), Zmm(index), ptr(state_, static_cast<std::int32_t>(b->place), b->bytes));
        return;
    }
    if (!isConstant(where)) {
        a_.loadHeld(Inst::kIdVmovdqu64, Zmm(index), ptr(state_, static_cast<std::int32_t>(where)));
        return;
    }
    const auto [known, fresh] = constants_.try_emplace(where);
    if (fresh) known->second = a_.newLabel();
    a_.loadHeld(Inst::kIdVmovdqa64, Zmm(index), ptr(known->second), reinterpret_cast<const void*>(where));
}
void RegisterCache::emitConstants() {
    a_.align(asmjit::AlignMode::kData, kSlotBytes);
    for (const auto& [where, label] : constants_) {
        a_.bind(label);
        a_.embed(reinterpret_cast<const void*>(where), kSlotBytes);
    }
}

void RegisterCache::storeEntry(std::uint32_t index) {
    Entry& e = entries_[index];
    if (!e.dirty) return;
    a_.storeHeld(Inst::kIdVmovdqu64, ptr(state_, static_cast<std::int32_t>(e.where)), Zmm(index));
    stored_.add(static_cast<std::uint32_t>(e.where), kSlotBytes);
    e.dirty = false;
}

void RegisterCache::forget(std::uint32_t index) noexcept {
    entries_[index] = {};
    a_.forgetHeld(index, index + 1);
}

RegisterCache::Snapshot RegisterCache::defer(std::uint32_t free) {
    const auto isDirty = [](const Entry& e) { return e.dirty; };
    const auto dirty = static_cast<std::uint32_t>(std::ranges::count_if(entries_, isDirty));
    if (dirty + free > kEnd - kFirst) storeAll();
    deferring_ = true;
    lane_.reset();  // the other way does not keep it
    forgetSingles();
    Snapshot list;
    for (std::uint32_t i = kFirst; i < entries_.size(); ++i)
        if (entries_[i].dirty) list.emplace_back(entries_[i].where, i);
    return list;
}
void RegisterCache::storeDeferred(const Snapshot& snapshot) {
    for (const auto& [where, index] : snapshot)
        a_.storeHeldToo(Inst::kIdVmovdqu64, ptr(state_, static_cast<std::int32_t>(where)), Zmm(index));
}

/// The first constant of the same contents.
std::uint64_t RegisterCache::sameConstant(std::uint64_t where) {
    const auto [known, fresh] = same_.try_emplace(where, where);
    if (!fresh) return known->second;
    Contents contents;
    std::memcpy(contents.data(), reinterpret_cast<const void*>(where), kSlotBytes);
    return known->second = contents_.try_emplace(contents, where).first->second;
}

void RegisterCache::use(std::uint32_t index) noexcept {
    entries_[index].used = time_;
    entries_[index].finished = false;
}
void RegisterCache::finish(std::uint32_t place) noexcept {
    for (std::uint32_t i = kFirst; i < kEnd; ++i) {
        const auto b = broadcastOf(entries_[i].where);
        const bool ofSlot = b ? b->place / kSlotBytes == place / kSlotBytes : entries_[i].where == place;
        entries_[i].finished = entries_[i].finished || ofSlot;
    }
}

std::uint32_t RegisterCache::hold(std::uint64_t where) {
    if (isConstant(where)) where = sameConstant(where);
    std::uint32_t index = find(where);
    if (index == 0) {
        index = take(where);
        load(where, index);
    }
    use(index);
    return index;
}

Zmm RegisterCache::read(std::uint64_t where) { return Zmm(hold(where)); }
std::optional<Zmm> RegisterCache::heldBroadcast(std::uint32_t place, std::uint32_t bytes) {
    const std::uint32_t index = find(keyOf({place, bytes}));
    if (index == 0) return {};
    use(index);
    return Zmm(index);
}
Zmm RegisterCache::broadcast(std::uint32_t place, std::uint32_t bytes, const asmjit::Operand& from) {
    const Zmm to(take(keyOf({place, bytes})));
    a_.emit(broadcasting(bytes), to, from);
    return to;
}
/// Forgets broadcasts of what is about to change. The current step may still read them.
void RegisterCache::forgetBroadcasts(std::uint32_t place, std::uint32_t bytes) noexcept {
    for (std::uint32_t i = kFirst; i < entries_.size(); ++i) {
        const auto b = broadcastOf(entries_[i].where);
        if (!b || b->place >= place + bytes || place >= b->place + b->bytes) continue;
        entries_[i] = {};
        a_.forgetHeldLater(i);
    }
}
Zmm RegisterCache::update(std::uint32_t place) {
    const std::uint32_t index = hold(place);
    entries_[index].dirty = true;
    entries_[index].extended = false;
    changesInStep(index);
    changes(place, kSlotBytes);
    return Zmm(index);
}
Zmm RegisterCache::replace(std::uint32_t place) {
    std::uint32_t index = find(place);
    if (index == 0) index = take(place);
    entries_[index].dirty = true;
    entries_[index].extended = false;
    changesInStep(index);
    use(index);
    changes(place, kSlotBytes);
    return Zmm(index);
}

void RegisterCache::changesInStep(std::uint32_t index) {
    changed_ |= 1u << index;
    a_.mayNotBeStored(index);
}
void RegisterCache::endStep() {
    for (; changed_ != 0; changed_ &= changed_ - 1) {
        const auto index = static_cast<std::uint32_t>(std::countr_zero(changed_));
        if (!entries_[index].dirty) continue;
        const auto place = static_cast<std::uint32_t>(entries_[index].where);
        a_.mayBeStored(index, place);
        if (a_.storesEarly()) stored_.add(place, kSlotBytes);
    }
}

void RegisterCache::changes(std::uint32_t place, std::uint32_t bytes) noexcept {
    if (place < layout::kFlags + kSlotBytes && layout::kFlags < place + bytes) ++flagChanges_;
    const auto drop = [&](std::optional<Lane>& lane) {
        if (lane && lane->place < place + bytes && place < lane->place + lane->bytes) lane.reset();
    };
    drop(lane_);
    std::ranges::for_each(singles_, drop);
    forgetBroadcasts(place, bytes);
}
bool RegisterCache::overlaps(const Entry& entry, std::uint32_t place, std::uint32_t bytes) noexcept {
    return !isConstant(entry.where) && entry.where < std::uint64_t{place} + bytes && place < entry.where + kSlotBytes;
}
void RegisterCache::store(std::uint32_t place, std::uint32_t bytes) {
    for (std::uint32_t i = kFirst; i < entries_.size(); ++i)
        if (overlaps(entries_[i], place, bytes)) storeEntry(i);
}
void RegisterCache::evict(std::uint32_t place, std::uint32_t bytes) {
    stored_.add(place, bytes);
    changes(place, bytes);
    for (std::uint32_t i = kFirst; i < entries_.size(); ++i) {
        if (!overlaps(entries_[i], place, bytes)) continue;
        storeEntry(i);
        entries_[i] = {};
        a_.forgetHeldLater(i);
    }
}
void RegisterCache::storeAll() {
    for (std::uint32_t i = kFirst; i < entries_.size(); ++i) storeEntry(i);
}
void RegisterCache::lose(std::uint32_t place) noexcept {
    if (const std::uint32_t index = find(place); index != 0) forget(index);
}
void RegisterCache::keepOnly(const isa::StateSlots& needed) noexcept {
    for (std::uint32_t i = kFirst; i < entries_.size(); ++i) {
        const std::uint64_t where = entries_[i].where;
        if (where < layout::kArchitectureEnd && !needed.contains(static_cast<std::uint32_t>(where))) forget(i);
    }
}
void RegisterCache::forgetWorkingSpace() noexcept {
    for (std::uint32_t i = kFirst; i < entries_.size(); ++i) {
        const bool working = !isConstant(entries_[i].where) && entries_[i].where >= layout::kNull;
        if (working || (a_.hasFewRegisters() && broadcastOf(entries_[i].where))) forget(i);
    }
}

Gp RegisterCache::takeSingle(std::span<const std::uint32_t> needed) noexcept {
    const auto isNeeded = [&](const std::optional<Lane>& lane) {
        return lane && std::ranges::find(needed, lane->place) != needed.end();
    };
    const std::size_t next = (lastSingle_ + 1) % singles_.size();
    if (!isNeeded(singles_[next]) || isNeeded(singles_[lastSingle_])) lastSingle_ = next;
    singles_[lastSingle_].reset();
    return kSingles[lastSingle_];
}
void RegisterCache::holdSingle(const Gp& general, std::uint32_t place, std::uint32_t bytes) noexcept {
    for (std::size_t i = 0; i < singles_.size(); ++i)
        if (kSingles[i].id() == general.id()) singles_[i] = Lane{place, bytes};
}
std::optional<Gp> RegisterCache::heldSingle(std::uint32_t place, std::uint32_t bytes) const noexcept {
    for (std::size_t i = 0; i < singles_.size(); ++i)
        if (singles_[i] && singles_[i]->place == place && singles_[i]->bytes >= bytes) return kSingles[i];
    return {};
}

RegisterCache::Snapshot RegisterCache::snapshot() const {
    Snapshot list;
    for (std::uint32_t i = kFirst; i < entries_.size(); ++i)
        if (entries_[i].where != kNothing) list.emplace_back(entries_[i].where, i);
    return list;
}
void RegisterCache::reload(const Snapshot& snapshot, const Snapshot& deferred, const isa::StateSlots& written) {
    for (const auto& entry : snapshot) {
        const auto& [where, index] = entry;
        const bool kept = where < layout::kArchitectureEnd && !written.contains(static_cast<std::uint32_t>(where));
        if (kept && std::ranges::find(deferred, entry) != deferred.end())
            a_.reloadHeld(Inst::kIdVmovdqu64, Zmm(index), ptr(state_, static_cast<std::int32_t>(where)));
        else
            load(where, index);
    }
}

}  // namespace zetl::emulator::translate
