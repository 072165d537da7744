#include "emulator/check/stored_value.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "emulator/isa/thread.h"
#include "isa/xe/legacy_message.h"
#include "isa/xe/lsc_descriptor.h"

namespace zetl::emulator::check {

bool storesSame(const isa::Thread& thread, const isa::Instruction& given, std::uint32_t lane, const std::byte* memory) {
    const isa::Instruction in = zetl::isa::xe::modernForm(given);
    const zetl::isa::xe::lsc::Descriptor descriptor(in.message);
    if (!descriptor.stores() || descriptor.block2d() || descriptor.strided()) return false;
    const std::byte* const data = thread.state + isa::layout::kGrf + in.source[1].number * isa::layout::kRegisterBytes;
    const std::uint32_t bytes = descriptor.memoryBytes();
    const std::uint32_t pitch = descriptor.registerBytes();
    if (descriptor.transposed) return std::memcmp(memory, data, bytes * descriptor.vectorLength()) == 0;
    const auto components = descriptor.quad()
                                ? static_cast<std::uint32_t>(std::popcount(unsigned{descriptor.components}))
                                : descriptor.vectorLength();
    constexpr std::uint32_t kDenseLanes = 16;  // of a component, at least
    const std::uint32_t componentBytes = std::max<std::uint32_t>(in.width, kDenseLanes) * pitch;
    for (std::uint32_t i = 0; i < components; ++i)
        if (std::memcmp(memory + i * bytes, data + i * componentBytes + lane * pitch, bytes) != 0) return false;
    return true;
}

}  // namespace zetl::emulator::check
