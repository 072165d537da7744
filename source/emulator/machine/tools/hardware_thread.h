// A hardware thread that holds a kernel's state.
#pragma once

#include <cstdint>

#include "emulator/isa/thread.h"
#include "emulator/machine/code/loaded_program.h"

namespace zetl::emulator::machine {

class ResidentGroup;
class Tally;
class ThreadTrace;

struct HardwareThread {
    isa::Thread state;
    ResidentGroup* group = nullptr;
    Tally* tally = nullptr;                 ///< of the worker that runs it now
    ThreadTrace* trace = nullptr;           ///< where it records what it does; null: it does not record
    const LoadedProgram* loaded = nullptr;  ///< the owner of state.program
    std::uint64_t codeVersion = 0;          ///< of the heap when `loaded` was looked up
    std::uint32_t index = 0;                ///< in its group
    std::uint32_t slot = 0;                 ///< in its tile
    std::uint64_t turn = 0;                 ///< the worker's turn in which its memory windows were dropped
    std::uint64_t attachedIn = 0;           ///< the turn in which its group's worker became its own
    /// Of the registers that a program names, those that may hold something other than zero.
    isa::StateSlots dirty = isa::StateSlots::all();
    bool onlyProgram = false;  ///< only the program for which it was prepared wrote any
    void mayHoldAnything() noexcept {
        dirty = isa::StateSlots::all();
        onlyProgram = false;
    }
    std::uint32_t stoppedIp = 0;  ///< its address when it stopped
    bool overran = false;         ///< its fault is an overrun that the hardware would not notice
    std::uint8_t mayOverrun = 0;  ///< overruns that it may go on with, because an observer knows them
    std::uint64_t overranAt = 0;  ///< instructions executed before the last one
    bool stepping = false;        ///< a debugger asked it to stop before its next instruction
    bool meetsWatch = false;      ///< its fault is a write to bytes that a debugger watches
    bool writesWatched = false;   ///< it may write there: somebody looks
    bool loadsArguments = false;  ///< has not reached its launch's recordFrom yet

    static HardwareThread& of(isa::Thread& thread) noexcept { return *static_cast<HardwareThread*>(thread.owner); }
    static const HardwareThread& of(const isa::Thread& thread) noexcept {
        return *static_cast<const HardwareThread*>(thread.owner);
    }
};

}  // namespace zetl::emulator::machine
