#include "perfetto_reader.h"

#include <zlib.h>

#include <algorithm>
#include <protozero/pbf_reader.hpp>
#include <stdexcept>

namespace zetl::test {
namespace {

using protozero::pbf_reader;

/// What packets of one sequence refer to.
struct Sequence {
    bool started = false;
    std::uint64_t time = 0;
    std::uint64_t track = 0;
    bool incremental = false;
    std::map<std::uint64_t, std::string> events;
    std::map<std::uint64_t, std::string> names;
    std::map<std::uint64_t, std::string> texts;
};

class Reader {
  public:
    PerfettoTrace take(const std::string& bytes) {
        readTrace(pbf_reader(bytes));
        replay();
        return std::move(trace_);
    }

  private:
    static constexpr int kBegins = 1;
    static constexpr int kCounts = 4;
    struct Event {
        std::uint64_t time = 0;
        int kind = 0;
        TraceSlice slice;
    };

    void fault(const std::string& text) {
        if (trace_.faults.size() < 20) trace_.faults.push_back(text);
    }

    void readTrace(pbf_reader trace) {
        while (trace.next(1)) {
            pbf_reader packet = trace.get_message();
            pbf_reader search = packet;
            if (search.next(50))
                readCompressed(search.get_view());
            else
                readPacket(packet);
        }
    }

    void readCompressed(protozero::data_view view) {
        std::string inflated;
        z_stream stream{};
        stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(view.data()));
        stream.avail_in = static_cast<uInt>(view.size());
        if (inflateInit(&stream) != Z_OK) throw std::runtime_error("zlib");
        for (int result = Z_OK; result == Z_OK;) {
            char room[65536];
            stream.next_out = reinterpret_cast<Bytef*>(room);
            stream.avail_out = sizeof room;
            result = inflate(&stream, Z_NO_FLUSH);
            inflated.append(room, sizeof room - stream.avail_out);
            if (result != Z_OK && result != Z_STREAM_END) fault("packets that do not inflate");
        }
        inflateEnd(&stream);
        readTrace(pbf_reader(inflated));
    }

    void readPacket(pbf_reader packet) {
        std::uint64_t delta = 0;
        std::uint32_t number = 0;
        std::uint32_t flags = 0;
        bool timed = false;
        pbf_reader search = packet;
        while (search.next()) {
            switch (search.tag()) {
                case 8:
                    delta = search.get_uint64();
                    timed = true;
                    break;
                case 10:
                    number = search.get_uint32();
                    break;
                case 13:
                    flags = search.get_uint32();
                    break;
                default:
                    search.skip();
            }
        }
        if (number == 0) return fault("a packet of no sequence");
        auto& sequence = sequences_[number];
        if (flags & 1) sequence = {};
        if (flags & 1) sequence.started = true;
        if ((flags & 2) && !sequence.started) fault("a packet that needs a state before any was sent");
        if (timed) sequence.time = sequence.incremental ? sequence.time + delta : delta;
        for (pbf_reader names = packet; names.next(12);) readInterned(sequence, names.get_message());
        while (packet.next()) {
            switch (packet.tag()) {
                case 6:
                    readClocks(sequence, packet.get_message());
                    break;
                case 11:
                    readEvent(sequence, packet.get_message());
                    break;
                case 59:
                    readDefaults(sequence, packet.get_message());
                    break;
                case 60:
                    readTrack(packet.get_message());
                    break;
                default:
                    packet.skip();
            }
        }
    }

    static void readClocks(Sequence& sequence, pbf_reader snapshot) {
        while (snapshot.next(1)) {
            auto clock = snapshot.get_message();
            std::uint64_t id = 0;
            std::uint64_t time = 0;
            bool incremental = false;
            while (clock.next()) {
                switch (clock.tag()) {
                    case 1:
                        id = clock.get_uint64();
                        break;
                    case 2:
                        time = clock.get_uint64();
                        break;
                    case 3:
                        incremental = clock.get_bool();
                        break;
                    default:
                        clock.skip();
                }
            }
            if (id != 64) continue;
            sequence.time = time;
            sequence.incremental = incremental;
        }
    }

    void readDefaults(Sequence& sequence, pbf_reader defaults) {
        while (defaults.next()) {
            if (defaults.tag() == 58 && defaults.get_uint32() != 64) fault("another clock than the sequence's");
            if (defaults.tag() == 58) continue;
            auto event = defaults.get_message();
            while (event.next(11)) sequence.track = event.get_uint64();
        }
    }

    static void readInterned(Sequence& sequence, pbf_reader data) {
        while (data.next()) {
            auto& kind = data.tag() == 2 ? sequence.events : data.tag() == 3 ? sequence.names : sequence.texts;
            auto entry = data.get_message();
            std::uint64_t iid = 0;
            std::string text;
            while (entry.next()) {
                if (entry.tag() == 1)
                    iid = entry.get_uint64();
                else
                    text = entry.get_string();
            }
            kind[iid] = text;
        }
    }

