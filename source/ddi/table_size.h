// How much of a dispatch table may be touched.
//
// Tables only grow at the end, so the answer is one number: a table of a given specification version has that many
// usable entries. The memory behind them belongs to others, often to the neighbouring table or to a stack frame.
#pragma once

#include <level_zero/ze_api.h>

#include <tuple>

#include "ddi/api.h"

namespace zetl::ddi {

/// The minor version of the newest specification that the rows know, here alone.
inline constexpr unsigned kNewestMinor = 17;

/// The first function of a table; the others follow.
Function firstFunction(Table table) noexcept;

/// The number of slots in the newest form of a table.
std::size_t slots(Table table) noexcept;

/// The number of slots that a caller of this specification version has. A version newer than ours, or of another major
/// version, counts as ours: known slots are used, others are left alone.
std::size_t usableSlots(Table table, ze_api_version_t version) noexcept;

struct LoaderVersion {
    int major = 0;
    int minor = 0;
    int patch = 0;
    friend constexpr bool operator<=(const LoaderVersion& a, const LoaderVersion& b) noexcept {
        return std::tie(a.major, a.minor, a.patch) <= std::tie(b.major, b.minor, b.patch);
    }
};

/// True if that loader's table does not have the layout its version number promises, so that nothing in it may be
/// touched.
bool deviates(Table table, LoaderVersion loader) noexcept;

/// True if there are loaders of this specification version whose table deviates: only then is the exact version worth
/// asking for.
bool mayDeviate(Table table, ze_api_version_t version) noexcept;

}  // namespace zetl::ddi
