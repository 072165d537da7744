// The timeline in Chrome's trace event format.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "text/json.h"
#include "text/result_name.h"
#include "timeline/call_arguments.h"
#include "timeline/device_view.h"
#include "timeline/launch_facts.h"
#include "timeline/timeline.h"
#include "timeline/user_range.h"

namespace zetl::command {
namespace {

Json jsonOf(const ShownArgument& argument) {
    switch (argument.form) {
        case ShownArgument::Form::number:
            return argument.number;
        case ShownArgument::Form::boolean:
            return argument.number != 0;
        case ShownArgument::Form::address:
            return hexadecimal(argument.number);
        default:
            return argument.text;
    }
}

Json argumentsOf(const Record& record, const KernelNames& kernels) {
    Json shown = Json::object();
    forEachArgument(record, kernels, [&](const ShownArgument& each) { shown[std::string(each.name)] = jsonOf(each); });
    return shown;
}

class Writer {
  public:
    Writer(TimelineFile& file, std::uint64_t start) : file_(file), start_(start) {
        file_.write(
            fmt::format("{{\"displayTimeUnit\":\"ns\",\"otherData\":{{\"clock\":\"CLOCK_MONOTONIC_RAW\","
                        "\"start_ns\":{}}},\n\"traceEvents\":[",
                        start));
    }

    void write(const Json& event) {
        file_.write(first_ ? "\n" : ",\n");
        file_.write(event.dump(-1, ' ', false, Json::error_handler_t::replace));
        first_ = false;
    }

    void finish() {
        file_.write("\n]}\n");
        file_.finish();
    }

    /// The format counts in microseconds, with fractions. A device may have begun before the first call was recorded.
    double microseconds(std::uint64_t time) const {
        return static_cast<double>(static_cast<std::int64_t>(time - start_)) / 1000.0;
    }

  private:
    TimelineFile& file_;
    std::uint64_t start_;
    bool first_ = true;
};

Json metadata(const char* what, std::uint32_t process, std::uint64_t thread, const std::string& name) {
    return {{"ph", "M"}, {"name", what}, {"pid", process}, {"tid", thread}, {"args", {{"name", name}}}};
}

Json callEvent(const Writer& writer, const RecordingFile& recording, const Record& record, const KernelNames& kernels) {
    const auto& function = functions()[record.function];
    const auto begin = recording.beginOf(record);
    Json event = {{"ph", record.end ? "X" : "B"},     {"name", function.name}, {"cat", function.name.substr(0, 2)},
                  {"pid", recording.place().process}, {"tid", record.thread},  {"ts", writer.microseconds(begin)}};
    if (record.end) event["dur"] = static_cast<double>(recording.endOf(record) - begin) / 1000.0;
    event["args"] = argumentsOf(record, kernels);
    return event;
}

/// Writes one process's events.
class JsonProcess {
  public:
    JsonProcess(Writer& writer, const RecordingFile& recording)
        : writer_(writer), recording_(recording), id_(recording.place().process), devices_(recording) {}

    void write() {
        writer_.write(metadata("process_name", id_, id_, recording_.place().name));
        recording_.forEach([this](const Record& record) { write(record); });
        for (const auto& [thread, name] : threads_) writer_.write(metadata("thread_name", id_, thread, name));
        for (const auto& [thread, name] : tracks_) writer_.write(metadata("thread_name", id_, thread, name));
    }

  private:
    void write(const Record& record) {
        if (record.function == kThreadName) threads_[record.thread] = textOf(record.payload(), kThreadNameWords);
        if (record.function == kSpan) return writeSpan(record);
        if (record.function == kRange) return writeRange(record);
        if (!record.isCall()) return;
        threads_.try_emplace(record.thread);
        if (makesKernels(functions()[record.function])) noteKernel(record, kernels_);
        writer_.write(callEvent(writer_, recording_, record, kernels_));
    }

