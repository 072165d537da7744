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
std::span<const std::uint32_t> placesOf(ParkingList list) { return {list + 1 + *list, *list}; }

}  // namespace

void takeParked(Thread& t, ParkingList list) noexcept {
    const auto addresses = addressesOf(list);
    const auto places = placesOf(list);
    for (std::uint32_t off = ~t.active; off != 0; off &= off - 1) {
        std::uint32_t& at = t.waiting[std::countr_zero(off)];
        if (at == kNowhere) continue;
        const auto found = std::ranges::lower_bound(addresses, at);
        if (found == addresses.end() || *found != at) continue;
        t.parked[places[static_cast<std::size_t>(found - addresses.begin())]] |= off & -off;
        at = kNowhere;
    }
}
void giveParked(Thread& t, ParkingList list) noexcept {
    const auto addresses = addressesOf(list);
    const auto places = placesOf(list);
    for (std::size_t i = 0; i < addresses.size(); ++i) {
        for (std::uint32_t& lanes = t.parked[places[i]]; lanes != 0; lanes &= lanes - 1)
            t.waiting[std::countr_zero(lanes)] = addresses[i];
    }
}

bool Parking::isParking(isa::Family family) {
    using enum isa::Family;
    constexpr isa::Family kParking[] = {fork,     forkBackward, forkToRegister, join, arrive,
                                        branchIf, branchElse,   loopWhile,      call, ret};
    return std::ranges::find(kParking, family) != std::end(kParking);
}

/// The mask of lanes that wait at the address. None: all places are taken, and lanes wait there one by one.
std::optional<Mem> Parking::placeOf(std::uint32_t address) {
    if (places_.size() < isa::kParkingPlaces)
        places_.emplace(address, static_cast<std::uint32_t>(places_.size()));  // unless it has one
    const auto place = places_.find(address);
    if (place == places_.end()) return std::nullopt;
    return field(offsetof(Thread, parked) + place->second * sizeof(std::uint32_t), 4);
}

void Parking::parkAt(const Gp& lanes, std::uint32_t address) {
    if (const auto place = placeOf(address))
        a_.or_(*place, lanes);
    else
        parkOneByOne(lanes, address);
}

void Parking::wake(std::uint32_t address) {
    const Label none = a_.newLabel();
    const auto place = placeOf(address);
    if (place)
        a_.mov(r10d, *place);
    else
        findOneByOne(address);
    a_.and_(r10d, field(offsetof(Thread, callMask), 4));
    a_.jz(none);
    a_.or_(r12d, r10d);
    mirrors_.setActive(r12d);
    if (place)
        a_.xor_(*place, r10d);
    else
        forgetOneByOne();
    a_.bind(none);
}

/// The lane's address.
Mem Parking::waitingAt(const Gp& lane) {
    return ptr(rbx, lane.r64(), 2, static_cast<std::int32_t>(offsetof(Thread, waiting)), sizeof(std::uint32_t));
}

void Parking::parkOneByOne(const Gp& lanes, std::uint32_t address) {
    const Label next = a_.newLabel();
    const Label done = a_.newLabel();
    a_.mov(r10d, lanes);
    a_.test(r10d, r10d);
    a_.jz(done);
    a_.bind(next);
    a_.tzcnt(eax, r10d);
    a_.mov(waitingAt(eax), address);
    a_.blsr(r10d, r10d);
    a_.jnz(next);
    a_.bind(done);
}

/// To r10d: of the lanes that are off, those that wait at the address.
void Parking::findOneByOne(std::uint32_t address) {
    const Label next = a_.newLabel();
    const Label other = a_.newLabel();
    const Label done = a_.newLabel();
    a_.xor_(r10d, r10d);
    a_.mov(r8d, r12d);
    a_.not_(r8d);
    a_.test(r8d, r8d);
    a_.jz(done);
    a_.bind(next);
    a_.tzcnt(eax, r8d);
    a_.cmp(waitingAt(eax), address);
    a_.jne(other);
    a_.bts(r10d, eax);
    a_.bind(other);
    a_.blsr(r8d, r8d);
    a_.jnz(next);
    a_.bind(done);
}

/// The lanes in r10d, of which there are some, wait nowhere any more.
void Parking::forgetOneByOne() {
    const Label next = a_.newLabel();
    a_.bind(next);
    a_.tzcnt(eax, r10d);
    a_.mov(waitingAt(eax), kNowhere);
    a_.blsr(r10d, r10d);
    a_.jnz(next);
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
    std::vector<std::uint32_t> list{static_cast<std::uint32_t>(places_.size())};
    for (const auto& [address, place] : places_) list.push_back(address);
    for (const auto& [address, place] : places_) list.push_back(place);
    a_.align(asmjit::AlignMode::kZero, sizeof(std::uint32_t));
    a_.bind(list_);
    a_.embed(list.data(), list.size() * sizeof(std::uint32_t));
}

}  // namespace zetl::emulator::translate
