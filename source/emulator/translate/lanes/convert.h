// Sources to lanes: any type at the strides that compilers use.
#pragma once

#include "emulator/translate/held/part.h"

namespace zetl::emulator::translate {

class Conversions : Part {
  public:
    explicit Conversions(HostCode& host) : Part(host) {}

    bool convert(const Step& m, const Meaning& what);
    /// Whether the rest of the line behind so many steps, of which the first brings a source to lanes, has its vectors
    /// from values_.source(), puts no others in their place, and changes the element only when all have been read.
    bool mayShare(const Step& m, std::uint32_t bytes, std::uint32_t steps = 1) const;

  private:
    /// Elements of a source that is in memory.
    struct Load {
        /// place of an element; the stride is in elements
        std::uint32_t place;
        std::uint32_t bytes;
        std::uint32_t stride;
        std::uint32_t laneBytes;
        bool isSigned;
        std::uint32_t lanes = 32;  ///< number of lanes that are read
    };
    bool widen(const Step& m, const Meaning& what);
    void widenOne(const Step& m, const Meaning& what);
    void widenSingles(Vec d);
    void widenHalves(Vec d);
    asmjit::Operand part(std::uint32_t place, std::uint32_t bytes);
    void loadEverySecondDword(std::uint32_t place, Vec d);
    void loadApart(std::uint32_t place, std::uint32_t spacing, std::uint32_t laneBytes, const Vec& d);
    void loadWithinLanes(const Load& load, std::uint32_t place, const Vec& d);
    void loadLanes(const Load& load, std::uint32_t vector, Vec d);
    void extendLanes(const Load& load, Vec d, Vec value);
    Vec loadOne(std::uint32_t place, const Meaning& what);
    void loadLane(std::uint32_t place, isa::DataType type);
    void extendLane(isa::DataType type, bool isSigned);
    void broadcastLane(const Step& m, const Meaning& what, std::uint32_t vectors);
    bool stayExtended(const Step& m, const Load& load, std::uint32_t vectors) const;
};

}  // namespace zetl::emulator::translate
