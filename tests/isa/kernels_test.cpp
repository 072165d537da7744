// Compiled kernels against host references: every build mode, every table, with and without the versions for full
// lanes.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <numeric>
#include <random>

#include "assembler.h"
#include "half.h"
#include "kernel_runner.h"
#include "lone_thread.h"

namespace zetl::test {
namespace {

constexpr std::uint32_t kItems = 64;
const std::vector<std::string> kModes = {"", "-cl-opt-disable -g", "-cl-intel-256-GRF-per-thread"};
/// The compiler's unoptimised code has sixteen lanes whatever is asked for and recorded.
const std::vector<std::string> kModesOf32Lanes = {"", "-cl-intel-256-GRF-per-thread"};

/// What the compiler that is there builds for. Debian 12's knows Xe-HPC alone.
const std::vector<const zetl::isa::xe::Product*>& products() {
    namespace xe = zetl::isa::xe;
    static const auto list = [] {
        std::vector<const xe::Product*> found{&xe::kPvc};
        for (const xe::Product* each : {&xe::kBmg, &xe::kPtl, &xe::kCri}) {
            try {
                compileModule(std::string(ZETL_KERNELS) + "/control.cl", "-cl-std=CL2.0", each->name);
                found.push_back(each);
            } catch (const std::runtime_error&) {  // it does not know the product
            }
        }
        return found;
    }();
    return list;
}

/// Calls check with a runner for each way to execute the kernels of a source.
template <class F>
void everyWay(const std::string& source, F check, const std::string& options = "",
              const std::vector<std::string>& modes = kModes) {
    for (const zetl::isa::xe::Product* product : products())
        for (const std::string& mode : modes) {
            const auto zebin = compileModule(std::string(ZETL_KERNELS) + "/" + source,
                                             "-cl-std=CL2.0 " + mode + " " + options, product->name);
            KernelRunner runner(zebin, *product);
            for (const emulator::isa::StepTable* table : usableTables())
                for (const bool masked : {false, true}) {
                    SCOPED_TRACE(std::string(product->name) + " " + source + " " + mode + " " + table->name +
                                 (masked ? " masked" : ""));
                    runner.choose(*table, masked);
                    check(runner);
                    if (testing::Test::HasFailure()) return;
                }
        }
}

template <class T>
std::vector<T> integers(std::vector<T> edges, std::size_t n, unsigned seed) {
    std::mt19937_64 random(seed);
    for (std::size_t i = edges.size(); i < n; ++i) edges.push_back(static_cast<T>(random() >> (random() % 60)));
    std::shuffle(edges.begin(), edges.end(), random);
    return edges;
}
std::vector<double> reals(double limit, unsigned seed) {
    std::vector<double> v = {0.0, -0.0, 1, -1, 0.1, -2.5, 3.5, 1e-300, INFINITY, -INFINITY, NAN, limit, -limit};
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> some(-1000, 1000);
    while (v.size() < kItems) v.push_back(some(random));
    std::shuffle(v.begin(), v.end(), random);
    return v;
}
template <class T>
std::vector<T> as(const std::vector<double>& v) {
    return {v.begin(), v.end()};
}

template <class T>
bool same(T a, T b) {
    return (a != a && b != b) || std::memcmp(&a, &b, sizeof a) == 0;
}

TEST(Kernels, Integers) {
    using L = std::numeric_limits<std::int32_t>;
    const auto a0 = integers<std::int32_t>({0, 1, -1, L::min(), L::max(), 7, -7}, kItems, 1);
    const auto b0 = integers<std::int32_t>({0, 1, -1, L::min(), L::max(), 31, 32}, kItems, 2);
    everyWay("integers.cl", [&](KernelRunner& r) {
        auto a = a0;
        auto b = b0;
        std::vector<std::int64_t> out(kItems * 16);
        ASSERT_EQ(r.pointer(a).pointer(b).pointer(out).run("arithmetic", {kItems, 1, 1}, {32, 1, 1}), "");
        for (std::uint32_t i = 0; i < kItems; ++i) {
            const std::int32_t x = a[i];
            const std::int32_t y = b[i];
            const auto ux = static_cast<std::uint32_t>(x);
            const auto uy = static_cast<std::uint32_t>(y);
            const std::int64_t lx = x;
            const std::int64_t ly = y;
            const std::int64_t want[16] = {lx * ly,
                                           static_cast<std::int32_t>((lx * ly) >> 32),
                                           static_cast<std::uint32_t>((std::uint64_t(ux) * uy) >> 32),
                                           y ? (y == -1 ? 0 : x / y) : 0,
                                           y ? (y == -1 ? 0 : x % y) : 0,
                                           uy ? ux / uy : 0,
                                           std::clamp<std::int64_t>(lx + ly, L::min(), L::max()),
                                           std::rotl(ux, int(uy & 31)),
                                           std::countl_zero(ux) + std::popcount(uy) * 100,
                                           (lx + ly) >> 1,
                                           lx > ly ? lx - ly : ly - lx,
                                           static_cast<std::int8_t>(x) + static_cast<std::int16_t>(y),
                                           static_cast<std::uint8_t>(x) * static_cast<std::uint16_t>(y),
                                           x >> (y & 31),
                                           ux >> (uy & 31),
                                           static_cast<std::uint32_t>(std::clamp(x, -1000, 1000)) +
                                               static_cast<std::uint32_t>(std::max(x, y)) - std::min(ux, uy)};
            for (int k = 0; k < 16; ++k)
                ASSERT_EQ(out[i * 16 + unsigned(k)], want[k])
                    << "item " << i << " result " << k << ": " << x << ", " << y;
        }
    });
}

TEST(Kernels, LongIntegers) {
    using L = std::numeric_limits<std::int64_t>;
    const auto a0 = integers<std::int64_t>({0, 1, -1, L::min(), L::max(), 1ll << 32}, kItems, 3);
    const auto b0 = integers<std::int64_t>({0, 1, -1, L::min(), L::max(), 63}, kItems, 4);
    everyWay("integers.cl", [&](KernelRunner& r) {
        auto a = a0;
        auto b = b0;
        std::vector<std::uint64_t> out(kItems * 8);
        ASSERT_EQ(r.pointer(a).pointer(b).pointer(out).run("wide", {kItems, 1, 1}, {32, 1, 1}), "");
        for (std::uint32_t i = 0; i < kItems; ++i) {
            const std::int64_t x = a[i];
            const std::int64_t y = b[i];
            const auto ux = static_cast<std::uint64_t>(x);
            const auto uy = static_cast<std::uint64_t>(y);
            const std::uint64_t want[8] = {
                ux * uy,
                y ? (y == -1 ? 0 : static_cast<std::uint64_t>(x / y)) : 0,
                y ? ux % uy : 0,
                ux << (uy & 63),
                static_cast<std::uint64_t>(x >> (uy & 63)),
                ux >> (uy & 63),
                static_cast<std::uint64_t>((__int128(x) * y) >> 64),
                (x < y) + (ux < uy) * 2u + unsigned(std::popcount(ux)) * 4u + unsigned(std::countl_zero(uy)) * 1000u};
            for (int k = 0; k < 8; ++k)
                ASSERT_EQ(out[i * 8 + unsigned(k)], want[k])
                    << "item " << i << " result " << k << ": " << x << ", " << y;
        }
    });
}

TEST(Kernels, Singles) {
    const auto a0 = as<float>(reals(3e38, 5));
    const auto b0 = as<float>(reals(1e-40, 6));
    const auto c0 = as<float>(reals(1e9, 7));
    everyWay(
        "floats.cl",
        [&](KernelRunner& r) {
            auto a = a0;
            auto b = b0;
            auto c = c0;
            std::vector<float> out(kItems * 8);
            ASSERT_EQ(r.pointer(a).pointer(b).pointer(c).pointer(out).run("singles", {kItems, 1, 1}, {32, 1, 1}), "");
            for (std::uint32_t i = 0; i < kItems; ++i) {
                const float x = a[i];
                const float y = b[i];
                const float z = c[i];
                const int converted = std::isnan(x)         ? 0
                                      : x >= 2147483648.0f  ? INT32_MAX
                                      : x <= -2147483648.0f ? INT32_MIN
                                                            : static_cast<int>(x);
                const float want[8] = {x + y,
                                       x * y,
                                       std::fma(x, y, z),
                                       x / y,
                                       std::sqrt(std::fabs(x)),
                                       std::fmin(x, y) + std::floor(z),
                                       static_cast<float>(converted) + std::rint(y),
                                       x < y ? std::trunc(z) : std::ceil(z)};
                for (int k = 0; k < 8; ++k)
                    ASSERT_TRUE(same(out[i * 8 + unsigned(k)], want[k]))
                        << "item " << i << " result " << k << ": " << x << ", " << y << ", " << z << " gave "
                        << out[i * 8 + unsigned(k)] << ", not " << want[k];
            }
        },
        "-cl-fp32-correctly-rounded-divide-sqrt");
}

TEST(Kernels, Doubles) {
    const auto a0 = reals(1e308, 8);
    const auto b0 = reals(1e-310, 9);
    const auto c0 = reals(1e18, 10);
    everyWay("floats.cl", [&](KernelRunner& r) {
        auto a = a0;
        auto b = b0;
        auto c = c0;
        std::vector<double> out(kItems * 6);
        ASSERT_EQ(r.pointer(a).pointer(b).pointer(c).pointer(out).run("doubles", {kItems, 1, 1}, {32, 1, 1}), "");
        for (std::uint32_t i = 0; i < kItems; ++i) {
            const double x = a[i];
            const double y = b[i];
            const double z = c[i];
            const std::int64_t converted = std::isnan(y)  ? 0
                                           : y >= 0x1p63  ? INT64_MAX
                                           : y <= -0x1p63 ? INT64_MIN
                                                          : static_cast<std::int64_t>(y);
            const double want[6] = {x + y,
                                    x * y,
                                    std::fma(x, y, z),
                                    x / y,
                                    std::sqrt(std::fabs(x)),
                                    double(static_cast<float>(x)) + double(converted)};
            for (int k = 0; k < 6; ++k)
                ASSERT_TRUE(same(out[i * 6 + unsigned(k)], want[k]))
                    << "item " << i << " result " << k << ": " << x << ", " << y << ", " << z << " gave "
                    << out[i * 6 + unsigned(k)] << ", not " << want[k];
        }
    });
}

std::vector<std::uint16_t> halves(double limit, unsigned seed) {
    std::vector<std::uint16_t> h;
    for (const double v : reals(limit, seed)) h.push_back(doubleToHalf(v));
    return h;
}
TEST(Kernels, Halves) {
    const auto a0 = halves(65504, 11);
    const auto b0 = halves(1e-7, 12);
    const auto c0 = halves(100, 13);
    everyWay("floats.cl", [&](KernelRunner& r) {
        auto a = a0;
        auto b = b0;
        auto c = c0;
        std::vector<std::uint16_t> out(kItems * 4);
        ASSERT_EQ(r.pointer(a).pointer(b).pointer(c).pointer(out).run("halves", {kItems, 1, 1}, {32, 1, 1}), "");
        for (std::uint32_t i = 0; i < kItems; ++i) {
            const double x = halfToDouble(a[i]);
            const double y = halfToDouble(b[i]);
            const double z = halfToDouble(c[i]);
            const double want[4] = {x + y, x * y, std::fma(x, y, z), static_cast<double>(static_cast<float>(x) * 0.1f)};
            for (std::uint32_t k = 0; k < 4; ++k) {
                const std::uint16_t got = out[i * 4 + k];
                const bool bothNan = std::isnan(want[k]) && std::isnan(halfToDouble(got));
                ASSERT_TRUE(bothNan || got == doubleToHalf(want[k]))
                    << "item " << i << " result " << k << ": " << x << ", " << y << ", " << z << " gave "
                    << halfToDouble(got) << ", not " << want[k];
            }
        }
    });
}

int collatz(std::uint32_t n) {
    int steps = 0;
    for (; n != 1 && steps < 300; ++steps) n = n & 1 ? 3 * n + 1 : n >> 1;
    return steps;
}
int weigh(int k, const int* table) { return k > 0 ? table[k & 7] + collatz(std::uint32_t(k)) : -k; }
int control(const std::vector<std::int32_t>& a, int i) {
    int sum = 0;
    for (int k = 0; k < a[std::size_t(i)] % 13; ++k) {
        if (k == 9) break;
        if ((k ^ i) & 1) continue;
        for (int j = k; j < 5; ++j) {
            if (a[std::size_t(i)] % 7 == j) return sum + weigh(a[std::size_t(i)] % 11 - 3, a.data()) * 1000;
            sum += j * k + 1;
        }
        switch (a[std::size_t(i)] % 5) {
            case 0:
                sum += 10;
                break;
            case 1:
                sum ^= 3;
                [[fallthrough]];
            case 2:
                sum += 100;
                break;
            default:
                sum -= k;
        }
    }
    return sum + weigh(a[std::size_t(i)] % 11 - 3, a.data()) * 1000;
}
TEST(Kernels, ControlFlow) {
    std::vector<std::int32_t> a0(kItems);
    for (std::uint32_t i = 0; i < kItems; ++i) a0[i] = static_cast<std::int32_t>(i * 2654435761u >> 20);
    everyWay("control.cl", [&](KernelRunner& r) {
        auto a = a0;
        std::vector<std::int32_t> out(kItems, -1);
        ASSERT_EQ(r.pointer(a).pointer(out).value(std::int32_t(50)).run("control", {kItems, 1, 1}, {64, 1, 1}), "");
        for (std::uint32_t i = 0; i < kItems; ++i) ASSERT_EQ(out[i], i < 50 ? control(a, int(i)) : -1) << i;
    });
}

TEST(Kernels, PrivateArrays) {
    constexpr int table[] = {3, 1, 4, 1, 5, 9, 2, 6};
    std::vector<std::int32_t> a0(kItems + 32);
    for (std::size_t i = 0; i < a0.size(); ++i) a0[i] = static_cast<std::int32_t>(i * 37 % 101);
    everyWay("memory.cl", [&](KernelRunner& r) {
        auto a = a0;
        std::vector<std::int32_t> out(kItems);
        ASSERT_EQ(r.pointer(a).pointer(out).run("privates", {kItems, 1, 1}, {64, 1, 1}), "");
        for (std::uint32_t i = 0; i < kItems; ++i) {
            int box[24];
            for (int k = 0; k < 24; ++k) box[k] = a[i + unsigned(k)] * table[k & 7];
            for (int k = 0; k < 24; ++k) box[(a[i] + k) % 24] += box[(a[i + 1] + 3 * k) % 24];
            ASSERT_EQ(out[i], box[a[i] % 24] - box[23]) << i;
        }
    });
}

TEST(Kernels, UnalignedAccess) {
    std::vector<std::uint8_t> b0(kItems * 4 + 64);
    for (std::size_t i = 0; i < b0.size(); ++i) b0[i] = static_cast<std::uint8_t>(i * 73 + 5);
    everyWay("memory.cl", [&](KernelRunner& r) {
        auto b = b0;
        std::vector<std::uint64_t> out(kItems);
        ASSERT_EQ(r.pointer(b).pointer(out).run("unaligned", {kItems, 1, 1}, {32, 1, 1}), "");
        for (std::uint32_t i = 0; i < kItems; ++i) {
            std::uint16_t w[2];
            std::uint32_t z;
            std::memcpy(w, &b[1 + 4 * i], 4);
            std::memcpy(&z, &b[4 * i + 8], 4);
            const std::uint64_t want =
                b[3 * i] + b[3 * i + 1] * 256u + b[3 * i + 2] * 65536ull + (std::uint64_t(w[0] ^ w[1]) << 32) + z;
            ASSERT_EQ(out[i], want) << i;
        }
    });
}

TEST(Kernels, GlobalAtomics) {
    const auto a0 = integers<std::int32_t>({0, 1, -1}, kItems, 20);
    everyWay("memory.cl", [&](KernelRunner& r) {
        auto a = a0;
        std::vector<std::int32_t> cells(16);
        cells[1] = INT32_MIN;
        cells[2] = INT32_MAX;
        ASSERT_EQ(r.pointer(cells).pointer(a).run("atomics", {kItems, 1, 1}, {32, 1, 1}), "");
        std::vector<std::uint32_t> want(16);
        std::int32_t top = INT32_MIN;
        std::int32_t bottom = INT32_MAX;
        for (const std::int32_t v : a) {
            want[0] += std::uint32_t(v);
            want[3] |= 1u << (v & 31);
            want[4] ^= std::uint32_t(v);
            ++want[5 + (v & 3)];
            want[9] += std::uint32_t(v);
            top = std::max(top, v);
            bottom = std::min(bottom, v);
        }
        want[1] = std::uint32_t(top);
        want[2] = std::uint32_t(bottom);
        for (std::size_t k = 0; k < 16; ++k) ASSERT_EQ(std::uint32_t(cells[k]), want[k]) << k;
    });
}

TEST(Kernels, BarriersAndLocalMemory) {
    std::vector<std::int32_t> d0(256);
    std::iota(d0.begin(), d0.end(), 0);
    everyWay("groups.cl", [&](KernelRunner& r) {
        auto d = d0;
        ASSERT_EQ(r.pointer(d).localMemory(128 * 4).run("reverse", {256, 1, 1}, {128, 1, 1}), "");
        for (int i = 0; i < 256; ++i) ASSERT_EQ(d[std::size_t(i)], i / 128 * 128 + 127 - i % 128 + i / 128) << i;
        std::vector<std::uint32_t> a(256);
        std::vector<std::uint32_t> out(16);
        for (std::uint32_t i = 0; i < 256; ++i) a[i] = i * i + 3;
        ASSERT_EQ(r.pointer(a).pointer(out).run("histogram", {256, 1, 1}, {64, 1, 1}), "");
        for (std::uint32_t k = 0; k < 16; ++k)
            ASSERT_EQ(out[k],
                      std::uint32_t(std::count_if(a.begin(), a.end(), [&](std::uint32_t v) { return (v & 15) == k; })))
                << k;
    });
}

void checkSubGroups(KernelRunner& r, int n) {
    std::vector<std::int32_t> a(64);
    std::vector<std::int32_t> out(256);
    for (int i = 0; i < 64; ++i) a[std::size_t(i)] = i * 29 % 97;
    ASSERT_EQ(r.pointer(a).pointer(out).run(n == 16 ? "lanes16" : "lanes32", {64, 1, 1}, {64, 1, 1}), "");
    for (int i = 0; i < 64; ++i) {
        const auto first = a.begin() + i / n * n;
        const auto here = a.begin() + i;
        const auto last = first + n;
        const bool any = std::any_of(first, last, [](int v) { return v > 90; });
        const bool all = std::all_of(first, last, [](int v) { return v < 99; });
        const int want[4] = {n == 16 ? std::accumulate(first, last, 0) : *std::max_element(first, last),
                             n == 16 ? std::accumulate(first, here + 1, 0) : std::accumulate(first, here, 0),
                             first[n == 16 ? 5 : 31], n == 16 ? any + 2 * all : i % n + 100 * (i / n)};
        for (int k = 0; k < 4; ++k)
            ASSERT_EQ(out[std::size_t(i * 4 + k)], want[k]) << n << " lanes, item " << i << " result " << k;
    }
}
TEST(Kernels, SubGroupsOf16Lanes) {
    everyWay("groups.cl", [](KernelRunner& r) { checkSubGroups(r, 16); });
}
TEST(Kernels, SubGroupsOf32Lanes) {
    everyWay(
        "groups.cl", [](KernelRunner& r) { checkSubGroups(r, 32); }, "", kModesOf32Lanes);
}

TEST(Kernels, WorkGroupsOfEveryShape) {
    everyWay("groups.cl", [&](KernelRunner& r) {
        for (const emulator::module::Extent local :
             {emulator::module::Extent{1, 1, 1}, {5, 3, 2}, {8, 4, 1}, {40, 1, 1}, {2, 2, 8}, {1, 25, 4}}) {
            const emulator::module::Extent global{local[0] * 2, local[1] * 3, local[2] * 2};
            std::vector<std::int32_t> out(global[0] * global[1] * global[2]);
            ASSERT_EQ(r.pointer(out).run("coordinates", global, local), "");
            for (std::uint32_t z = 0; z < global[2]; ++z)
                for (std::uint32_t y = 0; y < global[1]; ++y)
                    for (std::uint32_t x = 0; x < global[0]; ++x)
                        ASSERT_EQ(std::uint32_t(out[x + global[0] * (y + global[1] * z)]),
                                  x % local[0] + 10 * (y % local[1]) + 100 * (z % local[2]) + 1000 * (x / local[0]) +
                                      10000 * (y / local[1]) + 100000 * (z / local[2]));
        }
    });
}

}  // namespace
}  // namespace zetl::test
