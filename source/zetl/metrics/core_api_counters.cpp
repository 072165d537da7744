#include "metrics/core_api_counters.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <stdexcept>

#include "counter_recording.h"
#include "device_view.h"

namespace zetl::command {
namespace {

constexpr std::size_t kMostRows = 10'000'000;

enum Column : std::size_t { kernelTime, copyTime, commands, kernels, bytesCopied, kColumns };
enum Work : std::uint32_t { kernelWork = 0, copyWork = 1 };  // by activity::Work

const std::vector<CounterColumn> kDescriptions = {
    {"KernelTime", "ns"},    {"CopyTime", "ns"},       {"Commands", "commands"},
    {"Kernels", "commands"}, {"BytesCopied", "bytes"},
};

using Row = std::array<double, kColumns>;
/// By the number of the period.
using Periods = std::map<std::uint64_t, Row>;

class Devices {
  public:
    explicit Devices(std::uint64_t period) : period_(period) {}

    void add(const RecordingFile& recording) {
        const DeviceView view(recording);
        recording.forEach([&](const Record& record) {
            if (record.function != kSpan || record.end == 0) return;
            const auto span = spanOf(record);
            auto& periods = periodsOf(recording, view.deviceOf(span.stream));
            add(periods, span, record.begin.load(std::memory_order_relaxed), record.end);
        });
    }

    void write(const std::filesystem::path& file) const {
        CounterWriter writer(file, sources_);
        for (std::uint32_t i = 0; i < all_.size(); ++i) write(writer, all_[i], i);
        writer.flush();
    }

  private:
    Periods& periodsOf(const RecordingFile& recording, std::uint64_t device) {
        const auto [at, isNew] = numbers_.try_emplace({recording.header().process, device}, all_.size());
        if (isNew) {
            all_.emplace_back();
            sources_.push_back(
                {fmt::format("{} {}: device {:#x}", recording.command(), recording.header().process, device), 0,
                 kDescriptions});
        }
        return all_[at->second];
    }

    Row& at(Periods& periods, std::uint64_t number) {
        const auto [at, isNew] = periods.try_emplace(number);
        if (isNew && ++rows_ > kMostRows)
            throw std::runtime_error("the program ran for too many periods: --period is too short");
        return at->second;
    }

    void add(Periods& periods, const RecordedSpan& span, std::uint64_t begin, std::uint64_t end) {
        const auto last = std::max(begin, end) / period_;
        for (auto number = begin / period_; number <= last; ++number) {
            const auto from = std::max(begin, number * period_);
            const auto until = std::min(end, (number + 1) * period_);
            auto& values = at(periods, number);
            const auto time = until > from ? static_cast<double>(until - from) : 0;
            if (span.work == kernelWork) values[kernelTime] += time;
            if (span.work == copyWork) values[copyTime] += time;
        }
        auto& values = at(periods, last);
        values[commands] += 1;
        if (span.work == kernelWork) values[kernels] += 1;
        if (span.work == copyWork) values[bytesCopied] += static_cast<double>(span.bytes);
    }

    void write(CounterWriter& writer, const Periods& periods, std::uint32_t source) const {
        std::uint64_t next = 0;  // behind what was written
        for (const auto& [number, values] : periods) {
            if (number > next && next != 0) writeRow(writer, next, Row{}, source);
            if (number > next && number - 1 > next) writeRow(writer, number - 1, Row{}, source);
            writeRow(writer, number, values, source);
            next = number + 1;
        }
        if (!periods.empty()) writeRow(writer, next, Row{}, source);
    }

    void writeRow(CounterWriter& writer, std::uint64_t number, const Row& values, std::uint32_t source) const {
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
    for (const auto& each : recordings) sum += each.header().spansBeyond.load() + each.header().unmeasured.load();
    return sum;
}

}  // namespace zetl::command
