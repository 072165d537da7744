// Tables as people see them.
#include "metrics/screen_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>

namespace zetl::command {
namespace {

TEST(ScreenTable, SaysUnitsInTheCells) {
    const Table table{{"kernel", "time[ns]", "read[bytes]", "hits[percent]", "clocks[cycles]"},
                      {{"first", 1500, 2048, 12.345, 70000}, {"second", 12, 100, 0, 1.5}}};
    EXPECT_EQ(screenTable(table),
              "kernel     time     read     hits  clocks[cycles]\n"
              "first   1.50 us  2.0 KiB  12.35 %           70000\n"
              "second    12 ns    100 B   0.00 %             1.5\n");
}

Table wide(std::size_t rows, std::size_t columns) {
    Table table;
    table.headings.emplace_back("name");
    for (std::size_t i = 1; i < columns; ++i) table.headings.push_back("column" + std::to_string(i) + "[events]");
    for (std::size_t row = 0; row < rows; ++row) {
        auto& cells = table.rows.emplace_back();
        cells.emplace_back("row" + std::to_string(row));
        for (std::size_t i = 1; i < columns; ++i) cells.emplace_back(row * 100 + i);
    }
    return table;
}

TEST(ScreenTable, DescriptionsTakeSeveralLinesAndWhatIsAlwaysTheSameIsSaidOnce) {
    const std::string text = "the number of cycles in which at least one thread of the sub-slice had work to do";
    EXPECT_EQ(screenTable({{"group", "metric", "description"}, {{"Basic", "Active", text}, {"Basic", "Idle", "rest"}}}),
              "group: Basic\n"
              "metric  description\n"
              "Active  the number of cycles in which at least one thread of the sub-slice had\n"
              "        work to do\n"
              "Idle    rest\n");
}

TEST(ScreenTable, TurnsWhatDoesNotFit) {
    const auto text = screenTable(wide(2, 10));
    EXPECT_EQ(text.substr(0, text.find("column2")),
              "name             row0  row1\n"
              "column1[events]     1   101\n");
}

TEST(ScreenTable, LinesAreNoLongerThanAScreen) {
    std::istringstream lines(screenTable(wide(40, 10)));
    std::size_t longest = 0;
    std::size_t names = 0;
    for (std::string line; std::getline(lines, line);) {
        longest = std::max(longest, line.size());
        names += line.starts_with("name");
    }
    EXPECT_LE(longest, 80u);
    EXPECT_GT(longest, 65u);
    EXPECT_EQ(names, 5u) << "blocks";
}

TEST(ScreenTable, ALongNameAloneIsABlockOfItsOwn) {
    auto table = wide(2, 3);
    table.rows[0][0] = std::string(300, 'x');
    EXPECT_NE(screenTable(table).find(std::string(300, 'x')), std::string::npos);
}

TEST(ScreenTable, ManyRowsStayLines) {
    const auto text = screenTable(wide(65, 10));
    EXPECT_EQ(std::ranges::count(text, '\n'), 66);
}

TEST(ScreenTable, NothingFromANameActsOnTheTerminal) {
    EXPECT_EQ(screenTable({{"kernel", "a\x1b[2J"}, {{"a\x1b[2J", 1}}}).find('\x1b'), std::string::npos);
}

TEST(Table, MarkdownEscapesMarkupAndAlignsNumbers) {
    const Table table{{"kernel", "time[ns]"}, {{"a|<b>`c`\n*d*", 1500}, {"plain", 0.25}}};
    EXPECT_EQ(table.markdown(),
              "| kernel | time\\[ns] |\n|---|---:|\n| a\\|\\<b>\\`c\\` \\*d\\* | 1500 |\n| plain | 0.25 |\n");
}

TEST(Table, ANameWithDamagedCharactersIsWritten) {
    const Table table{{"kernel"}, {{"a\xff\xfe\""}}};
    EXPECT_EQ(table.json(), "[\n  {\n    \"kernel\": \"a\xEF\xBF\xBD\xEF\xBF\xBD\\\"\"\n  }\n]\n");
    EXPECT_NE(table.csv().find("\"\"\""), std::string::npos);
}

}  // namespace
}  // namespace zetl::command
