// The mathematics unit's functions of one float, of every float there is: how many results are not the nearest float,
// and how far the worst is off; and of every half. Fails if one is off by more than a little above half a place.
//
// usage: math_accuracy [TABLE]
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdio>
#include <mutex>
#include <string_view>
#include <thread>

#include "half.h"
#include "math_lanes.h"

namespace zetl::test {
namespace {

constexpr std::uint32_t kBlock = 1 << 16;
constexpr std::uint32_t kBlocks = 1 << 16;
constexpr long double kMost = 0.5001L;

struct Worst {
    std::uint64_t wrong = 0;
    long double error = 0;  ///< of those, in places
    float argument = 0;

    void add(const Worst& other) {
        wrong += other.wrong;
        if (other.error <= error) return;
        error = other.error;
        argument = other.argument;
    }
};

/// Of the bits from `first` on. Nearly all results are the host's double, rounded: only for the others a precise one is
/// worth its time.
Worst blockOf(MathLanes& lanes, const MathFunction& f, std::uint32_t first) {
    std::vector<float> a(kBlock);
    for (std::uint32_t i = 0; i < kBlock; ++i) a[i] = std::bit_cast<float>(first + i);
    const std::vector<float> got = lanes.of(a);
    Worst worst;
    for (std::uint32_t i = 0; i < kBlock; ++i) {
        const auto likely = static_cast<float>(f.near(a[i]));
        if (got[i] == likely || (std::isnan(got[i]) && std::isnan(likely))) continue;
        const long double precise = f.precise(a[i]);
        if (got[i] == static_cast<float>(precise)) continue;
        worst.add({1, errorInPlaces(got[i], precise), a[i]});
    }
    return worst;
}

Worst ofAllFloats(const emulator::isa::StepTable& table, const MathFunction& f) {
    std::atomic<std::uint32_t> next{0};
    std::mutex mutex;
    Worst worst;
    const auto work = [&] {
        MathLanes lanes(table, f.number);
        for (std::uint32_t block; (block = next++) < kBlocks;) {
            const Worst one = blockOf(lanes, f, block * kBlock);
            const std::lock_guard guard(mutex);
            worst.add(one);
        }
    };
    std::vector<std::jthread> threads(std::max(1u, std::thread::hardware_concurrency()));
    for (std::jthread& thread : threads) thread = std::jthread(work);
    threads.clear();
    return worst;
}

/// How many halves have another result than the nearest half. Theirs are floats, rounded once more.
std::size_t wrongHalves(const emulator::isa::StepTable& table, const MathFunction& f) {
    std::vector<float> a;
    for (std::uint32_t bits = 0; bits <= 0xffff; ++bits)
        a.push_back(static_cast<float>(halfToDouble(static_cast<std::uint16_t>(bits))));
    const std::vector<float> got = MathLanes(table, f.number).of(a);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        wrong += doubleToHalf(got[i]) != doubleToHalf(static_cast<double>(f.precise(a[i])));
    return wrong;
}

int measure(std::string_view name) {
    const emulator::isa::StepTable* table = name.empty() ? &emulator::isa::hostTable() : emulator::isa::findTable(name);
    if (table == nullptr) {
        fmt::print(stderr, "math_accuracy: no table {} here: name sse4, avx2 or avx512\n", name);
        return 2;
    }
    bool isPrecise = true;
    fmt::print("| function, {} | not the nearest float | worst, places | of | not the nearest half |\n", table->name);
    fmt::print("|---|---|---|---|---|\n");
    for (const MathFunction& f : mathFunctions()) {
        const Worst worst = ofAllFloats(*table, f);
        fmt::print("| {} | {} | {:.8f} | {:a} | {} |\n", f.name, worst.wrong, worst.error, worst.argument,
                   wrongHalves(*table, f));
        std::fflush(stdout);
        isPrecise = isPrecise && worst.error <= kMost;
    }
    return isPrecise ? 0 : 1;
}

}  // namespace
}  // namespace zetl::test

int main(int count, char** arguments) { return zetl::test::measure(count > 1 ? arguments[1] : ""); }
