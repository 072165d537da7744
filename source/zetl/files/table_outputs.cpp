#include "files/table_outputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

namespace zetl::command {

TableOutputs::TableOutputs(const TableOptions& options, const char* what)
    : shown(options.shown),
      csv(options.csv, what, "choose another file with --csv"),
      json(options.json, what, "choose another file with --json"),
      markdown(options.markdown, what, "choose another file with --markdown"),
      text(options.text, what, "-o chooses another file") {
    requireApart(all());
}

void TableOutputs::write(const Table& table, const std::string& jsonText) {
    if (csv) writeAll(csv, table.csv());
    writeAll(json, jsonText);
    if (markdown) writeAll(markdown, table.markdown());
}

void TableOutputs::write(const Table& table) { write(table, json ? table.json() : std::string()); }

void TableOutputs::show(const std::string& content, std::FILE* terminal) {
    if (!shown) return;
    if (text) return writeAll(text, content);
    if (terminal != stdout || !isStandard()) fmt::print(terminal, "{}", content);
}

bool TableOutputs::isStandard() const {
    return std::ranges::any_of(all(), [](const OutputFile* each) { return each->isStandard(); });
}

void requireApart(const std::vector<const OutputFile*>& outputs) {
    for (auto one = outputs.begin(); one != outputs.end(); ++one)
        for (auto other = outputs.begin(); other != one; ++other) requireApart(**other, **one);
}

}  // namespace zetl::command
