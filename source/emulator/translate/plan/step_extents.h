// The bytes of a thread's state that a step reads and writes.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "emulator/translate/plan/step_meaning.h"

namespace zetl::emulator::translate {

/// Elements at equal distances.
struct Extent {
    std::uint32_t place = 0;
    std::uint32_t bytes = 0;    ///< of an element
    std::uint32_t spacing = 0;  ///< from one to the next, in bytes
    std::uint32_t count = 1;

    template <class F>
    void eachByte(F&& f) const {
        for (std::uint32_t i = 0; i < count; ++i)
            for (std::uint32_t b = 0; b < bytes; ++b) f(place + i * spacing + b);
    }
    std::uint32_t end() const noexcept { return place + (count - 1) * spacing + bytes; }
    /// Whether the spans of both have a byte in common.
    bool meets(const Extent& other) const noexcept { return place < other.end() && other.place < end(); }
};

struct StepExtents {
    std::vector<Extent> reads;
    std::optional<Extent> write;
    bool flags = false;  ///< it reads or writes flags
};

/// Nothing for steps with other effects: on memory (other than loads and stores), or of unknown families. Sources that
/// are constants are left out, and so are the effects of loads and stores on memory.
std::optional<StepExtents> extentsOf(const isa::Step& step, const Meaning& meaning);

}  // namespace zetl::emulator::translate
