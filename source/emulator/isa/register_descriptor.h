// Message descriptors that an instruction takes from registers. They are known only when a thread arrives there.
#pragma once

#include "emulator/isa/instruction_set.h"
#include "emulator/isa/thread.h"
#include "isa/xe/instruction.h"

namespace zetl::emulator::isa {

/// Whether a message can be lowered only when its registers are known.
bool isDeferred(const Message& message) noexcept;
/// The message, with the descriptors that the thread's registers hold.
Message resolved(const Message& message, const Thread& thread) noexcept;

}  // namespace zetl::emulator::isa
