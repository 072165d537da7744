#include "recorder/settings.h"

#include <cstdlib>
#include <string_view>

namespace zetl::recorder {

const char* Settings::value(const char* variable) const noexcept {
    if (!isText_) return secure_getenv(variable);
    const std::string_view name(variable);
    for (std::size_t at = 0; at < text_.size();) {
        const char* const row = text_.c_str() + at;
        const std::string_view text(row);
        if (text.size() > name.size() && text.starts_with(name) && text[name.size()] == '=')
            return row + name.size() + 1;
        at += text.size() + 1;
    }
    return nullptr;
}

}  // namespace zetl::recorder
