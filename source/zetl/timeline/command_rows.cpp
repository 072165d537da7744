#include "timeline/command_rows.h"

#include <algorithm>
#include <array>
#include <vector>

#include "text/table.h"
#include "timeline/device_view.h"
#include "timeline/launch_facts.h"

namespace zetl::command {
namespace {

constexpr std::size_t kRowsAtOnce = 1000;

/// Empty for 0, which means that the number is not known.
Json known(std::uint64_t number) { return number ? Json(number) : Json(""); }
Json known(const std::uint32_t (&size)[3]) { return size[0] ? Json(sizeText(size)) : Json(""); }

std::vector<Json> rowOf(const RecordingFile& recording, const DeviceView& devices, const Record& record) {
    const auto span = spanOf(record);
    const auto begin = recording.beginOf(record);
    const auto end = recording.endOf(record);
    return {recording.header().rank < 0 ? Json("") : Json(recording.header().rank),
            recording.place().process,
            devices.trackName(span.stream),
            kindOf(span),
            devices.nameOf(span),
            begin,
            end > begin ? end - begin : 0,
            known(span.bytes),
            span.submittedAt ? Json(queuedOf(record, span)) : Json(""),
            known(span.groups),
            known(span.groupSize),
            known(span.registers),
            known(span.simdWidth),
            span.simdWidth ? Json(span.localBytes) : Json("")};
}

/// The records of devices by their begin: queues are read one after the other.
std::vector<const Record*> commandsOf(const RecordingFile& recording) {
    std::vector<const Record*> commands;
    recording.forEach([&](const Record& record) {
        if (record.function == kSpan) commands.push_back(&record);
    });
    std::ranges::stable_sort(commands, {}, [&](const Record* each) { return recording.beginOf(*each); });
    return commands;
}

}  // namespace

void writeCommands(std::span<const RecordingFile> recordings, const std::function<void(const std::string&)>& write) {
    Table table{{"rank", "process", "stream", "kind", "name", "begin_ns", "duration_ns", "bytes", "queued_ns", "grid",
                 "group_size", "registers", "simd_width", "local_bytes"},
                {}};
    bool first = true;
    const auto flush = [&] {
        const auto text = table.csv();
        write(first ? text : text.substr(text.find('\n') + 1));
        first = false;
        table.rows.clear();
    };
    for (const auto& recording : recordings) {
        const DeviceView devices(recording);
        for (const auto* record : commandsOf(recording)) {
            table.rows.push_back(rowOf(recording, devices, *record));
            if (table.rows.size() == kRowsAtOnce) flush();
        }
    }
    if (first || !table.rows.empty()) flush();
}

}  // namespace zetl::command
