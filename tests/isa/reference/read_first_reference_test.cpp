// Registers that a program does not read before it writes them may hold anything when it begins: random programs, once
// with what they are given and once with something else in those.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstdlib>
#include <cstring>

#include "lone_thread.h"
#include "reference/program_code.h"
#include "support/effort.h"

namespace zetl::test::reference {
namespace {

constexpr std::uint32_t kReadFirstBase = 0x10000;
constexpr std::uint32_t kAtOnce = effort(500u, 100u);  // assembled at once

std::uint64_t countOf(const char* setting, std::uint64_t usual) {
    const char* more = std::getenv(setting);
    return more != nullptr ? std::strtoull(more, nullptr, 10) : usual;
}

/// All general registers, as small numbers.
void fillSmall(isa::Thread& t, std::uint64_t number) {
    Dice dice(number);
    for (std::uint32_t at = 0; at < layout::kGrfBytes; at += 4)
        t.at<std::int32_t>(layout::kGrf + at) = static_cast<std::int32_t>(dice.below(64)) - 32;
}
/// Begins with lines that write some of the registers which structured programs read, by all lanes or by those that
/// are on.
void writeSome(FlowProgram& p) {
    Dice dice(p.number);
    std::string lines;
    for (unsigned reg = 16; reg < 64; reg += 2) {
        if (dice.oneIn(3)) continue;
        const char* const mask = dice.oneIn(2) ? "(W) " : "";
        lines += fmt::format("{}mov ({}|M0) r{}.0<1>:d {}:w\n", mask, p.width, reg, dice.below(64));
        ++p.instructions;
    }
    p.text = lines + p.text;
}

/// As many lanes as there are, if they are the first ones; 0 otherwise.
std::uint32_t firstLanes(std::uint32_t lanes) {
    return (lanes & (lanes + 1)) == 0 ? static_cast<std::uint32_t>(std::popcount(lanes)) : 0;
}

/// Runs once with what it is given, once with other numbers in what is not read first. How many slots that
/// it writes had others.
template <class Fill>
std::uint32_t expectNoMatter(const Code& code, std::uint32_t lanes, const std::string& text, const Fill& prepare) {
    LoneThread given;
    LoneThread other;
    std::uint32_t changed = 0;
    for (LoneThread* const t : {&given, &other}) {
        t->load(code, lanes, {.base = kReadFirstBase});
        prepare(t->thread());
    }
    const isa::StateSlots read = given.program().readFirst(kReadFirstBase, firstLanes(lanes));
    for (std::uint32_t slot = 0; slot < layout::kGrfBytes; slot += layout::kRegisterBytes) {
        if (read.contains(layout::kGrf + slot)) continue;
        std::memset(other.thread().state + layout::kGrf + slot, 0xa7, layout::kRegisterBytes);
        if (given.program().written().contains(layout::kGrf + slot)) ++changed;
    }
    const auto before = std::make_unique<isa::Thread>(given.thread());
    const auto otherBefore = std::make_unique<isa::Thread>(other.thread());
    EXPECT_EQ(given.resume(), other.resume()) << text;
    for (std::uint32_t at = 0; at < layout::kGrfBytes; ++at) {
        const std::uint32_t place = layout::kGrf + at;
        const bool untouched = given.thread().state[place] == before->state[place] &&
                               other.thread().state[place] == otherBefore->state[place];
        if (untouched || given.thread().state[place] == other.thread().state[place]) continue;
        ADD_FAILURE() << 'r' << at / layout::kRegisterBytes << ", byte " << at % layout::kRegisterBytes << ", lanes "
                      << std::hex << lanes << ":\n"
                      << text;
        return changed;
    }
    EXPECT_EQ(std::memcmp(given.thread().state + layout::kFlags, other.thread().state + layout::kFlags, 16), 0) << text;
    EXPECT_EQ(given.thread().active, other.thread().active) << text;
    EXPECT_EQ(given.thread().executed, other.thread().executed) << text;
    return changed;
}

TEST(ReadFirstReference, StructuredProgramsDoTheSame) {
    const std::uint64_t count = countOf("ZETL_TEST_FLOW_PROGRAMS", effort(1000, 100));
    std::uint64_t changed = 0;
    for (std::uint64_t first = 0; first < count; first += kAtOnce) {
        auto list = flowPrograms(first, kAtOnce);
        for (FlowProgram& p : list) writeSome(p);
        const auto codes = codeOf(list);
        for (std::size_t k = 0; k < list.size(); ++k) {
            changed += expectNoMatter(codes[k], list[k].lanes, list[k].text,
                                      [&](isa::Thread& t) { fillSmall(t, list[k].number); });
            if (HasFailure()) return;
        }
    }
    EXPECT_GT(changed, count * 8);
}

TEST(ReadFirstReference, StraightProgramsDoTheSame) {
    const std::uint64_t count = countOf("ZETL_TEST_RANDOM_PROGRAMS", effort(1000, 100));
    std::uint64_t changed = 0;
    for (std::uint64_t first = 0; first < count; first += kAtOnce) {
        const auto list = randomPrograms(first, kAtOnce);
        const auto codes = codeOf(list);
        for (std::size_t k = 0; k < list.size(); ++k) {
            changed += expectNoMatter(codes[k], list[k].lanes, list[k].text(), [&](isa::Thread& t) {
                std::memcpy(t.state, list[k].registers.bytes, sizeof list[k].registers.bytes);
            });
            if (HasFailure()) return;
        }
    }
    EXPECT_GT(changed, count * 20);
}

}  // namespace
}  // namespace zetl::test::reference
