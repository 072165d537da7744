// Section "streams": what the whole device counts, at a period.
#include <algorithm>

#include "nvidia/access/on_stream.h"
#include "nvidia/access/sample_stream.h"
#include "nvidia/access/sections.h"

namespace zetl::nvidia::access {
namespace {

constexpr std::uint64_t kMostReports = 65536;
constexpr std::uint64_t kLongestPeriod = 1'000'000'000;

using Streams = IdTable<SampleStream>;

zetl_status_t open(zetl_lease_t id, const void* bytes, std::uint64_t size, zetl_stream_options_t* options,
                   zetl_stream_t* stream) noexcept {
    return atWork([&] {
        if (!options || !stream) return ZETL_MISUSE;
        CountedPlan counted;
        if (const auto bad = prepare(id, ZETL_SOURCE_STREAM, bytes, size, counted); bad != ZETL_OK) return bad;
        if (counted.plan.names.empty()) return ZETL_MISUSE;
        options->period_ns = std::clamp(options->period_ns, kShortestPeriod, kLongestPeriod);
        options->capacity = std::clamp<std::uint64_t>(options->capacity, 2, kMostReports);
        *stream = Streams::instance().add(std::make_shared<SampleStream>(std::move(counted), *options));
        return ZETL_OK;
    });
}

zetl_status_t start(zetl_stream_t id) noexcept {
    return onStream<Streams>(id, [](SampleStream& stream) { return stream.start(); });
}
zetl_status_t stop(zetl_stream_t id) noexcept {
    return onStream<Streams>(id, [](SampleStream& stream) { return stream.stop(); });
}

zetl_status_t pending(zetl_stream_t id, std::uint64_t* count) noexcept {
    return onStream<Streams>(id, [=](SampleStream& stream) {
        if (!count) return ZETL_MISUSE;
        *count = stream.pending();
        return ZETL_OK;
    });
}

zetl_status_t drain(zetl_stream_t id, std::uint64_t capacity, void* reports, zetl_report_info_t* infos,
                    std::uint64_t* count, zetl_loss_t* loss) noexcept {
    return onStream<Streams>(id, [=](SampleStream& stream) {
        if (!count || !loss || (capacity > 0 && (!reports || !infos))) return ZETL_MISUSE;
        *count = stream.drain(capacity, static_cast<std::uint64_t*>(reports), infos, *loss);
        return ZETL_OK;
    });
}

zetl_status_t marker(zetl_stream_t, ze_command_list_handle_t, std::uint32_t) noexcept {
    log::warn(log::Channel::nvidia,
              "the hardware's samples take no markers; compare their times with kernels' instead");
    return ZETL_UNSUPPORTED;
}

zetl_status_t closeStream(zetl_stream_t id) noexcept {
    // Its thread ends outside of the table's lock.
    return atWork([&] { return Streams::instance().remove(id) ? ZETL_OK : ZETL_GONE; });
}

}  // namespace

const zetl_stream_functions_t kStreamFunctions = {
    .size = sizeof kStreamFunctions,
    .reserved = 0,
    .open = open,
    .start = start,
    .stop = stop,
    .pending = pending,
    .drain = drain,
    .marker = marker,
    .close = closeStream,
};

}  // namespace zetl::nvidia::access
