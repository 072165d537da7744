#include "page/timeline_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <queue>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "text/demangled.h"
#include "text/terminal.h"
#include "timeline/call_arguments.h"
#include "timeline/device_view.h"
#include "timeline/user_range.h"

namespace zetl::command {
namespace {

struct Slice {
    std::uint64_t begin;
    std::uint64_t duration;
    std::uint32_t track;
    std::uint32_t name;
};

struct Longer {
    bool operator()(const Slice& a, const Slice& b) const { return a.duration > b.duration; }
};

/// Times in which at least one of the intervals lies.
std::uint64_t covered(std::vector<std::pair<std::uint64_t, std::uint64_t>>& intervals) {
    std::ranges::sort(intervals);
    std::uint64_t sum = 0;
    std::uint64_t until = 0;
    for (const auto& [begin, end] : intervals) {
        if (end > std::max(begin, until)) sum += end - std::max(begin, until);
        until = std::max(until, end);
    }
    return sum;
}

class SliceCollector {
  public:
    void add(const RecordingFile& recording) {
        ++recordings_;
        const DeviceView devices(recording);
        const auto rank = recording.header().rank;
        const auto label = rank >= 0 ? "rank " + std::to_string(rank) : std::to_string(recording.place().process);
        std::unordered_map<std::uint64_t, std::uint64_t> allocated;  // bytes by address
        std::map<std::uint32_t, std::string> threads;
        recording.forEach([&](const Record& record) {
            if (record.function == kThreadName) threads[record.thread] = textOf(record.payload(), kThreadNameWords);
            if (record.function == kSpan) addSpan(recording, devices, record, label);
            if (record.function == kRange)
                addSlice({recording.beginOf(record), durationOf(recording, record), trackOf(true, record.thread),
                          nameOf(userRangeOf(record).name)});
            if (record.isCall()) addCall(recording, record, allocated);
        });
        for (const auto& [thread, name] : threads) nameTrack(false, thread, fmt::format("{}: {}", label, name));
    }

    TimelineData get() {
        TimelineData data;
        data.slices = count_;
        data.duration = last_ > first_ ? last_ - first_ : 0;
        if (!busy_.empty())
            data.busy = data.duration ? static_cast<double>(covered(busy_)) / static_cast<double>(data.duration) : 0;
        addMemory(data);
        addTimeline(data);
        return data;
    }

  private:
    /// Devices sort before threads.
    using TrackKey = std::tuple<bool, std::size_t, std::uint64_t>;  // a thread; recording; number in it
    struct Track {
        std::uint32_t number;
        std::string name;
    };

    std::uint32_t trackOf(bool isThread, std::uint64_t number) {
        const auto next = static_cast<std::uint32_t>(tracks_.size());
        return tracks_.try_emplace({isThread, recordings_, number}, Track{next, "thread"}).first->second.number;
    }

    void nameTrack(bool isDevice, std::uint64_t number, std::string name) {
        const auto found = tracks_.find({!isDevice, recordings_, number});
        if (found != tracks_.end()) found->second.name = std::move(name);
    }

    std::uint32_t nameOf(const std::string& name) {
        return names_.try_emplace(name, static_cast<std::uint32_t>(names_.size())).first->second;
    }

    /// Of the open ones only the begin is known.
    void addSlice(const Slice& slice) {
        ++count_;
        first_ = std::min(first_, slice.begin);
        last_ = std::max(last_, slice.begin + slice.duration);
        slices_.push(slice);
        if (slices_.size() > TimelineData::kMostSlices) slices_.pop();
    }

    static std::uint64_t durationOf(const RecordingFile& recording, const Record& record) {
        const auto begin = recording.beginOf(record);
        const auto end = recording.endOf(record);
        return end > begin ? end - begin : 0;
    }

    void addSpan(const RecordingFile& recording, const DeviceView& devices, const Record& record,
                 const std::string& label) {
        const auto span = spanOf(record);
        const auto begin = recording.beginOf(record);
        const auto duration = durationOf(recording, record);
        const auto track = trackOf(false, span.stream);
        nameTrack(true, span.stream, fmt::format("{}: {}", label, devices.trackName(span.stream)));
        addSlice({begin, duration, track, nameOf(devices.nameOf(span))});
        if (!busy_.empty() && busy_.back().second == begin)  // work that follows at once is one interval
            busy_.back().second += duration;
        else
            busy_.emplace_back(begin, begin + duration);
    }

