#include "emulator/machine/memory/fork_guard.h"

#include <pthread.h>

#include <atomic>

namespace zetl::emulator::machine {
namespace {

std::atomic<std::uint64_t> generation{0};

/// Forks between the process that loaded this library and this one. The handler is registered on first use.
std::uint64_t currentGeneration() noexcept {
    static const int registered = pthread_atfork(nullptr, nullptr, [] { generation.fetch_add(1); });
    static_cast<void>(registered);
    return generation.load(std::memory_order_relaxed);
}

}  // namespace

ForkGuard::ForkGuard() noexcept : generation_(currentGeneration()) {}

bool ForkGuard::inChild() const noexcept { return generation.load(std::memory_order_relaxed) != generation_; }

}  // namespace zetl::emulator::machine
