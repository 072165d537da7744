// The raw report of instruction sampling, and how reports about one instruction are joined.
//
// A report is a sequence of 64-bit words: these, then how often each reason was seen. Joined reads are data, too, so
// one instruction may have any number of reports.
#pragma once

#include <cstdint>

#include "metrics/calculation/raw_sets.h"

namespace zetl::metrics {

struct SampleHead {
    std::uint64_t instruction;  ///< its address / 8
    std::uint64_t time;         ///< of the read, in ticks of the device clock
    std::uint64_t lost;         ///< samples that were lost before
};
static_assert(sizeof(SampleHead) == 24);

/// Each set with one report per instruction, in the order of addresses: the latest time, and the sums of everything
/// else.
RawSets summedByInstruction(const RawSets& raw, std::size_t reportBytes);

/// True if any report says that samples were lost before it.
bool tellsLoss(const RawSets& raw, std::size_t reportBytes);

}  // namespace zetl::metrics
