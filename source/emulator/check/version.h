// Numbers for what threads remember without a lock.
#pragma once

#include <atomic>
#include <cstdint>

namespace zetl::emulator::check {

/// Another one each time, from 1 on. Thread-safe.
inline std::uint64_t nextVersion() noexcept {
    static std::atomic<std::uint64_t> last{0};
    return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

}  // namespace zetl::emulator::check
