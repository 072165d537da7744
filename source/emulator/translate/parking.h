// Where lanes that are off wait, while the thread runs in host code: a mask for each address (Thread::parked) instead
// of an address for each lane (Thread::waiting), so that lanes park and go on by an instruction or two. Which address
// has which place is each translation's own matter: threads that enter it bring their lanes along, and before a thread
// leaves, or a step runs that looks for waiting lanes, they are where the steps expect them.
#pragma once

#include <cstdint>

#include "emulator/isa/thread.h"

namespace zetl::emulator::translate {

/// A list of addresses: how many, and then they, each at its place.
using ParkingList = const std::uint32_t*;

/// Lanes that are off and wait at one of the addresses, from Thread::waiting to Thread::parked.
void takeParked(isa::Thread& thread, ParkingList list) noexcept;
/// All that are parked, back.
void giveParked(isa::Thread& thread, ParkingList list) noexcept;

}  // namespace zetl::emulator::translate
