#include "core/address.h"

namespace zetl::debugger {
namespace {

constexpr std::uint64_t kScratchTag = 0x09;
constexpr std::uint64_t kLocalTag = 0x0a;
constexpr std::uint64_t kScratchOffset = 0xffff'ffff;

}  // namespace

Address Address::of(std::uint64_t tagged) noexcept {
    if (tagged >> 56 == kScratchTag) return {Space::scratch, tagged & kScratchOffset};
    if (tagged >> 56 == kLocalTag) return {Space::local, tagged & kLocalOffset};
    return {Space::global, tagged};
}

std::optional<Bytes> readAny(const Memory& memory, StoppedThread& thread, std::uint64_t tagged, std::size_t bytes) {
    const auto address = Address::of(tagged);
    if (address.space == Address::Space::local) return memory.readLocal(thread.id(), address.offset, bytes);
    if (address.space == Address::Space::scratch)
        return memory.read(thread.stateBase(registers::kScratchBase) + address.offset, bytes);
    return memory.read(address.offset, bytes);
}

bool writeAny(Memory& memory, StoppedThread& thread, std::uint64_t tagged, const Bytes& data) {
    const auto address = Address::of(tagged);
    if (address.space == Address::Space::local) return memory.writeLocal(thread.id(), address.offset, data);
    if (address.space == Address::Space::scratch)
        return memory.write(thread.stateBase(registers::kScratchBase) + address.offset, data);
    return memory.write(address.offset, data);
}

}  // namespace zetl::debugger
