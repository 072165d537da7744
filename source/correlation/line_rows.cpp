#include "correlation/line_rows.h"

#include <algorithm>
#include <utility>

namespace zetl::correlation {
namespace {

void append(const Elfutils& dw, Dwarf_Lines* lines, std::size_t count, Dwarf_Off unit, std::vector<LineRow>& rows) {
    for (std::size_t i = 0; i < count; ++i) {
        auto* const line = dw.line(lines, i);
        LineRow row{.unit = unit};
        Dwarf_Addr address = 0;
        if (dw.address(line, &address) != 0 || dw.number(line, &row.line) != 0) continue;
        row.address = address;
        row.file = dw.file(line, nullptr, nullptr);
        dw.column(line, &row.column);
        dw.beginsStatement(line, &row.isStatement);
        dw.endsSequence(line, &row.endsSequence);
        rows.push_back(row);
    }
}

void appendUnits(const Elfutils& dw, Dwarf* dwarf, std::vector<LineRow>& rows) {
    Dwarf_CU* unit = nullptr;
    Dwarf_Die die;
    Dwarf_Lines* lines = nullptr;
    std::size_t count = 0;
    while (dw.units(dwarf, unit, &unit, nullptr, nullptr, &die, nullptr) == 0)
        if (dw.lines(&die, &lines, &count) == 0) append(dw, lines, count, dw.offset(&die), rows);
}

void appendTablesWithoutUnit(const Elfutils& dw, Dwarf* dwarf, std::vector<LineRow>& rows) {
    Dwarf_Off offset = 0;
    Dwarf_CU* unit = nullptr;
    Dwarf_Files* files = nullptr;
    std::size_t fileCount = 0;
    Dwarf_Lines* lines = nullptr;
    std::size_t count = 0;
    while (dw.nextLines(dwarf, offset, &offset, &unit, &files, &fileCount, &lines, &count) == 0)
        if (!unit) append(dw, lines, count, LineRow::kNoUnit, rows);
}

}  // namespace

std::vector<LineRow> readLineRows(const Elfutils& dw, Dwarf* dwarf) {
    std::vector<LineRow> rows;
    appendUnits(dw, dwarf, rows);
    appendTablesWithoutUnit(dw, dwarf, rows);
    std::ranges::stable_sort(rows, {}, [](const LineRow& row) { return std::pair(row.address, !row.endsSequence); });
    return rows;
}

const LineRow* rowAt(std::span<const LineRow> rows, std::uint64_t address) {
    const auto above = std::ranges::upper_bound(rows, address, {}, &LineRow::address);
    if (above == rows.begin()) return nullptr;
    const auto& row = *(above - 1);
    return row.endsSequence ? nullptr : &row;
}

}  // namespace zetl::correlation
