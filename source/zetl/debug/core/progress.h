// When the user hears of a long command.
#pragma once

#include <chrono>

namespace zetl::debugger {

/// Commands that end soon say nothing.
class Progress {
  public:
    explicit Progress(std::chrono::steady_clock::duration between = std::chrono::seconds(5))
        : between_(between), next_(std::chrono::steady_clock::now() + between) {}

    /// True if it is time to say how far the command is.
    bool isDue() {
        const auto now = std::chrono::steady_clock::now();
        if (now < next_) return false;
        next_ = now + between_;
        return true;
    }

  private:
    const std::chrono::steady_clock::duration between_;
    std::chrono::steady_clock::time_point next_;
};

}  // namespace zetl::debugger
