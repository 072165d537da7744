// The timeline in Perfetto's own format.
#include <array>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "text/result_name.h"
#include "timeline/call_arguments.h"
#include "timeline/device_view.h"
#include "timeline/launch_facts.h"
#include "timeline/slice_sequence.h"
#include "timeline/timeline.h"
#include "timeline/user_range.h"

namespace zetl::command {
namespace {

using Name = SliceSequence::Name;

perfetto::Annotation fieldOf(ShownArgument::Form form) {
    switch (form) {
        case ShownArgument::Form::boolean:
            return perfetto::boolean;
        case ShownArgument::Form::address:
            return perfetto::address;
        default:
            return perfetto::number;
    }
}

/// Calls that lead to work of a device.
bool mayLead(const Function& function) {
    return function.name.starts_with("zeCommandListAppend") || function.name.find("CommandLists") != std::string::npos;
}

/// How an argument is written.
struct Field {
    Name name;
    Kind kind;
    std::uint16_t words;
    bool isText;
    bool isKernel;  // whose name is written as well
    perfetto::Annotation form;
};

/// How calls of one function are written.
struct CallForm {
    Name name;
    std::vector<Field> fields;
    bool returnsValue;
    bool makesKernels;
    bool mayLead;
};

/// Of all functions, with the names of their arguments by number.
class CallForms {
  public:
    CallForms() {
        for (const auto& function : functions()) {
            const Name name{static_cast<std::uint32_t>(forms_.size()), function.name};
            auto& form = forms_.emplace_back(
                CallForm{name, {}, function.returnsValue, makesKernels(function), mayLead(function)});
            for (const auto& [argument, kind, words] : function.arguments)
                form.fields.push_back({numbered(argument), kind, words, formOf(kind) == ShownArgument::Form::text,
                                       argument == "hKernel", fieldOf(formOf(kind))});
        }
        kernel = numbered("kernel");
        result = numbered("result");
        bytes = numbered("bytes");
        domain = numbered("domain");
        for (std::size_t i = 0; i < launchFacts.size(); ++i) launchFacts[i] = numbered(kLaunchFactNames[i]);
    }

    const CallForm& of(std::uint16_t function) const { return forms_[function]; }
    Name kernel{};
    Name result{};
    Name bytes{};
    Name domain{};                                 ///< of a range
    std::array<Name, kLaunchFacts> launchFacts{};  ///< indexed by LaunchFact

  private:
    Name numbered(std::string_view name) {
        const auto number = static_cast<std::uint32_t>(numbers_.size());
        return {numbers_.try_emplace(name, number).first->second, name};
    }
    std::map<std::string_view, std::uint32_t> numbers_;
    std::vector<CallForm> forms_;
};

/// Names of result codes, numbered as they come.
class ResultNames {
  public:
    const Name& of(std::uint64_t code) {
        if (last_ == names_.end() || last_->first != code) {
            last_ = names_.try_emplace(code).first;
            auto& [text, name] = last_->second;
            if (text.empty()) {
                text = resultName(code);
                name = {static_cast<std::uint32_t>(names_.size() - 1), text};
            }
        }
        return last_->second.second;
    }

  private:
    using Names = std::map<std::uint64_t, std::pair<std::string, Name>>;
    Names names_;
    Names::iterator last_ = names_.end();
};

/// A track, whose slices may wait for their end: those of a thread nest.
struct Track {
    Track(PerfettoFile& file, std::uint64_t id) : slices(file, id) {}
    SliceSequence slices;
    std::vector<std::uint64_t> open;  // their ends
    std::uint64_t last = 0;           // begin of the last one; threads share chunks, so times may go back

    void closeUntil(std::uint64_t time) {
        for (; !open.empty() && open.back() <= time; open.pop_back()) slices.end(open.back());
    }
};

/// The number of the first track of the process at that index.
constexpr std::uint64_t firstTrackOf(std::uint64_t place) { return (place + 1) << 40; }

/// Writes one process's packets.
class PerfettoProcess {
  public:
    PerfettoProcess(PerfettoFile& file, const RecordingFile& recording, std::uint64_t number, const CallForms& forms)
        : file_(file), recording_(recording), first_(firstTrackOf(number)), forms_(forms), devices_(recording) {}

    void write() {
        file_.describe(first_, [&](protozero::pbf_writer& track) {
            protozero::pbf_writer process(track, perfetto::process);
            process.add_int32(perfetto::processId, static_cast<std::int32_t>(id()));
            process.add_string(perfetto::processName, recording_.place().name);
        });
        recording_.forEach([this](const Record& record) { write(record); });
        for (auto& [thread, track] : threads_) track->closeUntil(UINT64_MAX - 1);
    }

  private:
    std::uint32_t id() const { return recording_.place().process; }

    void write(const Record& record) {
        if (record.isCall()) return writeCall(record);
        if (record.function == kSpan) return writeSpan(record);
        if (record.function == kRange) return writeRange(record);
        if (record.function == kThreadName) describeThread(record.thread, textOf(record.payload(), kThreadNameWords));
    }

