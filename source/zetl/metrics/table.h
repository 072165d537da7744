// Rows under headings: for people, for spreadsheets, for programs.
#pragma once

#include <string>
#include <vector>

#include "json.h"

namespace zetl::command {

enum class Format { table, csv, json };

/// As tables show it: a text without quotes, a number with six digits if it is no whole one.
std::string cellText(const Json& cell);

/// A cell is a JSON text or number.
struct Table {
    std::vector<std::string> headings;
    std::vector<std::vector<Json>> rows;

    /// For a terminal (screen_table.h); RFC 4180; or an array with an object a row.
    std::string text(Format format) const;
};

}  // namespace zetl::command
