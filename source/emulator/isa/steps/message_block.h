// Messages with one address: transposed loads and stores, and the legacy scratch blocks.
#pragma once

#include "emulator/isa/steps/message_memory.h"

namespace {

/// Step: src[0] address, src[1] data, dst result, value bytes, kind MemorySpace, chunks 2 if the address has 64 bits,
/// size 1 to store.
inline const Step* block(Thread& t, const Step* m) {
    constexpr uint64_t kBlockAlignmentMask = 3;
    const uint64_t address = m->chunks == 2 ? *source<uint64_t>(t, m->src[0]) : *source<uint32_t>(t, m->src[0]);
    const auto space = MemorySpace(m->kind);
    const auto bytes = uint32_t(m->value);
    const bool write = m->size != 0;
    if (lanesOn(t, m->mask) == 0) return m + 1;
    if (address & kBlockAlignmentMask) return failAccess(t, m, FaultKind::misaligned, write, 0, address, bytes);
    std::byte* p = write ? memoryIn<true>(t, m, space, address, bytes) : memoryIn<false>(t, m, space, address, bytes);
    if (!p) return failAccess(t, m, overrun(space), write, 0, address, bytes);
    if (write)
        std::memcpy(p, t.state + m->src[1], bytes), countTraffic<true>(t, space, bytes);
    else
        std::memcpy(t.state + m->dst, p, bytes), countTraffic<false>(t, space, bytes);
    return m + 1;
}

/// Step: src[0] base and pitch, dst addresses, chunks 2 if they have 64 bits.
inline const Step* strided(Thread& t, const Step* m) {
    constexpr uint32_t kPitchByte = 8;
    uint32_t pitch;
    uint64_t address = 0;
    const auto payload = source<std::byte>(t, m->src[0]);
    const unsigned bytes = m->chunks * 4;
    std::memcpy(&pitch, payload + kPitchByte, sizeof pitch), std::memcpy(&address, payload, bytes);
    for (unsigned lane = 0; lane < 32; ++lane, address += pitch)
        std::memcpy(t.state + m->dst + lane * bytes, &address, bytes);
    return m + 1;
}

/// Step: src[0] offset, src[1] data, dst result, value bytes, size 1 to store.
inline const Step* scratchBlock(Thread& t, const Step* m) {
    const auto bytes = uint32_t(m->value);
    std::byte* p = within(t.scratch, m->src[0], bytes);
    if (!p) return failAccess(t, m, FaultKind::scratchOverrun, m->size != 0, 0, m->src[0], bytes);
    if (m->size)
        std::memcpy(p, t.state + m->src[1], bytes), countTraffic<true>(t, MemorySpace::scratch, bytes);
    else
        std::memcpy(t.state + m->dst, p, bytes), countTraffic<false>(t, MemorySpace::scratch, bytes);
    return m + 1;
}

}  // namespace
