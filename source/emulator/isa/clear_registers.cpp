#include "emulator/isa/clear_registers.h"

#include <immintrin.h>

#include <cstring>

namespace zetl::emulator::isa {
namespace {

using Runs = std::span<const StateSlots::Run>;

// A run has a few registers: clearing them takes less than a call of the host's library, to which compilers turn these
// loops if they can see the size. They appear three times, because inlined code must be for the same processors.

inline void hide(std::byte*& place) noexcept { asm("" : "+r"(place)); }

void clearBy16(std::byte* state, Runs runs) noexcept {
    for (const StateSlots::Run& run : runs) {
        std::byte* at = state + run.place;
        for (std::byte* const end = at + run.bytes; at != end; hide(at += layout::kRegisterBytes))
            std::memset(at, 0, layout::kRegisterBytes);
    }
}
[[gnu::target("avx")]] void clearBy32(std::byte* state, Runs runs) noexcept {
    for (const StateSlots::Run& run : runs) {
        std::byte* at = state + run.place;
        for (std::byte* const end = at + run.bytes; at != end; hide(at += layout::kRegisterBytes)) {
            _mm256_storeu_si256(reinterpret_cast<__m256i*>(at), _mm256_setzero_si256());
            _mm256_storeu_si256(reinterpret_cast<__m256i*>(at) + 1, _mm256_setzero_si256());
        }
    }
}
[[gnu::target("avx512f")]] void clearBy64(std::byte* state, Runs runs) noexcept {
    for (const StateSlots::Run& run : runs) {
        std::byte* at = state + run.place;
        for (std::byte* const end = at + run.bytes; at != end; hide(at += layout::kRegisterBytes))
            _mm512_storeu_si512(at, _mm512_setzero_si512());
    }
}

using Clear = void (*)(std::byte*, Runs) noexcept;
Clear widest() noexcept {
    if (__builtin_cpu_supports("avx512f")) return clearBy64;
    return __builtin_cpu_supports("avx") ? clearBy32 : clearBy16;
}

}  // namespace

void clearRegisters(std::byte* state, Runs runs) noexcept {
    static const Clear clear = widest();
    clear(state, runs);
}

}  // namespace zetl::emulator::isa
