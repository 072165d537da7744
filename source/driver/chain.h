// The pNext chains of descriptors and property queries.
#pragma once

#include <level_zero/ze_api.h>

#include "driver/description.h"
#include "driver/refusal.h"

namespace zetl::driver {

/// The head all extensible structs share.
struct ChainLink {
    ze_structure_type_t stype;
    void* pNext;
};

/// The struct at an address that a program gave as pNext; null, with a log line, if nothing can be there.
ChainLink* linkAt(const void* address) noexcept;

/// Calls `visit(link)` for every struct chained behind `head`; visit returns false for a type it does not know, which
/// is logged and passed over. Tools leave stype and pNext uninitialised in places, so the chain of a head that is not
/// marked as `type` is not followed, and an address where nothing is mapped ends it. A chain longer than 32 is taken as
/// circular or garbage and cut there.
template <class V>
void forEachLink(const void* head, ze_structure_type_t type, V&& visit) {
    constexpr int kLongest = 32;
    const auto* first = static_cast<const ChainLink*>(head);
    if (first->stype != type) return;
    auto* link = linkAt(first->pNext);
    for (int i = 0; link && i < kLongest; ++i, link = linkAt(link->pNext))
        if (!visit(*link))
            log::info(description().log, "{}: chained struct of type {:#x} is not known and is passed over",
                      currentFunction(), static_cast<unsigned>(link->stype));
}

/// A visitor that fills one kind of output struct and knows no other.
template <class T, class F>
auto fillLink(ze_structure_type_t type, F&& fill) {
    return [type, fill](ChainLink& link) {
        if (link.stype == type) fill(reinterpret_cast<T&>(link));
        return link.stype == type;
    };
}

/// The first struct of type T, marked by `wanted`, behind a `head` marked as `type`; null if there is none. For
/// optional inputs.
template <class T>
const T* findInChain(const void* head, ze_structure_type_t type, ze_structure_type_t wanted) {
    const T* found = nullptr;
    forEachLink(head, type, [&](ChainLink& link) {
        if (link.stype == wanted && !found) found = reinterpret_cast<const T*>(&link);
        return true;
    });
    return found;
}

}  // namespace zetl::driver
