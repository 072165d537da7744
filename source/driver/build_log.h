// ze_module_build_log_handle_t (core specification, "Modules").
#pragma once

#include <string>

#include "base/result.h"
#include "driver/object.h"

namespace zetl::driver {

/// The messages of a compilation or of linking. Immutable.
class BuildLog : public Object<BuildLog, ze_module_build_log_handle_t> {
  public:
    static constexpr const char* kNoun = "build log";

    /// Registers a log and returns its handle through `out`, unless that is null.
    static void give(std::string text, ze_module_build_log_handle_t* out);

    explicit BuildLog(std::string text) : text_(std::move(text)) {}
    const std::string& text() const noexcept { return text_; }

    /// zeModuleBuildLogGetString.
    Status getString(std::size_t* size, char* out);

  private:
    const std::string text_;
};

}  // namespace zetl::driver
