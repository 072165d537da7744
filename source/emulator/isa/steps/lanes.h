// Lanes in thread state, and the loop over them that compilers turn into vector code.
//
// Included only by steps.cpp. State bytes are read as many types: build with -fno-strict-aliasing.
#pragma once

#include <tuple>

#include "emulator/isa/step_table.h"
#include "emulator/isa/steps/number.h"

#ifdef __clang__
#define ZETL_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define ZETL_INDEPENDENT _Pragma("GCC ivdep")
#endif

namespace {

using namespace zetl::emulator::isa;

/// By DataType; void if the hardware has no such type.
using OperandTypes = std::tuple<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t, std::int8_t, std::int16_t,
                                std::int32_t, std::int64_t, Quarter, Half, float, double, Eighth, Brain, Tensor>;
/// By LaneType.
using LaneTypes = std::tuple<std::int32_t, std::uint32_t, std::int64_t, std::uint64_t, float, double>;

template <class T>
T* at(Thread& t, std::uint32_t place) {
    return reinterpret_cast<T*>(t.state + place);
}

/// A source word below the size of the state is a place in it; any other is the address of constant lanes.
template <class T>
const T* source(Thread& t, std::uint64_t where) {
    const std::uint64_t base = where < layout::kBytes ? reinterpret_cast<std::uint64_t>(t.state) : 0;
    return reinterpret_cast<const T*>(base + where);
}

/// Calls lane(i) for every lane. Compilers vectorise one flat loop with a run-time bound; they unroll a nest with a
/// constant inner bound to scalars first. Iterations are independent because lowering never lets a destination overlap
/// a source in part.
template <bool Wide, class F>
[[gnu::always_inline]] inline void forLanes(const Step* m, F lane) {
    if constexpr (!Wide)
        return lane(0);
    else {
        const unsigned n = m->chunks * 16u;
        if (n == 0) __builtin_unreachable();
        ZETL_INDEPENDENT
        for (unsigned i = 0; i < n; ++i) lane(i);
    }
}

}  // namespace
