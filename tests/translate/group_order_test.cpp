// Lanes of several dwords that stay in memory's order, or must not, together and one after the other by steps.
#include <string>
#include <utility>
#include <vector>

#include "emulator/translate/plan/memory_order.h"
#include "group_messages.h"

namespace zetl::test {
namespace {

class GroupOrder : public GroupMessages {
  protected:
    /// Lines with the names of two loaded pairs (a0, a1, b0, b1), of two more (t0, t1), and of the pair that is stored
    /// (s0, s1).
    std::string named(std::string text) const {
        const int each = lanes / 16;
        const std::pair<const char*, int> names[] = {{"a0", 60}, {"a1", 60 + each}, {"b0", 64}, {"b1", 64 + each},
                                                     {"t0", 80}, {"t1", 80 + each}, {"s0", 70}, {"s1", 70 + each}};
        for (const auto& [name, number] : names)
            for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at))
                text.replace(at, 2, "r" + std::to_string(number));
        for (std::size_t at = text.find("N "); at != std::string::npos; at = text.find("N ", at))
            text.replace(at, 1, all());
        return text;
    }
    Code program(const std::string& work) const {
        const Element dword = kElements[2];
        const std::string load = descriptor(dword, 2, false);
        return assembleProgram(
            named(numbered() + "(W) add (1|M0) r7.0<1>:q r5.0<0;1,0>:q 0x8000:d\n" + patterns()[0].text +
                  addresses(8, "r5.0") + "send.ugm N a0 r50 null:0 " + load + "\n" + addresses(8, "r7.0") +
                  "send.ugm N b0 r50 null:0 " + load + "\n" + work + addresses(8, "r6.0") +
                  "send.ugm N null r50 s0:" + std::to_string(registers(dword, 2)) + " " + descriptor(dword, 2, true)));
    }
    bool keepsOrder(const Code& code) const {
        LoneThread t;
        t.load(code);
        const auto version = lanes == 16 ? isa::Version::lanes16 : isa::Version::lanes32;
        const auto planned = emulator::translate::planGroup(t.program().code(), 0, static_cast<std::uint8_t>(version));
        EXPECT_TRUE(planned.plan.has_value());
        return planned.plan && emulator::translate::keepsMemoryOrder(*planned.plan);
    }
    void expectSame(const std::string& work, bool keeps) {
        for (const std::uint8_t width : {16, 32}) {
            lanes = width;
            SCOPED_TRACE(std::to_string(width) + " " + work);
            const Code code = program(work);
            EXPECT_EQ(keepsOrder(code), keeps) << work;
            const Given uniform{.uniform = {3, 5, 0x40400000, 0x3f000000, 7, 9, 11, 13}};
            for (const std::uint16_t x : {0, 3}) {
                Given given = uniform;
                given.x = x;
                EXPECT_EQ(compare(code, given), kIdThreads - 1) << work;
            }
            Given turned = uniform;
            turned.xRunsOn = false;
            compare(code, turned);
        }
    }
};

