// The instructions that tools insert, read back by the decoder.
#include <gtest/gtest.h>
#include <ze_tools_layer/instrumentation.h>

#include <sstream>

#include "correlation/iga.h"
#include "instrumentation/xe/decoded_code.h"
#include "isa/xe/decode.h"

namespace zetl::instrumentation {
namespace {

std::vector<std::string> textOf(const InsertedCode& code) {
    const DecodedCode decoded(isa::xe::kXeHpc, code.bytes());
    EXPECT_EQ(decoded.end(), code.bytes().size());
    std::vector<std::string> lines;
    for (const auto& instruction : decoded.instructions()) lines.push_back(isa::xe::text(isa::xe::kXeHpc, instruction));
    return lines;
}

using Lines = std::vector<std::string>;

TEST(InsertedCode, Arithmetic) {
    EXPECT_EQ(textOf(InsertedCode().load(100, 0x123456789abcdef0)),
              Lines{"(W) mov (1|M0) r100.0<1>:uq 0x123456789ABCDEF0:uq"});
    EXPECT_EQ(textOf(InsertedCode().copy(2, 3)), Lines{"(W) mov (1|M0) r2.0<1>:uq r3.0<0;1,0>:uq"});
    EXPECT_EQ(textOf(InsertedCode().add(1, 2, 255)),
              Lines{"(W) add (1|M0) r1.0<1>:uq r2.0<0;1,0>:uq r255.0<0;1,0>:uq"});
    EXPECT_EQ(textOf(InsertedCode().bitAnd(1, 2, 3)), Lines{"(W) and (1|M0) r1.0<1>:uq r2.0<0;1,0>:uq r3.0<0;1,0>:uq"});
    EXPECT_EQ(textOf(InsertedCode().subtract32(1, 2, 3)),
              Lines{"(W) add (1|M0) r1.0<1>:ud r2.0<0;1,0>:ud -r3.0<0;1,0>:ud"});
}

TEST(InsertedCode, StateOfTheThread) {
    EXPECT_EQ(textOf(InsertedCode().readTime(9)), Lines{"(W) mov (1|M0) r9.0<1>:ud tm0.0<0;1,0>:ud"});
    EXPECT_EQ(textOf(InsertedCode().readLanes(9)), Lines{"(W) mov (1|M0) r9.0<1>:ud ce0.0<0;1,0>:ud"});
    EXPECT_EQ(textOf(InsertedCode().save(7, 1)), Lines{"(W) mov (16|M0) acc7.0<1>:ud r1.0<1;1,0>:ud"});
    EXPECT_EQ(textOf(InsertedCode().restore(1, 7)), Lines{"(W) mov (16|M0) r1.0<1>:ud acc7.0<1;1,0>:ud"});
}

TEST(InsertedCode, Messages) {
    EXPECT_EQ(textOf(InsertedCode().increment(100)), Lines{"(W) send.ugm (1|M0) null r100 null:0 0x0 0x04000788"});
    EXPECT_EQ(textOf(InsertedCode().atomicAdd(100, 98, 99)),
              Lines{"(W) send.ugm (1|M0) r99 r100 r98:2 0x0 0x0420078C"});
    EXPECT_EQ(textOf(InsertedCode().atomicAdd(100, 98)), Lines{"(W) send.ugm (1|M0) null r100 r98:2 0x0 0x0400078C"});
    EXPECT_EQ(textOf(InsertedCode().store(100, 98, 1)), Lines{"(W) send.ugm (1|M0) null r100 r98:1 0x0 0x0200C784"});
    EXPECT_EQ(textOf(InsertedCode().store(100, 98, 8)), Lines{"(W) send.ugm (1|M0) null r100 r98:8 0x0 0x0200F784"});
}

TEST(InsertedCode, Waiting) {
    EXPECT_EQ(textOf(InsertedCode().waitForMessages()), (Lines{"(W) sync.allrd null", "(W) sync.allwr null"}));
    EXPECT_EQ(textOf(InsertedCode().waitForPayload().waitForResult()),
              (Lines{"(W) sync.nop null", "(W) sync.nop null"}));
}

/// Every kind of instruction that can be inserted.
InsertedCode everything() {
    InsertedCode code;
    code.waitForMessages().load(100, 1).copy(2, 3).add(1, 2, 3).bitAnd(1, 2, 3).subtract32(1, 2, 3);
    code.readTime(9).readLanes(9).save(7, 1).restore(1, 7);
    code.increment(100).atomicAdd(100, 98, 96).atomicAdd(100, 98).store(100, 96, 1).store(100, 90, 8);
    return code.waitForPayload().waitForResult();
}

/// What Intel's disassembler says, which also shows what an instruction waits for; words only, since its columns
/// differ.
Lines igasTextOf(const isa::xe::Architecture& architecture, const InsertedCode& code) {
    Lines lines;
    for (std::size_t at = 0; at < code.bytes().size(); at += 16) {
        std::istringstream words(correlation::igaText(architecture, code.bytes().subspan(at, 16)));
        std::string line;
        for (std::string word; words >> word;) line += word + " ";
        lines.push_back(line);
    }
    return lines;
}

TEST(InsertedCode, IsEncodedAlikeForEveryArchitectureThatIsChanged) {
    using isa::xe::kXeHpc;
    const InsertedCode code = everything();
    const DecodedCode own(kXeHpc, code.bytes());
    const Lines igas = igasTextOf(kXeHpc, code);
    ASSERT_NE(igas.front(), "") << "Intel's disassembler is missing";
    for (const auto* architecture : isa::xe::allArchitectures()) {
        SCOPED_TRACE(architecture->name);
        if (architecture->scalarBytes != 0) continue;  // its code is read, but not changed
        const DecodedCode decoded(*architecture, code.bytes());
        ASSERT_EQ(decoded.instructions().size(), own.instructions().size());
        for (std::size_t i = 0; i < own.instructions().size(); ++i)
            EXPECT_EQ(isa::xe::text(*architecture, decoded.instructions()[i]),
                      isa::xe::text(kXeHpc, own.instructions()[i]));
        const Lines theirs = igasTextOf(*architecture, code);
        if (theirs.front().empty()) continue;  // this disassembler is older than the architecture
        EXPECT_EQ(theirs, igas);
    }
}

}  // namespace
}  // namespace zetl::instrumentation
