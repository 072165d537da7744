// What stands in the place of counters that counted nothing.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <string>

namespace zetl::command {

inline std::string zerosText(std::size_t counters) {
    return fmt::format("{} more {} 0 (see --csv or --json)", counters, counters == 1 ? "is" : "are");
}

}  // namespace zetl::command
