// What the model found about launches that a program repeats.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "base/mutex.h"
#include "emulator/machine/counters.h"
#include "emulator/machine/dispatch.h"
#include "emulator/machine/model_detail.h"
#include "emulator/machine/stalls.h"

namespace zetl::emulator::machine {

struct LoadedProgram;

/// By address of the instruction.
using StallsByAddress = std::map<std::uint64_t, StallCycles>;

void addTo(StallsByAddress& sum, const StallsByAddress& part);

/// The same kernel with the same grid and arguments.
struct LaunchKey {
    explicit LaunchKey(const Launch& launch);

    const LoadedProgram* program = nullptr;
    std::uint32_t entry = 0;
    std::array<Extent, 3> grid{};
    std::uint32_t slmBytes = 0;
    std::uint64_t stateHeap = 0;
    std::vector<std::byte> arguments;
    auto operator<=>(const LaunchKey&) const = default;  // NOLINT(modernize-use-nullptr)
};

/// The results of a launch that was modelled.
struct LaunchFindings {
    std::uint64_t instructions = 0;  ///< that it executed
    Counts counts;                   ///< the model's
    StallsByAddress stalls;
    std::uint64_t messages = 0;  ///< of the instructions
};

/// Most programs launch the same kernels again and again. The first two launches of a kind are modelled, the first of
/// which may find cold caches, and then the fourth, the eighth and so on; the others take the results of the last
/// modelled one. So what a launch counts follows from its number among those like it. If a sample states that its
/// cycles may be off by more than the user accepts, all groups of the next ones are modelled: of two at once, since
/// L3 holds only what samples brought when the first of them begins. Thread-safe.
class LaunchMemory {
  public:
    explicit LaunchMemory(std::optional<std::uint32_t> percent) noexcept : percent_(percent) {}

    struct Advice {
        std::shared_ptr<const LaunchFindings> known;  ///< what the launch may take over; null if it is to be modelled
        ModelDetail detail = ModelDetail::sampled;    ///< in this detail
    };
    /// Counts the launch. Throws bad_alloc.
    Advice recall(const LaunchKey& key);
    /// A launch of this kind was modelled. Throws bad_alloc.
    void learn(const LaunchKey& key, LaunchFindings findings);
    /// Launches of this kind differ: the next one is modelled.
    void forget(const LaunchKey& key) noexcept;
    void clear() noexcept;

  private:
    static constexpr std::size_t kMost = 512;  ///< kinds; beyond that it begins anew
    struct Kind {
        std::weak_ptr<const LoadedProgram> program;
        std::uint64_t launches = 0;
        Advice advice;             ///< for those that are not to be modelled
        bool afterSample = false;  ///< the next findings are of the first launch that is modelled in full
    };
    bool isTooInexact(const LaunchFindings& findings) const noexcept;
    bool acceptsSamples() const noexcept;

    const std::optional<std::uint32_t> percent_;
    Mutex mutex_;
    std::map<LaunchKey, Kind> kinds_ ZETL_GUARDED_BY(mutex_);
};

}  // namespace zetl::emulator::machine
