// The part of asmjit that writes to stderr, in place of the archive's own.
//
// Debian compiles the archive for executables: that part alone refers to a variable of another library in a way that
// shared libraries cannot. Its functions are defined here, and translation.cpp refers to one of them, so linkers have
// them before they come to the archive and leave that part there.
#include <asmjit/core.h>

#include <cstdlib>

#include "base/log.h"

ASMJIT_BEGIN_NAMESPACE

const char* DebugUtils::errorAsString(Error error) noexcept {
    switch (error) {
        case kErrorOk:
            return "no error";
        case kErrorOutOfMemory:
            return "out of memory";
        case kErrorInvalidInstruction:
            return "invalid instruction";
        case kErrorTooLarge:
            return "too large";
        default:
            return "error of the assembler";
    }
}

void DebugUtils::debugOutput(const char* text) noexcept {
    zetl::log::debug(zetl::log::Channel::emulator, "asmjit: {}", text);
}

// Debian's archive is compiled without assertions.
void DebugUtils::assertionFailed(const char* file, int line, const char* message) noexcept {
    zetl::log::error(zetl::log::Channel::emulator, "asmjit: {}:{}: {}", file, line, message);
    std::abort();
}

ASMJIT_END_NAMESPACE
