#include "metrics/core_api_counters.h"

#include <fmt/format.h>
#include <ze_tools_layer/device_facts.h>

#include <iterator>
#include <map>
#include <stdexcept>

#include "recording/counters.h"
#include "timeline/device_view.h"

namespace zetl::command {
namespace {

constexpr std::size_t kMostRows = 10'000'000;

using activity::Facts;
/// Indexed by the number of the period.
using Periods = std::map<std::uint64_t, Facts>;

std::vector<CounterColumn> columns() {
    std::vector<CounterColumn> all;
    all.reserve(std::size(activity::kFactTexts));
    for (const auto& text : activity::kFactTexts) all.push_back({text.name, text.unit, true, "Core API"});
    return all;
}

class Devices {
  public:
    explicit Devices(std::uint64_t period) : period_(period) {}

    void add(const RecordingFile& recording) {
        const DeviceView view(recording);
        recording.forEach([&](const Record& record) {
            if (record.function != kSpan || record.end == 0) return;
            const auto recorded = spanOf(record);
            activity::Span span;
            span.work = static_cast<activity::Work>(recorded.work);
            span.begin = recording.beginOf(record);
            span.end = recording.endOf(record);
            span.bytes = recorded.bytes;
            auto& periods = periodsOf(recording, view.deviceOf(recorded.stream));
            activity::addSpan(span, 0, period_, [&](std::uint64_t number) -> Facts& { return at(periods, number); });
        });
    }

    void write(const std::filesystem::path& file) const {
        CounterWriter writer(file, sources_);
        for (std::uint32_t i = 0; i < all_.size(); ++i) write(writer, all_[i], i);
        writer.flush();
    }

  private:
    Periods& periodsOf(const RecordingFile& recording, std::uint64_t device) {
        const auto [at, isNew] = numbers_.try_emplace({recording.place().process, device}, all_.size());
        if (isNew) {
            all_.emplace_back();
            sources_.push_back(
                {fmt::format("{} {}: device {:#x}", recording.command(), recording.place().process, device), 0,
                 columns()});
        }
        return all_[at->second];
    }

    Facts& at(Periods& periods, std::uint64_t number) {
        const auto [at, isNew] = periods.try_emplace(number);
        if (isNew && ++rows_ > kMostRows)
            throw std::runtime_error("the program ran for too many periods; use a longer --period");
        return at->second;
    }

    void write(CounterWriter& writer, const Periods& periods, std::uint32_t source) const {
        std::uint64_t next = 0;  // after what was written
        for (const auto& [number, values] : periods) {
            if (number > next && next != 0) writeRow(writer, next, Facts{}, source);
            if (number > next && number - 1 > next) writeRow(writer, number - 1, Facts{}, source);
            writeRow(writer, number, values, source);
            next = number + 1;
        }
        if (!periods.empty()) writeRow(writer, next, Facts{}, source);
    }

    void writeRow(CounterWriter& writer, std::uint64_t number, const Facts& values, std::uint32_t source) const {
        writer.write({(number + 1) * period_, source, 0, 0, {values.begin(), values.end()}});
    }

    const std::uint64_t period_;
    std::map<std::pair<std::uint32_t, std::uint64_t>, std::size_t> numbers_;  ///< by process and handle
    std::vector<Periods> all_;
    std::vector<CounterSource> sources_;
    std::size_t rows_ = 0;
};

}  // namespace

void writeCoreApiCounters(std::span<const RecordingFile> recordings, std::uint32_t period,
                          const std::filesystem::path& file) {
    Devices devices(period);
    for (const auto& each : recordings) devices.add(each);
    devices.write(file);
}

std::uint64_t commandsUnknown(std::span<const RecordingFile> recordings) {
    std::uint64_t sum = 0;
    for (const auto& each : recordings) sum += each.header().spansBeyond.load() + each.unmeasured();
    return sum;
}

}  // namespace zetl::command
