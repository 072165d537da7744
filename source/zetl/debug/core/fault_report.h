// What a faulting instruction tried.
#pragma once

#include <cstdint>
#include <string>

namespace zetl::debugger {

struct FaultReport {
    bool isKnown = false;
    unsigned lane = 0;          ///< the first whose address is not mapped
    std::uint64_t address = 0;  ///< of that lane
    bool isWrite = false;
    std::string text;  ///< "lane 3 writes 4 bytes at 0x…, 64 bytes behind what y points to (4096 bytes at 0x…)"
};

}  // namespace zetl::debugger
