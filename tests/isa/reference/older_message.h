// Messages of the older data ports, in memory that a group shares or by 64-bit address: what their descriptors say.
#pragma once

#include "reference/message.h"

namespace zetl::test::reference {

/// Draws the form, and what it does in terms of the load/store cache; masks and places are left to the caller.
void drawOlder(Dice& dice, MemoryMessage& message);

/// How many types of messages there are to be drawn.
std::size_t olderTypes() noexcept;

}  // namespace zetl::test::reference