    std::uint64_t trackOf(std::uint32_t thread) const { return first_ + (std::uint64_t(1) << 36) + thread; }

    void describeThread(std::uint32_t thread, const std::string& name) {
        file_.describe(trackOf(thread), [&](protozero::pbf_writer& track) {
            track.add_uint64(perfetto::parent, first_);
            if (thread >= kFirstLane) return track.add_string(perfetto::trackName, name);
            protozero::pbf_writer described(track, perfetto::thread);
            described.add_int32(perfetto::threadProcess, static_cast<std::int32_t>(id()));
            described.add_int32(perfetto::threadId, static_cast<std::int32_t>(thread));
            described.add_string(perfetto::threadName, name);
        });
    }

    Track& threadTrack(std::uint32_t thread) {
        if (thread == lastThread_ && lastTrack_) return *lastTrack_;
        auto& track = threads_[thread];
        if (!track) track = std::make_unique<Track>(file_, trackOf(thread));
        lastThread_ = thread;
        return *(lastTrack_ = track.get());
    }

    /// A slice of the record's thread; `annotate` adds to it.
    template <class Annotate>
    void writeNested(const Record& record, const Name& name, const Annotate& annotate) {
        auto& track = threadTrack(record.thread);
        const auto begin = recording_.beginOf(record);
        track.closeUntil(begin < track.last ? UINT64_MAX - 1 : begin);
        track.last = begin;
        track.slices.begin(begin, name, [&] { annotate(track.slices); });
        track.open.push_back(record.end ? recording_.endOf(record) : UINT64_MAX);
    }

    void writeCall(const Record& record) {
        const auto& form = forms_.of(record.function);
        if (form.makesKernels) noteKernel(record, kernels_);
        writeNested(record, form.name, [&](SliceSequence& slices) {
            annotate(slices, form, record);
            if (form.mayLead) slices.flow(flowOf(recording_.placeOf(record)));
        });
    }

    /// Names of ranges are numbered after the functions: tracks of threads show nothing else.
    void writeRange(const Record& record) {
        auto range = userRangeOf(record);
        const auto next = static_cast<std::uint32_t>(kFunctions + ranges_.size());
        const auto number = ranges_.try_emplace(range.name, next).first->second;
        writeNested(record, {number, range.name}, [&](SliceSequence& slices) {
            if (!range.domain.empty()) slices.annotate(forms_.domain, range.domain);
        });
    }

    void annotate(SliceSequence& slices, const CallForm& form, const Record& record) {
        const auto* payload = record.payload();
        for (const auto& field : form.fields) {
            if (field.isText) {
                textFor(field.kind, payload, text_);
                slices.annotate(field.name, text_);
            } else {
                slices.annotate(field.name, field.form, *payload);
            }
            if (field.isKernel)
                if (const auto found = kernels_.find(*payload); found != kernels_.end())
                    slices.annotate(forms_.kernel, found->second);
            payload += field.words;
        }
        if (record.end == 0) return;
        if (form.returnsValue)
            slices.annotate(forms_.result, perfetto::address, record.result);
        else
            annotateResult(slices, results_.of(record.result));
    }

    void annotateResult(SliceSequence& slices, const Name& result) {
        if (result.number < SliceSequence::kNumberedTexts)
            slices.annotate(forms_.result, result);
        else
            slices.annotate(forms_.result, result.text);
    }

    /// Commands that overlap on a stream lie on neighbouring tracks of the same name.
    struct Stream {
        std::vector<std::unique_ptr<SliceSequence>> lanes;
        std::vector<std::uint64_t> ends;
    };

    SliceSequence& lane(std::uint32_t number, std::uint64_t begin, std::uint64_t end) {
        auto& stream = streams_[number];
        std::size_t i = 0;
        while (i < stream.ends.size() && stream.ends[i] > begin && i + 1 < kMostLanes) ++i;
        if (i == stream.ends.size()) {
            const auto track = first_ + (std::uint64_t(2) << 36) + std::uint64_t(number) * kMostLanes + i;
            stream.lanes.push_back(std::make_unique<SliceSequence>(file_, track));
            stream.ends.push_back(0);
            file_.describe(track, [&](protozero::pbf_writer& described) {
                described.add_uint64(perfetto::parent, first_);
                described.add_string(perfetto::trackName, devices_.trackName(number));
            });
        }
        stream.ends[i] = end;
        return *stream.lanes[i];
    }

    /// Names of kernels are numbered after the functions and the other kinds of work.
    static std::uint32_t numberOf(const RecordedSpan& span) {
        constexpr std::uint32_t kKinds = std::size(kKindsOfWork);
        return static_cast<std::uint32_t>(kFunctions) +
               (span.work == 0 && span.kernel ? kKinds + span.kernel : span.work % kKinds);
    }

