#include "emulator/isa/flow.h"
#include "emulator/isa/lower/message.h"
#include "isa/xe/access_shape.h"

namespace zetl::emulator::isa {

void lowerGateway(MessageLowering& m) {
    constexpr std::uint32_t kPayloadBytes = 16;
    if (m.message.endOfThread) return;  // the caller ends the thread
    if (synchronizationOf(m.in) != Synchronization::barrier) m.refuse("function other than barrier");
    const std::uint32_t payload = m.address(kPayloadBytes);
    if (generalBarrierOf(m.message) != GeneralBarrier::group) {
        m.emit({.family = Family::signalBarrier}).src[0] = payload;
        return;
    }
    m.emit(composeBarrier).src[0] = payload;
    m.emit({.family = Family::signalBarrier}).src[0] = layout::kRaw;
}

}  // namespace zetl::emulator::isa
