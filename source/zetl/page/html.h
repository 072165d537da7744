// Text of files and programs in HTML.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "text/json.h"

namespace zetl::command {

/// The text with markup escaped. Control characters and damaged UTF-8 become U+FFFD, and ends of lines stay.
std::string escaped(std::string_view text);

/// JSON for a script element: no "<" is in it, so nothing in it can end the element.
std::string scriptJson(const Json& value);

/// What a cell shows. A number sorts rows by its value.
struct HtmlCell {
    std::string text;
    double value = 0;   ///< of a number
    double share = -1;  ///< 0 to 1 draws a bar behind the text
};

/// A table whose rows the reader can sort by a column.
class HtmlTable {
  public:
    static constexpr std::size_t kMostRows = 500;

    /// The names of columns; those that begin with '#' hold numbers.
    explicit HtmlTable(std::vector<std::string> columns) : columns_(std::move(columns)) {}
    /// Rows beyond kMostRows are only counted.
    void add(const std::vector<HtmlCell>& row);
    /// So many rows, beyond kMostRows, that were not even made.
    void addUnseen(std::size_t rows) { count_ += rows; }
    std::string html() const;

  private:
    std::vector<std::string> columns_;
    std::string rows_;
    std::size_t count_ = 0;
};

}  // namespace zetl::command
