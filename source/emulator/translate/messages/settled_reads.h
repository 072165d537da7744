// Reads of local memory that need not be reported, because the marks of what they read say so (isa/local_reads.h).
#pragma once

#include <cstddef>
#include <optional>

#include "emulator/translate/messages/access.h"

namespace zetl::emulator::translate {

class SettledReads : Part {
  public:
    explicit SettledReads(HostCode& host) : Part(host), access_(host) {}

    /// A read by lanes, all of which are on.
    struct Read {
        Line line;
        isa::LaneAccess access;
        std::uint32_t chunks;
        std::int32_t displacement;

        /// For how many registers it needs room.
        std::uint32_t registers() const noexcept { return chunks + kConstants; }
    };
    /// Nothing if the line is none that can be settled.
    std::optional<Read> readOf(Line line) const;
    /// Settles it, or jumps. Registers that are held stay so.
    void settle(const Read& read, const Label& otherwise);

  private:
    static constexpr std::uint32_t kConstants = 6;

    void settleChunk(const Lanes16& l, Line line);
    void settleRun(std::int32_t at, Line line, const Label& otherwise);
    void markRun(std::int32_t at, Line line);
    void settleDword(std::int32_t at, Line line, const Label& otherwise);
    void markDword(std::int32_t at, Line line);
    void findLanes(const Lanes16& l);
    void gather(std::size_t marks, std::int32_t at);
    void settleLanes(std::int32_t at, Line line, const Label& otherwise);
    void scatter(std::int32_t at);
    void findMarks(std::uint32_t dwords, const Label& otherwise);
    void unlessAll(const Label& otherwise);
    void takeOwn(std::size_t kind);
    template <class Mark>
    void unlessAllAre(const Mark& mark, const Label& otherwise);
    void unlessNoneIsOwn(const Label& otherwise);

    MessageAccess access_;
};

}  // namespace zetl::emulator::translate
