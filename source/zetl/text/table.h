// Rows under headings, as programs and documents read them.
#pragma once

#include <string>
#include <vector>

#include "text/json.h"

namespace zetl::command {

/// A cell as tables show it: a text without quotes, and a fraction with six digits.
std::string cellText(const Json& cell);

/// A cell is a JSON text or number.
struct Table {
    std::vector<std::string> headings;
    std::vector<std::vector<Json>> rows;

    /// RFC 4180, with the headings first.
    std::string csv() const;
    /// An array with one object per row.
    std::string json() const;
    /// A table of Markdown. Markup in texts is escaped, and columns with numbers are aligned to the right.
    std::string markdown() const;
};

}  // namespace zetl::command
