// Lookup in a pNext chain.
#pragma once

#include <cstdint>

namespace zetl {

/// What every chained structure begins with.
struct ExtensionHead {
    std::uint32_t stype;
    void* pNext;
};

/// Calls visit(head) for each structure of a chain that the caller may write to. Ends after kMost, because a chain that
/// was never initialised may lead in a circle.
template <class Visit>
void forEachExtension(void* chain, Visit&& visit) {
    constexpr int kMost = 64;
    auto* head = static_cast<ExtensionHead*>(chain);
    for (int i = 0; head && i < kMost; ++i, head = static_cast<ExtensionHead*>(head->pNext)) visit(*head);
}

}  // namespace zetl
