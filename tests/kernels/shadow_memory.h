// Copies of the memory that a thread reaches, by pages that are copied when it first asks for them: what a run that is
// only looked at may write to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "emulator/isa/environment.h"

namespace zetl::kernels {

class ShadowMemory : public emulator::isa::Environment {
  public:
    ~ShadowMemory() override;

    /// A run of a thread of that machine begins; nothing is copied yet.
    void begin(emulator::isa::Environment& machine);
    /// Whether the run did nothing that is not the same when it is done again: asked for the time, left its program.
    bool repeatable() const noexcept { return repeatable_; }
    /// The first byte that differs from the machine's memory, in words; empty if there is none.
    std::string difference() const;

    bool findMemory(emulator::isa::Thread& thread, std::uint64_t address, std::uint64_t bytes, bool write,
                    emulator::isa::MemoryWindow& window) noexcept override;
    void signalBarrier(emulator::isa::Thread&, const emulator::isa::BarrierSignal&) noexcept override {}
    const emulator::isa::Program* findProgram(emulator::isa::Thread&, std::uint32_t) noexcept override;
    std::uint64_t timestamp() noexcept override;

  private:
    struct Range {
        emulator::isa::MemoryWindow window;
        std::byte* copy;
        std::set<std::uint64_t> pages;  ///< copied in this run, by number from the range's beginning
    };
    Range& rangeOf(const emulator::isa::MemoryWindow& window);

    emulator::isa::Environment* machine_ = nullptr;
    bool repeatable_ = true;
    std::map<std::uint64_t, Range> ranges_;  // by first address
};

}  // namespace zetl::kernels
