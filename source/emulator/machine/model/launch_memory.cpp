#include "emulator/machine/model/launch_memory.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <iterator>
#include <utility>

#include "emulator/machine/code/loaded_program.h"
#include "emulator/machine/code_heap.h"
#include "emulator/machine/model/sample_error.h"
#include "emulator/machine/model/share.h"

namespace zetl::emulator::machine {

void addTo(StallsByAddress& sum, const StallsByAddress& part) {
    for (const auto& [address, cycles] : part) {
        StallCycles& all = sum[address];
        std::ranges::transform(all, cycles, all.begin(), std::plus<>());
    }
}

LaunchKey::LaunchKey(const Launch& launch)
    : program(launch.code->program()),
      entry(launch.kernelOffset + launch.entryOffset),
      grid{launch.groupSize, launch.groupCount, launch.firstGroup},
      slmBytes(launch.slmBytes),
      stateHeap(launch.stateHeap),
      arguments(launch.indirect) {
    std::ranges::copy(launch.inlineData, std::back_inserter(arguments));
}

bool LaunchMemory::isTooInexact(const LaunchFindings& findings) const noexcept {
    constexpr std::uint64_t kWhole = 100;
    const Counts& counts = findings.counts;
    return percent_ && counts[Counter::workCyclesError] > share(counts[Counter::workCycles], *percent_, kWhole);
}

bool LaunchMemory::acceptsSamples() const noexcept { return !percent_ || *percent_ > SampleError::kAlways; }

LaunchMemory::Advice LaunchMemory::recall(const LaunchKey& key) {
    const Lock guard(mutex_);
    if (kinds_.size() >= kMost && !kinds_.contains(key)) kinds_.clear();
    Kind& kind = kinds_[key];
    if (kind.program.expired()) {  // another one may be at its address
        kind = Kind();
        kind.program = key.program->weak_from_this();
        if (!acceptsSamples()) kind.advice.detail = ModelDetail::full;
    }
    if (kind.advice.known && isTooInexact(*kind.advice.known)) {
        kind.advice = {nullptr, ModelDetail::full};
        kind.afterSample = true;
    }
    if (std::has_single_bit(++kind.launches)) return {nullptr, kind.advice.detail};
    return kind.advice;
}

void LaunchMemory::learn(const LaunchKey& key, LaunchFindings findings) {
    auto last = std::make_shared<const LaunchFindings>(std::move(findings));
    const Lock guard(mutex_);
    const auto kind = kinds_.find(key);
    if (kind == kinds_.end() || std::exchange(kind->second.afterSample, false)) return;
    kind->second.advice.known = std::move(last);
}

void LaunchMemory::forget(const LaunchKey& key) noexcept {
    const Lock guard(mutex_);
    const auto kind = kinds_.find(key);
    if (kind != kinds_.end()) kind->second.advice.known.reset();
}

void LaunchMemory::clear() noexcept {
    const Lock guard(mutex_);
    kinds_.clear();
}

}  // namespace zetl::emulator::machine
