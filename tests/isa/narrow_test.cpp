// Lanes of words and bytes, and elements that lie apart: what is written where, and that nothing else is.
#include <gtest/gtest.h>

#include "lone_thread.h"

namespace zetl::test {
namespace {

constexpr std::uint32_t kWordLanes = 32;
constexpr std::uint32_t kEveryLane = ~0u;
constexpr std::uint32_t kScattered = 0x5a3cf00f;  // lanes that are on, or a flag
constexpr std::uint16_t kWordEdges[] = {0, 1, 0x7f, 0x80, 0xff, 0x100, 0x7fff, 0x8000, 0x8001, 0xff00, 0xfffe, 0xffff};
constexpr std::byte kOld{0xcd};  // in the registers that are written

/// r10 and r12: words in every lane, different edges beside each other.
std::uint16_t wordOf(std::uint32_t reg, std::uint32_t lane) {
    return kWordEdges[(lane * (reg == 10 ? 5 : 7) + lane / 12) % std::size(kWordEdges)];
}
/// r14 and r16, two registers each: dwords.
std::uint32_t dwordOf(std::uint32_t reg, std::uint32_t lane) {
    return std::uint32_t{wordOf(10, lane)} << 16 | wordOf(12, lane + reg);
}

class Narrow : public testing::Test {
  protected:
    void prepare(const isa::StepTable& table, const std::string& text, std::uint32_t lanes) {
        t.load(assembleProgram(text), lanes, {.base = 0x10000}, table);
        std::vector<std::uint16_t> x(kWordLanes);
        std::vector<std::uint16_t> y(kWordLanes);
        std::vector<std::uint32_t> wide(kWordLanes);
        for (std::uint32_t i = 0; i < kWordLanes; ++i) {
            x[i] = wordOf(10, i);
            y[i] = wordOf(12, i);
            wide[i] = dwordOf(14, i);
        }
        t.set(10, x);
        t.set(12, y);
        t.set(14, wide);
        t.set(40, std::vector<std::byte>(4 * 64, kOld));
        t.setFlag(0, kScattered);
    }
    std::vector<std::byte> written() { return t.get<std::byte>(40, 4 * 64); }

