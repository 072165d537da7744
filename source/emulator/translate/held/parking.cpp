// tidy: without the analyzer, which follows asmjit into shifts that its callers exclude
#include "emulator/translate/held/parking.h"

#include <algorithm>
#include <bit>
#include <span>

namespace zetl::emulator::translate {

using namespace asmjit::x86;
using isa::Thread;

namespace {

constexpr std::uint32_t kNowhere = ~0u;

std::span<const std::uint32_t> addressesOf(ParkingList list) { return {list + 1, *list}; }

}  // namespace

void takeParked(Thread& t, ParkingList list) noexcept {
    const auto addresses = addressesOf(list);
    for (std::uint32_t off = ~t.active; off != 0; off &= off - 1) {
        std::uint32_t& at = t.waiting[std::countr_zero(off)];
        if (at == kNowhere) continue;
        const auto place = std::ranges::find(addresses, at);
        if (place == addresses.end()) continue;
        t.parked[place - addresses.begin()] |= off & -off;
        at = kNowhere;
    }
}
void giveParked(Thread& t, ParkingList list) noexcept {
    const auto addresses = addressesOf(list);
    for (std::size_t place = 0; place < addresses.size(); ++place) {
        for (std::uint32_t& lanes = t.parked[place]; lanes != 0; lanes &= lanes - 1)
            t.waiting[std::countr_zero(lanes)] = addresses[place];
    }
}

bool Parking::isParking(isa::Family family) {
    using enum isa::Family;
    constexpr isa::Family kParking[] = {fork,     forkBackward, forkToRegister, join, arrive,
                                        branchIf, branchElse,   loopWhile,      call, ret};
    return std::ranges::find(kParking, family) != std::end(kParking);
}

/// Whether the address has a place, now or before.
bool Parking::hasPlace(std::uint32_t address) {
    if (places_.contains(address)) return true;
    if (places_.size() == isa::kParkingPlaces) return false;
    places_.emplace(address, static_cast<std::uint32_t>(places_.size()));
    return true;
}
/// The lanes that wait at an address that has a place.
Mem Parking::parkedAt(std::uint32_t address) const {
    return field(offsetof(Thread, parked) + places_.at(address) * sizeof(std::uint32_t), 4);
}

/// The lanes, which were on, wait at the address.
void Parking::parkAt(const Gp& lanes, std::uint32_t address) { a_.or_(parkedAt(address), lanes); }

/// Lanes that wait at the address and belong to the function go on.
void Parking::wake(std::uint32_t address) {
    const Label none = a_.newLabel();
    a_.mov(r10d, parkedAt(address));
    a_.and_(r10d, field(offsetof(Thread, callMask), 4));
    a_.short_().jz(none);
    a_.or_(r12d, r10d);
    mirrors_.setActive(r12d);
    a_.xor_(parkedAt(address), r10d);
    a_.bind(none);
}

/// Registers are at home; only r12d and r13 are as they were.
void Parking::call(void (*function)(Thread&, ParkingList) noexcept) {
    const Label none = a_.newLabel();
    a_.cmp(r12d, -1);
    a_.je(none);
    a_.vzeroupper();
    a_.mov(rdi, rbx);
    a_.lea(rsi, ptr(list_));
    a_.mov(rax, reinterpret_cast<std::uint64_t>(function));
    a_.call(rax);
    a_.bind(none);
}
/// What waits is where the steps look for it: before anything that does as they do. Only lanes that are off wait.
void Parking::give() {
    if (masks_.knownActive() == 0) call(&giveParked);
}
void Parking::take(std::uint8_t body) {
    if (static_cast<isa::Version>(body) == isa::Version::masked) call(&takeParked);
}

void Parking::embed() {
    std::vector<std::uint32_t> list(places_.size() + 1);
    list[0] = static_cast<std::uint32_t>(places_.size());
    for (const auto& [address, place] : places_) list[place + 1] = address;
    a_.align(asmjit::AlignMode::kZero, sizeof(std::uint32_t));
    a_.bind(list_);
    a_.embed(list.data(), list.size() * sizeof(std::uint32_t));
}

}  // namespace zetl::emulator::translate