    void writeRange(const Record& record) {
        const auto range = userRangeOf(record);
        const auto begin = recording_.beginOf(record);
        threads_.try_emplace(record.thread);
        Json event = {{"ph", record.end ? "X" : "B"},
                      {"name", range.name},
                      {"cat", "range"},
                      {"pid", id_},
                      {"tid", record.thread},
                      {"ts", writer_.microseconds(begin)}};
        if (record.end) event["dur"] = static_cast<double>(recording_.endOf(record) - begin) / 1000.0;
        if (!range.domain.empty()) event["args"]["domain"] = range.domain;
        writer_.write(event);
    }

    void writeSpan(const Record& record) {
        const auto span = spanOf(record);
        const auto begin = recording_.beginOf(record);
        const auto track = kFirstTrack + span.stream;
        tracks_.try_emplace(track, devices_.trackName(span.stream));
        Json event = {{"ph", "X"},
                      {"name", devices_.nameOf(span)},
                      {"cat", "device"},
                      {"pid", id_},
                      {"tid", track},
                      {"ts", writer_.microseconds(begin)},
                      {"dur", static_cast<double>(recording_.endOf(record) - begin) / 1000.0}};
        if (span.bytes) event["args"]["bytes"] = span.bytes;
        forEachLaunchFact(record, span, [&](const ShownArgument& each, LaunchFact) {
            event["args"][std::string(each.name)] = jsonOf(each);
        });
        writer_.write(event);
        writeFlow(recording_.placeOf(record), span.appended, track, begin);
    }

    /// An arrow from the call to the work that it caused.
    void writeFlow(std::uint64_t id, std::uint64_t call, std::uint64_t track, std::uint64_t begin) {
        const auto* from = recording_.callAt(call);
        if (!from) return;
        const auto end = [&](const char* phase, std::uint64_t thread, std::uint64_t time) {
            Json flow = {{"ph", phase}, {"name", "executes"}, {"cat", "device"}, {"id", id},
                         {"pid", id_},  {"tid", thread},      {"bp", "e"},       {"ts", writer_.microseconds(time)}};
            writer_.write(flow);
        };
        end("s", from->thread, recording_.beginOf(*from));
        end("f", track, begin);
    }

    static constexpr std::uint64_t kFirstTrack = std::uint64_t(1) << 32;  // above the system's thread numbers

    Writer& writer_;
    const RecordingFile& recording_;
    std::uint32_t id_;
    DeviceView devices_;
    KernelNames kernels_;
    std::map<std::uint32_t, std::string> threads_;
    std::map<std::uint64_t, std::string> tracks_;
};

/// A device takes the place of a process, because viewers attach counters to processes. Numbers above the system's.
constexpr std::uint32_t kFirstDevice = 1u << 30;

void writeCounters(Writer& writer, const CounterRecording& counters) {
    for (std::uint32_t i = 0; i < counters.sources().size(); ++i) {
        const auto& source = counters.sources()[i];
        const auto id = kFirstDevice + i;
        writer.write(metadata("process_name", id, id, fmt::format("{} (tile {})", source.device, source.tile)));
    }
    counters.forEach([&](const CounterRow& row) {
        const auto& columns = counters.sources()[row.source].columns;
        for (std::size_t i = 0; i < columns.size(); ++i)
            if (columns[i].plotted)
                writer.write({{"ph", "C"},
                              {"name", columns[i].name},
                              {"cat", columns[i].kind},
                              {"pid", kFirstDevice + row.source},
                              {"ts", writer.microseconds(row.time)},
                              {"args", {{columns[i].units.empty() ? "value" : columns[i].units, row.values[i]}}}});
    });
}

std::uint64_t firstBegin(std::span<const RecordingFile> recordings, const CounterRecording* counters) {
    std::uint64_t first = UINT64_MAX;
    if (counters) counters->forEach([&](const CounterRow& row) { first = std::min(first, row.time); });
    for (const auto& recording : recordings)
        recording.forEach([&](const Record& record) { first = std::min(first, recording.beginOf(record)); });
    return first == UINT64_MAX ? 0 : first;
}

}  // namespace

void writeJson(std::span<const RecordingFile> recordings, const CounterRecording* counters, TimelineFile& file) {
    Writer writer(file, firstBegin(recordings, counters));
    for (const auto& recording : recordings) JsonProcess(writer, recording).write();
    if (counters) writeCounters(writer, *counters);
    writer.finish();
}

}  // namespace zetl::command