    void addCall(const RecordingFile& recording, const Record& record,
                 std::unordered_map<std::uint64_t, std::uint64_t>& allocated) {
        const auto name = functions()[record.function].name;
        addSlice({recording.beginOf(record), durationOf(recording, record), trackOf(true, record.thread),
                  nameOf(std::string(name))});
        if (!name.starts_with("zeMem") || record.end == 0 || record.result != 0) return;
        std::uint64_t bytes = 0;
        std::uint64_t address = 0;
        forEachArgument(record, {}, [&](const ShownArgument& each) {
            if (each.name == "size") bytes = each.number;
            if (each.name == "pptr" || each.name == "ptr") address = each.number;
        });
        const auto time = recording.endOf(record);
        if (name.starts_with("zeMemAlloc")) {
            allocated[address] = bytes;
            changes_.emplace_back(time, bytes);
        } else if (name.starts_with("zeMemFree")) {
            const auto found = allocated.find(address);
            if (found == allocated.end()) return;
            changes_.emplace_back(time, std::uint64_t(0) - found->second);
            allocated.erase(found);
        }
    }

    void addMemory(TimelineData& data) {
        std::ranges::sort(changes_);
        const auto each = std::max<std::size_t>(1, changes_.size() / TimelineData::kMostPoints + 1);
        Json points = Json::array();
        std::uint64_t now = 0;
        std::uint64_t most = 0;
        for (std::size_t i = 0; i < changes_.size(); ++i) {
            now += changes_[i].second;
            most = std::max(most, now);
            data.mostBytes = std::max(data.mostBytes, now);
            if ((i + 1) % each != 0 && i + 1 != changes_.size()) continue;
            const auto last = i + 1 == changes_.size();
            points.push_back({changes_[i].first - std::min(first_, changes_[i].first), last ? now : most});
            most = 0;
        }
        data.bytesAtEnd = now;
        data.points = points.size();
        data.memory = {{"end", data.duration}, {"points", std::move(points)}};
    }

    void addTimeline(TimelineData& data) {
        std::map<std::uint32_t, std::vector<Slice>> byTrack;
        for (; !slices_.empty(); slices_.pop()) byTrack[slices_.top().track].push_back(slices_.top());
        Json tracks = Json::array();
        std::unordered_map<std::uint32_t, std::size_t> shownNames;  // of a million kernels, few are shown
        const auto shownName = [&](std::uint32_t name) {
            return shownNames.try_emplace(name, shownNames.size()).first->second;
        };
        for (const auto& [key, track] : tracks_) {
            auto& own = byTrack[track.number];
            if (own.empty()) continue;
            if (tracks.size() == TimelineData::kMostTracks) {
                ++data.hidden;
                continue;
            }
            std::ranges::sort(own, {}, &Slice::begin);
            Json slices = Json::array();
            for (const auto& slice : own)
                slices.push_back({slice.begin - first_, slice.duration, shownName(slice.name)});
            data.shown += own.size();
            tracks.push_back({{"name", track.name}, {"slices", std::move(slices)}});
        }
        const auto longest = std::clamp(kMostOfNames / (shownNames.size() + 1), kShortest, kMostOfName);
        std::vector<std::string> names(shownNames.size());
        for (const auto& [name, number] : names_)
            if (const auto found = shownNames.find(number); found != shownNames.end())
                names[found->second] = cutInMiddle(demangled(name), longest);
        data.timeline = {{"end", data.duration}, {"names", std::move(names)}, {"tracks", std::move(tracks)}};
    }

    // characters of names
    static constexpr std::size_t kMostOfNames = 500'000;
    static constexpr std::size_t kMostOfName = 256;
    static constexpr std::size_t kShortest = 24;

    std::map<TrackKey, Track> tracks_;
    std::unordered_map<std::string, std::uint32_t> names_;
    std::priority_queue<Slice, std::vector<Slice>, Longer> slices_;  // the shortest on top
    std::vector<std::pair<std::uint64_t, std::uint64_t>> busy_;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> changes_;  // of memory: time, bytes
    std::size_t recordings_ = 0;                                    // so far: the number of the last one
    std::uint64_t count_ = 0;
    std::uint64_t first_ = UINT64_MAX;
    std::uint64_t last_ = 0;
};

}  // namespace

TimelineData timelineData(std::span<const RecordingFile> recordings) {
    SliceCollector collector;
    for (const auto& recording : recordings) collector.add(recording);
    return collector.get();
}

}  // namespace zetl::command
