#include "emulator/isa/float_mode.h"

#include <xmmintrin.h>

#include <algorithm>

#include "emulator/isa/code.h"
#include "emulator/isa/register_descriptor.h"
#include "isa/xe/access_shape.h"

namespace zetl::emulator::isa {
namespace {

static_assert(kHostRoundsDown == _MM_ROUND_DOWN && kHostRoundsUp == _MM_ROUND_UP);
constexpr unsigned kRounding[] = {_MM_ROUND_NEAREST, _MM_ROUND_UP, _MM_ROUND_DOWN, _MM_ROUND_TOWARD_ZERO};

constexpr std::uint32_t kRoundingBits = 3u << kRoundingShift;

/// `key`: what setFloatMode() looks at, or unknown where the mode is another.
void apply(const Thread& t, std::uint32_t key, bool keep) noexcept {
    const auto control = t.at<std::uint32_t>(layout::kControl);
    const std::uint32_t mode = kHostExceptions | kRounding[control >> kRoundingShift & 3] | (keep ? 0 : kHostFlushes);
    if (t.hostMode != nullptr) {
        t.hostMode->control = key;
        if (t.hostMode->host == mode) return;
        t.hostMode->host = mode;
    }
    _mm_setcsr(mode);
}

/// What the mode makes no difference to.
bool ignoresMode(const Instruction& in) noexcept {
    const OpcodeInfo* info = findOpcode(static_cast<std::uint8_t>(in.opcode));
    if (info == nullptr || in.opcode == Opcode::math) return false;
    if (info->format == Format::send) {
        const auto shape = isDeferred(in.message) || in.message.endOfThread ? std::nullopt : accessShapeOf(in);
        return shape && !shape->atomic;
    }
    if (info->format == Format::sync) return true;
    if (info->format == Format::branch || info->format == Format::systolic) return false;
    const auto isReal = [](const Operand& o) {
        return o.kind != Operand::Kind::none && !o.isNull() && isa::isReal(o.type);
    };
    return !isReal(in.destination) && std::ranges::none_of(in.source, isReal);
}

}  // namespace

std::uint32_t floatControlBits(const Traits& traits) noexcept {
    return kRoundingBits | (traits.splitDenormals ? kKeepSingleDenormals : kKeepSingleDenormals | kKeepDoubleDenormals);
}
std::uint32_t floatControlOf(const Thread& t) noexcept {
    const std::uint32_t bits = t.at<std::uint32_t>(layout::kControl) & floatControlBits(t.program->code().traits);
    return bits | (t.program->code().traits.splitDenormals ? kSplitDenormals : 0);
}

bool setsFloatModeFirst(const Program& program, std::uint32_t ip) noexcept {
    const Program::Code& code = program.code();
    for (Line line = code.find(ip); line < code.lines(); ++line) {
        const Instruction& in = code.instructions[line];
        if (in.destination.isArf(ArchitectureRegister::control) && in.destination.subByte == 0)
            return in.predicate == Predicate::none && in.noMask;
        if (!ignoresMode(in)) return false;
    }
    return false;
}

void setFloatMode(const Thread& t) noexcept {
    const std::uint32_t key = floatControlOf(t);
    if (t.hostMode != nullptr && t.hostMode->control == key) return;
    apply(t, key, (key & (kKeepSingleDenormals | kKeepDoubleDenormals)) != 0);
}
void setDoubleMode(const Thread& t) noexcept {
    apply(t, HostFloatMode::kUnknown, (t.at<std::uint32_t>(layout::kControl) & kKeepDoubleDenormals) != 0);
}

FloatModeGuard::FloatModeGuard() noexcept : saved_(_mm_getcsr()), current_{saved_} {}
FloatModeGuard::~FloatModeGuard() { _mm_setcsr(saved_); }

}  // namespace zetl::emulator::isa