    LoneThread t;
};

/// An instruction that writes, from r40 on, an element of so many bytes for each lane, so far apart, from an offset on.
struct Stores {
    const char* text;
    std::uint32_t lanes;
    std::uint32_t bytes;
    std::uint32_t stride;  // in bytes
    std::uint32_t offset;  // in bytes
    std::uint32_t (*value)(std::uint32_t lane);
};
std::uint32_t x(std::uint32_t lane) { return wordOf(10, lane); }
std::uint32_t y(std::uint32_t lane) { return wordOf(12, lane); }
std::uint32_t wide(std::uint32_t lane) { return dwordOf(14, lane); }
bool flagOf(std::uint32_t lane) { return (kScattered >> lane & 1) != 0; }
constexpr Stores kStores[] = {
    {"and (32|M0) r40.0<1>:uw r10.0<1;1,0>:uw r12.0<1;1,0>:uw", 32, 2, 2, 0,
     [](std::uint32_t i) { return x(i) & y(i); }},
    {"or (32|M0) r40.0<1>:w r10.0<1;1,0>:w r12.0<1;1,0>:uw", 32, 2, 2, 0, [](std::uint32_t i) { return x(i) | y(i); }},
    {"xor (32|M0) r41.0<1>:uw r10.0<1;1,0>:uw r12.3<0;1,0>:uw", 32, 2, 2, 64,
     [](std::uint32_t i) { return x(i) ^ y(3); }},
    {"and (32|M0) r40.0<1>:uw r10.4<0;1,0>:w r12.3<0;1,0>:uw", 32, 2, 2, 0, [](std::uint32_t) { return x(4) & y(3); }},
    {"xor (32|M0) r40.0<1>:w r12.0<1;1,0>:w 0x8001:uw", 32, 2, 2, 0, [](std::uint32_t i) { return y(i) ^ 0x8001; }},
    {"(f0.0) sel (32|M0) r40.0<1>:uw r12.2<0;1,0>:uw 0x0:uw", 32, 2, 2, 0,
     [](std::uint32_t i) { return flagOf(i) ? y(2) : 0; }},
    {"(~f0.0) sel (32|M0) r40.0<1>:w r10.9<0;1,0>:w 3:w", 32, 2, 2, 0,
     [](std::uint32_t i) { return flagOf(i) ? 3 : x(9); }},
    {"(f0.0) sel (32|M0) r40.0<1>:uw r10.0<1;1,0>:uw r12.0<1;1,0>:uw", 32, 2, 2, 0,
     [](std::uint32_t i) { return flagOf(i) ? x(i) : y(i); }},
    {"mov (32|M0) r40.0<2>:b r10.0<1;1,0>:w", 32, 1, 2, 0, x},
    {"mov (32|M0) r40.0<2>:ub r14.0<1;1,0>:ud", 32, 1, 2, 0, wide},
    {"mov (32|M0) r40.1<2>:uw r14.0<1;1,0>:ud", 32, 2, 4, 2, wide},
    {"mov (32|M0) r40.0<2>:uw r14.0<1;1,0>:ud", 32, 2, 4, 0, wide},
    {"mov (32|M0) r40.3<4>:ub r14.0<1;1,0>:ud", 32, 1, 4, 3, wide},
    {"mov (32|M0) r40.1<4>:b r14.0<1;1,0>:d", 32, 1, 4, 1, wide},
    {"mov (16|M0) r40.0<2>:d r14.0<1;1,0>:d", 16, 4, 8, 0, wide},
    {"mov (16|M0) r40.1<2>:d r14.0<1;1,0>:d", 16, 4, 8, 4, wide},
    {"mov (16|M0) r40.2<4>:uw r14.0<1;1,0>:ud", 16, 2, 8, 4, wide},
    {"mov (16|M0) r40.3<4>:uw r14.0<1;1,0>:ud", 16, 2, 8, 6, wide},
    {"mov (8|M0) r40.1<2>:ud r14.0<1;1,0>:uq", 8, 4, 8, 4, [](std::uint32_t i) { return wide(2 * i); }},
    {"mov (8|M0) r40.0<2>:ud r14.0<1;1,0>:uq", 8, 4, 8, 0, [](std::uint32_t i) { return wide(2 * i); }},
    {"add (16|M0) r40.1<2>:d r14.0<1;1,0>:d r15.0<1;1,0>:d", 16, 4, 8, 4,
     [](std::uint32_t i) { return wide(i) + wide(i + 16); }},
};

TEST_F(Narrow, ElementsGoWhereTheyBelongAndNowhereElse) {
    for (const Stores& form : kStores)
        for (const std::uint32_t lanes : {kEveryLane, kScattered})
            for (const isa::StepTable* table : usableTables()) {
                prepare(*table, form.text, lanes);
                std::vector<std::byte> expected = written();
                for (std::uint32_t i = 0; i < form.lanes; ++i) {
                    if ((lanes >> i & 1) == 0) continue;
                    const std::uint32_t value = form.value(i);
                    std::memcpy(&expected[form.offset + i * form.stride], &value, form.bytes);
                }
                ASSERT_EQ(t.resume(), isa::Status::done) << form.text << ": " << describe(t.thread().fault);
                EXPECT_TRUE(written() == expected) << form.text << ", " << table->name << ", lanes " << lanes;
            }
}

/// What f0.0 is afterwards in the lanes that are on.
struct Flags {
    const char* text;
    bool (*value)(std::uint32_t lane);
};
constexpr Flags kFlags[] = {
    {"and (32|M0) (ne)f0.0 null<2>:uw r10.0<1;1,0>:uw r12.0<1;1,0>:uw",
     [](std::uint32_t i) { return (x(i) & y(i)) != 0; }},
    {"and (32|M0) (eq)f0.0 null<2>:uw r10.0<1;1,0>:uw 0x80:uw", [](std::uint32_t i) { return (x(i) & 0x80) == 0; }},
    {"or (32|M0) (eq)f0.0 null<1>:w r10.0<1;1,0>:w r12.0<1;1,0>:w", [](std::uint32_t i) { return (x(i) | y(i)) == 0; }},
    {"xor (32|M0) (ne)f0.0 null<1>:w r10.0<1;1,0>:w r12.0<1;1,0>:uw", [](std::uint32_t i) { return x(i) != y(i); }},
    {"xor (32|M0) (eq)f0.0 null<1>:uw r10.0<1;1,0>:w r12.8<0;1,0>:uw", [](std::uint32_t i) { return x(i) == y(8); }},
};

TEST_F(Narrow, WordsThatAreZeroSetFlags) {
    for (const Flags& form : kFlags)
        for (const std::uint32_t lanes : {kEveryLane, kScattered})
            for (const isa::StepTable* table : usableTables()) {
                prepare(*table, form.text, lanes);
                std::uint32_t expected = kScattered & ~lanes;
                for (std::uint32_t i = 0; i < kWordLanes; ++i)
                    if ((lanes >> i & 1) != 0 && form.value(i)) expected |= 1u << i;
                ASSERT_EQ(t.resume(), isa::Status::done) << form.text << ": " << describe(t.thread().fault);
                EXPECT_EQ(t.flag(0), expected) << form.text << ", " << table->name << ", lanes " << lanes;
            }
}

}  // namespace
}  // namespace zetl::test
