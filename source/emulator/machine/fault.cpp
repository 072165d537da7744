#include "emulator/machine/fault.h"

#include <fmt/format.h>

namespace zetl::emulator::machine {

const char* text(FaultKind kind) noexcept {
    switch (kind) {
        case FaultKind::none:
            return "no fault";
        case FaultKind::pageFault:
            return "page fault";
        case FaultKind::useAfterFree:
            return "use after free";
        case FaultKind::accessDenied:
            return "access denied";
        case FaultKind::slmOverrun:
            return "local memory overrun";
        case FaultKind::scratchOverrun:
            return "scratch overrun";
        case FaultKind::payloadOverrun:
            return "argument block overrun";
        case FaultKind::misaligned:
            return "misaligned access";
        case FaultKind::illegalInstruction:
            return "illegal instruction";
        case FaultKind::unsupported:
            return "unsupported instruction";
        case FaultKind::badBranch:
            return "branch to no instruction";
        case FaultKind::badSurface:
            return "no image or sampler";
        case FaultKind::divergentBarrier:
            return "divergent barrier";
        case FaultKind::deadlock:
            return "deadlock";
        case FaultKind::badLaunch:
            return "launch cannot be placed";
        case FaultKind::outOfMemory:
            return "out of memory";
        case FaultKind::cancelled:
            return "cancelled";
        case FaultKind::deviceLost:
            return "device lost";
    }
    return "unknown fault";
}

namespace {

const char* text(Access access) noexcept {
    switch (access) {
        case Access::read:
            return "read";
        case Access::write:
            return "write";
        case Access::atomic:
            return "atomic access";
        case Access::execute:
            return "fetch";
    }
    return "access";
}

std::string place(const Fault& fault) {
    std::string words = fmt::format(" in kernel '{}', group ({}, {}, {})", fault.kernel, fault.group[0], fault.group[1],
                                    fault.group[2]);
    if (fault.thread.single()) {
        words += fmt::format(" thread {} on slice {} sub-slice {} EU {} slot {}, instruction 0x{:x} (kernel + 0x{:x})",
                             fault.threadInGroup, fault.thread.slice, fault.thread.subslice, fault.thread.eu,
                             fault.thread.thread, fault.ip, fault.ipInKernel);
    }
    return words;
}

}  // namespace

std::string Fault::describe() const {
    std::string words = machine::text(kind);
    if (bytes != 0) words += fmt::format(": {}-byte {} at 0x{:x}", bytes, text(access), address);
    if (!kernel.empty()) words += place(*this);
    if (!detail.empty()) words += ": " + detail;
    return words;
}

}  // namespace zetl::emulator::machine
