// What lowering records beside a step is what the step does: its handler follows from its meaning, and of two NaNs a
// row keeps the one that its definition names, whatever the compiler made of it.
#include "emulator/isa/meaning.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "assembler.h"
#include "emulator/isa/code.h"
#include "isa/xe/architecture.h"
#include "lone_thread.h"

namespace zetl::test {
namespace {

using isa::Family;
using isa::LaneType;
using isa::Opcode;
namespace layout = isa::layout;

constexpr const char* kEveryFamily =
    "add (16|M0) r10.0<1>:d r12.0<1;1,0>:d -r14.0<1;1,0>:d\n"
    "(f0.0) add (16|M0) r10.0<1>:f r12.0<1;1,0>:f (abs)r14.0<1;1,0>:f\n"
    "mov (16|M0) r10.0<2>:w r12.0<1;1,0>:f\n"
    "mul (16|M0) (sat)r10.0<1>:f r12.0<1;1,0>:f r14.0<0;1,0>:f\n"
    "mul (1|M0) acc0.0<1>:d r12.0<0;1,0>:d r14.0<0;1,0>:uw\n"
    "cmp (32|M0) (lt)f0.0 r10.0<1>:d r12.0<1;1,0>:d r14.0<1;1,0>:d\n"
    "(f0.0) sel (16|M0) r10.0<1>:d r12.0<1;1,0>:d r14.0<1;1,0>:d\n"
    "mov (16|M0) r10.0<1>:d r[a0.0]<1;1,0>:d\n"
    "mov (16|M0) r[a0.0]<1>:d r10.0<1;1,0>:d\n"
    "mov (16|M0) r10.0<1>:q r12.0<2;1,0>:ud\n"
    "(f0.0) goto (16|M0) L0 L0\n"
    "L0:\n"
    "join (16|M0) L1\n"
    "L1:\n"
    "(f0.0) jmpi L2\n"
    "L2:\n"
    "sync.bar null\n";

TEST(Meaning, TheHandlerOfAStepFollowsFromIt) {
    const auto code = assembleProgram(kEveryFamily);
    for (const isa::StepTable* table : usableTables()) {
        const auto program = isa::lower(code, {}, *table);
        std::set<Family> seen;
        for (const auto& body : program->code().body) {
            ASSERT_EQ(body.meanings.size(), body.steps.size());
            for (std::size_t i = 0; i < body.steps.size(); ++i) {
                seen.insert(body.meanings[i].family);
                const isa::Handler handler = isa::handlerOf(*table, body.meanings[i]);
                if (body.meanings[i].family == Family::other) continue;
                EXPECT_EQ(handler, body.originals[i]) << table->name << " step " << i;
            }
        }
        EXPECT_GE(seen.size(), 10u) << table->name;
    }
}

struct Marked {
    const char* line;
    isa::Whole whole;
    std::uint32_t first = 0;  ///< the step at which it is recorded
    std::uint32_t steps = 0;
};

constexpr Marked kMarked[] = {
    {"add (16|M0) r10.0<1>:d r12.0<1;1,0>:d -r14.0<1;1,0>:d", isa::Whole::negative, 0, 2},
    {"add (16|M0) r10.0<1>:q r12.0<1;1,0>:q -r14.0<1;1,0>:d", isa::Whole::none},
    {"mov (16|M0) r10.0<1>:d r12.0<1;1,0>:w", isa::Whole::move, 0, 2},
    {"mov (16|M0) r10.0<2>:d r12.0<1;1,0>:w", isa::Whole::none},
    {"mov (32|M0) r10.0<2>:ub r12.0<1;1,0>:uw", isa::Whole::moveBytes, 0, 2},
    {"mov (16|M0) r10.0<2>:ub r12.0<1;1,0>:uw", isa::Whole::none},
    {"cmp (16|M0) (lt)f0.0 r10.0<1>:d r12.0<1;1,0>:d r14.0<1;1,0>:d", isa::Whole::compareToLanes, 0, 3},
    {"cmp (16|M0) (lt)f0.0 r10.0<1>:d r12.0<1;1,0>:df r14.0<1;1,0>:df", isa::Whole::flagLanes, 1, 2},
    {"cmp (32|M0) (lt)f0.0 r10.0<1>:uw r12.0<1;1,0>:uw r14.0<1;1,0>:uw", isa::Whole::compareToLanes, 2, 3},
    {"cmp (16|M0) (lt)f0.0 r10.0<1>:uw r12.0<1;1,0>:uw r14.0<1;1,0>:uw", isa::Whole::none},
    {"cmp (32|M0) (lt)f0.0 r10.0<2>:uw r12.0<1;1,0>:uw r14.0<1;1,0>:uw", isa::Whole::none},
    {"(f0.0) cmp (16|M0) (lt)f0.0 r10.0<1>:d r12.0<1;1,0>:d r14.0<1;1,0>:d", isa::Whole::none},
    {"cmp (16|M0) (eq)f0.0 null<1>:d r12.0<1;1,0>:d -r14.0<1;1,0>:d", isa::Whole::compareNegative, 0, 4},
    {"cmp (16|M0) (lt)f0.0 null<1>:d r12.0<1;1,0>:d -r14.0<1;1,0>:d", isa::Whole::none},
    {"mul (16|M0) acc0.0<1>:d r12.0<1;1,0>:d r14.0<2;1,0>:uw\n"
     "mach (16|M0) r10.0<1>:d r12.0<1;1,0>:d r14.0<1;1,0>:d",
     isa::Whole::product, 0, 4},
    {"mul (16|M0) (sat)r10.0<1>:d r12.0<1;1,0>:d r14.0<2;1,0>:uw", isa::Whole::none},
    {"(f0.0) sel (32|M0) r10.0<1>:uw r12.0<1;1,0>:uw r14.0<2;1,0>:uw", isa::Whole::pickWords, 2, 2},
    {"and (32|M0) r10.0<1>:uw r12.0<1;1,0>:uw r14.0<0;1,0>:uw", isa::Whole::words, 0, 4},
    {"(f0.0) sel (32|M0) r10.0<1>:uw r12.0<1;1,0>:uw 0x0:uw", isa::Whole::words, 0, 3},
    {"and (32|M0) (ne)f0.0 null<1>:uw r12.0<1;1,0>:uw 0x1:uw", isa::Whole::words, 0, 4},
    {"add (32|M0) r10.0<1>:uw r12.0<1;1,0>:uw r14.0<1;1,0>:uw", isa::Whole::none},
    {"add (16|M0) r10.0<1>:f r12.0<1;1,0>:f -r14.0<1;1,0>:f", isa::Whole::negative, 0, 2},
    {"add (16|M0) r10.0<1>:df r12.0<1;1,0>:df -r16.0<0;1,0>:df", isa::Whole::none},
    {"mov (32|M0) r10.0<1>:w r12.0<1;1,0>:ub", isa::Whole::narrowMove, 0, 2},
    {"mov (32|M0) r10.0<1>:ub r12.1<2;1,0>:ub", isa::Whole::narrowMove, 0, 2},
    {"mov (16|M0) r10.0<1>:w r12.0<1;1,0>:ub", isa::Whole::none},
    {"mov (32|M0) r10.0<1>:uw r12.0<4;1,0>:ub", isa::Whole::none},
};

/// What the first line's steps are together is recorded at the first of them, in the version whose masks vanish.
TEST(Meaning, StepsThatAreOneForHostCodeAreMarked) {
    for (const Marked& each : kMarked) {
        const auto program = isa::lower(assembleProgram(std::string(each.line) + "\n"));
        const auto& body = program->code().body[static_cast<int>(isa::Version::lanes32)];
        const std::uint32_t end = body.start[1];
        std::uint32_t found = 0;
        for (std::uint32_t i = 0; i < end; ++i) {
            const isa::Meaning& what = body.meanings[i];
            if (what.whole != each.whole || what.whole == isa::Whole::none) continue;
            ++found;
            EXPECT_EQ(i, each.first) << each.line;
            EXPECT_EQ(what.steps, each.steps) << each.line;
            EXPECT_LE(i + what.steps, end) << each.line;
        }
        const bool wanted = each.whole != isa::Whole::none;
        EXPECT_EQ(found, wanted ? 1u : 0u) << each.line;
        const auto isMarked = [](const isa::Meaning& what) { return what.whole != isa::Whole::none; };
        EXPECT_EQ(std::any_of(body.meanings.begin(), body.meanings.begin() + end, isMarked), wanted) << each.line;
    }
}

TEST(Meaning, LongProductsAreMarked) {
    constexpr std::array<std::uint64_t, 2> kByRegister{0x140502200010005f, 0x00000c0402100a04};
    constexpr std::array<std::uint64_t, 2> kByConstant{0x140582200010005f, 0x2492492502100a04};
    for (const auto& [words, steps] : {std::pair(kByRegister, 6), std::pair(kByConstant, 5)}) {
        const auto program = isa::lower(std::as_bytes(std::span(words)), {.architecture = &zetl::isa::xe::kXe3P});
        const isa::Meaning& first = program->code().body[static_cast<int>(isa::Version::masked)].meanings.front();
        EXPECT_EQ(first.whole, isa::Whole::longProduct);
        EXPECT_EQ(first.steps, steps);
    }
}

TEST(Meaning, BreakpointsDoNotHideIt) {
    const auto program = isa::lower(assembleProgram(kEveryFamily));
    program->setBreakpoint(0, true);
    const auto& body = program->code().body[static_cast<int>(isa::Version::lanes16)];
    const auto* const what = body.meaningOf(body.steps[body.start[0]]);
    ASSERT_NE(what, nullptr);
    EXPECT_EQ(what->family, Family::convert);
    EXPECT_NE(body.steps[body.start[0]].handler(), body.originals[body.start[0]]);
}

template <class Bits>
struct Nans {
    static constexpr LaneType kLanes = sizeof(Bits) == 4 ? LaneType::f32 : LaneType::f64;
    static constexpr Bits kOne = sizeof(Bits) == 4 ? Bits{0x3f800000} : static_cast<Bits>(0x3ff0000000000000);
    static constexpr Bits kNan = sizeof(Bits) == 4 ? Bits{0x7fc00001} : static_cast<Bits>(0x7ff8000000000001);

