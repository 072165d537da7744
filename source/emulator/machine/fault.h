// A fault on the device, with everything that is known about its place.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "emulator/machine/thread_id.h"

namespace zetl::emulator::machine {

enum class FaultKind : std::uint8_t {
    none,
    pageFault,           ///< address belongs to no allocation
    useAfterFree,        ///< address belonged to an allocation that was freed
    accessDenied,        ///< write to read-only or any access to no-access memory
    slmOverrun,          ///< local memory offset beyond the work-group's memory
    scratchOverrun,      ///< beyond the thread's scratch space
    payloadOverrun,      ///< argument block access (bti 255) outside it
    misaligned,          ///< address not aligned to the element
    illegalInstruction,  ///< reserved encoding
    unsupported,         ///< legal on hardware, not offered by the emulator; named, never skipped
    badBranch,           ///< jump to a place where no instruction begins
    badSurface,          ///< a message names a surface or sampler state that describes none
    divergentBarrier,    ///< threads of a group wait for different barriers, or for a thread that has ended
    deadlock,            ///< every live thread of a group waits, and nothing can release them
    badLaunch,           ///< the launch cannot be placed: group larger than a sub-slice, local memory too large
    outOfMemory,         ///< no host memory for the launch's own needs
    cancelled,           ///< stopped on request
    deviceLost,          ///< an earlier fault or a fork took the device away
};

/// Lower-case words, such as "use after free".
const char* text(FaultKind kind) noexcept;

enum class Access : std::uint8_t { read, write, atomic, execute };

struct Fault {
    FaultKind kind = FaultKind::none;
    std::string kernel;
    std::uint64_t dispatch = 0;            ///< Dispatch::id
    std::array<std::uint32_t, 3> group{};  ///< work-group id
    std::uint32_t threadInGroup = 0;
    ThreadId thread;               ///< hardware thread; all wildcards if no thread is to blame
    std::uint64_t ip = 0;          ///< instruction address (identity-mapped, so CodeHeap knows the module)
    std::uint64_t ipInKernel = 0;  ///< the same, relative to the kernel's first instruction
    std::uint64_t address = 0;     ///< of a memory access; offset for local and scratch memory
    std::uint64_t bytes = 0;
    std::uint32_t lanes = 0;  ///< lanes that were enabled
    Access access = Access::read;
    std::string detail;  ///< added by the executing unit: opcode, nearest allocation, barrier ...

    explicit operator bool() const noexcept { return kind != FaultKind::none; }
    /// One line for log and build output.
    std::string describe() const;
};

}  // namespace zetl::emulator::machine
