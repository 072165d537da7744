// Lanes of several elements that may stay as they lie in memory, because whatever is done to one of their elements is
// done to all.
#pragma once

#include "emulator/translate/plan/group_plan.h"

namespace zetl::emulator::translate {

/// Whether the store moves lanes of several dwords, each worked out from the loaded dwords of its own place by the same
/// steps. Such loads and the store may leave memory's vectors whole, instead of taking components apart and putting
/// them together again. The lanes of all of them must run on from the first.
bool keepsMemoryOrder(const GroupPlan& plan);

}  // namespace zetl::emulator::translate
