// A range that a program marked itself, as recorded.
#pragma once

#include <string>

#include "recording/format.h"

namespace zetl::command {

struct UserRange {
    std::string name;    ///< "range" if it has none
    std::string domain;  ///< who marked it; may be empty
};

UserRange userRangeOf(const Record& record);

}  // namespace zetl::command
