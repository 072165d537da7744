// Any bytes as the raw data of a calculation operation, whole and in pieces: documented codes, and reports that add up.
//
// The first byte chooses among counters as streams, counters as queries, and samples, and says whether the device has
// tiles and whether the bytes are made into whole reports (otherwise hardly any input gets that far). The second is the
// length of a section, the third how many reports there is room for, the fourth the length of a piece.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "metrics/calculation/report.h"
#include "metrics/calculation_operation.h"
#include "metrics/device_state.h"
#include "support/fake_core.h"

namespace {

namespace fake = zetl::test::fake;
using zetl::metrics::CalculationOperation;
using zetl::metrics::DeviceState;
using zetl::metrics::Measurement;
using zetl::metrics::Scope;
using zetl::metrics::TileHead;
using zetl::metrics::TimeWindows;

constexpr std::size_t kHead = 4;
constexpr std::uint32_t kTiles = 3;
using Bytes = std::vector<std::byte>;

void require(bool holds) {
    if (!holds) std::abort();
}

class Sources {
  public:
    Sources() {
        fake::addTo(devices_, {.samples = true});
        device_ = *devices_.find(fake::deviceHandle());
        state_ = std::make_unique<DeviceState>(*device_);
        for (const auto source : {ZETL_SOURCE_STREAM, ZETL_SOURCE_QUERY, ZETL_SOURCE_SAMPLING})
            for (const auto& group : state_->groups())
                if (group->source() == source) measured_[source] = group->measurement();
    }
    CalculationOperation::Content content(zetl_source_t source, bool tiled, std::uint64_t section) const {
        CalculationOperation::Content content;
        content.measured = measured_[source];
        content.columns = {0, content.measured->calculator().columns() - 1};
        for (const auto column : content.columns)
            content.metrics.push_back(std::make_shared<zetl::metrics::Metric>(
                *device_, content.measured->descriptor().columns[column], false));
        content.sets = tiled && source != ZETL_SOURCE_QUERY ? kTiles : 1;
        if (content.sets > 1 && source == ZETL_SOURCE_SAMPLING)
            content.scopes.push_back(std::make_shared<Scope>(*device_));
        for (std::uint32_t set = 0; set < content.sets; ++set)
            content.scopes.push_back(std::make_shared<Scope>(*device_, set + 1, set, set));
        content.windows = TimeWindows({{section, 8 * section}, {10 * section, UINT64_MAX}}, section);
        return content;
    }

  private:
    zetl::device::Devices devices_{fake::coreCalls()};
    const zetl::device::Device* device_ = nullptr;
    std::unique_ptr<DeviceState> state_;
    std::array<std::shared_ptr<const Measurement>, ZETL_SOURCES> measured_;
};

/// Whole reports at ascending times; for tiles each in turn, behind its head.
Bytes asReports(Bytes raw, const CalculationOperation::Content& content) {
    const auto bytes = content.measured->reportBytes();
    raw.resize(raw.size() / bytes * bytes);
    Bytes made;
    std::uint64_t time = 0;
    for (std::size_t at = 0; at < raw.size(); at += bytes) {
        std::uint64_t word = 0;
        std::memcpy(&word, raw.data() + at, sizeof word);
        time += word % 256;
        if (content.measured->source() != ZETL_SOURCE_SAMPLING) std::memcpy(raw.data() + at, &time, sizeof time);
        const TileHead head{.set = static_cast<std::uint32_t>(at / bytes % kTiles), .sets = kTiles, .bytes = bytes};
        const auto* const first = reinterpret_cast<const std::byte*>(&head);
        if (content.sets > 1) made.insert(made.end(), first, first + sizeof head);
        made.insert(made.end(), raw.begin() + static_cast<std::ptrdiff_t>(at),
                    raw.begin() + static_cast<std::ptrdiff_t>(at + bytes));
    }
    return made;
}

bool isDocumented(ze_result_t code) {
    constexpr ze_result_t kCodes[] = {ZE_RESULT_SUCCESS, ZE_RESULT_NOT_READY, ZE_RESULT_WARNING_DROPPED_DATA,
                                      ZE_RESULT_ERROR_INVALID_SIZE, ZE_RESULT_ERROR_INVALID_ARGUMENT};
    return std::ranges::find(kCodes, code) != std::end(kCodes);
}

bool isGood(ze_result_t code) { return code == ZE_RESULT_SUCCESS || code == ZE_RESULT_WARNING_DROPPED_DATA; }

/// The number of reports of a call, which first asks for it. 0 after a refusal.
std::uint32_t calculate(CalculationOperation& operation, std::span<const std::byte> raw, bool last,
                        std::uint32_t most) {
    std::size_t used = 1;
    std::uint32_t all = 0;
    const auto asked = operation.calculate({raw, last, &used, &all, nullptr});
    require(isDocumented(asked) && used == 0);
    if (asked != ZE_RESULT_SUCCESS) return 0;
    std::uint32_t count = most;
    std::vector<zet_intel_metric_result_exp_t> values(std::size_t{most} * operation.valuesOfReport());
    const auto code = operation.calculate({raw, last, &used, &count, values.data()});
    require(isDocumented(code));
    if (!isGood(code)) return 0;
    require(used == raw.size() && count == std::min(most, all));
    for (const auto& value : values) require(value.resultStatus <= ZET_INTEL_METRIC_CALCULATION_EXP_RESULT_INVALID);
    return count;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const Sources sources;
    if (size < kHead) return 0;
    constexpr zetl_source_t kSources[] = {ZETL_SOURCE_STREAM, ZETL_SOURCE_QUERY, ZETL_SOURCE_SAMPLING};
    const auto source = kSources[data[0] % 3];
    const bool whole = (data[0] & 16) != 0;
    const auto content = sources.content(source, (data[0] & 8) != 0, 1 + data[1]);
    const auto* const first = reinterpret_cast<const std::byte*>(data + kHead);
    Bytes raw(first, first + size - kHead);
    if (whole) raw = asReports(std::move(raw), content);
    CalculationOperation at(content);
    const std::uint32_t room = 1 + data[2];
    calculate(at, raw, true, room);
    const auto all = calculate(at, raw, true, 512);

    CalculationOperation parts(content);
    const auto piece =
        (1 + data[3] % 8) * (content.measured->reportBytes() + (content.sets > 1 ? sizeof(TileHead) : 0));
    std::uint32_t sum = 0;
    for (std::size_t from = 0; from < raw.size(); from += piece)
        sum += calculate(parts, std::span(raw).subspan(from, std::min(piece, raw.size() - from)), false, room);
    sum += calculate(parts, {}, true, 512);
    require(!whole || source == ZETL_SOURCE_SAMPLING || sum == all);
    return 0;
}
