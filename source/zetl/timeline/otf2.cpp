#include "timeline/otf2.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "timeline/device_view.h"
#include "timeline/source_lines.h"
#include "timeline/user_range.h"

namespace zetl::command {
namespace {

using Role = Otf2Archive::Role;

struct Otf2Slice {
    std::uint64_t begin;
    std::uint64_t end;
    std::uint32_t region;
};

/// First and last moment of all recordings.
struct TimeRange {
    std::uint64_t first = UINT64_MAX;
    std::uint64_t last = 0;
};

TimeRange rangeOf(std::span<const RecordingFile> recordings) {
    TimeRange range;
    for (const auto& recording : recordings)
        recording.forEach([&](const Record& record) {
            const auto begin = recording.beginOf(record);
            range.first = std::min(range.first, begin);
            range.last = std::max({range.last, begin, recording.endOf(record)});
        });
    return range.last == 0 ? TimeRange{0, 0} : range;
}

Role roleOf(const RecordedSpan& span) {
    const std::string_view kind = kindOf(span);
    if (kind == "kernel") return Role::function;
    return kind == "barrier" ? Role::barrier : Role::transfer;
}

/// One process, whose slices fit into memory.
class Otf2Process {
  public:
    Otf2Process(Otf2Archive& archive, const RecordingFile& recording, std::uint64_t last)
        : archive_(archive), recording_(recording), last_(last), devices_(recording) {}

    void write() {
        const auto& name = recording_.place().name;
        const auto host = archive_.addHost(recording_.host().empty() ? "unknown host" : printable(recording_.host()));
        const auto process = archive_.addGroup(printable(name), Otf2Archive::Group::process, host);
        recording_.forEach([this](const Record& record) { add(record); });
        for (auto& [thread, slices] : threads_)
            writeLocation(threadName(thread), Otf2Archive::Place::thread, process, slices);
        if (streams_.empty()) return;
        const auto device =
            archive_.addGroup("devices of " + printable(name), Otf2Archive::Group::accelerator, host, process);
        for (auto& [stream, slices] : streams_) writeStream(devices_.trackName(stream), device, slices);
    }

  private:
    void add(const Record& record) {
        if (record.function == kThreadName)
            names_[record.thread] = printable(textOf(record.payload(), kThreadNameWords));
        if (record.function == kRange) add(threads_, record, userRangeOf(record).name, Role::function);
        if (record.isCall()) add(threads_, record, std::string(functions()[record.function].name), Role::function);
        if (record.function == kSpan) {
            const auto span = spanOf(record);
            add(streams_, record, devices_.nameOf(span), roleOf(span));
        }
    }

    using Slices = std::map<std::uint32_t, std::vector<Otf2Slice>>;  // by thread or stream

    void add(Slices& all, const Record& record, const std::string& name, Role role) {
        const auto begin = recording_.beginOf(record);
        const auto end = record.end ? recording_.endOf(record) : last_;
        all[record.thread].push_back({begin, std::max(begin, end), archive_.region(printable(name), role)});
    }

    std::string threadName(std::uint32_t thread) const {
        const auto found = names_.find(thread);
        if (thread >= kFirstLane && found != names_.end()) return found->second;
        return fmt::format("{} {}", found == names_.end() ? "thread" : found->second, thread);
    }

    /// Slices nest: one that outlasts the one around it, which damaged files and clocks may have, ends with it.
    void writeLocation(const std::string& name, Otf2Archive::Place kind, std::uint32_t group,
                       std::vector<Otf2Slice>& slices) {
        std::ranges::stable_sort(slices, [](const Otf2Slice& a, const Otf2Slice& b) {
            return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
        });
        archive_.beginLocation(name, kind, group);
        std::vector<Otf2Slice> open;
        const auto closeUntil = [&](std::uint64_t time) {
            for (; !open.empty() && open.back().end <= time; open.pop_back())
                archive_.leave(open.back().end, open.back().region);
        };
        for (auto slice : slices) {
            closeUntil(slice.begin);
            if (!open.empty()) slice.end = std::min(slice.end, open.back().end);
            archive_.enter(slice.begin, slice.region);
            open.push_back(slice);
        }
        closeUntil(UINT64_MAX);
        archive_.endLocation();
    }

    /// Commands that overlap are on locations of the same name.
    void writeStream(const std::string& name, std::uint32_t group, std::vector<Otf2Slice>& slices) {
        std::ranges::stable_sort(slices, {}, &Otf2Slice::begin);
        std::vector<std::vector<Otf2Slice>> lanes;
        for (const auto& slice : slices) {
            auto lane = std::ranges::find_if(lanes, [&](const auto& each) { return each.back().end <= slice.begin; });
            if (lane == lanes.end() && lanes.size() < kMostLanes) lane = lanes.emplace(lanes.end());
            if (lane == lanes.end()) lane = std::prev(lane);  // its commands end early
            lane->push_back(slice);
        }
        for (auto& lane : lanes) writeLocation(name, Otf2Archive::Place::stream, group, lane);
    }

    static constexpr std::size_t kMostLanes = 16;

    Otf2Archive& archive_;
    const RecordingFile& recording_;
    std::uint64_t last_;
    DeviceView devices_;
    std::map<std::uint32_t, std::string> names_;  // of threads
    Slices threads_;
    Slices streams_;
};

}  // namespace

void writeOtf2(std::span<const RecordingFile> recordings, Otf2Archive& archive) {
    const auto [first, last] = rangeOf(recordings);
    for (const auto& recording : recordings) Otf2Process(archive, recording, last).write();
    std::uint64_t realtime = 0;
    if (!recordings.empty()) {
        const auto& header = recordings.front().header();
        const auto distance = header.realtime - header.monotonic - recordings.front().place().clock.shift;
        if (header.realtime != 0) realtime = distance + first;
    }
    archive.finish(first, last, realtime);
}

}  // namespace zetl::command
