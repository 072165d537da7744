#include "emulator/check/barrier_phase.h"

namespace zetl::emulator::check {

BarrierPhase::Problem BarrierPhase::arrive(std::uint32_t thread, isa::Line line, std::uint32_t lanes,
                                           std::uint32_t dispatched) noexcept {
    Part& part = parts_[thread % parts_.size()];
    const Part before = part;
    const bool whole = lanes == dispatched;
    part = whole ? Part{} : Part{line, lanes};
    if (before.line != isa::kNoLine && before.line != line && (before.lanes & lanes) == 0) {
        other_ = before.line;
        return Problem::different;
    }
    if (first_ != isa::kNoLine && first_ != line) {
        other_ = first_;
        return Problem::different;
    }
    first_ = line;
    return whole ? Problem::none : Problem::divergent;
}

}  // namespace zetl::emulator::check
