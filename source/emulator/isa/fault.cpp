#include "emulator/isa/fault.h"

#include <fmt/format.h>

namespace zetl::emulator::isa {
namespace {

const char* nameOf(FaultKind kind) {
    switch (kind) {
        case FaultKind::none:
            return "no fault";
        case FaultKind::pageFault:
            return "page fault";
        case FaultKind::localOverrun:
            return "access outside of the work-group's local memory";
        case FaultKind::scratchOverrun:
            return "access outside of the thread's scratch space";
        case FaultKind::payloadOverrun:
            return "access outside of the indirect data";
        case FaultKind::misaligned:
            return "misaligned access";
        case FaultKind::illegalInstruction:
            return "illegal instruction";
        case FaultKind::unsupportedInstruction:
            return "unsupported instruction";
        case FaultKind::unsupportedMessage:
            return "unsupported message";
        case FaultKind::branchTarget:
            return "branch to an address without instruction";
        case FaultKind::badSurface:
            return "no image or sampler";
        case FaultKind::barrierMisuse:
            return "wait for a barrier that was not signalled";
    }
    return "fault";
}

}  // namespace

std::string describe(const Fault& f) {
    std::string text = nameOf(f.kind);
    if (f.bytes)
        text += fmt::format(": {}-byte {} at {:#x}, lane {}", f.bytes, f.write ? "write" : "read", f.address, f.lane);
    else if (f.kind == FaultKind::branchTarget)
        text += fmt::format(": {:#x}", f.address);
    else if (f.kind == FaultKind::badSurface)
        text += fmt::format(": the state at offset {:#x} describes none", f.address);
    else if (f.kind == FaultKind::barrierMisuse)
        text += fmt::format(": barrier {}", f.address);
    return text + fmt::format(", ip {:#x} ({})", f.ip, f.what);
}

}  // namespace zetl::emulator::isa
