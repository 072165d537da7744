// The registers of the assembler for hosts with AVX2 where ways of the code meet.
#include <asmjit/x86.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <memory>
#include <numeric>
#include <random>
#include <vector>

#include "emulator/translate/assembler/avx2_assembler.h"

namespace zetl::test {
namespace {

using namespace asmjit::x86;
using asmjit::Label;
using emulator::translate::Avx2Assembler;

constexpr std::uint32_t kFirstHeldNumber = 7;  // number of the first register that is held from step to step
constexpr std::uint32_t kHeldVectors = 6;      // as many as the host's registers have room for
constexpr std::size_t kHeldDwords = 16;

using HeldVectors = std::array<std::array<std::uint32_t, kHeldDwords>, kHeldVectors>;

/// An addition of one vector to another.
struct HeldSum {
    std::uint32_t to;
    std::uint32_t from;
};
using HeldWay = std::vector<HeldSum>;

class Avx2Registers : public testing::Test {
  protected:
    using Function = void (*)(HeldVectors*, std::uint64_t second);

    void SetUp() override {
        if (!Avx2Assembler::runsHere()) GTEST_SKIP() << "this host has no AVX2";
    }

    /// A function that goes one of two ways, which meet behind them. Returns how many bytes the meeting takes.
    std::size_t assemble(const HeldWay& first, const HeldWay& second) {
        begin();
        a_->enterFrame();
        for (std::uint32_t v = 0; v < kHeldVectors; ++v) a_->vmovdqu32(Zmm(kFirstHeldNumber + v), place(v));
        const Label other = a_->newLabel();
        const Label met = a_->newLabel();
        a_->test(rsi, rsi);
        a_->jnz(other);
        add(first);
        a_->jmp(met);
        a_->bind(other);
        add(second);
        const std::size_t before = a_->offset();
        a_->bind(met);
        const std::size_t bytes = a_->offset() - before;
        for (std::uint32_t v = 0; v < kHeldVectors; ++v) a_->vmovdqu32(place(v), Zmm(kFirstHeldNumber + v));
        a_->vzeroupper();
        a_->leaveFrame();
        a_->ret();
        a_->finish();
        return bytes;
    }
    void begin() {
        a_.reset();
        code_.reset();
        code_.init(runtime_.environment());
        a_ = std::make_unique<Avx2Assembler>();
        code_.attach(a_.get());
    }
    HeldVectors run(const HeldVectors& values, bool second) {
        Function function = nullptr;
        if (runtime_.add(&function, &code_) != asmjit::kErrorOk) return {};
        HeldVectors result = values;
        function(&result, second ? 1 : 0);
        runtime_.release(function);
        return result;
    }
    Avx2Assembler& assembler() { return *a_; }

  private:
    static Mem place(std::uint32_t vector) { return ptr(rdi, static_cast<std::int32_t>(vector * 64), 64); }
    void add(const HeldWay& way) {
        for (const HeldSum& s : way)
            a_->vpaddd(Zmm(kFirstHeldNumber + s.to), Zmm(kFirstHeldNumber + s.to), Zmm(kFirstHeldNumber + s.from));
    }

    asmjit::JitRuntime runtime_;
    asmjit::CodeHolder code_;
    std::unique_ptr<Avx2Assembler> a_;
};

HeldVectors someHeldVectors() {
    HeldVectors values{};
    for (std::size_t v = 0; v < values.size(); ++v)
        std::iota(values[v].begin(), values[v].end(), static_cast<std::uint32_t>(1000 * v));
    return values;
}

HeldVectors withSums(HeldVectors values, const HeldWay& way) {
    for (const HeldSum& s : way)
        for (std::size_t lane = 0; lane < kHeldDwords; ++lane) values[s.to][lane] += values[s.from][lane];
    return values;
}

TEST_F(Avx2Registers, WhatAllWaysHaveInTheSameRegistersTakesNoCodeWhereTheyMeet) {
    EXPECT_EQ(assemble({{0, 1}}, {{0, 2}}), 0u);
    EXPECT_EQ(run(someHeldVectors(), false), withSums(someHeldVectors(), {{0, 1}}));
    EXPECT_EQ(run(someHeldVectors(), true), withSums(someHeldVectors(), {{0, 2}}));
}

TEST_F(Avx2Registers, WhatWaysHaveInOtherRegistersIsMovedWhereTheyMeet) {
    std::mt19937 random(46);
    const auto draw = [&](std::uint32_t end) { return static_cast<std::uint32_t>(random() % end); };
    const auto way = [&] {
        HeldWay sums(draw(12));
        for (HeldSum& s : sums) s = {draw(kHeldVectors), draw(kHeldVectors)};
        return sums;
    };
    for (int round = 0; round < 200; ++round) {
        const HeldWay first = way();
        const HeldWay second = way();
        assemble(first, second);
        ASSERT_EQ(run(someHeldVectors(), false), withSums(someHeldVectors(), first)) << "round " << round;
        ASSERT_EQ(run(someHeldVectors(), true), withSums(someHeldVectors(), second)) << "round " << round;
    }
}

TEST_F(Avx2Registers, AJumpBackToAForwardLabelIsRefused) {
    begin();
    assembler().enterFrame();
    const Label label = assembler().newForwardLabel();
    assembler().jmp(label);
    assembler().bind(label);
    EXPECT_NE(assembler().jmp(label), asmjit::kErrorOk);
}

}  // namespace
}  // namespace zetl::test
