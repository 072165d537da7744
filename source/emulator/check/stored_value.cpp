#include "emulator/check/stored_value.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "emulator/isa/thread.h"
#include "isa/xe/legacy_message.h"
#include "isa/xe/lsc_descriptor.h"

namespace zetl::emulator::check {
namespace {

/// Calls visit(offset in memory, place in registers, bytes) for each piece of what the lane stores, until it says
/// false. False as well for forms that it does not know.
template <class Visit>
bool eachPiece(const isa::Instruction& given, std::uint32_t lane, Visit&& visit) {
    const isa::Instruction in = zetl::isa::xe::modernForm(given);
    const zetl::isa::xe::lsc::Descriptor descriptor(in.message);
    if (!descriptor.stores() || descriptor.block2d() || descriptor.strided()) return false;
    const std::uint32_t data = isa::layout::kGrf + in.source[1].number * isa::layout::kRegisterBytes;
    const std::uint32_t bytes = descriptor.memoryBytes();
    const std::uint32_t pitch = descriptor.registerBytes();
    if (descriptor.transposed) return visit(0u, data, bytes * descriptor.vectorLength());
    const auto components = descriptor.quad()
                                ? static_cast<std::uint32_t>(std::popcount(unsigned{descriptor.components}))
                                : descriptor.vectorLength();
    constexpr std::uint32_t kDenseLanes = 16;  // of a component, at least
    const std::uint32_t componentBytes = std::max<std::uint32_t>(in.width, kDenseLanes) * pitch;
    for (std::uint32_t i = 0; i < components; ++i)
        if (!visit(i * bytes, data + i * componentBytes + lane * pitch, bytes)) return false;
    return true;
}

}  // namespace

bool storesSame(const isa::Thread& thread, const isa::Instruction& in, std::uint32_t lane, const std::byte* memory) {
    return eachPiece(in, lane, [&](std::uint32_t offset, std::uint32_t place, std::uint32_t bytes) {
        return std::memcmp(memory + offset, thread.state + place, bytes) == 0;
    });
}

bool storeSame(const isa::Thread& thread, const isa::Instruction& in, std::uint32_t lane, std::uint32_t other) {
    constexpr std::size_t kMostBytes = 64;  // eight numbers of 64 bits
    std::array<std::byte, kMostBytes> value{};
    const bool isKnown = eachPiece(in, other, [&](std::uint32_t offset, std::uint32_t place, std::uint32_t bytes) {
        if (offset + bytes > value.size()) return false;
        std::memcpy(value.data() + offset, thread.state + place, bytes);
        return true;
    });
    return isKnown && storesSame(thread, in, lane, value.data());
}

}  // namespace zetl::emulator::check
