// The parts of the debugger that need no device.
#include <gtest/gtest.h>

#include <set>

#include "core/architecture.h"
#include "core/assignments.h"
#include "core/failure.h"
#include "core/frame_table.h"
#include "core/kernel_table.h"
#include "core/location.h"
#include "core/location_list.h"
#include "core/thread_id.h"
#include "core/value.h"
#include "core/xe_registers.h"
#include "dap/messages.h"
#include "gdb/packets.h"
#include "isa/xe/architecture.h"
#include "support/temporary_file.h"

namespace zetl::debugger {
namespace {

/// Register n holds n in every byte; memory at a holds a in every byte.
Surroundings surroundings(unsigned lane) {
    Surroundings around;
    around.lane = lane;
    around.readRegister = [](unsigned number) {
        return Bytes(isa::xe::kRegisterBytes, static_cast<std::uint8_t>(number));
    };
    around.readMemory = [](std::uint64_t address, std::size_t bytes) {
        return Bytes(bytes, static_cast<std::uint8_t>(address));
    };
    return around;
}

TEST(Location, OfAnUnoptimisedVariableIsMemoryOfItsLane) {
    // 64 bits of r127 (143) from bit 128 on, plus 16, plus 4 a lane, plus 64.
    const Bytes expression = {0x90, 0x8f, 0x01, 0x08, 0x80, 0x08, 0x40, 0xec, 0x23,
                              0x10, 0xed, 0x34, 0x1e, 0x22, 0x23, 0xc0, 0x00};
    const auto location = evaluate(expression, surroundings(5));
    ASSERT_EQ(location.pieces.size(), 1u) << location.problem;
    EXPECT_EQ(location.pieces[0].kind, Piece::Kind::memory);
    EXPECT_EQ(location.pieces[0].address, 0x8f8f8f8f8f8f8f8f + 16 + 4 * 5 + 64);
}

TEST(Location, OfAnOptimisedVariableIsBitsOfARegisterOfItsLane) {
    const Bytes expression = {0xed, 0x34, 0x25, 0x23, 0x27, 0xeb, 0xed, 0x3f,
                              0x1a, 0x08, 0x20, 0x1e, 0x08, 0x20, 0xec, 0x9f};
    const auto location = evaluate(expression, surroundings(17));
    ASSERT_EQ(location.pieces.size(), 1u) << location.problem;
    EXPECT_EQ(location.pieces[0].kind, Piece::Kind::registerBits);
    EXPECT_EQ(location.pieces[0].number, 40u) << "one register further for lanes from 16 on";
    EXPECT_EQ(location.pieces[0].firstBit, 32u);
    EXPECT_EQ(location.pieces[0].bits, 32u);
}

TEST(Location, OfAnUnoptimisedVariableWithoutAStackIsMemoryThatARegisterOfItsLanesLeadsTo) {
    // 64 bits a lane from r26 (42) on, eight lanes a register, as the compiler writes kernels that call nothing.
    const Bytes address = {0xed, 0x33, 0x25, 0x23, 0x2a, 0xeb, 0xed, 0x37, 0x1a, 0x08, 0x40, 0x1e, 0x08, 0x40, 0xec};
    const auto location = evaluate(address, surroundings(9));
    ASSERT_EQ(location.pieces.size(), 1u) << location.problem;
    EXPECT_EQ(location.pieces[0].kind, Piece::Kind::memory);
    EXPECT_EQ(location.pieces[0].address, 0x2b2b2b2b2b2b2b2b);
    auto pointer = address;
    pointer.push_back(0x9f);  // the same as a value
    EXPECT_EQ(evaluate(pointer, surroundings(9)).pieces.at(0).kind, Piece::Kind::registerBits);
}

// By compiler 26.27: r26 (42), bit 64, 32 bits, as a value; 64 bits as an address; and what is computed from them.
TEST(Location, OfNewerCompilersNamesBitsOfARegister) {
    const Bytes value = {0x08, 0x2a, 0x08, 0x40, 0xfe, 32, 0x9f};
    const auto bits = evaluate(value, surroundings(0)).pieces.at(0);
    EXPECT_EQ(bits.kind, Piece::Kind::registerBits);
    EXPECT_EQ(bits.number, 42u);
    EXPECT_EQ(bits.firstBit, 64u);
    EXPECT_EQ(bits.bits, 32u);
    const Bytes address = {0x08, 0x2a, 0x0a, 0x40, 0x02, 0xfe, 64, 0x23, 0x08};
    const auto memory = evaluate(address, surroundings(0)).pieces.at(0);
    EXPECT_EQ(memory.kind, Piece::Kind::memory);
    EXPECT_EQ(memory.address, 0x2b2b2b2b2b2b2b2b + 8) << "in the next register";
    EXPECT_FALSE(evaluate(Bytes{0x0a, 0xff, 0xff, 0x30, 0xfe, 8}, surroundings(0)).problem.empty());
}

TEST(Location, ThatMakesNoSenseIsAProblem) {
    for (const Bytes& each : {Bytes{0x22}, Bytes{0x08}, Bytes{0xff}, Bytes{0x31, 0x30, 0x1b}, Bytes{0x30, 0x30, 0xec},
                              Bytes{0x0e, 1, 2}, Bytes{0x15, 9}}) {
        const auto location = evaluate(each, surroundings(0));
        EXPECT_TRUE(location.pieces.empty());
        EXPECT_FALSE(location.problem.empty());
    }
}

/// An entry of each kind, for [100, 110), [110, 120) and so on. The expression is the kind.
TEST(LocationList, OfDwarf5HasEntriesOfAllKinds) {
    Bytes addresses;
    for (const std::uint8_t each : {110, 120, 140}) {
        addresses.push_back(each);
        addresses.insert(addresses.end(), 7, 0);
    }
    const Bytes list = {9,                 // of the section: something else
                        4, 0,   10, 1, 4,  // offsets from the base
                        2, 0,   1,  1, 2,  // two indices
                        3, 1,   10, 1, 3,  // an index and a length
                        7, 130, 0,  0, 0,  0, 0,  0, 0, 140, 0, 0,  0, 0,  0, 0, 0, 1, 7,  // two addresses
                        1, 2,   4,  0, 10, 1, 14,                                          // another base, by index
                        6, 150, 0,  0, 0,  0, 0,  0, 0, 4,   0, 10, 1, 16,                 // another base
                        8, 160, 0,  0, 0,  0, 0,  0, 0, 10,  1, 8,                         // an address and a length
                        5, 1,   5,  0};
    const ListContext context{.base = 100, .indexed = addresses};
    const auto at = [&](std::uint64_t address) {
        const auto found = expressionInList(5, list, 1, context, address).expression;
        return found.empty() ? 0u : unsigned{found.front()};
    };
    const std::vector<std::pair<std::uint64_t, unsigned>> all = {
        {99, 5}, {100, 4}, {109, 4}, {110, 2}, {120, 3}, {130, 7}, {140, 14}, {150, 16}, {160, 8}, {169, 8}, {170, 5}};
    for (const auto& [address, kind] : all) EXPECT_EQ(at(address), kind) << address;
    for (std::size_t cut = 0; cut < list.size(); ++cut)
        EXPECT_TRUE(expressionInList(5, std::span(list).first(cut), 1, context, 170).expression.empty()) << cut;
    const Bytes wrong = {9, 1, 0, 0};
    EXPECT_TRUE(expressionInList(5, wrong, 0, context, 100).expression.empty());
    EXPECT_TRUE(expressionInList(5, list, 1000, context, 100).expression.empty());
    EXPECT_TRUE(expressionInList(5, Bytes{2, 7, 1, 1, 2, 0}, 0, context, 100).expression.empty())
        << "an address that is not there";
    const Bytes table = {1, 2, 3, 4, 9, 0, 0, 0};
    EXPECT_EQ(indexedOffset(table, 4, 0), 13u);
    EXPECT_EQ(indexedOffset(table, 4, 1), table.size());
    EXPECT_EQ(indexedOffset(table, UINT64_MAX, UINT64_MAX), table.size());
}

TEST(Assignments, AreFoundByTheVariablesName) {
    const std::string text =
        "int f(int *p) {\n"
        "    int x = g(\n"
        "        1);\n"
        "    int y = x == 2 ? x : 3;  // x = 4\n"
        "    if (y) { x.z[1] += y; }\n"
        "    take(&x); int max = a & x;\n"
        "    for (int k = 0; k < x; ++k) y = k;\n"
        "    max = 2; --x;\n"
        "}\n"
        "int x = 2;\n";
    const test::TemporaryFile file(Bytes(text.begin(), text.end()));
    SourceText source;
    const auto found = assigningLines(source, file.name(), 2, "x");
    EXPECT_TRUE(found.hasText && found.isInitialised);
    EXPECT_EQ(found.lines, (std::set<int>{2, 3, 5, 6, 8})) << "to the end of its block";
    EXPECT_EQ(assigningLines(source, file.name(), 7, "k").lines, std::set<int>{7});
    EXPECT_EQ(assigningLines(source, file.name(), 4, "y").copies, std::set<std::string>{"k"}) << "in line 7";
    EXPECT_TRUE(found.copies.empty()) << "nothing is a copy that is computed";
    EXPECT_EQ(assigningLines(source, file.name(), 1, "p").lines, std::set<int>{1});
    EXPECT_FALSE(assigningLines(source, file.name(), 1, "p").isInitialised);
    const auto without = assigningLines(source, "/nowhere/at.cl", 5, "x");
    EXPECT_TRUE(!without.hasText && without.lines == std::set<int>{5}) << "the declaration alone is known";
    EXPECT_TRUE(assigningLines(source, file.name(), 0, "x").lines.empty());
    EXPECT_TRUE(assigningLines(source, file.name(), 200, "x").lines.contains(200)) << "behind the text's end";
}

TEST(Vectors, ComponentsHaveNames) {
    using Numbers = std::vector<unsigned>;
    EXPECT_EQ(componentsNamed("x", 2), Numbers{0});
    EXPECT_EQ(componentsNamed("wzyx", 4), (Numbers{3, 2, 1, 0}));
    EXPECT_EQ(componentsNamed("bgr", 4), (Numbers{2, 1, 0}));
    EXPECT_EQ(componentsNamed("s3", 4), Numbers{3});
    EXPECT_EQ(componentsNamed("S0aF", 16), (Numbers{0, 10, 15}));
    EXPECT_EQ(componentsNamed("hi", 8), (Numbers{4, 5, 6, 7}));
    EXPECT_EQ(componentsNamed("odd", 3), (Numbers{1, 3}));
    for (const auto* each : {"", "z", "s2", "xq", "xr", "s", "pos"})
        EXPECT_TRUE(componentsNamed(each, 2).empty()) << each;
}

TEST(Location, EmptyIsGone) { EXPECT_EQ(evaluate({}, surroundings(0)).pieces.at(0).kind, Piece::Kind::gone); }

/// Words as ptxas writes them for Hopper.
TEST(Cuda, KnowsTheInstructionsThatStepsMustKnow) {
    const auto& device = cuda();
    EXPECT_TRUE(device.decode({0x00000000006c7944, 0x001fea0003c00000}).isCall) << "CALL.REL.NOINC";
    EXPECT_TRUE(device.decode({0xfffffffc04487950, 0x000fea0003c3ffff}).isReturn) << "RET.REL.NODEC R4";
    EXPECT_TRUE(device.decode({0x000000000000794d, 0x000fea0003800000}).endsThread) << "EXIT";
    EXPECT_FALSE(device.decode({0x000000000000094d, 0x000fea0003800000}).endsThread) << "@P0 EXIT: others go on";
    EXPECT_FALSE(device.decode({0xfffffffc00d08947, 0x000fea000383ffff}).isCall) << "@!P0 BRA";
    EXPECT_FALSE(device.breakpointIn(device.decode({1, 2}))) << "set by address";
}

TEST(Architecture, IsChosenByTheVendorAndTheVersionOfTheCore) {
    EXPECT_EQ(architectureOf(0x8086, isa::xe::kPvc.ip.packed()), &xe());
    EXPECT_EQ(architectureOf(0x8086, isa::xe::kLnl.ip.packed()), &xe(isa::xe::kXe2));
    EXPECT_EQ(architectureOf(0x8086, 0), &xe()) << "from drivers that do not state it";
    EXPECT_EQ(architectureOf(0x10de, 0), &cuda());
    EXPECT_EQ(architectureOf(0x1002, 0), nullptr);
}

TEST(Architecture, ReadsItsOwnInstructionsAndNamesItsRegisters) {
    constexpr std::uint64_t kWord = 0x0e000c0a202c0040;  // compacted: each architecture has tables of its own
    const auto textOf = [](const Architecture& device) { return device.textOf(device.decode({kWord, 0})); };
    EXPECT_NE(textOf(xe()), textOf(xe(isa::xe::kXe2)));
    EXPECT_EQ(xe().gdbFeature(), "org.zetl.xe-hpc");
    EXPECT_EQ(xe(isa::xe::kXe2).gdbFeature(), "org.zetl.xe2");
    EXPECT_EQ(cuda().gdbFeature(), "");
}

TEST(Architecture, KnowsTheScalarRegisterAndHowManyGeneralOnesThereCanBe) {
    constexpr std::uint32_t kScalarSet = 18;
    const auto& newest = xe(isa::xe::kXe3P);
    ASSERT_EQ(newest.setNames().size(), kScalarSet + 1);
    EXPECT_STREQ(newest.setNames().back().name, "s0.");
    EXPECT_STREQ(xe(isa::xe::kXe2).setNames().back().name, "dbg");
    EXPECT_EQ(newest.mostRegisters(registers::kGeneral, 128), 512u);
    EXPECT_EQ(xe().mostRegisters(registers::kGeneral, 128), 256u);
    EXPECT_EQ(newest.mostRegisters(kScalarSet, 16), 16u);
    EXPECT_EQ(cuda().mostRegisters(1, 5), 5u);
}

TEST(FrameTable, ReadsTheLongFormAndStopsAtDamage) {
    Bytes section = {0xff, 0xff, 0xff, 0xff, 20, 0, 0, 0, 0, 0, 0, 0};  // a common entry of 20 bytes
    section.insert(section.end(), 8, 0xff);
    section.insert(section.end(), {4, 0, 8, 0, 1, 1, 0x90, 0x01, 0x09, 0x90, 0x01, 0x10});
    section.insert(section.end(), {0xff, 0xff, 0xff, 0xff, 31, 0, 0, 0, 0, 0, 0, 0});  // one that refers to it
    section.insert(section.end(), 8, 0);
    section.insert(section.end(), {0, 0x10, 0, 0, 0, 0, 0, 0, 0x40, 0, 0, 0, 0, 0, 0, 0, 0x48, 0, 0x88, 2});
    section.insert(section.end(), {0x0f, 1, 0x30});
    const auto row = FrameTable(section).at(0x1010);
    ASSERT_TRUE(row);
    EXPECT_EQ(row->returnRegister, 144u);
    EXPECT_EQ(row->registers.at(144).number, 16u);
    EXPECT_EQ(row->registers.at(8).kind, FrameRule::Kind::atOffset);
    EXPECT_EQ(row->registers.at(8).offset, 2) << "twice the factor";
    EXPECT_EQ(row->canonical, Bytes{0x30}) << "rules of newer compilers begin with it";
    EXPECT_FALSE(FrameTable(section).at(0x1040)) << "behind its end";
    section.resize(50);
    EXPECT_FALSE(FrameTable(section).at(0x1010));
}

TEST(KernelTable, HasWhatWorkItemsNeed) {
    const auto kernels = kernelsFrom(
        "---\nversion: '1.20'\nkernels:\n  - name:            saxpy\n    execution_env:\n      grf_count: 256\n"
        "      simd_size: 16\n    payload_arguments:\n      - arg_type: local_size\n        offset: 12\n        size: "
        "12\n"
        "      - arg_type: arg_byvalue\n        offset: 60\n        size: 8\n    per_thread_payload_arguments:\n"
        "      - arg_type: local_id\n        offset: 0\n        size: 192\nkernels_misc_info:\n  - name: other\n");
    ASSERT_EQ(kernels.size(), 1u);
    EXPECT_EQ(kernels[0].name, "saxpy");
    EXPECT_EQ(kernels[0].simd, 16u);
    EXPECT_EQ(kernels[0].registers, 256u);
    EXPECT_EQ(kernels[0].localSize, 12u);
    EXPECT_EQ(kernels[0].crossThreadBytes, 96u);
    EXPECT_EQ(kernels[0].localIdBytes, 192u);
}

TEST(KernelTable, TakesTheCompilersQuotesAndWhatItCanRead) {
    const auto kernels = kernelsFrom(
        "kernels:\n  - name: 'a b'\n    execution_env: {grf_count: 512, simd_size: 16}\n    payload_arguments:\n"
        "      - {arg_type: of_the_future, offset: 0, size: 24}\n"
        "      - {arg_type: enqueued_local_size, offset: 24, size: 12}\n  - name: c\n");
    ASSERT_EQ(kernels.size(), 2u);
    EXPECT_EQ(kernels[0].name, "a b");
    EXPECT_EQ(kernels[0].simd, 16u);
    EXPECT_EQ(kernels[0].localSize, 24u);
    EXPECT_EQ(kernels[0].crossThreadBytes, 64u);
    EXPECT_EQ(kernels[1].name, "c");
    EXPECT_TRUE(kernelsFrom("kernels: [").empty());
}

TEST(ThreadIds, AreFourNumbers) {
    EXPECT_EQ(threadFrom("1.0.7.3"), (ThreadId{1, 0, 7, 3}));
    EXPECT_EQ(threadFrom("*.*.*.*"), kEveryThread);
    for (const auto* each : {"", "1", "1.2.3", "1.2.3.", "1.2.3.4.5", "a.b.c.d", "-1.0.0.0"})
        EXPECT_FALSE(threadFrom(each));
    const ThreadShape shape{2, 3, 4, 5};
    for (std::uint64_t i = 0; i < shape.count(); ++i) EXPECT_EQ(shape.indexOf(shape.at(i)), i);
}

TEST(Values, OfATypeThatContainsItselfHaveAnEnd) {
    Type type{Type::Kind::structure, "snake", 8, 0, nullptr, {}, {}};
    type.members.push_back({"tail", 0, &type});
    EXPECT_TRUE(textOf(Value{&type, Bytes(8), std::nullopt, false, ""}).starts_with("{tail = {tail = "));
}

TEST(Values, HalfNumbers) {
    EXPECT_EQ(halfToDouble(0x3c00), 1.0);
    EXPECT_EQ(halfToDouble(0xc000), -2.0);
    EXPECT_EQ(halfToDouble(0x0001), 5.9604644775390625e-08);
}

TEST(Messages, ComeInPiecesAndAreRefusedWhenDamaged) {
    const auto whole = dap::framed({{"seq", 1}});
    dap::MessageReader reader;
    for (const char each : whole) {
        EXPECT_FALSE(reader.next());
        reader.add(std::string(1, each));
    }
    EXPECT_EQ(reader.next()->at("seq"), 1);
    for (const auto* each : {"Content-Length: x\r\n\r\n", "Content-Length: 99999999999\r\n\r\n", "Other: 1\r\n\r\n",
                             "Content-Length: 2\r\n\r\n[]"}) {
        dap::MessageReader damaged;
        damaged.add(each);
        EXPECT_THROW(damaged.next(), Failure) << each;
    }
    EXPECT_EQ(dap::base64({1, 2, 3, 4}), "AQIDBA==");
    EXPECT_EQ(dap::fromBase64("AQIDBA=="), (std::vector<unsigned char>{1, 2, 3, 4}));
    EXPECT_THROW(dap::fromBase64("a b"), Failure);
}

TEST(Packets, AreCutOutAndChecked) {
    using Kind = gdb::Packet::Kind;
    gdb::PacketReader reader;
    reader.add("+\x03noise$g#67$g#68");
    EXPECT_EQ(reader.next()->kind, Kind::acknowledged);
    EXPECT_EQ(reader.next()->kind, Kind::interrupt);
    EXPECT_EQ(reader.next()->text, "g");
    EXPECT_EQ(reader.next()->kind, Kind::damaged);
    EXPECT_FALSE(reader.next());
    reader.add(gdb::framed("a}#b$"));
    EXPECT_EQ(reader.next()->text, "a}#b$") << "escaped and back";
    EXPECT_FALSE(gdb::bytesFrom("abc"));
    EXPECT_FALSE(gdb::bytesFrom("zz"));
}

}  // namespace
}  // namespace zetl::debugger
