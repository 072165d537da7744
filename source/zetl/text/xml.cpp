#include "text/xml.h"

#include <string_view>

namespace zetl::command {

std::string xmlText(const std::string& text) {
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        const std::string_view rest = std::string_view(text).substr(i, 3);
        if (rest == "\xEF\xBF\xBE" || rest == "\xEF\xBF\xBF") {
            result += '?';
            i += 2;
        } else if (c == '&') {
            result += "&amp;";
        } else if (c == '<') {
            result += "&lt;";
        } else if (c == '>') {
            result += "&gt;";
        } else if (c == '"') {
            result += "&quot;";
        } else {
            const auto byte = static_cast<unsigned char>(c);
            result += (byte < ' ' && c != '\n' && c != '\t') || byte == 0x7f ? '?' : c;
        }
    }
    return result;
}

}  // namespace zetl::command
