#include "emulator/isa/float_mode.h"

#include <xmmintrin.h>

#include "emulator/isa/code.h"

namespace zetl::emulator::isa {
namespace {

constexpr unsigned kFlush = 0x8040;       // flush results, denormals are zero
constexpr unsigned kExceptions = 0x1f80;  // all masked, none pending
constexpr unsigned kRounding[] = {_MM_ROUND_NEAREST, _MM_ROUND_UP, _MM_ROUND_DOWN, _MM_ROUND_TOWARD_ZERO};

void apply(const Thread& t, std::uint32_t control, bool keep) noexcept {
    const std::uint32_t mode = kExceptions | kRounding[control >> kRoundingShift & 3] | (keep ? 0 : kFlush);
    if (t.hostMode != nullptr) {
        if (*t.hostMode == mode) return;
        *t.hostMode = mode;
    }
    _mm_setcsr(mode);
}

}  // namespace

void setFloatMode(const Thread& t) noexcept {
    const auto control = t.at<std::uint32_t>(layout::kControl);
    const std::uint32_t keeping =
        t.program->code().traits.splitDenormals ? kKeepSingleDenormals : kKeepSingleDenormals | kKeepDoubleDenormals;
    apply(t, control, (control & keeping) != 0);
}
void setDoubleMode(const Thread& t) noexcept {
    const auto control = t.at<std::uint32_t>(layout::kControl);
    apply(t, control, (control & kKeepDoubleDenormals) != 0);
}

FloatModeGuard::FloatModeGuard() noexcept : saved_(_mm_getcsr()), current_(saved_) {}
FloatModeGuard::~FloatModeGuard() { _mm_setcsr(saved_); }

}  // namespace zetl::emulator::isa
