// The checked way from an address to host memory, for every address space.
#pragma once

#include <cstring>

#include "emulator/isa/steps/lanes.h"

namespace {

inline bool holds(const MemoryWindow& w, std::uint64_t address, std::uint64_t bytes) {
    const std::uint64_t offset = address - w.begin;
    return offset <= w.bytes && bytes <= w.bytes - offset;
}
inline std::byte* within(std::span<std::byte> area, std::uint64_t offset, std::uint64_t bytes) {
    return offset <= area.size() && bytes <= area.size() - offset ? area.data() + offset : nullptr;
}

/// The host address of `bytes` bytes, or null.
template <MemorySpace Where, bool Write>
std::byte* memory(Thread& t, const Step* m, std::uint64_t address, std::uint64_t bytes) {
    if constexpr (Where == MemorySpace::scratch)
        return within(t.scratch, address, bytes);
    else if constexpr (Where == MemorySpace::local)
        return within(t.local, address & kLocalOffsetMask, bytes);
    else {
        MemoryWindow& w = (Write ? t.writable : t.readable)[windowOf(*m)];
        if (!holds(w, address, bytes) && !t.environment->findMemory(t, address, bytes, Write, w)) [[unlikely]]
            return nullptr;
        return w.host + (address - w.begin);
    }
}

template <MemorySpace Where, bool Write>
void countTraffic(Thread& t, std::uint64_t bytes) {
    if constexpr (Where == MemorySpace::global)
        (Write ? t.traffic.globalWritten : t.traffic.globalRead) += bytes;
    else if constexpr (Where == MemorySpace::local)
        (Write ? t.traffic.localWritten : t.traffic.localRead) += bytes;
    else
        (Write ? t.traffic.scratchWritten : t.traffic.scratchRead) += bytes;
}

/// The same for messages outside the hot path, whose space is known only when they run.
template <bool Write>
std::byte* memoryIn(Thread& t, const Step* m, MemorySpace space, std::uint64_t address, std::uint64_t bytes) {
    switch (space) {
        case MemorySpace::global:
            return memory<MemorySpace::global, Write>(t, m, address, bytes);
        case MemorySpace::local:
            return memory<MemorySpace::local, Write>(t, m, address, bytes);
        case MemorySpace::scratch:
            return within(t.scratch, std::uint32_t(address), bytes);
        default:
            return within(t.payload, std::uint32_t(address), bytes);
    }
}
template <bool Write>
void countTraffic(Thread& t, MemorySpace space, std::uint64_t bytes) {
    if (space == MemorySpace::global) countTraffic<MemorySpace::global, Write>(t, bytes);
    if (space == MemorySpace::local) countTraffic<MemorySpace::local, Write>(t, bytes);
    if (space == MemorySpace::scratch) countTraffic<MemorySpace::scratch, Write>(t, bytes);
}
inline FaultKind overrun(MemorySpace space) {
    switch (space) {
        case MemorySpace::local:
            return FaultKind::localOverrun;
        case MemorySpace::scratch:
            return FaultKind::scratchOverrun;
        case MemorySpace::payload:
            return FaultKind::payloadOverrun;
        default:
            return FaultKind::pageFault;
    }
}

inline const Step* failAccess(Thread& t, const Step* m, FaultKind kind, bool write, unsigned lane,
                              std::uint64_t address, std::uint64_t bytes) {
    Fault f;
    f.kind = kind;
    f.write = write;
    f.lane = std::uint8_t(lane);
    f.address = address;
    f.bytes = std::uint32_t(bytes);
    return fail(t, m, f);
}

}  // namespace
