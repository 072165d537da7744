// The host's address space: pages for device memory, at addresses that kernels and host share.
#pragma once

#include <cstdint>

namespace zetl::emulator::machine::pages {

inline constexpr std::uint64_t kHuge = 2u << 20;  ///< large allocations are aligned so that the host can use huge pages

std::uint64_t size() noexcept;
std::uint64_t roundUp(std::uint64_t bytes) noexcept;  ///< to whole pages; 0 on overflow

/// Zeroed, private, committed on first touch. 0 if the host refuses.
std::uint64_t map(std::uint64_t bytes, std::uint64_t alignment) noexcept;
/// The descriptor's pages. 0 if the host refuses.
std::uint64_t mapShared(int descriptor, std::uint64_t bytes) noexcept;
/// The same in place of what is at the address now. False: nothing changed.
bool replaceShared(std::uint64_t address, int descriptor, std::uint64_t offset, std::uint64_t bytes) noexcept;
/// Addresses without memory: every access faults. `hint` 0: anywhere.
std::uint64_t reserve(std::uint64_t hint, std::uint64_t bytes) noexcept;
/// Zeroed memory for reserved addresses, committed on first touch. False if the host refuses.
bool commit(std::uint64_t address, std::uint64_t bytes) noexcept;
/// Gives the pages back and keeps the addresses reserved.
void discard(std::uint64_t address, std::uint64_t bytes) noexcept;
void unmap(std::uint64_t address, std::uint64_t bytes) noexcept;
/// How many bytes from the first on have memory: whole pages.
std::uint64_t touched(std::uint64_t address, std::uint64_t bytes) noexcept;
/// Moves the pages of private memory to where other private memory is now, and leaves fresh memory behind. False:
/// nothing changed.
bool move(std::uint64_t from, std::uint64_t to, std::uint64_t bytes) noexcept;
/// Lets the host take the pages back, with their content, until they are written again.
void offer(std::uint64_t address, std::uint64_t bytes) noexcept;

}  // namespace zetl::emulator::machine::pages
