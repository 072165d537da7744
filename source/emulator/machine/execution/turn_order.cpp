#include "emulator/machine/execution/turn_order.h"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <string>

#include "base/log.h"
#include "base/settings.h"

namespace zetl::emulator::machine {
namespace {

/// SplitMix64's last step: each bit of the result depends on all bits of the number.
std::uint64_t mixed(std::uint64_t number) noexcept {
    number = (number ^ (number >> 30)) * 0xbf58476d1ce4e5b9;
    number = (number ^ (number >> 27)) * 0x94d049bb133111eb;
    return number ^ (number >> 31);
}

constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15;  // 2^64 by the golden ratio: keeps neighbours apart
constexpr std::uint64_t kGroups = 0;                   // the decision about the groups' order

std::optional<std::uint64_t> asSeed(const std::string& text) noexcept {
    std::uint64_t seed = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
    if (error != std::errc() || end != text.data() + text.size()) return {};
    return seed;
}

}  // namespace

TurnOrder TurnOrder::configured() {
    TurnOrder order;
    const auto text = settings::text(settings::kEmulatorOrder);
    if (!text || *text == "first") return order;
    order.lastFirst_ = *text == "last";
    if (order.lastFirst_) return order;
    order.seed_ = asSeed(*text);
    if (!order.seed_)
        log::warn(log::Channel::emulator,
                  "{}={}: not an order of groups; write first, last, or a number from 0 to 2^64 - 1",
                  settings::kEmulatorOrder, *text);
    return order;
}

std::uint64_t TurnOrder::draw(std::uint64_t launch, std::uint64_t decision) const noexcept {
    return mixed(mixed(mixed(seed_.value_or(0) + kGolden) + launch * kGolden) + decision * kGolden);
}

std::uint64_t TurnOrder::group(std::uint64_t launch, std::uint64_t index, std::uint64_t total) const noexcept {
    return Permutation(draw(launch, kGroups), total)[index];
}

Permutation::Permutation(std::uint64_t drawn, std::uint64_t count) noexcept
    : count_(std::max<std::uint64_t>(count, 1)), step_(mixed(drawn) % count_), start_(drawn % count_) {
    // A step that has no divisor in common with the count meets every number.
    while (std::gcd(step_, count_) != 1) step_ = (step_ + 1) % count_;
}

std::uint64_t Permutation::operator[](std::uint64_t index) const noexcept {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>((Wide{start_} + Wide{index} * step_) % count_);
}

}  // namespace zetl::emulator::machine
