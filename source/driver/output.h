// Fills the structs that property functions return.
#pragma once

#include <algorithm>
#include <cstring>
#include <string_view>

#include "driver/chain.h"

namespace zetl::driver {

/// Copies, with truncation; the target is always terminated.
template <std::size_t N>
void assign(char (&target)[N], std::string_view text) {
    const auto length = std::min(text.size(), N - 1);
    std::memcpy(target, text.data(), length);
    target[length] = '\0';
}

/// Sets everything behind stype and pNext to zero: fields that are not filled in afterwards are absent.
template <class T>
void clearBody(T& out) {
    const ChainLink head{out.stype, const_cast<void*>(static_cast<const void*>(out.pNext))};
    out = T{};
    out.stype = head.stype;
    out.pNext = head.pNext;
}

}  // namespace zetl::driver
