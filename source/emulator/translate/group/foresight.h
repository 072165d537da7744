// What code that foresees accesses writes down of a thread.
#pragma once

#include <cstdint>
#include <vector>

#include "emulator/isa/observe.h"
#include "emulator/translate/held/part.h"

namespace zetl::emulator::translate {

/// From what addresses may follow.
enum class Foresees : std::uint8_t {
    ids,    ///< from ids and arguments
    loaded  ///< also from what threads load
};

class Foresight : Part {
  public:
    /// Where the next thread's addresses go is in that place.
    Foresight(HostCode& host, Foresees what, const Mem& at) : Part(host), what_(what), at_(at) {}

    bool loads() const noexcept { return what_ == Foresees::loaded; }
    const std::vector<isa::PlannedAccess>& accesses() const noexcept { return accesses_; }
    /// All lanes together access bytes from the address in rcx on.
    void noteRun(isa::Line line, std::uint32_t bytes);
    /// Each lane accesses bytes at an address of its own.
    void noteLanes(isa::Line line, std::uint32_t bytes, const std::vector<asmjit::x86::Zmm>& addresses);
    /// The thread is done.
    void goOn();

  private:
    std::int32_t next() const noexcept;
    void add(const isa::PlannedAccess& access);

    const Foresees what_;
    const Mem at_;
    std::vector<isa::PlannedAccess> accesses_;
    std::uint32_t addresses_ = 0;  // of a thread
};

}  // namespace zetl::emulator::translate
