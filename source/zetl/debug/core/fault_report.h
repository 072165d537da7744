// The access of a faulting instruction.
#pragma once

#include <cstdint>
#include <string>

namespace zetl::debugger {

struct FaultReport {
    bool isKnown = false;
    unsigned lane = 0;          ///< the first lane whose address is not mapped
    std::uint64_t address = 0;  ///< of that lane
    bool isWrite = false;
    std::string
        text;  ///< "lane 3 writes 4 bytes at 0x…, 64 bytes past the end of the 4096 bytes at 0x… that y points into"
};

}  // namespace zetl::debugger
