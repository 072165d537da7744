// pNext chains, which come from programs that may leave them uninitialised.
#pragma once

#include <level_zero/ze_api.h>

#include "base/log.h"

namespace zetl {

/// The first members of all extensible structs.
struct ChainLink {
    ze_structure_type_t stype;
    void* pNext;
};

/// The function that reads a chain, as the log names it.
struct ChainReader {
    const char* function;
    log::Channel log;
};

/// The struct at an address that a program gave as pNext. Returns null, and logs a line, if no struct can be there.
ChainLink* linkAt(const void* address, const ChainReader& reader) noexcept;

/// Calls `visit(link)` for every struct of the chain that begins at `first`. `visit` returns false for a type that it
/// does not know; such a struct is logged and passed over. An address where nothing is mapped ends the chain. A chain
/// of more than 32 structs is taken as circular or garbage and cut there.
template <class V>
void forEachLink(const void* first, const ChainReader& reader, V&& visit) {
    constexpr int kLongest = 32;
    auto* link = linkAt(first, reader);
    for (int i = 0; link && i < kLongest; ++i, link = linkAt(link->pNext, reader))
        if (!visit(*link))
            log::info(reader.log, "{}: chained struct of type {:#x} is not known and is passed over", reader.function,
                      static_cast<unsigned>(link->stype));
}

}  // namespace zetl
