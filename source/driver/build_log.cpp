#include "driver/build_log.h"

#include <algorithm>
#include <cstring>

#include "driver/live_set.h"

namespace zetl::driver {

void BuildLog::give(std::string text, ze_module_build_log_handle_t* out) {
    if (out) *out = live<BuildLog>().add(std::make_shared<BuildLog>(std::move(text)));
}

Status BuildLog::getString(std::size_t* size, char* out) {
    if (out && *size > 0) {
        const auto length = std::min(*size - 1, text_.size());
        std::memcpy(out, text_.data(), length);
        out[length] = '\0';
    }
    *size = text_.size() + 1;
    return ZE_RESULT_SUCCESS;
}

}  // namespace zetl::driver