    /// What each of the row's lanes holds when the operands in `nans` are NaNs that tell which operand they are.
    static std::vector<Bits> run(isa::Handler handler, unsigned nans, bool wide) {
        const auto thread = std::make_unique<isa::Thread>();
        isa::Step step;
        for (unsigned k = 0; k < 3; ++k) {
            step.src[k] = layout::kLanes + k * layout::kLaneBytes;
            const Bits value = nans >> k & 1 ? kNan + k : kOne;
            for (unsigned lane = 0; lane < 32; ++lane)
                std::memcpy(thread->state + step.src[k] + lane * sizeof value, &value, sizeof value);
        }
        step.dst = layout::kResult;
        step.chunks = wide ? 2 : 1;
        step.mask.lanes = ~0u;
        step.mask.noMask = true;
        handler(*thread, &step);
        std::vector<Bits> lanes(wide ? 32 : 1);
        std::memcpy(lanes.data(), thread->state + layout::kResult, lanes.size() * sizeof(Bits));
        return lanes;
    }
    /// `order`: the operands, from the one whose NaN counts most.
    static void expectOrder(const isa::StepTable& table, Opcode opcode, std::vector<unsigned> order) {
        for (const bool wide : {false, true})
            for (const bool masked : {false, true}) {
                const isa::Handler handler = isa::handlerOf(table, {.family = Family::compute,
                                                                    .row = static_cast<std::uint16_t>(opcode),
                                                                    .lanes = kLanes,
                                                                    .masked = masked,
                                                                    .wide = wide});
                ASSERT_NE(handler, nullptr);
                for (unsigned nans = 1; nans < 1u << order.size(); ++nans) {
                    const auto first = std::ranges::find_if(order, [&](unsigned k) { return (nans >> k & 1) != 0; });
                    for (const Bits lane : run(handler, nans, wide))
                        ASSERT_EQ(lane, kNan + *first) << table.name << " opcode " << static_cast<int>(opcode)
                                                       << " wide " << wide << " NaNs " << nans;
                }
            }
    }
    static void expectOrders(const isa::StepTable& table) {
        expectOrder(table, Opcode::add, {0, 1});
        expectOrder(table, Opcode::mul, {0, 1});
        expectOrder(table, Opcode::add3, {0, 1, 2});
        expectOrder(table, Opcode::mac, {2, 0, 1});
        if (std::string_view(table.name) == "sse4") return;  // fma is the C library's there, and never host code
        expectOrder(table, Opcode::mad, {1, 2, 0});
        expectOrder(table, Opcode::madm, {1, 2, 0});
    }
};

TEST(Meaning, OfSeveralNansARowKeepsTheOneOfItsFirstOperand) {
    for (const isa::StepTable* table : usableTables()) {
        Nans<std::uint32_t>::expectOrders(*table);
        Nans<std::uint64_t>::expectOrders(*table);
    }
}

}  // namespace
}  // namespace zetl::test
