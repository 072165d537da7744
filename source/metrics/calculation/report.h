// Our raw report: the data that travel beside a device's opaque bytes, put in front of them.
//
// Raw data of one streamer or query are such reports, all of one size, without any header before the first, so that the
// results of several reads may be joined before they are calculated.
#pragma once

#include <cstdint>

namespace zetl::metrics {

struct ReportHead {
    std::uint64_t time;    ///< ticks of the counters' clock
    std::uint32_t reason;  ///< zetl_report_reason_t
    std::uint32_t marker;
};
static_assert(sizeof(ReportHead) == 16);

}  // namespace zetl::metrics
