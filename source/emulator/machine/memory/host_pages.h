// The host's address space: pages for device memory, at addresses that kernels and host share.
#pragma once

#include <cstdint>

namespace zetl::emulator::machine::pages {

inline constexpr uint64_t kHuge = 2u << 20;  ///< large allocations are aligned so that the host can use huge pages

uint64_t size() noexcept;
uint64_t roundUp(uint64_t bytes) noexcept;  ///< to whole pages; 0 on overflow

/// Zeroed, private, committed on first touch. 0 if the host refuses.
uint64_t map(uint64_t bytes, uint64_t alignment) noexcept;
/// The descriptor's pages. 0 if the host refuses.
uint64_t mapShared(int descriptor, uint64_t bytes) noexcept;
/// The same in place of what is at the address now. False: nothing changed.
bool replaceShared(uint64_t address, int descriptor, uint64_t offset, uint64_t bytes) noexcept;
/// Addresses without memory: every access faults. `hint` 0: anywhere.
uint64_t reserve(uint64_t hint, uint64_t bytes) noexcept;
/// Zeroed memory for reserved addresses, committed on first touch. False if the host refuses.
bool commit(uint64_t address, uint64_t bytes) noexcept;
/// Gives the pages back and keeps the addresses reserved.
void discard(uint64_t address, uint64_t bytes) noexcept;
void unmap(uint64_t address, uint64_t bytes) noexcept;

/// A descriptor of zeroed pages of its own, closed on exec; -1 if the host refuses.
int createShared(uint64_t bytes) noexcept;

}  // namespace zetl::emulator::machine::pages
