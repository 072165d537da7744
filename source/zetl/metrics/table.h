// Rows under headings: for people, for spreadsheets, for programs.
#pragma once

#include <string>
#include <vector>

#include "json.h"

namespace zetl::command {

enum class Format { table, csv, json };

/// A cell is a JSON text or number.
struct Table {
    std::vector<std::string> headings;
    std::vector<std::vector<Json>> rows;

    /// Aligned columns, numbers to the right; RFC 4180; or an array with an object a row.
    std::string text(Format format) const;
};

}  // namespace zetl::command
