// The sums that dpas adds products to: C before, D afterwards. They have 32 bits.
//
// Included only by steps.cpp.
#pragma once

#include <cstring>

#include "emulator/isa/steps/host_vectors.h"
#include "emulator/isa/steps/lanes.h"

namespace {

// columns and rows of D; dwords of each operand that a sum takes
inline constexpr unsigned kColumns = 16;
inline constexpr unsigned kMaxRows = 8;
inline constexpr unsigned kSystolicDepth = 8;

template <class Sum>
struct alignas(layout::kRegisterBytes) Sums {
    Sum rows[kMaxRows][kColumns];
};

template <class C, class Sum>
[[gnu::noinline]] void loadSums(Thread& t, const Step* m, Sums<Sum>& sums) {
    const auto c = source<C>(t, m->src[0]);
    Sum* const all = sums.rows[0];
    const unsigned count = m->chunks * kColumns;
    if (m->extra)
        std::memset(all, 0, count * sizeof(Sum));
    else
        for (unsigned i = 0; i < count; ++i) all[i] = to<Sum>(C(c[i]));
}
inline constexpr std::uint32_t kAllColumns = (1u << kColumns) - 1;
inline std::uint32_t columnsOn(const Thread& t, const Step* m) { return lanesOn(t, m->mask) & kAllColumns; }

template <class D, class Sum>
[[gnu::noinline]] void storeSums(Thread& t, const Step* m, const Sums<Sum>& sums) {
    const std::uint32_t on = columnsOn(t, m);
    const auto d = at<D>(t, m->dst);
    const Sum* const all = sums.rows[0];
    const unsigned count = m->chunks * kColumns;
    if (on == kAllColumns) {
        for (unsigned i = 0; i < count; ++i) d[i] = to<D>(all[i]);
    } else {
        for (unsigned i = 0; i < count; ++i)
            if (on >> i % kColumns & 1) d[i] = to<D>(all[i]);
    }
}

/// Whether vectors of the host hold all sums at once, as they lie in registers: those are read before D is written.
template <class C, class D, class Sum>
bool areHeld(const Thread& t, const Step* m) {
    constexpr bool kSame = std::same_as<C, Sum> && std::same_as<D, Sum>;
    return kSame && kVectorDwords == kColumns && m->chunks == kMaxRows && !m->extra && columnsOn(t, m) == kAllColumns;
}
/// Calls `add` with the sums of C and the place for those of D.
template <class C, class D, class Sum, class Add>
void changeSums(Thread& t, const Step* m, Add add) {
    if (areHeld<C, D, Sum>(t, m)) return add(source<Sum>(t, m->src[0]), at<Sum>(t, m->dst));
    Sums<Sum> sums;
    loadSums<C>(t, m, sums);
    add(sums.rows[0], sums.rows[0]);
    storeSums<D>(t, m, sums);
}

}  // namespace
