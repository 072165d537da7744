// The scales of bdpas in its step, whose other fields are those of dpas.
#pragma once

#include "emulator/isa/step.h"

namespace zetl::emulator::isa {

struct ScaledMatrices {
    static constexpr std::uint32_t kNone = 0xffff;  ///< all scales are 1
    static_assert(layout::kBytes < kNone, "two places share a field");
    std::uint32_t columns = kNone;  ///< place of the scales of B's columns
    std::uint32_t rows = kNone;     ///< of A's rows
    bool noSums = false;            ///< C is zero

    void encode(Step& s) const noexcept {
        s.extra = columns | rows << 16;
        if (noSums) s.src[0] = ~std::uint64_t{0};
    }
    static ScaledMatrices of(const Step& s) noexcept {
        return {.columns = s.extra & 0xffff, .rows = s.extra >> 16, .noSums = s.src[0] == ~std::uint64_t{0}};
    }
    /// The step of the same dpas without scales.
    Step plain(const Step& s) const noexcept {
        Step step = s;
        step.extra = noSums;
        if (noSums) step.src[0] = 0;
        return step;
    }
};

}  // namespace zetl::emulator::isa
