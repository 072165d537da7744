/// @file
/// JSON as the command reads and writes it: members stay in the order in which they were given.
#pragma once

#include <nlohmann/json.hpp>

namespace zetl::command {

using Json = nlohmann::ordered_json;

}  // namespace zetl::command
