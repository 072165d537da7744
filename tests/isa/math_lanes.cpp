#include "math_lanes.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "emulator/isa/step.h"

namespace zetl::test {

namespace isa = emulator::isa;

namespace {
template <class T>
T logistic(T x) {
    return 1 / (1 + std::exp(-x));
}
}  // namespace

std::span<const MathFunction> mathFunctions() {
    static constexpr MathFunction kFunctions[] = {
        {"log", 2, std::log2, std::log2},   {"exp", 3, std::exp2, std::exp2},
        {"sin", 6, std::sin, std::sin},     {"cos", 7, std::cos, std::cos},
        {"tanh", 16, std::tanh, std::tanh}, {"sigm", 17, logistic<double>, logistic<long double>},
    };
    return kFunctions;
}

long double errorInPlaces(float got, long double precise) {
    if (std::isnan(precise) && std::isnan(got)) return 0;
    const long double beyond = 0x1p128L;  // infinity counts as the float that would follow
    const auto finite = [&](long double v) {
        return std::isinf(v) || std::fabs(v) > beyond ? std::copysign(beyond, v) : v;
    };
    const long double difference = std::fabs(finite(got) - finite(precise));
    if (std::isnan(difference)) return std::numeric_limits<long double>::infinity();
    const int exponent = precise == 0 ? -126 : std::clamp(std::ilogb(precise), -126, 127);
    return std::ldexp(difference, 23 - exponent);
}

MathLanes::MathLanes(const isa::StepTable& table, int function)
    : handlers_(table.compute[isa::kMathRows + function][static_cast<int>(isa::LaneType::f32)][0]),
      thread_(std::make_unique<isa::Thread>()) {
    thread_->reset();
}
std::vector<float> MathLanes::of(std::span<const float> a, std::span<const float> b) {
    return in(32, handlers_[1], a, b);
}
std::vector<float> MathLanes::oneByOne(std::span<const float> a, std::span<const float> b) {
    return in(1, handlers_[0], a, b);
}

std::vector<float> MathLanes::in(std::uint32_t lanes, isa::Handler handler, std::span<const float> a,
                                 std::span<const float> b) {
    constexpr std::uint32_t kBytes = 32 * sizeof(float);
    isa::Step step;
    step.src[1] = kBytes;
    step.dst = 2 * kBytes;
    step.chunks = static_cast<std::uint8_t>(lanes / 16);
    std::vector<float> results(a.size());
    for (std::size_t first = 0; first < a.size(); first += lanes) {
        const std::size_t count = std::min<std::size_t>(lanes, a.size() - first);
        std::ranges::copy(a.subspan(first, count), &thread_->at<float>(0));
        if (!b.empty()) std::ranges::copy(b.subspan(first, count), &thread_->at<float>(kBytes));
        handler(*thread_, &step);
        std::copy_n(&thread_->at<float>(step.dst), count, &results[first]);
    }
    return results;
}

}  // namespace zetl::test
