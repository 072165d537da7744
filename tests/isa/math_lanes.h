// The mathematics unit's functions of floats on many numbers, by the handlers of one table, and what they should give.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "emulator/isa/step_table.h"
#include "emulator/isa/thread.h"

namespace zetl::test {

struct MathFunction {
    std::string_view name;
    int number;              ///< of the row, behind kMathRows
    double (*near)(double);  ///< right in nearly all of a float's bits
    long double (*precise)(long double);
};
/// Those of one operand that are series.
std::span<const MathFunction> mathFunctions();
inline constexpr int kMathPow = 10;

/// |got - precise| in units of a float's last place at `precise`. Infinite if one of both is no number.
long double errorInPlaces(float got, long double precise);

class MathLanes {
  public:
    MathLanes(const emulator::isa::StepTable& table, int function);

    /// f(a, b) in the host's mode. As many as `a` has, in steps of 32 lanes.
    std::vector<float> of(std::span<const float> a, std::span<const float> b = {});
    /// The same, lane by lane.
    std::vector<float> oneByOne(std::span<const float> a, std::span<const float> b = {});

  private:
    std::vector<float> in(std::uint32_t lanes, emulator::isa::Handler handler, std::span<const float> a,
                          std::span<const float> b);

    const emulator::isa::Handler (&handlers_)[2];
    std::unique_ptr<emulator::isa::Thread> thread_;
};

}  // namespace zetl::test
