// The registers of the reference's thread. Where each lies is shared with the thread under test (state_layout.h), so
// that both can be compared byte for byte; what is done to them is not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

#include "emulator/isa/instruction_set.h"
#include "emulator/isa/state_layout.h"
#include "reference/real.h"

namespace zetl::test::reference {

namespace isa = emulator::isa;
namespace layout = emulator::isa::layout;

struct State {
    std::byte bytes[layout::kArchitectureEnd] = {};
    std::uint32_t active = 0;     ///< execution mask
    std::uint64_t timestamp = 0;  ///< what tm0 says

    std::uint64_t read(std::uint32_t place, std::uint32_t size) const {
        std::uint64_t v = 0;
        std::memcpy(&v, bytes + place, size);
        return v;
    }
    void write(std::uint32_t place, std::uint32_t size, std::uint64_t v) { std::memcpy(bytes + place, &v, size); }
};

/// What cr0.0 says of reals.
struct FloatMode {
    Rounding rounding;
    bool keepsDouble;
    bool keepsSingle;
    bool keepsHalf;
    bool roundsIntegers;  ///< as `rounding` says; else they are truncated

    static FloatMode of(const State& s) {
        const auto control = static_cast<std::uint32_t>(s.read(layout::kControl, 4));
        const auto bit = [&](int n) { return (control >> n & 1) != 0; };
        return {static_cast<Rounding>(control >> 4 & 3), bit(6), bit(7), bit(10), bit(12)};
    }
};

/// Bytes that the published semantics leave open: any of a few values, a value near another, or none at all.
struct Open {
    std::uint32_t place = 0;
    std::uint32_t size = 0;
    std::vector<std::uint64_t> allowed;
    isa::DataType type = isa::DataType::f;
    std::optional<long double> near;  ///< within `relative` of it
    long double relative = 0;
};

/// What an element of the destination becomes.
struct Result {
    std::uint64_t bits = 0;
    std::vector<std::uint64_t> others;  ///< that it may be as well
    bool overflows = false;             ///< what condition ov asks for
    bool isOpen = false;                ///< it may be anything
    std::optional<long double> near;    ///< it is within `relative` of it
    long double relative = 0;
};

}  // namespace zetl::test::reference
