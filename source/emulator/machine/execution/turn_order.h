// The order in which the groups of a launch begin and go on, and the threads of a group.
#pragma once

#include <cstdint>
#include <optional>

namespace zetl::emulator::machine {

/// Of all launches of a machine. A seed decides every turn of a launch by numbers of its own, drawn from the seed and
/// from where the launch is, never from time: one worker then gives the same turns in each run of a program.
class TurnOrder {
  public:
    /// ZETL_EMULATOR_ORDER: first, last or a seed.
    static TurnOrder configured();

    bool isShuffled() const noexcept { return seed_.has_value(); }
    bool isLastFirst() const noexcept { return lastFirst_; }

    /// Groups of a launch that begin before one of them has to wait for another.
    static constexpr std::uint32_t kGroupsAtOnce = 8;

    /// A number for one decision of a launch; `launch` is its number in the machine. Needs a seed.
    std::uint64_t draw(std::uint64_t launch, std::uint64_t decision) const noexcept;
    /// The group that begins as number `index` of `total`; each begins once. Needs a seed.
    std::uint64_t group(std::uint64_t launch, std::uint64_t index, std::uint64_t total) const noexcept;

  private:
    std::optional<std::uint64_t> seed_;
    bool lastFirst_ = false;
};

/// Numbers below `count`, each once, in an order that `drawn` decides.
class Permutation {
  public:
    Permutation(std::uint64_t drawn, std::uint64_t count) noexcept;
    std::uint64_t operator[](std::uint64_t index) const noexcept;

  private:
    std::uint64_t count_;
    std::uint64_t step_;
    std::uint64_t start_;
};

}  // namespace zetl::emulator::machine
