// The checked way from an address to host memory, for every address space.
#pragma once

#include <cstring>

#include "emulator/isa/steps/lanes.h"

namespace {

inline constexpr uint32_t kWindowMask = 7;  // Step::extra of a message: which window of the thread it uses

inline bool holds(const MemoryWindow& w, uint64_t address, uint64_t bytes) {
    const uint64_t offset = address - w.begin;
    return offset <= w.bytes && bytes <= w.bytes - offset;
}
inline std::byte* within(std::span<std::byte> area, uint64_t offset, uint64_t bytes) {
    return offset <= area.size() && bytes <= area.size() - offset ? area.data() + offset : nullptr;
}

/// The host address of `bytes` bytes, or null.
template <AddressSpace Where, bool Write>
std::byte* memory(Thread& t, const Step* m, uint64_t address, uint64_t bytes) {
    if constexpr (Where == AddressSpace::scratch)
        return within(t.scratch, address, bytes);
    else if constexpr (Where == AddressSpace::local)
        return within(t.local, address & kLocalOffsetMask, bytes);
    else {
        MemoryWindow& w = (Write ? t.writable : t.readable)[m->extra & kWindowMask];
        if (!holds(w, address, bytes) && !t.environment->findMemory(address, bytes, Write, w)) [[unlikely]]
            return nullptr;
        return w.host + (address - w.begin);
    }
}

template <AddressSpace Where, bool Write>
void countTraffic(Thread& t, uint64_t bytes) {
    if constexpr (Where == AddressSpace::flat)
        (Write ? t.traffic.globalWritten : t.traffic.globalRead) += bytes;
    else if constexpr (Where == AddressSpace::local)
        (Write ? t.traffic.localWritten : t.traffic.localRead) += bytes;
    else
        (Write ? t.traffic.scratchWritten : t.traffic.scratchRead) += bytes;
}

/// Spaces as messages outside the hot path name them, in Step::kind.
enum class Surface : uint8_t { flat, local, scratch, payload };

template <bool Write>
std::byte* surfaceMemory(Thread& t, const Step* m, Surface surface, uint64_t address, uint64_t bytes) {
    switch (surface) {
        case Surface::flat:
            return memory<AddressSpace::flat, Write>(t, m, address, bytes);
        case Surface::local:
            return memory<AddressSpace::local, Write>(t, m, address, bytes);
        case Surface::scratch:
            return within(t.scratch, uint32_t(address), bytes);
        default:
            return within(t.payload, uint32_t(address), bytes);
    }
}
template <bool Write>
void countTraffic(Thread& t, Surface surface, uint64_t bytes) {
    if (surface == Surface::flat) countTraffic<AddressSpace::flat, Write>(t, bytes);
    if (surface == Surface::local) countTraffic<AddressSpace::local, Write>(t, bytes);
    if (surface == Surface::scratch) countTraffic<AddressSpace::scratch, Write>(t, bytes);
}
inline FaultKind overrun(Surface s) {
    constexpr FaultKind kinds[] = {FaultKind::pageFault, FaultKind::localOverrun, FaultKind::scratchOverrun,
                                   FaultKind::payloadOverrun};
    return kinds[static_cast<int>(s)];
}
constexpr Surface surfaceOf(AddressSpace s) { return static_cast<Surface>(s); }

inline const Step* failAccess(Thread& t, const Step* m, FaultKind kind, bool write, unsigned lane, uint64_t address,
                              uint64_t bytes) {
    Fault f;
    f.kind = kind, f.write = write, f.lane = uint8_t(lane), f.address = address, f.bytes = uint32_t(bytes);
    return fail(t, m, f);
}

}  // namespace
