#include "slice_sequence.h"

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
    events_.clear();
    names_.clear();
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
}

void SliceSequence::write(std::uint64_t time) {
    file_.packet([&](protozero::pbf_writer& packet) {
        packet.add_uint64(perfetto::timestamp, time - last_);
        packet.add_uint32(perfetto::sequence, sequence_);
        packet.add_uint32(perfetto::sequenceFlags, perfetto::needsState);
        if (!interned_.empty()) packet.add_message(perfetto::internedData, interned_);
        packet.add_message(perfetto::trackEvent, event_);
    });
    interned_.clear();
    last_ = time;
}

void SliceSequence::end(std::uint64_t time) {
    event_.clear();
    protozero::pbf_writer(event_).add_enum(perfetto::type, perfetto::sliceEnd);
    write(std::max(time, last_));
}

void SliceSequence::value(std::uint64_t time, double number) {
    start(time);
    event_.clear();
    protozero::pbf_writer event(event_);
    event.add_enum(perfetto::type, perfetto::counterValue);
    event.add_double(perfetto::doubleValue, number);
    write(time);
}

std::uint32_t SliceSequence::known(perfetto::InternedData kind, const Name& name) {
    auto& written = kind == perfetto::eventNames ? events_ : names_;
    if (written.size() <= name.number) written.resize(name.number + 1);
    if (!written[name.number]) {
        written[name.number] = true;
        protozero::pbf_writer interned(interned_);
        protozero::pbf_writer entry(interned, kind);
        entry.add_uint64(perfetto::iid, name.number + 1);
        entry.add_bytes(perfetto::text, name.text.data(), name.text.size());
    }
    return name.number + 1;
}

std::uint32_t SliceSequence::known(std::string_view text) {
    const auto [place, isNew] = texts_.try_emplace(std::string(text), static_cast<std::uint32_t>(texts_.size() + 1));
    if (isNew) {
        protozero::pbf_writer interned(interned_);
        protozero::pbf_writer entry(interned, perfetto::annotationTexts);
        entry.add_uint64(perfetto::iid, place->second);
        entry.add_bytes(perfetto::text, text.data(), text.size());
    }
    return place->second;
}

void SliceSequence::annotate(protozero::pbf_writer& event, const Name& name, perfetto::Annotation form,
                             std::uint64_t value) {
    protozero::pbf_writer annotation(event, perfetto::annotations);
    annotation.add_uint64(perfetto::annotationName, known(perfetto::annotationNames, name));
    annotation.add_uint64(form, value);
}

void SliceSequence::annotate(protozero::pbf_writer& event, const Name& name, std::string_view text) {
    protozero::pbf_writer annotation(event, perfetto::annotations);
    annotation.add_uint64(perfetto::annotationName, known(perfetto::annotationNames, name));
    annotation.add_uint64(perfetto::stringIid, known(text));
}

}  // namespace zetl::command
