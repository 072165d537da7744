#include "timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>

#include "result_name.h"

namespace zetl::command {
namespace {

using Json = nlohmann::ordered_json;

/// Kernel names by handle, so that a launch can say what it launches.
using KernelNames = std::map<std::uint64_t, std::string>;

std::string textOf(const std::uint64_t* payload, std::uint16_t words) {
    const auto* text = reinterpret_cast<const char*>(payload);
    return {text, strnlen(text, words * sizeof(std::uint64_t))};
}

std::string hexadecimal(std::uint64_t value) { return fmt::format("{:#x}", value); }

Json shown(Kind kind, const std::uint64_t* payload) {
    switch (kind) {
        case Kind::number:
        case Kind::number64:
        case Kind::enumerator:
        case Kind::outCount:
        case Kind::outNumber64:
            return *payload;
        case Kind::boolean:
            return *payload != 0;
        case Kind::text:
        case Kind::kernelDescription:
            return textOf(payload, wordsOf(kind));
        case Kind::groups:
            return fmt::format("{} x {} x {}", *payload & UINT32_MAX, *payload >> 32, payload[1] & UINT32_MAX);
        case Kind::structure:
            return "(by value)";
        default:
            return hexadecimal(*payload);
    }
}

Json argumentsOf(const Function& function, const Record& record, const KernelNames& kernels) {
    Json shownArguments = Json::object();
    const auto* payload = record.payload();
    for (const auto& [name, kind] : function.arguments) {
        shownArguments[std::string(name)] = shown(kind, payload);
        if (name == "hKernel")
            if (const auto found = kernels.find(*payload); found != kernels.end())
                shownArguments["kernel"] = found->second;
        payload += wordsOf(kind);
    }
    if (record.end != 0)
        shownArguments["result"] =
            function.returnsValue ? Json(hexadecimal(record.result)) : Json(resultName(record.result));
    return shownArguments;
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

    /// The format counts in microseconds, with fractions.
    double microseconds(std::uint64_t time) const { return static_cast<double>(time - start_) / 1000.0; }

  private:
    TimelineFile& file_;
    std::uint64_t start_;
    bool first_ = true;
};

Json metadata(const char* what, std::uint32_t process, std::uint32_t thread, const std::string& name) {
    return {{"ph", "M"}, {"name", what}, {"pid", process}, {"tid", thread}, {"args", {{"name", name}}}};
}

Json callEvent(const Writer& writer, const Record& record, std::uint32_t process, const KernelNames& kernels) {
    const auto& function = functions()[record.function];
    const auto begin = record.begin.load(std::memory_order_relaxed);
    Json event = {{"ph", record.end ? "X" : "B"},
                  {"name", function.name},
                  {"cat", function.name.substr(0, 2)},
                  {"pid", process},
                  {"tid", record.thread},
                  {"ts", writer.microseconds(begin)}};
    if (record.end) event["dur"] = static_cast<double>(record.end - begin) / 1000.0;
    event["args"] = argumentsOf(function, record, kernels);
    return event;
}

/// Handles of kernels that were created successfully, with their names. A reused handle keeps its latest name.
void noteKernel(const Record& record, KernelNames& kernels) {
    const auto& function = functions()[record.function];
    if (function.name != "zeKernelCreate" || record.end == 0 || record.result != 0) return;
    const auto* description = record.payload() + wordsOf(Kind::handle);
    kernels[description[wordsOf(Kind::kernelDescription)]] = textOf(description, wordsOf(Kind::kernelDescription));
}

void writeProcess(Writer& writer, const RecordingFile& recording) {
    const auto process = recording.header().process;
    writer.write(metadata("process_name", process, process, recording.command()));
    std::map<std::uint32_t, std::string> threads;
    KernelNames kernels;
    recording.forEach([&](const Record& record) {
        if (record.function == kThreadName) {
            threads[record.thread] = textOf(record.payload(), kThreadNameWords);
            return;
        }
        threads.try_emplace(record.thread);
        noteKernel(record, kernels);
        writer.write(callEvent(writer, record, process, kernels));
    });
    for (const auto& [thread, name] : threads) writer.write(metadata("thread_name", process, thread, name));
}

std::uint64_t firstBegin(std::span<const RecordingFile> recordings) {
    std::uint64_t first = UINT64_MAX;
    for (const auto& recording : recordings)
        recording.forEach([&](const Record& record) { first = std::min(first, record.begin.load()); });
    return first == UINT64_MAX ? 0 : first;
}

}  // namespace

void writeTimeline(std::span<const RecordingFile> recordings, TimelineFile& file) {
    Writer writer(file, firstBegin(recordings));
    for (const auto& recording : recordings) writeProcess(writer, recording);
    writer.finish();
}

}  // namespace zetl::command
