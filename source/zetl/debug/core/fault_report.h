// What a faulting instruction tried: from the message that it sent, with what is mapped around.
#pragma once

#include <string>
#include <vector>

#include "core/frame.h"
#include "core/inspector.h"

namespace zetl::debugger {

struct FaultReport {
    bool isKnown = false;
    unsigned lane = 0;          ///< the first whose address is not mapped
    std::uint64_t address = 0;  ///< of that lane
    bool isWrite = false;
    std::string text;  ///< "lane 3 writes 4 bytes at 0x…, 64 bytes behind what y points to (4096 bytes at 0x…)"
};

/// Of a thread that stopped at a fault. `frame` is its innermost.
FaultReport reportFault(const Frame& frame, StoppedThread& thread, const Memory& memory, const Inspector& inspector);

}  // namespace zetl::debugger
