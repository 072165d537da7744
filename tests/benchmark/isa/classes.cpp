// Nanoseconds by class of instruction: loops of 64 equal instructions on one thread, all lanes on and some off.
//
// Time per iteration is the time of one instruction; the loop's own three instructions are included in the average.
#include <benchmark/benchmark.h>

#include "lone_thread.h"

namespace zetl::test {
namespace {

struct Class {
    const char* name;
    const char* assembly;
};
constexpr Class kClasses[] = {
    {"scalar_add_d", "add (1|M0) r10.0<1>:d r11.0<0;1,0>:d r12.0<0;1,0>:d"},
    {"simd16_add_d", "add (16|M0) r10.0<1>:d r11.0<1;1,0>:d r12.0<1;1,0>:d"},
    {"simd32_add_d", "add (32|M0) r10.0<1>:d r12.0<1;1,0>:d r14.0<1;1,0>:d"},
    {"simd32_add_d_immediate", "add (32|M0) r10.0<1>:d r12.0<1;1,0>:d 5:w"},
    {"simd32_add_d_broadcast", "add (32|M0) r10.0<1>:d r12.0<1;1,0>:d r14.0<0;1,0>:d"},
    {"simd32_mad_f", "mad (32|M0) r10.0<1>:f r12.0<1;0>:f r14.0<1;0>:f r16.0<1>:f"},
    {"simd32_mad_f_dependent", "mad (32|M0) acc0.0<1>:f acc0.0<1;0>:f r14.0<1;0>:f r16.0<1>:f"},
    {"simd16_add_q", "add (16|M0) r10.0<1>:q r12.0<1;1,0>:q r14.0<1;1,0>:q"},
    {"simd16_mul_accumulator", "(W) mul (16|M0) acc0.0<1>:d r12.0<1;1,0>:d r14.0<0;1,0>:uw"},
    {"simd16_shl_q_from_d", "shl (16|M0) r10.0<1>:q r12.0<2;1,0>:d 2:w"},
    {"simd32_add_w", "add (32|M0) r10.0<1>:w r12.0<1;1,0>:w r14.0<1;1,0>:w"},
    {"simd32_add_hf", "add (32|M0) r10.0<1>:hf r12.0<1;1,0>:hf r14.0<1;1,0>:hf"},
    {"simd32_mov_f_from_d", "mov (32|M0) r10.0<1>:f r12.0<1;1,0>:d"},
    {"simd16_mov_stride_2", "mov (16|M0) r10.0<2>:ud r12.0<1;1,0>:ud"},
    {"simd16_mov_region", "mov (16|M0) r10.0<1>:ud r12.0<4;2,1>:ud"},
    {"simd16_mov_indirect", "mov (16|M0) r10.0<1>:ud r[a0.0,0]<1,0>:ud"},
    {"simd32_cmp_d", "cmp (32|M0) (lt)f0.0 null<1>:d r12.0<1;1,0>:d r14.0<1;1,0>:d"},
    {"simd32_sel_flag", "(f0.0) sel (32|M0) r10.0<1>:d r12.0<1;1,0>:d r14.0<1;1,0>:d"},
    {"simd32_add_predicated", "(f0.0) add (32|M0) r10.0<1>:d r12.0<1;1,0>:d r14.0<1;1,0>:d"},
    {"simd32_bfn", "bfn.0xEA (32|M0) r18.0<1>:ud r16.0<1;0>:ud r60.0<0;0>:ud r8.0<1>:ud"},
    {"simd32_math_sqt", "math.sqt (32|M0) r10.0<1>:f r12.0<1;1,0>:f"},
    {"simd32_math_exp", "math.exp (32|M0) r10.0<1>:f r12.0<1;1,0>:f"},
    {"simd32_slm_load_uniform", "send.slm (32|M0) r10 r90 null:0 0x0 0x04200500"},
    {"simd32_slm_load_contiguous", "send.slm (32|M0) r10 r92 null:0 0x0 0x04200500"},
};
constexpr int kRepetitions = 64;
constexpr int kRounds = 2000;

Code loopOf(const char* assembly) {
    std::string text =
        "(W) mov (1|M0) r100.0<1>:d 0:w\n(W) mov (16|M0) r90.0<1>:d 0:w\n(W) mov (16|M0) r91.0<1>:d 0:w\n(W) mov "
        "(16|M0) r92.0<1>:uw 0x76543210:uv\n"
        "(W) mov (8|M0) r94.0<1>:uw 0x76543210:uv\n(W) mov (8|M0) r92.0<1>:ud r94.0<1;1,0>:uw\n(W) add (8|M0) "
        "r92.8<1>:ud r94.0<1;1,0>:uw 8:w\n"
        "(W) shl (16|M0) r92.0<1>:ud r92.0<1;1,0>:ud 2:w\n(W) add (16|M0) r93.0<1>:ud r92.0<1;1,0>:ud 64:w\nL0:\n";
    for (int i = 0; i < kRepetitions; ++i) text += std::string(assembly) + "\n";
    text += "(W) add (1|M0) r100.0<1>:d r100.0<0;1,0>:d 1:w\n(W) cmp (32|M0) (lt)f1.0 null<1>:d r100.0<0;1,0>:d " +
            std::to_string(kRounds) + ":w\n(W&f1.0) jmpi L0";
    return assembleProgram(text);
}

void instructionClass(benchmark::State& state, const Class& c, std::uint32_t lanes) {
    LoneThread t;
    t.load(loopOf(c.assembly), lanes);
    std::uint64_t executed = 0;
    for (auto _ : state) {
        t.thread().enter(t.program(), 0x10000);
        const std::uint64_t before = t.thread().executed;
        if (t.resume() != isa::Status::done) state.SkipWithError(describe(t.thread().fault).c_str());
        executed += t.thread().executed - before;
    }
    state.counters["ns"] = benchmark::Counter(static_cast<double>(executed) * 1e-9,
                                              benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

}  // namespace
}  // namespace zetl::test

int main(int count, char** arguments) {
    benchmark::Initialize(&count, arguments);
    for (const auto& c : zetl::test::kClasses)
        for (const std::uint32_t lanes : {0xffffffffu, 0x000fffffu})
            benchmark::RegisterBenchmark(
                (std::string(c.name) + (lanes == ~0u ? "/all_lanes" : "/some_lanes")).c_str(),
                [&c, lanes](benchmark::State& s) { zetl::test::instructionClass(s, c, lanes); })
                ->MinTime(0.05);
    benchmark::RunSpecifiedBenchmarks();
}