TEST_F(GroupOrder, StaysIfAllComponentsAreTreatedAlike) {
    const std::vector<std::string> works = {
        "add N s0.0<1>:d a0.0<1;1,0>:d b0.0<1;1,0>:d\nadd N s1.0<1>:d a1.0<1;1,0>:d b1.0<1;1,0>:d\n",
        "add N s1.0<1>:d a1.0<1;1,0>:d b1.0<1;1,0>:d\nadd N s0.0<1>:d a0.0<1;1,0>:d b0.0<1;1,0>:d\n",
        "mov N t0.0<1>:f a0.0<1;1,0>:d\nmov N t1.0<1>:f a1.0<1;1,0>:d\n"
        "mul N s0.0<1>:f t0.0<1;1,0>:f r5.4<0;1,0>:f\nmul N s1.0<1>:f t1.0<1;1,0>:f r5.4<0;1,0>:f\n",
        "add N s0.0<1>:d a0.0<1;1,0>:d 0x7:d\nadd N s1.0<1>:d a1.0<1;1,0>:d 0x7:d\n",
        "mov N s0.0<1>:f a0.0<1;1,0>:d\nmov N s1.0<1>:f a1.0<1;1,0>:d\n",
        "add N s0.0<1>:d -a0.0<1;1,0>:d b0.0<1;1,0>:d\nadd N s1.0<1>:d -a1.0<1;1,0>:d b1.0<1;1,0>:d\n",
        "and N t0.0<1>:d a0.0<1;1,0>:d b0.0<1;1,0>:d\nand N t1.0<1>:d a1.0<1;1,0>:d b1.0<1;1,0>:d\n"
        "add3 N s0.0<1>:d t0.0<1;0>:d a0.0<1;0>:d b0.0<1>:d\nadd3 N s1.0<1>:d t1.0<1;0>:d a1.0<1;0>:d b1.0<1>:d\n",
    };
    for (const std::string& work : works) expectSame(work, true);
}

TEST_F(GroupOrder, IsLeftIfOneComponentIsTreatedInAnotherWay) {
    const std::vector<std::string> works = {
        // another operation, constant, number, sign, or type
        "add N s0.0<1>:d a0.0<1;1,0>:d b0.0<1;1,0>:d\nand N s1.0<1>:d a1.0<1;1,0>:d b1.0<1;1,0>:d\n",
        "add N s0.0<1>:d a0.0<1;1,0>:d 0x7:d\nadd N s1.0<1>:d a1.0<1;1,0>:d 0x9:d\n",
        "add N s0.0<1>:d a0.0<1;1,0>:d r5.2<0;1,0>:d\nadd N s1.0<1>:d a1.0<1;1,0>:d r5.3<0;1,0>:d\n",
        "add N s0.0<1>:d -a0.0<1;1,0>:d b0.0<1;1,0>:d\nadd N s1.0<1>:d a1.0<1;1,0>:d b1.0<1;1,0>:d\n",
        "mov N s0.0<1>:f a0.0<1;1,0>:d\nmov N s1.0<1>:f a1.0<1;1,0>:ud\n",
        // the same place, which has another number by then
        "(W) mov (1|M0) r8.0<1>:d r5.2<0;1,0>:d\nadd N s0.0<1>:d a0.0<1;1,0>:d r8.0<0;1,0>:d\n"
        "(W) mov (1|M0) r8.0<1>:d r5.3<0;1,0>:d\nadd N s1.0<1>:d a1.0<1;1,0>:d r8.0<0;1,0>:d\n",
        // components that meet, or change places
        "add N s0.0<1>:d a0.0<1;1,0>:d b1.0<1;1,0>:d\nadd N s1.0<1>:d a1.0<1;1,0>:d b0.0<1;1,0>:d\n",
        "mov N s0.0<1>:d a1.0<1;1,0>:d\nmov N s1.0<1>:d a0.0<1;1,0>:d\n",
        "add N s0.0<1>:d a0.0<1;1,0>:d b0.0<1;1,0>:d\nmov N s1.0<1>:d a1.0<1;1,0>:d\n",
        // lanes that differ: work-items' numbers, a lane for all, and every second one
        "add N s0.0<1>:d a0.0<1;1,0>:d r20.0<1;1,0>:d\nadd N s1.0<1>:d a1.0<1;1,0>:d r20.0<1;1,0>:d\n",
        "add N s0.0<1>:d a0.0<1;1,0>:d b0.3<0;1,0>:d\nadd N s1.0<1>:d a1.0<1;1,0>:d b1.3<0;1,0>:d\n",
        "mov N s0.0<1>:uw a0.0<2;1,0>:uw\nmov N s1.0<1>:d a1.0<1;1,0>:d\n",
    };
    for (const std::string& work : works) expectSame(work, false);
}

}  // namespace
}  // namespace zetl::test
