// Consecutive slices, or values of a counter, on one track, as a sequence of Perfetto's packets: times are distances
// from the previous packet, and a name is written once.
#pragma once

#include <string_view>
#include <unordered_map>

#include "recording/encoded_fields.h"
#include "timeline/perfetto_file.h"

namespace zetl::command {

class SliceSequence {
  public:
    SliceSequence(PerfettoFile& file, std::uint64_t track) : file_(file), track_(track) {}

    /// A name that packets refer to: its number is the same in all sequences.
    struct Name {
        std::uint32_t number;
        std::string_view text;
    };

    /// The slice begins; annotate() adds to it, with the functions below.
    template <class Annotate>
    void begin(std::uint64_t time, const Name& name, const Annotate& annotate) {
        start(time);
        event_.clear();
        event_.add(perfetto::type, perfetto::sliceBegin);
        event_.add(perfetto::nameIid, known(perfetto::eventNames, events_, name));
        annotate();
        write(time);
    }
    void end(std::uint64_t time);
    /// The value of a counter track from then on.
    void value(std::uint64_t time, double number);

    void flow(std::uint64_t id) { event_.addFixed(perfetto::flows, id); }
    void annotate(const Name& name, perfetto::Annotation form, std::uint64_t value) {
        event_.addPair(perfetto::annotations, perfetto::annotationName, known(perfetto::annotationNames, names_, name),
                       form, value);
    }
    void annotate(const Name& name, std::string_view text) { annotate(name, perfetto::stringIid, known(text)); }
    /// Texts of which there are few; numbers below kNumberedTexts.
    void annotate(const Name& name, const Name& text) {
        annotate(name, perfetto::stringIid, known(perfetto::annotationTexts, numbered_, text));
    }
    static constexpr std::uint32_t kNumberedTexts = 64;

  private:
    /// By number: written in this sequence.
    using Written = std::vector<char>;
    struct TextHash {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
    };

    /// Starts another sequence, because time went back (threads share their chunks) or there are too many texts.
    void start(std::uint64_t time);
    void restart(std::uint64_t time);
    void write(std::uint64_t time);
    std::uint32_t known(perfetto::InternedData kind, Written& written, const Name& name) {
        if (written.size() <= name.number || !written[name.number]) intern(kind, written, name);
        return name.number + 1;
    }
    std::uint32_t known(std::string_view text);
    void intern(perfetto::InternedData kind, Written& written, const Name& name);
    void intern(perfetto::InternedData kind, std::uint32_t iid, std::string_view text);

    PerfettoFile& file_;
    std::uint64_t track_;
    std::uint32_t sequence_ = 0;  // 0: not started
    std::uint64_t last_ = 0;
    EncodedFields packet_;
    EncodedFields event_;
    std::string interned_;
    std::string ofSequence_;  // part of every packet
    std::string ending_;      // the same, and the end of a slice
    Written events_;
    Written names_;
    Written numbered_;
    std::unordered_map<std::string, std::uint32_t, TextHash, std::equal_to<>> texts_;
};

}  // namespace zetl::command
