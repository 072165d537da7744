#include "text/csv.h"

#include <sstream>

namespace zetl::command {

std::string csvText(std::string_view text) {
    if (text.find_first_of(",\"\n\r") == std::string_view::npos) return std::string(text);
    std::string quoted = "\"";
    for (const char each : text) quoted.append(each == '"' ? 2 : 1, each);
    return quoted + '"';
}

std::vector<std::string> fieldsOf(const std::string& line) {
    std::vector<std::string> fields;
    std::istringstream stream(line);
    for (std::string field; std::getline(stream, field, '\t');) fields.push_back(field);
    return fields;
}

}  // namespace zetl::command
