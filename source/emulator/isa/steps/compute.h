// The only place where a row's lambda meets lanes.
#pragma once

#include "emulator/isa/steps/lanes.h"
#include "emulator/isa/steps/rows.h"

namespace {

/// The number of the row's operands for lanes of type E, plus ten if it takes an Option; 0 if it has no such form.
template <class F, class E>
constexpr int arityOf() {
    if constexpr (std::is_invocable_v<F, E, E, E>)
        return 3;
    else if constexpr (std::is_invocable_v<F, E, E, E, Option>)
        return 13;
    else if constexpr (std::is_invocable_v<F, E, E, Option>)
        return 12;
    else if constexpr (std::is_invocable_v<F, E, E>)
        return 2;
    else if constexpr (std::is_invocable_v<F, E>)
        return 1;
    else
        return 0;
}

/// A row that computes a few lanes, which it recognizes, in another way, too long for vector code.
template <class F, class E>
concept HasRareLanes = requires(const F f, E e) {
    { F::isRare(e) } -> std::same_as<bool>;
    { f.rare(e) } -> std::same_as<E>;
};
template <bool Wide, class F, class E>
bool anyIsRare(const Step* m, const E* lanes) {
    std::uint32_t any = 0;
    forLanes<Wide>(m, [&any, lanes](unsigned i) { any |= std::uint32_t{F::isRare(lanes[i])}; });
    return any != 0;
}

/// Masked: lanes that are off keep the destination's value.
template <std::size_t R, class E, bool Masked, bool Wide>
const Step* compute(Thread& t, const Step* m) {
    constexpr auto f = std::get<R>(kAllRows).lane;
    constexpr int arity = arityOf<decltype(f), E>();
    const auto d = at<E>(t, m->dst);
    const auto a = source<E>(t, m->src[0]);
    const auto b = source<E>(t, m->src[1]);
    const auto c = source<E>(t, m->src[2]);
    [[maybe_unused]] const Option o{m->kind};
    [[maybe_unused]] const std::uint32_t on = Masked ? lanesOn(t, m->mask) : 0;
    const auto each = [=](auto function) {
        forLanes<Wide>(m, [=](unsigned i) {
            E r;
            if constexpr (arity == 1) r = E(function(E(a[i])));
            if constexpr (arity == 2) r = E(function(E(a[i]), E(b[i])));
            if constexpr (arity == 3) r = E(function(E(a[i]), E(b[i]), E(c[i])));
            if constexpr (arity == 12) r = E(function(E(a[i]), E(b[i]), o));
            if constexpr (arity == 13) r = E(function(E(a[i]), E(b[i]), E(c[i]), o));
            if constexpr (Masked) r = on >> i & 1 ? r : d[i];
            d[i] = r;
        });
    };
    if constexpr (HasRareLanes<decltype(f), E>) {
        if (anyIsRare<Wide, decltype(f)>(m, a))
            each([f](E lane) { return decltype(f)::isRare(lane) ? f.rare(lane) : f(lane); });
        else
            each(f);
    } else {
        each(f);
    }
    return m + 1;
}

/// sel by flag: the predicate selects, so only the execution mask masks.
template <class E, bool Masked, bool Wide>
const Step* pick(Thread& t, const Step* m) {
    const auto a = source<E>(t, m->src[0]);
    const auto b = source<E>(t, m->src[1]);
    const auto d = at<E>(t, m->dst);
    const std::uint32_t bits = predicateLanes(t, m->mask);
    [[maybe_unused]] const std::uint32_t on = Masked ? enabledLanes(t, m->mask) : 0;
    forLanes<Wide>(m, [=](unsigned i) {
        E r = bits >> i & 1 ? a[i] : b[i];
        if constexpr (Masked) r = on >> i & 1 ? r : d[i];
        d[i] = r;
    });
    return m + 1;
}

}  // namespace
