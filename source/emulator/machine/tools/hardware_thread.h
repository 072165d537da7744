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
    ThreadTrace* trace = nullptr;           ///< where it records what it does, if anybody asks
    const LoadedProgram* loaded = nullptr;  ///< what state.program belongs to
    std::uint64_t codeVersion = 0;          ///< of the heap when `loaded` was looked up
    std::uint32_t index = 0;                ///< in its group
    std::uint32_t slot = 0;                 ///< in its tile
    std::uint64_t turn = 0;                 ///< of a worker, in which its memory windows were dropped
    std::uint64_t attachedIn = 0;           ///< the same, in which its group's worker was made its own
    /// What may hold something other than zero, of the registers that a program names.
    isa::StateSlots dirty = isa::StateSlots::all();
    bool onlyProgram = false;  ///< nobody but the program it was prepared for wrote any
    void mayHoldAnything() noexcept {
        dirty = isa::StateSlots::all();
        onlyProgram = false;
    }
    std::uint32_t stoppedIp = 0;  ///< where it was when it stopped
    bool stepping = false;        ///< a debugger wants it to stop before its next instruction
    bool loadsArguments = false;  ///< has not come to its launch's recordFrom yet

    static HardwareThread& of(isa::Thread& thread) noexcept { return *static_cast<HardwareThread*>(thread.owner); }
    static const HardwareThread& of(const isa::Thread& thread) noexcept {
        return *static_cast<const HardwareThread*>(thread.owner);
    }
};

}  // namespace zetl::emulator::machine