    void writeSpan(const Record& record) {
        const auto span = spanOf(record);
        const auto begin = recording_.beginOf(record);
        const auto end = recording_.endOf(record);
        auto& slices = lane(span.stream, begin, end);
        slices.begin(begin, {numberOf(span), devices_.nameOf(span)}, [&] {
            if (span.bytes) slices.annotate(forms_.bytes, perfetto::number, span.bytes);
            forEachLaunchFact(record, span, [&](const ShownArgument& each, LaunchFact fact) {
                const auto& name = forms_.launchFacts[static_cast<std::size_t>(fact)];
                if (each.form == ShownArgument::Form::text)
                    slices.annotate(name, each.text);
                else
                    slices.annotate(name, perfetto::number, each.number);
            });
            if (span.appended) slices.flow(flowOf(span.appended));
            if (span.submitted && span.submitted != span.appended) slices.flow(flowOf(span.submitted));
        });
        slices.end(end);
    }

    std::uint64_t flowOf(std::uint64_t place) const { return first_ ^ place; }

    static constexpr std::size_t kMostLanes = 16;

    PerfettoFile& file_;
    const RecordingFile& recording_;
    std::uint64_t first_;  // number of its first track, which is its own
    const CallForms& forms_;
    DeviceView devices_;
    KernelNames kernels_;
    std::unordered_map<std::string, std::uint32_t> ranges_;
    ResultNames results_;
    std::string text_;
    Track* lastTrack_ = nullptr;
    std::uint32_t lastThread_ = 0;
    std::unordered_map<std::uint32_t, std::unique_ptr<Track>> threads_;
    std::unordered_map<std::uint32_t, Stream> streams_;
};

/// One track per tile, below it one per kind of counters, and below that one per counter. Each counter of a tile has
/// one.
class Counters {
  public:
    /// `first`: the number of its first track.
    Counters(PerfettoFile& file, const CounterRecording& counters, std::uint64_t first)
        : file_(file), counters_(counters), first_(first) {}

    void write() {
        for (std::uint32_t i = 0; i < counters_.sources().size(); ++i) describe(i);
        counters_.forEach([this](const CounterRow& row) {
            for (std::size_t i = 0; i < row.values.size(); ++i)
                if (auto& track = tracks_[row.source][i]) track->value(row.time, row.values[i]);
        });
    }

  private:
    static constexpr std::uint64_t kFirstKind = 1u << 15;
    std::uint64_t trackOf(std::uint32_t source) const { return first_ + (std::uint64_t(source) << 16); }

    void describe(std::uint32_t number) {
        const auto& source = counters_.sources()[number];
        file_.describe(trackOf(number), [&](protozero::pbf_writer& track) {
            track.add_string(perfetto::trackName, source.device + " (tile " + std::to_string(source.tile) + ")");
        });
        auto& tracks = tracks_.emplace_back(source.columns.size());
        std::map<std::string, std::uint64_t> kinds;
        std::set<std::string> known;
        for (std::size_t i = 0; i < source.columns.size() && i + 1 < kFirstKind; ++i) {
            const auto& column = source.columns[i];
            if (!column.plotted || !known.insert(column.name).second) continue;
            const auto own = trackOf(number) + 1 + i;
            describe(own, column, kindOf(number, column.kind, kinds));
            tracks[i] = std::make_unique<SliceSequence>(file_, own);
        }
    }

    /// The track of the kind, which is described when it is first met.
    std::uint64_t kindOf(std::uint32_t source, const std::string& kind, std::map<std::string, std::uint64_t>& known) {
        if (kind.empty()) return trackOf(source);
        const auto [place, isNew] = known.try_emplace(kind, trackOf(source) + kFirstKind + known.size());
        if (isNew)
            file_.describe(place->second, [&](protozero::pbf_writer& track) {
                track.add_uint64(perfetto::parent, trackOf(source));
                track.add_string(perfetto::trackName, kind);
            });
        return place->second;
    }

    void describe(std::uint64_t own, const CounterColumn& column, std::uint64_t parent) {
        file_.describe(own, [&](protozero::pbf_writer& track) {
            track.add_uint64(perfetto::parent, parent);
            track.add_string(perfetto::trackName, column.name);
            protozero::pbf_writer counter(track, perfetto::counter);
            counter.add_string(perfetto::unitName, column.units);
        });
    }

    PerfettoFile& file_;
    const CounterRecording& counters_;
    std::uint64_t first_;
    std::vector<std::vector<std::unique_ptr<SliceSequence>>> tracks_;  ///< by source and column; null: not plotted
};

}  // namespace

void writePerfetto(std::span<const RecordingFile> recordings, const CounterRecording* counters,
                   TimelineFile& timeline) {
    PerfettoFile file(timeline);
    const CallForms forms;
    for (std::size_t i = 0; i < recordings.size(); ++i) PerfettoProcess(file, recordings[i], i, forms).write();
    if (counters) Counters(file, *counters, firstTrackOf(recordings.size())).write();
    file.finish();
}

}  // namespace zetl::command
