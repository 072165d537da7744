// Slices, or values of a counter, on one track, one behind the other in time, as a sequence of Perfetto's packets:
// times are distances from the packet before, and a name is written once.
#pragma once

#include <string_view>
#include <unordered_map>

#include "perfetto_file.h"

namespace zetl::command {

class SliceSequence {
  public:
    SliceSequence(PerfettoFile& file, std::uint64_t track) : file_(file), track_(track) {}

    /// A name that packets refer to: its number is the same in all sequences.
    struct Name {
        std::uint32_t number;
        std::string_view text;
    };

    /// The slice begins; annotate(event) adds to it, with the functions below.
    template <class Annotate>
    void begin(std::uint64_t time, const Name& name, const Annotate& annotate) {
        start(time);
        event_.clear();
        protozero::pbf_writer event(event_);
        event.add_enum(perfetto::type, perfetto::sliceBegin);
        event.add_uint64(perfetto::nameIid, known(perfetto::eventNames, name));
        annotate(event);
        write(time);
    }
    void end(std::uint64_t time);
    /// What a track of a counter has from then on.
    void value(std::uint64_t time, double number);

    static void flow(protozero::pbf_writer& event, std::uint64_t id) { event.add_fixed64(perfetto::flows, id); }
    void annotate(protozero::pbf_writer& event, const Name& name, perfetto::Annotation form, std::uint64_t value);
    void annotate(protozero::pbf_writer& event, const Name& name, std::string_view text);

  private:
    /// Time went back (threads share what they fill), or there are too many texts to remember: another sequence.
    void start(std::uint64_t time);
    void restart(std::uint64_t time);
    void write(std::uint64_t time);
    std::uint32_t known(perfetto::InternedData kind, const Name& name);
    std::uint32_t known(std::string_view text);

    PerfettoFile& file_;
    std::uint64_t track_;
    std::uint32_t sequence_ = 0;  // 0: not started
    std::uint64_t last_ = 0;
    std::string event_;
    std::string interned_;
    // written in this sequence, by number
    std::vector<bool> events_;
    std::vector<bool> names_;
    std::unordered_map<std::string, std::uint32_t> texts_;
};

}  // namespace zetl::command
