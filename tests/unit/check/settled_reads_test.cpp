// Reads of local memory that host code settles by itself: what is found is the same where every read is looked at.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "checked_kernels.h"

namespace zetl::emulator::check {
namespace {

using machine::bench::Argument;

/// Adds one, as programs without a suitable atomic do.
constexpr const char* kExchanged = R"(
int exchanged(local int* at) {
    volatile local int* p = at;
    int old = *p;
    for (int was; (was = atomic_cmpxchg(p, old, old + 1)) != old;) old = was;
    return old;
}
)";

/// A kernel whose work-items write to local memory and read it in many ways. Every fifth one is right; of others, some
/// barriers are missing.
class RandomReads {
  public:
    explicit RandomReads(std::uint32_t seed) : random_(seed), right_(seed % 5 == 0) {
        text_ = "__attribute__((intel_reqd_sub_group_size(" + std::string(draw(2) == 0 ? "16" : "32") +
                "))) kernel void k" + std::to_string(seed) +
                "(global int* o, local int* t, local int* u) {\n  int L = get_local_id(0), s = L;\n";
        for (int phase = 0; phase < 5; ++phase) {
            if (draw(3) != 0) add(array() + "[L] = s;");
            if (right_ || draw(4) != 0) add(barrier());
            const bool repeats = draw(2) == 0;
            if (repeats) add("for (int i = 0; i < 3; ++i) {");
            for (std::uint32_t reads = draw(6); reads != 0; --reads) add(read());
            if (repeats) add("}");
            if (right_ || draw(4) != 0) add(barrier());
        }
        text_ += "  o[get_global_id(0)] = s;\n}\n";
    }
    const std::string& text() const noexcept { return text_; }

  private:
    std::uint32_t draw(std::uint32_t below) { return static_cast<std::uint32_t>(random_() % below); }
    void add(const std::string& statement) { text_ += "  " + statement + "\n"; }
    std::string array() { return draw(2) == 0 ? "t" : "u"; }
    std::string barrier() {
        if (right_ || draw(4) != 0) return "barrier(CLK_LOCAL_MEM_FENCE);";
        return "intel_work_group_barrier_arrive(CLK_LOCAL_MEM_FENCE);" + read() + read() +
               "intel_work_group_barrier_wait(CLK_LOCAL_MEM_FENCE);";
    }
    std::string read() {
        const std::string a = array();
        const std::string n = std::to_string(draw(64));
        switch (draw(right_ ? 6 : 12)) {
            case 0:
                return "s += " + a + "[(L + " + n + ") & 127];";
            case 1:
                return "s += " + a + "[" + n + "];";
            case 2:
                return "s += " + a + "[L >> 4];";
            case 3:
                return "s += " + a + "[(L * 3 + " + n + ") & 127];";
            case 4:
                return "{ int4 v = ((local int4*)" + a + ")[(L + " + n + ") & 31]; s += v.x ^ v.w; }";
            case 5:
                return "{ int2 v = ((local int2*)" + a + ")[L >> 5]; s += v.x ^ v.y; }";
            case 6:
                return "s -= " + a + "[(L >> 7) + " + (draw(4) != 0 ? n : "130") + "];";  // or outside
            case 7:
                return "if (L < " + n + ") s += " + a + "[L];";
            case 8:
                return "s += exchanged(" + a + " + (" + n + " & L));";
            case 9:
                return "s += ((local int*)((local char*)" + a + " + (L >> 7) + " + std::to_string(draw(3)) +
                       "))[L & 31];";
            case 10:
                return "{ int i = L & 63; s += " + a + "[i + 5] ^ " + a + "[i + 21] ^ " + a + "[i * 2 + 1]; }";
            default:
                return "s += " + a + "[L];";
        }
    }

    std::mt19937 random_;
    const bool right_;
    std::string text_;
};

/// Runs the kernels of a module under the check of races.
class CheckedRuns {
  public:
    /// `settles`: host code settles reads; otherwise it reports each of them, as it does where part of a dword belongs
    /// to no argument.
    CheckedRuns(const std::string& profile, bool settles)
        : bench_(profile, 1), checker_(bench_.machine(), zetl::check::Groups::all()), settles_(settles) {
        bench_.leaveLocalGap(settles ? kGap : kGap - sizeof(int));  // `u` begins at the same offset
    }
    void build(const std::string& module, const std::string& kernel) {
        kernel_ = bench_.build(module, kernel, "-cl-std=CL2.0");
    }
    /// Kinds, counts and places of what is found in a kernel of the module, with more and less local memory.
    std::string findingsOf(const std::string& kernel) {
        return findingsOf(kernel, 2 * kItems) + "and\n" + findingsOf(kernel, kItems);
    }

  private:
    static constexpr std::uint32_t kItems = 128;
    static constexpr std::uint32_t kGap = 64;

    std::string findingsOf(const std::string& kernel, std::uint32_t elements) {
        constexpr std::uint32_t kGroups = 3;
        const std::uint64_t o = bench_.allocate(kItems * kGroups * sizeof(int));
        const auto t = Argument::local(kItems * sizeof(int) + (settles_ ? 0 : 2));
        const auto u = Argument::local(elements * sizeof(int));
        const auto dispatch =
            bench_.run(bench_.ofSameModule(kernel_, kernel), {kItems, 1, 1}, {kGroups, 1, 1}, {o, t, u});
        std::vector<std::string> lines;
        for (const auto& one : checker_.take(*dispatch, [](std::uint64_t) { return std::string(); }))
            lines.push_back(one.message + ", " + std::to_string(one.count) + " times, at " +
                            std::to_string(one.sides.front().ip) + " and " + std::to_string(one.sides.back().ip));
        std::ranges::sort(lines);
        std::string all;
        for (const std::string& line : lines) all += line + "\n";
        return all;
    }

    machine::bench::KernelBench bench_;
    Checker checker_;
    machine::bench::Kernel kernel_;
    bool settles_;
};

class SettledReads : public testing::TestWithParam<const char*> {};

TEST_P(SettledReads, HideNothing) {
    constexpr std::uint32_t kModules = test::effort(3u, 1u);
    constexpr std::uint32_t kKernels = 20;  // of a module
    const bool isXe2 = GetParam() != std::string("small");
    if (isXe2) setenv("ZETL_COMPILER", "newest", 1);
    CheckedRuns settling(GetParam(), true);
    CheckedRuns reporting(GetParam(), false);
    std::uint32_t wrong = 0;
    for (std::uint32_t first = 0; first < kModules * kKernels; first += kKernels) {
        std::string module = kExchanged;
        for (std::uint32_t seed = first; seed < first + kKernels; ++seed) module += RandomReads(seed).text();
        try {
            reporting.build(module, "k" + std::to_string(first));
            settling.build(module, "k" + std::to_string(first));
        } catch (const std::runtime_error& noCompiler) {
            if (isXe2) GTEST_SKIP() << noCompiler.what();
            throw;
        }
        for (std::uint32_t seed = first; seed < first + kKernels; ++seed) {
            const std::string expected = reporting.findingsOf("k" + std::to_string(seed));
            EXPECT_EQ(settling.findingsOf("k" + std::to_string(seed)), expected) << RandomReads(seed).text();
            wrong += expected == "and\n" ? 0 : 1;
        }
    }
    EXPECT_GT(wrong, kModules * kKernels / 4);
    EXPECT_LT(wrong, kModules * kKernels);
}

INSTANTIATE_TEST_SUITE_P(Devices, SettledReads, testing::Values("small", "b580-small"));

}  // namespace
}  // namespace zetl::emulator::check