    void readTrack(pbf_reader descriptor) {
        std::uint64_t uuid = 0;
        TraceTrack track;
        while (descriptor.next()) {
            switch (descriptor.tag()) {
                case 1:
                    uuid = descriptor.get_uint64();
                    break;
                case 2:
                    track.name = descriptor.get_string();
                    break;
                case 3:
                    readOwner(track, descriptor.get_message(), 6);
                    break;
                case 4:
                    readOwner(track, descriptor.get_message(), 5);
                    break;
                case 5:
                    track.parent = descriptor.get_uint64();
                    break;
                case 8:
                    for (auto counter = descriptor.get_message(); counter.next(6);) track.unit = counter.get_string();
                    break;
                default:
                    descriptor.skip();
            }
        }
        trace_.tracks[uuid] = track;
    }

    static void readOwner(TraceTrack& track, pbf_reader owner, protozero::pbf_tag_type name) {
        while (owner.next()) {
            if (owner.tag() == name)
                track.name = owner.get_string();
            else if (owner.tag() == 1)
                track.process = owner.get_int32();
            else
                track.thread = owner.get_int32();
        }
    }

    const std::string& lookUp(const std::map<std::uint64_t, std::string>& kind, std::uint64_t iid) {
        static const std::string none;
        const auto found = kind.find(iid);
        if (found != kind.end()) return found->second;
        fault("a name that the sequence does not have");
        return none;
    }

    void readEvent(Sequence& sequence, pbf_reader message) {
        Event event{sequence.time, 0, {}};
        event.slice.track = sequence.track;
        while (message.next()) {
            switch (message.tag()) {
                case 4:
                    readAnnotation(sequence, event.slice, message.get_message());
                    break;
                case 9:
                    event.kind = message.get_enum();
                    break;
                case 44:
                    trace_.values.push_back({sequence.track, sequence.time, message.get_double()});
                    break;
                case 10:
                    event.slice.name = lookUp(sequence.events, message.get_uint64());
                    break;
                case 47:
                    event.slice.flows.insert(message.get_fixed64());
                    break;
                default:
                    fault("field " + std::to_string(message.tag()) + " of an event");
                    message.skip();
            }
        }
        if (event.kind != kCounts) events_.push_back(event);
    }

    void readAnnotation(Sequence& sequence, TraceSlice& slice, pbf_reader annotation) {
        std::string name;
        std::string value;
        while (annotation.next()) {
            switch (annotation.tag()) {
                case 1:
                    name = lookUp(sequence.names, annotation.get_uint64());
                    break;
                case 2:
                    value = annotation.get_bool() ? "true" : "false";
                    break;
                case 3:
                case 7:
                    value = std::to_string(annotation.get_uint64());
                    break;
                case 17:
                    value = lookUp(sequence.texts, annotation.get_uint64());
                    break;
                default:
                    fault("field " + std::to_string(annotation.tag()) + " of an annotation");
                    annotation.skip();
            }
        }
        slice.arguments[name] = value;
    }

    /// Slices of a track begin and end as brackets do.
    void replay() {
        std::stable_sort(events_.begin(), events_.end(),
                         [](const Event& a, const Event& b) { return a.time < b.time; });
        std::map<std::uint64_t, std::vector<std::size_t>> open;
        for (auto& event : events_) {
            auto& stack = open[event.slice.track];
            if (event.kind == kBegins) {
                event.slice.begin = event.time;
                stack.push_back(trace_.slices.size());
                trace_.slices.push_back(event.slice);
            } else if (stack.empty()) {
                fault("a slice ends that did not begin");
            } else {
                trace_.slices[stack.back()].end = event.time;
                stack.pop_back();
            }
            if (!trace_.tracks.contains(event.slice.track)) fault("a slice on a track that is not described");
        }
        for (const auto& each : trace_.values)
            if (!trace_.tracks.contains(each.track)) fault("a value on a track that is not described");
    }

    PerfettoTrace trace_;
    std::map<std::uint32_t, Sequence> sequences_;
    std::vector<Event> events_;
};

}  // namespace

std::vector<TraceSlice> PerfettoTrace::named(const std::string& name) const {
    std::vector<TraceSlice> found;
    for (const auto& slice : slices)
        if (name.empty() || slice.name == name) found.push_back(slice);
    return found;
}

PerfettoTrace readPerfetto(const std::string& bytes) try {
    return Reader().take(bytes);
} catch (const std::exception& failure) {
    PerfettoTrace trace;
    trace.faults.push_back(failure.what());
    return trace;
}

}  // namespace zetl::test
