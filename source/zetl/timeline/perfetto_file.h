// A trace in Perfetto's protobuf format, packet by packet.
#pragma once

#include <concepts>
#include <cstdint>
#include <map>
#include <memory>
#include <protozero/pbf_writer.hpp>
#include <string>
#include <vector>

#include "files/timeline_file.h"
#include "recording/encoded_fields.h"

struct libdeflate_compressor;

namespace zetl::command {

/// The field numbers of perfetto/protos/perfetto/trace that are written.
namespace perfetto {
enum Trace : protozero::pbf_tag_type { packet = 1 };
enum TracePacket : protozero::pbf_tag_type {
    clockSnapshot = 6,
    timestamp = 8,
    sequence = 10,
    trackEvent = 11,
    internedData = 12,
    sequenceFlags = 13,
    compressedPackets = 50,
    timestampClock = 58,
    defaults = 59,
    trackDescriptor = 60,
};
enum SequenceFlags : std::uint32_t { stateCleared = 1, needsState = 2 };
enum Defaults : protozero::pbf_tag_type { defaultTrackEvent = 11, defaultClock = 58 };
enum ClockSnapshot : protozero::pbf_tag_type { clocks = 1 };
enum Clock : protozero::pbf_tag_type { clockId = 1, clockTime = 2, isIncremental = 3 };
enum ClockId : std::uint32_t { monotonicRaw = 5, boottime = 6, ofSequence = 64 };
enum TrackDescriptor : protozero::pbf_tag_type {
    uuid = 1,
    trackName = 2,
    process = 3,
    thread = 4,
    parent = 5,
    counter = 8,
};
enum ProcessDescriptor : protozero::pbf_tag_type { processId = 1, processName = 6 };
enum ThreadDescriptor : protozero::pbf_tag_type { threadProcess = 1, threadId = 2, threadName = 5 };
enum CounterDescriptor : protozero::pbf_tag_type { unitName = 6 };
enum InternedData : protozero::pbf_tag_type { eventNames = 2, annotationNames = 3, annotationTexts = 29 };
enum Interned : protozero::pbf_tag_type { iid = 1, text = 2 };
enum TrackEvent : protozero::pbf_tag_type {
    annotations = 4,
    type = 9,
    nameIid = 10,
    track = 11,
    doubleValue = 44,
    flows = 47,
};
enum EventType : std::int32_t { sliceBegin = 1, sliceEnd = 2, counterValue = 4 };
enum Annotation : protozero::pbf_tag_type {
    annotationName = 1,
    boolean = 2,
    number = 3,
    string = 6,
    address = 7,
    stringIid = 17,
};
}  // namespace perfetto

/// Collects packets, and compresses and writes a few hundred kilobytes at a time.
class PerfettoFile {
  public:
    /// Throws std::bad_alloc.
    explicit PerfettoFile(TimelineFile& file);

    /// Adds a packet, which write() fills with a pbf_writer.
    template <class Write>
    requires std::invocable<Write, protozero::pbf_writer&>
    void packet(const Write& write) {
        written_.clear();
        protozero::pbf_writer packet(written_);
        write(packet);
        this->packet(written_);
    }
    /// Adds a packet that is already encoded.
    void packet(std::string_view fields) {
        packets_.addBytes(perfetto::Trace::packet, fields);
        if (packets_.view().size() >= kBlock) flush();
    }
    /// Describes a track by the fields that write() adds.
    template <class Write>
    void describe(std::uint64_t track, const Write& write) {
        packet([&](protozero::pbf_writer& packet) {
            packet.add_uint32(perfetto::sequence, descriptions());
            protozero::pbf_writer descriptor(packet, perfetto::trackDescriptor);
            descriptor.add_uint64(perfetto::uuid, track);
            write(descriptor);
        });
    }
    std::uint32_t newSequence() { return ++lastSequence_; }
    /// The sequence of packets that describe tracks.
    static constexpr std::uint32_t descriptions() { return 1; }
    void finish();

  private:
    static constexpr std::size_t kBlock = 256 * 1024;
    void flush();

    TimelineFile& file_;
    std::unique_ptr<libdeflate_compressor, void (*)(libdeflate_compressor*)> compressor_;
    EncodedFields packets_;
    std::string written_;
    std::string compressed_;
    std::string block_;
    std::uint32_t lastSequence_ = descriptions();
};

}  // namespace zetl::command
