// The reason why a thread cannot go on, as data for the machine to report, to log and to show to a debugger.
#pragma once

#include <cstdint>
#include <string>

namespace zetl::emulator::isa {

enum class FaultKind : std::uint8_t {
    none,
    pageFault,               ///< global address outside every live allocation, or a write to a read-only one
    localOverrun,            ///< outside the work-group's local memory (SLM)
    scratchOverrun,          ///< outside the thread's scratch space
    payloadOverrun,          ///< outside the indirect-data arena (bti 255)
    misaligned,              ///< an atomic or block access at an address that its size does not divide
    illegalInstruction,      ///< undecodable, an operand beyond the register file, or the illegal opcode itself
    unsupportedInstruction,  ///< legal, but not emulated: `what` names it
    unsupportedMessage,      ///< legal, but not emulated: `what` names it
    branchTarget,            ///< not the start of an instruction of any loaded program
    badSurface,              ///< `address` is the offset of a surface or sampler state that describes none
    barrierMisuse,           ///< waiting for a barrier that this thread has not signalled
};

struct Fault {
    FaultKind kind = FaultKind::none;
    bool write = false;
    std::uint8_t lane = 0;      ///< first lane that faults
    std::uint32_t ip = 0;       ///< of the instruction, relative to the instruction base
    std::uint32_t bytes = 0;    ///< size of the access
    std::uint64_t address = 0;  ///< as the program used it; for branchTarget the ip that it wanted
    const char* what = "";      ///< opcode or message; lives as long as the Program
};

/// "page fault: 4-byte read at 0x1234, lane 3, ip 0x40 (load.ugm)".
std::string describe(const Fault& fault);

}  // namespace zetl::emulator::isa
