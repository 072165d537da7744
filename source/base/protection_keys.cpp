#include "base/protection_keys.h"

#include <sys/mman.h>

#include <atomic>

namespace zetl {
namespace {

std::atomic<bool> taken{false};

void* pointer(std::uint64_t address) noexcept { return reinterpret_cast<void*>(address); }

// Two bits for each key in a register of the thread: no access, no writing.
#ifdef __x86_64__
constexpr bool kHasRights = true;

std::uint32_t rightsOfThread() noexcept {
    std::uint32_t rights = 0;
    std::uint32_t zero = 0;
    asm volatile(".byte 0x0f, 0x01, 0xee" : "=a"(rights), "=d"(zero) : "c"(0));  // rdpkru
    return rights;
}
void setRightsOfThread(std::uint32_t rights) noexcept {
    asm volatile(".byte 0x0f, 0x01, 0xef" : : "a"(rights), "c"(0), "d"(0) : "memory");  // wrpkru
}
#else
constexpr bool kHasRights = false;

std::uint32_t rightsOfThread() noexcept { return 0; }
void setRightsOfThread(std::uint32_t) noexcept {}
#endif

}  // namespace

std::optional<ProtectionKey> ProtectionKey::take() noexcept {
    if (!kHasRights) return std::nullopt;
    const int number = pkey_alloc(0, PKEY_DISABLE_ACCESS);
    if (number <= 0) return std::nullopt;
    taken.store(true, std::memory_order_release);
    return ProtectionKey(number);
}

bool ProtectionKey::anyTaken() noexcept { return taken.load(std::memory_order_acquire); }

void ProtectionKey::allowAll() noexcept { setRightsOfThread(0); }

bool ProtectionKey::close(std::uint64_t begin, std::uint64_t bytes) const noexcept {
    return pkey_mprotect(pointer(begin), bytes, PROT_READ | PROT_WRITE, number_) == 0;
}

bool ProtectionKey::open(std::uint64_t begin, std::uint64_t bytes) noexcept {
    return pkey_mprotect(pointer(begin), bytes, PROT_READ | PROT_WRITE, 0) == 0;
}

std::uint32_t ProtectionKey::allow() const noexcept {
    const std::uint32_t before = rightsOfThread();
    setRightsOfThread(before & ~(std::uint32_t{PKEY_DISABLE_ACCESS | PKEY_DISABLE_WRITE} << 2 * number_));
    return before;
}

void ProtectionKey::restore(std::uint32_t rights) noexcept { setRightsOfThread(rights); }

}  // namespace zetl
