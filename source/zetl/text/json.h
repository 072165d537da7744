/// @file
/// JSON whose members keep the order in which they were added.
#pragma once

#include <nlohmann/json.hpp>

namespace zetl::command {

using Json = nlohmann::ordered_json;

}  // namespace zetl::command
