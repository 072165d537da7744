// Loads and stores of threads of a group, together and one after the other by steps: elements of every size, structures
// of several, lanes that run on, rows of eight, and lanes that lie apart.
#include "group_messages.h"

#include <algorithm>
#include <cstdint>
#include <string>

namespace zetl::test {
namespace {

TEST_F(GroupMessages, OfEverySizeAndWidthWhereverLanesLie) {
    for (const std::uint8_t width : {16, 32}) {
        lanes = width;
        for (const Element& element : kElements)
            for (std::uint32_t components = 1; components <= 4; ++components) {
                if (element.bytes < 4 && components != 1) continue;
                if (registers(element, components) > 8) continue;
                for (const Pattern& from : patterns())
                    for (const Pattern& to : patterns()) {
                        const bool plain = element.bytes >= 4;
                        const bool loads = plain || from.name == std::string("on");
                        const bool stores = (plain && components == 1) || to.name == std::string("on");
                        for (const std::uint16_t x : {0, 16, 3}) {
                            if (x == 3 && (from.name == std::string("rows") || to.name == std::string("rows")))
                                continue;
                            EXPECT_EQ(compare(copy(element, components, from, to), {.x = x}),
                                      loads && stores ? kIdThreads - 1 : 0);
                            if (HasFailure())
                                FAIL() << int{width} << " " << element.name << " x" << components << " " << from.name
                                       << " to " << to.name << " from " << x;
                        }
                    }
            }
    }
}

/// Structures by each pattern, in an allocation that ends with the last lane's, or within it.
TEST_F(GroupMessages, MayNotReachBeyondTheAllocation) {
    constexpr std::uint32_t kStoresAt = 0x20000;
    for (const Element& element : kElements)
        for (std::uint32_t components = 1; components <= (element.bytes < 4 ? 1 : 4); ++components)
            for (const Pattern& pattern : patterns())
                for (const bool write : {false, true}) {
                    const bool on = pattern.name == std::string("on");
                    if (!on && (element.bytes < 4 || (write && components != 1))) continue;
                    const Pattern from = write ? patterns()[0] : pattern;
                    const Pattern to = write ? pattern : patterns()[0];
                    LoneThread t;
                    t.load(copy(element, components, from, to));
                    give(t, {});
                    std::vector<std::byte>& area = t.allocate(kAreaBytes);
                    report = emulator::translate::translateAnyway(t.program(), kIdsBase, lanes,
                                                                  emulator::translate::Registers::dropped);
                    ASSERT_NE(report.group, nullptr);
                    runAlone(t, {}, area, 0);
                    for (std::size_t i = 0; i < area.size(); ++i) area[i] = static_cast<std::byte>(i * 7 ^ i >> 12);
                    const std::vector<std::byte> before = area;
                    std::uint32_t last = 0;
                    for (std::uint32_t item = lanes; item < 2u * lanes; ++item)
                        last = std::max(last, pattern.index(item));
                    const std::uint64_t needed =
                        (write ? kStoresAt : 0) + std::uint64_t{last + 1} * element.bytes * components;
                    const auto runWithin = [&](std::uint64_t bytes) {
                        for (auto& window : write ? t.thread().writable : t.thread().readable)
                            window.bytes = window.bytes == 0 ? 0 : bytes;
                        prepare(t, {}, area, 1);
                        return runTogether(t, 1, 2);
                    };
                    EXPECT_EQ(runWithin(needed - 1), 1u);
                    EXPECT_TRUE(area == before);
                    EXPECT_EQ(runWithin(needed), 2u);
                    EXPECT_FALSE(area == before);
                    if (HasFailure())
                        FAIL() << element.name << " x" << components << " " << pattern.name
                               << (write ? " stored" : " loaded");
                }
}

/// Numbers that stand for lanes are in registers of their own, which a structure's components are read from and written
/// to.
TEST_F(GroupMessages, OfStructuresThatIdsAreIn) {
    const Element dword = kElements[2];
    const std::string pair = addresses(8, "r5.0");
    const std::string load = "send.ugm " + all() + " r60 r50 null:0 " + descriptor(dword, 2, false) + "\n";
    const std::string store = "send.ugm " + all() + " null r50 r60:2 " + descriptor(dword, 2, true);
    const std::string ids =
        "mov " + all() + " r60.0<1>:d r20.0<1;1,0>:d\nmul " + all() + " r61.0<1>:d r20.0<1;1,0>:d 5:w\n";
    const std::string on = numbered() + patterns()[0].text;
    EXPECT_EQ(compare(assembleProgram(on + ids + pair + store), {.x = 3}), kIdThreads - 1);
    for (const char* const part : {"r60", "r61"})
        EXPECT_EQ(compare(assembleProgram(on + ids + pair + load + storeOf(part)), {.x = 3}), kIdThreads - 1) << part;
}

}  // namespace
}  // namespace zetl::test
