#include "timeline/slice_sequence.h"

#include <algorithm>
#include <bit>
#include <functional>

namespace zetl::command {

namespace {
constexpr std::size_t kMostTexts = 4096;
}

void SliceSequence::start(std::uint64_t time) {
    if (sequence_ == 0 || time < last_ || texts_.size() >= kMostTexts) restart(time);
}

void SliceSequence::restart(std::uint64_t time) {
    sequence_ = file_.newSequence();
    last_ = time;
    for (auto* written : {&events_, &names_, &numbered_}) written->clear();
    texts_.clear();
    file_.packet([&](protozero::pbf_writer& packet) {
        packet.add_uint32(perfetto::sequence, sequence_);
        packet.add_uint32(perfetto::sequenceFlags, perfetto::stateCleared);
        {
            protozero::pbf_writer snapshot(packet, perfetto::clockSnapshot);
            for (const auto id : {perfetto::monotonicRaw, perfetto::boottime, perfetto::ofSequence}) {
                protozero::pbf_writer clock(snapshot, perfetto::clocks);
                clock.add_uint32(perfetto::clockId, id);
                clock.add_uint64(perfetto::clockTime, time);
                if (id == perfetto::ofSequence) clock.add_bool(perfetto::isIncremental, true);
            }
        }
        protozero::pbf_writer defaults(packet, perfetto::defaults);
        defaults.add_uint32(perfetto::defaultClock, perfetto::ofSequence);
        protozero::pbf_writer event(defaults, perfetto::defaultTrackEvent);
        event.add_uint64(perfetto::track, track_);
    });
    ofSequence_.clear();
    protozero::pbf_writer own(ofSequence_);
    own.add_uint32(perfetto::sequence, sequence_);
    own.add_uint32(perfetto::sequenceFlags, perfetto::needsState);
    ending_ = ofSequence_;
    protozero::pbf_writer ending(ending_);
    protozero::pbf_writer(ending, perfetto::trackEvent).add_enum(perfetto::type, perfetto::sliceEnd);
}

void SliceSequence::write(std::uint64_t time) {
    packet_.clear();
    packet_.add(perfetto::timestamp, time - last_);
    packet_.append(ofSequence_);
    if (!interned_.empty()) packet_.addBytes(perfetto::internedData, interned_);
    packet_.addBytes(perfetto::trackEvent, event_.view());
    file_.packet(packet_.view());
    interned_.clear();
    last_ = time;
}

void SliceSequence::end(std::uint64_t time) {
    time = std::max(time, last_);
    packet_.clear();
    packet_.add(perfetto::timestamp, time - last_);
    packet_.append(ending_);
    file_.packet(packet_.view());
    last_ = time;
}

void SliceSequence::value(std::uint64_t time, double number) {
    start(time);
    event_.clear();
    event_.add(perfetto::type, perfetto::counterValue);
    event_.addFixed(perfetto::doubleValue, std::bit_cast<std::uint64_t>(number));
    write(time);
}

void SliceSequence::intern(perfetto::InternedData kind, Written& written, const Name& name) {
    if (written.size() <= name.number) written.resize(name.number + 1);
    written[name.number] = 1;
    intern(kind, name.number + 1, name.text);
}

void SliceSequence::intern(perfetto::InternedData kind, std::uint32_t iid, std::string_view text) {
    protozero::pbf_writer interned(interned_);
    protozero::pbf_writer entry(interned, kind);
    entry.add_uint64(perfetto::iid, iid);
    entry.add_bytes(perfetto::text, text.data(), text.size());
}

std::uint32_t SliceSequence::known(std::string_view text) {
    if (const auto found = texts_.find(text); found != texts_.end()) return found->second;
    const auto iid = static_cast<std::uint32_t>(kNumberedTexts + texts_.size() + 1);
    intern(perfetto::annotationTexts, iid, text);
    texts_.emplace(text, iid);
    return iid;
}

}  // namespace zetl::command
