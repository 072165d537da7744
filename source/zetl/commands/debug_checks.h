// The checks of `zetl debug`.
#pragma once

#include <memory>

#include "debug/console/checks.h"

namespace zetl::command {

std::shared_ptr<debugger::Checks> makeDebugChecks();

}  // namespace zetl::command
