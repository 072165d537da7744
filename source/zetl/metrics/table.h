// Rows under headings: for people, for spreadsheets, for programs.
#pragma once

#include <string>
#include <vector>

#include "text/json.h"

namespace zetl::command {

enum class Format { table, csv, json };

/// A cell as tables show it: a text without quotes, and a fraction with six digits.
std::string cellText(const Json& cell);

/// A cell is a JSON text or number.
struct Table {
    std::vector<std::string> headings;
    std::vector<std::vector<Json>> rows;

    /// For a terminal (screen_table.h), as RFC 4180, or as an array with one object per row.
    std::string text(Format format) const;
};

}  // namespace zetl::command
