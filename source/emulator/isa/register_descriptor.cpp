#include "emulator/isa/register_descriptor.h"

#include "isa/xe/lsc_descriptor.h"

namespace zetl::emulator::isa {
namespace {

bool isLsc(const Message& m) { return m.function == SharedFunction::ugm || m.function == SharedFunction::slm; }

}  // namespace

bool isDeferred(const Message& m) noexcept {
    if (m.descriptorInRegister) return true;
    if (!m.extendedInRegister || !isLsc(m)) return false;
    const lsc::Descriptor d(m);
    return d.surface == lsc::kBindingTable || (d.block2d() && m.src1Registers < 0);
}

Message resolved(const Message& message, const Thread& thread) noexcept {
    constexpr std::uint32_t kLengthShift = 6;
    constexpr std::uint32_t kLengthMask = 31;
    Message m = message;
    if (m.descriptorInRegister) m.descriptor = thread.at<std::uint32_t>(layout::kAddress);
    if (message.descriptorInRegister) m.addressOffset = lsc::addressOffset(m);
    if (m.extendedInRegister) {
        m.extended = thread.at<std::uint32_t>(layout::kAddress + m.extendedSub * 4u);
        if (m.src1Registers < 0) m.src1Registers = static_cast<std::int8_t>(m.extended >> kLengthShift & kLengthMask);
    }
    m.descriptorInRegister = m.extendedInRegister = false;
    return m;
}

}  // namespace zetl::emulator::isa
