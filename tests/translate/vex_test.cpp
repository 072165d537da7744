// Instructions of AVX2 as bytes, beside what asmjit makes of them.
#include "emulator/translate/assembler/vex.h"

#include <asmjit/x86.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <random>
#include <string>
#include <vector>

namespace zetl::test {
namespace {

using namespace asmjit::x86;
using asmjit::Imm;
using asmjit::InstId;
using asmjit::Operand;
using emulator::translate::avx2::encodeVex;
using emulator::translate::avx2::kMostVexBytes;
using emulator::translate::avx2::vexCount;
using emulator::translate::avx2::vexId;

using Operands = std::array<Operand, 4>;
using Bytes = std::vector<std::uint8_t>;

enum class Kind { none, xmm, ymm, gp, number, memory, label, kCount };
constexpr auto kKinds = static_cast<std::uint32_t>(Kind::kCount);

/// Instructions side by side, each at the beginning of a code of its own, where the label is.
class Both {
  public:
    Both() {
        code_.init(asmjit::Environment::host());
        code_.attach(&assembler_);
        label_ = assembler_.newLabel();
        assembler_.bind(label_);
        assembler_.addDiagnosticOptions(asmjit::DiagnosticOptions::kValidateAssembler);
    }
    /// What asmjit makes of it; nothing if there is no such instruction.
    Bytes byAsmjit(InstId id, const Operands& o) {
        assembler_.setOffset(0);
        const asmjit::Operand_ list[] = {o[0], o[1], o[2], o[3]};
        if (assembler_.emitOpArray(id, list, o.size()) != asmjit::kErrorOk) return {};
        return {assembler_.bufferData(), assembler_.bufferPtr()};
    }
    /// Nothing: that is left to asmjit.
    static Bytes byUs(InstId id, const Operands& o) {
        std::array<std::uint8_t, kMostVexBytes> made{};
        std::uint8_t* label = nullptr;
        std::uint8_t* const end = encodeVex(id, {&o[0], &o[1], &o[2], &o[3]}, made.data(), label);
        if (end == nullptr) return {};
        if (label != nullptr) {
            std::int32_t distance;
            std::memcpy(&distance, label, sizeof distance);
            distance -= static_cast<std::int32_t>(end - made.data());
            std::memcpy(label, &distance, sizeof distance);
        }
        return {made.data(), end};
    }
    Operand draw(Kind kind) {
        constexpr std::int32_t kOffsets[] = {0, 1, -128, 127, 128, -129, 0x1234};
        const auto below = [&](std::uint32_t end) { return static_cast<std::uint32_t>(random_() % end); };
        switch (kind) {
            case Kind::xmm:
                return Xmm(below(16));
            case Kind::ymm:
                return Ymm(below(16));
            case Kind::gp:
                return gpd(below(16));
            case Kind::number:
                return Imm(below(256));
            case Kind::memory:
                return ptr(gpq(below(16)), kOffsets[below(std::size(kOffsets))]);
            case Kind::label:
                return ptr(label_, kOffsets[below(std::size(kOffsets))]);
            default:
                return {};
        }
    }

  private:
    asmjit::CodeHolder code_;
    Assembler assembler_;
    asmjit::Label label_;
    std::mt19937 random_{4711};
};

std::string nameOf(InstId id) {
    asmjit::String name;
    asmjit::InstAPI::instIdToString(asmjit::Arch::kX64, id, name);
    return name.data();
}

/// Every instruction with every kind of operands that asmjit takes, some of each.
TEST(Vex, EveryFormIsWhatAsmjitMakesOfIt) {
    constexpr int kDraws = 60;
    constexpr std::uint32_t kForms = kKinds * kKinds * kKinds * kKinds;
    Both both;
    for (std::size_t n = 0; n < vexCount(); ++n) {
        const InstId id = vexId(n);
        std::uint32_t compared = 0;
        for (std::uint32_t form = 0; form < kForms; ++form) {
            std::array<Kind, 4> kinds{};
            for (std::uint32_t k = 0, left = form; k < kinds.size(); ++k, left /= kKinds)
                kinds[k] = static_cast<Kind>(left % kKinds);
            for (int draw = 0; draw < kDraws; ++draw) {
                Operands o;
                for (std::size_t k = 0; k < o.size(); ++k) o[k] = both.draw(kinds[k]);
                const Bytes expected = both.byAsmjit(id, o);
                if (expected.empty()) break;
                const Bytes made = Both::byUs(id, o);
                if (made.empty()) continue;
                ASSERT_EQ(made, expected) << nameOf(id) << ", form " << form;
                ++compared;
            }
        }
        EXPECT_GE(compared, kDraws) << nameOf(id);
    }
}

}  // namespace
}  // namespace zetl::test
