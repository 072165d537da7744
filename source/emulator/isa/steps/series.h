// Power series, evaluated so that loops over lanes stay vector code: without branches, tables and fused products.
#pragma once

#include <array>
#include <cstddef>
#include <utility>

namespace {

inline constexpr double kLn2 = 0x1.62e42fefa39efp-1;

/// Coefficients, that of x^0 first.
template <std::size_t N>
using Series = std::array<double, N>;

/// By Horner's scheme. Unrolled here, because compilers do not vectorise a loop that has another one inside.
template <std::size_t N>
[[gnu::always_inline]] inline double sumOf(const Series<N>& series, double x) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
        double sum = series[N - 1];
        ((sum = sum * x + series[N - 2 - I]), ...);
        return sum;
    }
    (std::make_index_sequence<N - 1>{});
}

/// scale^k / k!: the series of e^(scale * x).
template <std::size_t N>
constexpr Series<N> exponentialSeries(double scale) {
    Series<N> all{1};
    for (std::size_t k = 1; k < N; ++k) all[k] = all[k - 1] * scale / static_cast<double>(k);
    return all;
}
/// 1 / (k + 1)!: the series of (e^x - 1) / x.
template <std::size_t N>
constexpr Series<N> growthSeries() {
    Series<N> all{1};
    for (std::size_t k = 1; k < N; ++k) all[k] = all[k - 1] / static_cast<double>(k + 1);
    return all;
}
/// (-1)^k / (2 k + 1)!: the series of sin(x) / x in the square of x.
template <std::size_t N>
constexpr Series<N> sineSeries() {
    Series<N> all{1};
    for (std::size_t k = 1; k < N; ++k) all[k] = -all[k - 1] / static_cast<double>(2 * k * (2 * k + 1));
    return all;
}
/// (-1)^k / (2 k)!: the series of cos(x) in the square of x.
template <std::size_t N>
constexpr Series<N> cosineSeries() {
    Series<N> all{1};
    for (std::size_t k = 1; k < N; ++k) all[k] = -all[k - 1] / static_cast<double>((2 * k - 1) * 2 * k);
    return all;
}
/// 2 / ((2 k + 1) ln 2): the series of log2((1 + x) / (1 - x)) / x in the square of x.
template <std::size_t N>
constexpr Series<N> logarithmSeries() {
    Series<N> all{};
    for (std::size_t k = 0; k < N; ++k) all[k] = 2 / kLn2 / static_cast<double>(2 * k + 1);
    return all;
}

}  // namespace
