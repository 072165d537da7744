// The pNext chains of descriptors and property queries.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <utility>

#include "base/chain.h"
#include "base/result.h"
#include "driver/description.h"
#include "driver/refusal.h"

namespace zetl::driver {

/// The function that the calling thread is in.
inline ChainReader chainReader() noexcept { return {currentFunction(), description().log}; }

/// Calls `visit(link)` for every struct chained behind `head` (base/chain.h). Tools leave stype and pNext uninitialised
/// in places, so the chain of a head that is marked as something else than `type` is not followed. A head with stype 0
/// was zeroed, and its chain is what the program wrote there: Intel's driver follows it, too.
template <class V>
void forEachLink(const void* head, ze_structure_type_t type, V&& visit) {
    const auto* first = static_cast<const ChainLink*>(head);
    if (first->stype == type || first->stype == 0)
        zetl::forEachLink(first->pNext, chainReader(), std::forward<V>(visit));
}

/// `code`, with a log line, if the chain behind `head` has a struct that is none of `served`: of some descriptors
/// Intel's driver does not pass over what it does not know.
inline Status refuseOthers(const void* head, ze_structure_type_t type, std::initializer_list<std::uint32_t> served,
                           ze_result_t code) {
    Status status = ZE_RESULT_SUCCESS;
    forEachLink(head, type, [&](const ChainLink& link) {
        if (std::ranges::find(served, static_cast<std::uint32_t>(link.stype)) == served.end())
            status = refuse(code, "chained struct of type {:#x} is not served here; leave it out",
                            static_cast<unsigned>(link.stype));
        return true;
    });
    return status;
}

/// A visitor that fills one kind of output struct and accepts no other.
template <class T, class F>
auto fillLink(ze_structure_type_t type, F&& fill) {
    return [type, fill](ChainLink& link) {
        if (link.stype == type) fill(reinterpret_cast<T&>(link));
        return link.stype == type;
    };
}

/// The first struct of type T, marked by `wanted`, behind a `head` that is marked as `type`; null if there is none. For
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
