// All registers of a stopped thread in one piece, which crosses the connection in one exchange.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "debug/target.h"

namespace zetl::debug {

/// The values of every register set of one thread, as they were when it was taken. Plain value.
class RegisterSnapshot {
  public:
    /// The bytes of a snapshot of the thread, for parse(). UNSUPPORTED if it would take more than `limit` bytes, else
    /// the target's answer.
    static zetl_status_t take(Target& target, const device::Device& device, const zetl_thread_t& thread,
                              std::size_t limit, std::vector<std::byte>& bytes);
    /// Returns nothing if no target of the device can have made these bytes: they may come from a hostile process.
    static std::optional<RegisterSnapshot> parse(std::vector<std::byte> bytes, const device::Device& device);

    /// The number of registers of that set in this thread; nothing if the thread has no such set.
    std::optional<std::uint32_t> count(std::uint32_t type) const;
    /// The values of a range that takes `bytes` bytes; null if no such range of this thread has that size.
    const std::byte* find(std::uint32_t type, std::uint32_t first, std::uint32_t count, std::uint64_t bytes) const;

  private:
    /// Stored in front of the values of each set.
    struct Head {
        std::uint32_t type;
        std::uint32_t count;
    };
    struct Set {
        Head head;
        std::size_t begin;
        std::size_t bytes;
    };
    const Set* find(std::uint32_t type) const;

    std::vector<std::byte> bytes_;
    std::vector<Set> sets_;
};

}  // namespace zetl::debug
