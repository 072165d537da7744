#include "emulator/check/stored_value.h"

#include <cstring>

#include "emulator/isa/thread.h"
#include "isa/xe/legacy_message.h"
#include "isa/xe/lsc_descriptor.h"

namespace zetl::emulator::check {

bool storesSame(const isa::Thread& thread, const isa::Instruction& given, std::uint32_t lane, const std::byte* memory) {
    const isa::Instruction in = zetl::isa::xe::modernForm(given);
    const zetl::isa::xe::lsc::Descriptor descriptor(in.message);
    if (!descriptor.stores() || descriptor.block2d() || descriptor.strided() || descriptor.quad()) return false;
    const std::byte* const data = thread.state + isa::layout::kGrf + in.source[1].number * isa::layout::kRegisterBytes;
    const std::uint32_t bytes = descriptor.memoryBytes();
    const std::uint32_t pitch = descriptor.registerBytes();
    if (descriptor.transposed) return std::memcmp(memory, data, bytes * descriptor.vectorLength()) == 0;
    if (descriptor.vectorLength() != 1) return false;
    return std::memcmp(memory, data + lane * pitch, bytes) == 0;
}

}  // namespace zetl::emulator::check
