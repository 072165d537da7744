#include "emulator/machine/model/bank_passes.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstring>
#include <span>

#include "emulator/isa/step.h"
#include "emulator/machine/model/access_lanes.h"

namespace zetl::emulator::machine {
namespace {

constexpr std::uint32_t kBankBytes = 4;

/// Most often their number is a power of two.
class Banks {
  public:
    explicit Banks(std::uint32_t number)
        : number_(std::max(number, 1u)), mask_(std::has_single_bit(number) ? number - 1 : 0) {}
    std::uint64_t of(std::uint64_t word) const noexcept { return mask_ != 0 ? word & mask_ : word % number_; }

  private:
    const std::uint64_t number_;
    const std::uint64_t mask_;
};

using Words = std::array<std::uint64_t, kWidest>;

/// The dwords of local memory that the lanes want, most of those that several want once.
std::span<const std::uint64_t> wordsOf(const isa::MemoryAccess& access, Words& words) noexcept {
    std::size_t count = 0;
    std::uint64_t last = ~std::uint64_t{0};
    for (std::uint32_t lanes = access.lanes; lanes != 0; lanes &= lanes - 1) {
        const auto lane = static_cast<std::size_t>(std::countr_zero(lanes));
        const std::uint64_t word = (access.address[lane] & isa::kLocalOffsetMask) / kBankBytes;
        words[count] = word;
        count += word != last;
        last = word;
    }
    // Rows of a work-group that want the same.
    const std::size_t half = count / 2;
    if (count % 2 == 0 && std::equal(words.data(), words.data() + half, words.data() + half)) count = half;
    return {words.data(), count};
}

bool areInARow(std::span<const std::uint64_t> words) noexcept {
    std::uint64_t apart = 0;
    for (std::size_t i = 0; i < words.size(); ++i) apart |= words[i] ^ (words[0] + i);
    return apart == 0;
}

/// Passes of the patterns that show in the bits in which the addresses of successive lanes differ: all in one row of
/// the banks, or two in one bank; 0 for other patterns.
std::uint8_t passesOfPattern(std::uint64_t apart, std::uint32_t number) noexcept {
    if (!std::has_single_bit(number)) return 0;
    const std::uint64_t differing = (apart & isa::kLocalOffsetMask) / kBankBytes;
    if (differing < number) return 1;
    return (differing & (number - 1)) == 0 && std::has_single_bit(differing) ? 2 : 0;
}
std::uint8_t passesOfPattern(const isa::MemoryAccess& access, std::uint32_t number) noexcept {
    std::uint64_t apart = 0;
    const std::size_t lanes = lanesInARow(access);
    for (std::size_t lane = 1; lane < lanes; ++lane) apart |= access.address[lane] ^ access.address[0];
    return lanes == 0 ? std::uint8_t{0} : passesOfPattern(apart, number);
}

/// The bits in which that many addresses differ.
template <std::size_t lanes>
std::uint32_t bitsApart(const std::byte* addresses) noexcept {
    std::array<std::uint32_t, lanes> lane;
    std::memcpy(lane.data(), addresses, sizeof lane);
    std::uint32_t apart = 0;
    for (const std::uint32_t address : lane) apart |= address ^ lane[0];
    return apart;
}

}  // namespace

std::uint8_t bankPasses(const isa::MemoryAccess& access, std::uint32_t number) {
    constexpr std::uint32_t kBuckets = 64;  // lists of words; banks beyond share them
    if (const std::uint8_t passes = passesOfPattern(access, number)) return passes;
    Words storage;
    const std::span<const std::uint64_t> words = wordsOf(access, storage);
    if (areInARow(words)) return static_cast<std::uint8_t>((words.size() + number - 1) / number);
    const Banks banks(number);
    std::array<std::int8_t, kWidest> next;
    std::array<std::int8_t, kBuckets> first;
    first.fill(-1);
    std::uint32_t most = 1;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::uint64_t bank = banks.of(words[i]);
        std::int8_t& head = first[bank % kBuckets];
        std::uint32_t same = 1;
        bool known = false;
        for (std::int8_t at = head; at >= 0; at = next[static_cast<std::uint8_t>(at)]) {
            const std::uint64_t other = words[static_cast<std::size_t>(at)];
            known = known || other == words[i];
            same += banks.of(other) == bank;
        }
        if (known) continue;
        next[i] = head;
        head = static_cast<std::int8_t>(i);
        most = std::max(most, same);
    }
    return static_cast<std::uint8_t>(most);
}

std::uint8_t bankPasses(const isa::Thread& thread, const isa::AccessPlan& plan, std::uint32_t number) noexcept {
    constexpr std::uint32_t kHalf = 0xffff;
    const isa::AccessShape& shape = plan.shape;
    const bool addresses = shape.addressBytes == sizeof(std::uint32_t) && shape.addressUnit == 1;
    if (!addresses || shape.block || shape.block2d || shape.strided) return 0;
    const std::byte* const at = thread.state + isa::layout::kGrf + plan.payload + shape.addressAt;
    const std::uint32_t lanes = isa::lanesOn(thread, plan.lanes);
    if (lanes == ~0u) return passesOfPattern(bitsApart<kWidest>(at), number);
    return lanes == kHalf ? passesOfPattern(bitsApart<kWidest / 2>(at), number) : std::uint8_t{0};
}

}  // namespace zetl::emulator::machine
