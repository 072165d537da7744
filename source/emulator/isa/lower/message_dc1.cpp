#include "emulator/isa/decode/legacy_message.h"
#include "emulator/isa/lower/message.h"

namespace zetl::emulator::isa {

void lowerDc1(MessageLowering& m) {
    const auto atomic = untypedAtomicOf(m.message);
    if (!atomic) m.refuse("other than untyped atomics");
    if (!atomic->space) m.refuse("surface in a binding table");
    constexpr uint8_t kBytes = UntypedAtomic::kBytes;
    emitAtomic(m, {atomic->operation, kBytes, kBytes, static_cast<uint8_t>(atomic->addressBytes), *atomic->space});
}

}  // namespace zetl::emulator::isa
