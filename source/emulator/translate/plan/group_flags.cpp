#include "emulator/translate/plan/group_flags.h"

#include <algorithm>

namespace zetl::emulator::translate {
namespace {

/// Ids are less than bounds, and they differ from the values that they are compared with: conditions ne, lt, le.
bool mostlyHolds(std::uint16_t condition) { return condition == 2 || condition == 5 || condition == 6; }

}  // namespace

std::uint32_t GroupFlags::bitsOf(const isa::LaneMask& mask) noexcept {
    const std::uint64_t bits = std::uint64_t{mask.lanes} << (mask.shift + (mask.flag & 1u) * 16u);
    return bits >> 32 == 0 ? static_cast<std::uint32_t>(bits) : 0;
}
std::uint32_t GroupFlags::comparedBits(const Flag& flag) noexcept {
    std::uint32_t bits = 0;
    for (const Comparison& c : flag.comparisons) bits |= c.lanes;
    return bits;
}

bool GroupFlags::compare(const isa::LaneMask& mask, std::uint16_t condition, const Place& place) {
    const std::uint32_t bits = bitsOf(mask);
    if (bits == 0) return false;
    Flag& flag = flagOf(mask);
    auto only = Guard::none;
    if (mask.predicate == isa::Predicate::none) {
        std::erase_if(flag.comparisons, [&](const Comparison& c) { return (c.lanes & bits) != 0; });
        flag.known &= ~bits;
    } else {
        if (mask.predicate != isa::Predicate::normal || (bits & ~comparedBits(flag)) != 0) return false;
        only = mask.inverted ? Guard::fails : Guard::holds;
    }
    flag.comparisons.push_back({bits, place, mostlyHolds(condition), only});
    return true;
}

bool GroupFlags::decide(Flag& flag, std::uint32_t bits, bool value) {
    const Guard guard = value ? Guard::holds : Guard::fails;
    bool all = comparedBits(flag) == bits;
    for (const Comparison& c : flag.comparisons) {
        all = all && (c.only == Guard::none || c.only == guard);
        decisions_.push_back({c.place, guard});
    }
    flag = {.comparisons = {}, .known = bits, .value = value};
    return all;
}

std::optional<bool> GroupFlags::holds(const isa::LaneMask& predicate) {
    const std::uint32_t bits = bitsOf(predicate);
    Flag& flag = flagOf(predicate);
    if (predicate.predicate != isa::Predicate::normal || bits == 0) return {};
    if ((bits & ~flag.known) != 0) {
        if (flag.comparisons.empty()) return {};
        const Comparison& last = flag.comparisons.back();
        if (!decide(flag, bits, last.only == Guard::none ? last.mostlyHolds : last.only == Guard::holds)) return {};
    }
    return flag.value != predicate.inverted;
}

bool GroupFlags::passes(const isa::LaneMask& branch) {
    const std::uint32_t bits = bitsOf(branch);
    Flag& flag = flagOf(branch);
    if (branch.predicate != isa::Predicate::normal || bits == 0) return false;
    if ((bits & ~flag.known) != 0) return decide(flag, bits, branch.inverted);
    return flag.value == branch.inverted;
}

}  // namespace zetl::emulator::translate
