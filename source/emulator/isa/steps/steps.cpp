// The table of handlers, compiled once for each host instruction set (-DZETL_ISA_TABLE=kTableAvx2 ...
// -march=x86-64-v3). Only the table has external linkage.
#include <array>
#include <utility>

#include "emulator/isa/steps/compute.h"
#include "emulator/isa/steps/fetch.h"
#include "emulator/isa/steps/message_atomic.h"
#include "emulator/isa/steps/message_block.h"
#include "emulator/isa/steps/message_block2d.h"
#include "emulator/isa/steps/message_lanes.h"
#include "emulator/isa/steps/retire.h"
#include "emulator/isa/steps/sample.h"
#include "emulator/isa/steps/systolic.h"

namespace {

template <class E, std::size_t... R>
constexpr void addRows(StepTable& s, int e, std::index_sequence<R...>) {
    (
        [&] {
            if constexpr (arityOf<decltype(std::get<R>(kAllRows).lane), E>() != 0) {
                auto& h = s.compute[std::get<R>(kAllRows).number][e];
                h[0][0] = compute<R, E, false, false>;
                h[0][1] = compute<R, E, false, true>;
                h[1][0] = compute<R, E, true, false>;
                h[1][1] = compute<R, E, true, true>;
            }
        }(),
        ...);
}
template <class E, class T>
constexpr void addType(StepTable& s, int e, std::size_t type) {
    constexpr bool convertsOnly = std::same_as<T, Quarter> || std::same_as<T, Eighth> || std::same_as<T, Tensor>;
    if constexpr (!std::is_void_v<T> && (!convertsOnly || std::same_as<E, float>)) {
        if constexpr (!(Int<E> && !Int<T>)) {  // float operands never feed integer lanes
            auto& c = s.convert[type][e];
            c[0][0] = convert<T, E, 0, false>;
            c[0][1] = convert<T, E, 0, true>;
            c[1][0] = convert<T, E, 1, false>;
            c[1][1] = convert<T, E, 1, true>;
            c[2][1] = convert<T, E, 2, true>;
            c[3][1] = convert<T, E, 4, true>;
        }
        s.clamp[e][type] = clamp<E, T>;
        s.narrow[e][type] = narrow<E, T>;
        auto& r = s.retire[e][type];
        r[0][0] = retire<E, T, false, false>;
        r[0][1] = retire<E, T, false, true>;
        r[1][0] = retire<E, T, true, false>;
        r[1][1] = retire<E, T, true, true>;
    }
}
template <class E, int Condition>
constexpr void addCompare(StepTable& s, int e) {
    s.compare[Condition][e][0] = compare<Condition, E, false>;
    s.compare[Condition][e][1] = compare<Condition, E, true>;
}
template <class E>
constexpr void addLanes(StepTable& s, int e) {
    addRows<E>(s, e, std::make_index_sequence<std::tuple_size_v<decltype(kAllRows)>>{});
    [&]<std::size_t... T>(std::index_sequence<T...>) {
        (addType<E, std::tuple_element_t<T, OperandTypes>>(s, e, T), ...);
    }
    (std::make_index_sequence<kDataTypes>{});
    s.modify[e][0] = modify<E, false>;
    s.modify[e][1] = modify<E, true>;
    [&]<int... C>(std::integer_sequence<int, C...>) { (addCompare<E, C + 1>(s, e), ...); }
    (std::make_integer_sequence<int, 6>{});
    if constexpr (Real<E>) {
        addCompare<E, kUnorderedCompare>(s, e);
        addCompare<E, kOrNan + 3>(s, e);
        addCompare<E, kOrNan + 4>(s, e);
        addCompare<E, kOrNan + 5>(s, e);
    }
}
constexpr StepTable makeTable(const char* name) {
    StepTable s{};
    s.name = name;
    [&]<std::size_t... E>(std::index_sequence<E...>) { (addLanes<std::tuple_element_t<E, LaneTypes>>(s, E), ...); }
    (std::make_index_sequence<kLaneTypes>{});
    s.pick[0][0][0] = pick<std::uint32_t, false, false>;
    s.pick[0][0][1] = pick<std::uint32_t, false, true>;
    s.pick[0][1][0] = pick<std::uint32_t, true, false>;
    s.pick[0][1][1] = pick<std::uint32_t, true, true>;
    s.pick[1][0][0] = pick<std::uint64_t, false, false>;
    s.pick[1][0][1] = pick<std::uint64_t, false, true>;
    s.pick[1][1][0] = pick<std::uint64_t, true, false>;
    s.pick[1][1][1] = pick<std::uint64_t, true, true>;
    s.flushHalf[0] = flushHalf<float>;
    s.flushHalf[1] = flushHalf<double>;
    s.roundToInteger[0] = roundToInteger<float>;
    s.roundToInteger[1] = roundToInteger<double>;
    s.gather = gather;
    s.scatter = scatter;
    s.spread = spread;
    s.copy = copy;
    s.sample = sample;
    addSystolic(s);
    std::apply([](auto&... family) { (addHandlers(family), ...); }, s.messages);
    return s;
}

}  // namespace

namespace zetl::emulator::isa {
constexpr StepTable ZETL_ISA_TABLE = makeTable(ZETL_ISA_TABLE_NAME);
}
