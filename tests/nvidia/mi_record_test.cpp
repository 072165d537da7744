// GDB/MI as cuda-gdb 13.0 says it, whole and damaged.
#include "nvidia/debugger/mi_record.h"

#include <gtest/gtest.h>

namespace zetl::nvidia {
namespace {

constexpr const char* kLines[] = {
    R"(*stopped,reason="signal-received",signal-name="SIGINT",CudaFocus={device="0",sm="1",warp="7",lane="31"},frame={args=[]})",
    R"(^done,InfoCudaSmsTable={nr_rows="1",hdr=[{width="1",colhdr=" "}],body=[Row={sm="1",mask="0x3"},Row={sm="2",mask="0x0"}]})",
    R"(^done,register-values=[{number="0",value="0x7f5c277ac3c0"},{number="1",value="<unavailable>"}])",
    R"(=library-loaded,id="/lib/libc.so.6",ranges=[{from="0x1",to="0x2"}])",
    R"(~"{0x0, 0x3}\n")",
    R"(&"\t\"quoted\" \303\244 \\ \e\q")",
    R"(^error,msg="No symbol \"x\" in current context.")",
};

TEST(MiRecord, TellsAStop) {
    const auto record = mi::parse(kLines[0]);
    ASSERT_TRUE(record);
    EXPECT_EQ(record->kind, '*');
    EXPECT_EQ(record->name, "stopped");
    EXPECT_EQ(record->value.textOf("reason"), "signal-received");
    ASSERT_NE(record->value.find("CudaFocus"), nullptr);
    EXPECT_EQ(record->value.find("CudaFocus")->textOf("warp"), "7");
    EXPECT_TRUE(record->value.find("frame")->find("args")->items.empty());
    EXPECT_EQ(record->value.find("absent"), nullptr);
    EXPECT_EQ(record->value.textOf("absent"), "");
}

TEST(MiRecord, KeepsTheOrderOfRows) {
    const auto record = mi::parse(kLines[1]);
    ASSERT_TRUE(record);
    const auto& rows = record->value.find("InfoCudaSmsTable")->find("body")->items;
    ASSERT_EQ(rows.size(), 2u);
    EXPECT_EQ(rows[1].value.textOf("sm"), "2");
    const auto values = mi::parse(kLines[2]);
    ASSERT_TRUE(values);
    EXPECT_EQ(values->value.find("register-values")->items.at(1).value.textOf("value"), "<unavailable>");
}

TEST(MiRecord, KnowsTheEscapesOfStrings) {
    EXPECT_EQ(mi::parse(kLines[4])->value.text, "{0x0, 0x3}\n");
    EXPECT_EQ(mi::parse(kLines[5])->value.text, "\t\"quoted\" \303\244 \\ \033q");
    EXPECT_EQ(mi::parse(kLines[6])->value.textOf("msg"), "No symbol \"x\" in current context.");
}

TEST(MiRecord, PassesOverWhatIsNone) {
    for (const char* line :
         {"", "(gdb) ", "\x01\xff", "the program's own output", "^", "*stopped,reason=", "~no quotes"})
        EXPECT_TRUE(!mi::parse(line) || mi::parse(line)->value.items.empty()) << line;
    const auto record = mi::parse("\x01\xff ^done\r");
    ASSERT_TRUE(record);
    EXPECT_EQ(record->name, "done");
}

std::size_t bytesOf(const std::optional<mi::Record>& record) {
    return record ? record->name.size() + record->value.text.size() : 0;
}

TEST(MiRecord, SurvivesDamage) {
    for (const std::string line : kLines) {
        for (std::size_t bytes = 0; bytes < line.size(); ++bytes)
            EXPECT_LE(bytesOf(mi::parse(line.substr(0, bytes))), bytes);
        for (std::size_t i = 0; i < line.size(); ++i)
            for (const char other : {'"', '{', ']', '\\', ',', '\0'}) {
                auto damaged = line;
                damaged[i] = other;
                EXPECT_LE(bytesOf(mi::parse(damaged)), line.size());
            }
    }
    EXPECT_FALSE(mi::parse("^done,a=" + std::string(100'000, '[')));
}

}  // namespace
}  // namespace zetl::nvidia
