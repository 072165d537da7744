#include "emulator/isa/lower/message.h"
#include "isa/xe/legacy_message.h"

namespace zetl::emulator::isa {

void lowerDc1(MessageLowering& m) {
    const auto atomic = untypedAtomicOf(m.message);
    if (!atomic) m.refuse("other than untyped atomics");
    if (!atomic->space) m.refuse("surface in a binding table");
    emitAtomic(m, {.operation = atomic->operation,
                   .elementBytes = atomic->elementBytes,
                   .slotBytes = atomic->slotBytes(),
                   .addresses = m.address(m.in.width * atomic->addressBytes),
                   .addressBytes = atomic->addressBytes,
                   .space = *atomic->space});
}

}  // namespace zetl::emulator::isa
