// Messages with one address: transposed loads and stores, and the legacy scratch blocks.
#pragma once

#include "emulator/isa/steps/message_memory.h"

namespace {

/// Moves the bytes at `host` from or to registers.
template <bool Write>
void moveBlock(Thread& t, MemorySpace space, std::byte* host, std::uint32_t registers, std::uint32_t bytes) {
    if constexpr (Write)
        std::memcpy(host, t.state + registers, bytes);
    else
        std::memcpy(t.state + registers, host, bytes);
    countTraffic<Write>(t, space, bytes);
}

inline const Step* block(Thread& t, const Step* m) {
    constexpr std::uint64_t kBlockAlignmentMask = 3;
    const auto a = BlockAccess::of(*m);
    const std::uint64_t address = a.wideAddress ? *at<std::uint64_t>(t, a.address) : *at<std::uint32_t>(t, a.address);
    if (lanesOn(t, m->mask) == 0) return m + 1;
    if (address & kBlockAlignmentMask) return failAccess(t, m, FaultKind::misaligned, a.write, 0, address, a.bytes);
    std::byte* p =
        a.write ? memoryIn<true>(t, m, a.space, address, a.bytes) : memoryIn<false>(t, m, a.space, address, a.bytes);
    if (!p) return failAccess(t, m, overrun(a.space), a.write, 0, address, a.bytes);
    if (a.write)
        moveBlock<true>(t, a.space, p, a.registers, a.bytes);
    else
        moveBlock<false>(t, a.space, p, a.registers, a.bytes);
    return m + 1;
}

inline const Step* strided(Thread& t, const Step* m) {
    constexpr std::uint32_t kPitchByte = 8;
    const auto a = StridedAddresses::of(*m);
    std::uint32_t pitch;
    std::uint64_t address = 0;
    const std::byte* payload = t.state + a.payload;
    std::memcpy(&pitch, payload + kPitchByte, sizeof pitch);
    std::memcpy(&address, payload, a.addressBytes);
    for (unsigned lane = 0; lane < 32; ++lane, address += pitch)
        std::memcpy(t.state + a.addresses + lane * a.addressBytes, &address, a.addressBytes);
    return m + 1;
}

/// A fill of up to four registers, of which the last lie behind the thread's space: the compiler states the size of the
/// data that it spilled, and joins fills to longer ones whose other registers it does not use. Those contain nothing.
inline const Step* fillBeyond(Thread& t, const Step* m, const ScratchAccess& a) {
    const std::uint32_t inside = static_cast<std::uint32_t>(t.scratch.size()) - a.offset;
    moveBlock<false>(t, MemorySpace::scratch, t.scratch.data() + a.offset, a.registers, inside);
    std::memset(t.state + a.registers + inside, 0, a.bytes - inside);
    return m + 1;
}

inline const Step* scratchBlock(Thread& t, const Step* m) {
    constexpr std::uint32_t kRegister = 64;
    const auto a = ScratchAccess::of(*m);
    std::byte* p = within(t.scratch, a.offset, a.bytes);
    if (!p && !a.write && within(t.scratch, a.offset, kRegister)) return fillBeyond(t, m, a);
    if (!p) return failAccess(t, m, FaultKind::scratchOverrun, a.write, 0, a.offset, a.bytes);
    if (a.write)
        moveBlock<true>(t, MemorySpace::scratch, p, a.registers, a.bytes);
    else
        moveBlock<false>(t, MemorySpace::scratch, p, a.registers, a.bytes);
    return m + 1;
}

constexpr void addHandlers(Handlers<BlockAccess>& h) { h.run[0] = block; }
constexpr void addHandlers(Handlers<StridedAddresses>& h) { h.run[0] = strided; }
constexpr void addHandlers(Handlers<ScratchAccess>& h) { h.run[0] = scratchBlock; }

}  // namespace
