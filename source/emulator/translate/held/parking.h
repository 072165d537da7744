// Where lanes that are off wait while the thread runs in host code: in a mask for each address (Thread::parked) instead
// of an address for each lane (Thread::waiting), so that lanes park and go on with an instruction or two. Each
// translation gives its own places to addresses. Threads that enter it bring their lanes along; before a thread leaves,
// or a step runs that looks for waiting lanes, they are put back where the steps expect them.
//
// A translation of more addresses than there are places leaves the lanes of the others in Thread::waiting, where each
// lane takes an instruction or two to park, and a few to be found.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "emulator/isa/thread.h"
#include "emulator/translate/held/part.h"

namespace zetl::emulator::translate {

/// A list of addresses: their number, then the addresses in ascending order, then their places.
using ParkingList = const std::uint32_t*;

/// Moves lanes that are off and wait at one of the addresses from Thread::waiting to Thread::parked.
void takeParked(isa::Thread& thread, ParkingList list) noexcept;
/// Moves all parked lanes back.
void giveParked(isa::Thread& thread, ParkingList list) noexcept;

class Parking : Part {
  public:
    explicit Parking(HostCode& host) : Part(host), list_(host.assembler.newLabel()) {}

    /// Whether steps with this handler park lanes, or look for those that wait.
    static bool isParking(isa::Family family);
    bool empty() const noexcept { return places_.empty(); }
    /// The lanes, which were on, wait at the address. Changes eax and r10.
    void parkAt(const Gp& lanes, std::uint32_t address);
    /// Lanes that wait at the address and belong to the function go on. Changes eax, r8 and r10.
    void wake(std::uint32_t address);
    void give();
    void take(std::uint8_t body);
    void call(void (*function)(isa::Thread&, ParkingList) noexcept);
    void embed();

  private:
    std::optional<Mem> placeOf(std::uint32_t address);
    void parkOneByOne(const Gp& lanes, std::uint32_t address);
    void findOneByOne(std::uint32_t address);
    void forgetOneByOne();
    static Mem waitingAt(const Gp& lane);

    std::map<std::uint32_t, std::uint32_t> places_;  ///< places of waiting lanes, by address
    Label list_;
};

}  // namespace zetl::emulator::translate
