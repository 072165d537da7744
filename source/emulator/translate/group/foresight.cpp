// tidy: without the analyzer, which follows asmjit into shifts that its callers exclude
#include "emulator/translate/group/foresight.h"

namespace zetl::emulator::translate {

using namespace asmjit::x86;

/// Where the next address of the thread goes, behind its first.
std::int32_t Foresight::next() const noexcept { return static_cast<std::int32_t>(addresses_ * sizeof(std::uint64_t)); }

void Foresight::add(const isa::PlannedAccess& access) {
    accesses_.push_back(access);
    addresses_ += access.addresses;
}

void Foresight::noteRun(isa::Line line, std::uint32_t bytes) {
    a_.mov(rdx, at_);
    a_.mov(ptr(rdx, next(), 8), rcx);
    add({.line = line, .bytes = bytes});
}

void Foresight::noteLanes(isa::Line line, std::uint32_t bytes, const std::vector<Zmm>& addresses) {
    constexpr std::uint32_t kBytes = RegisterCache::kSlotBytes;
    constexpr std::uint32_t kEach = kBytes / sizeof(std::uint64_t);
    const auto vectors = static_cast<std::uint32_t>(addresses.size());
    a_.mov(rdx, at_);
    for (std::uint32_t v = 0; v < vectors; ++v)
        a_.vmovdqu64(ptr(rdx, next() + static_cast<std::int32_t>(v * kBytes), kBytes), addresses[v]);
    add({.line = line, .bytes = bytes, .addresses = vectors * kEach});
}

void Foresight::goOn() { a_.add(at_, next()); }

}  // namespace zetl::emulator::translate
