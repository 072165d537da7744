// What the recorder is asked for: by its environment, or by `zetl trace --attach`.
#pragma once

#include <string>
#include <utility>

namespace zetl::recorder {

class Settings {
  public:
    /// The environment's. Programs with raised privileges have none.
    Settings() = default;
    /// Those of a text, NAME=VALUE, 0, NAME=VALUE, 0 and so on; the environment does not count.
    explicit Settings(std::string text) : text_(std::move(text)), isText_(true) {}

    /// Null: not set. Valid as long as this object.
    const char* value(const char* name) const noexcept;

  private:
    std::string text_;
    bool isText_ = false;
};

}  // namespace zetl::recorder
