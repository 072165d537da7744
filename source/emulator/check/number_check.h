// Finds where numbers go wrong: where a NaN, an infinity or a denormal number is born of operands that are none, where
// a number is converted to an integer that cannot hold it, and where an integer is divided by zero. What is passed on
// is not told again.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <thread>
#include <vector>

#include "base/mutex.h"
#include "check/finding.h"
#include "emulator/check/findings.h"
#include "emulator/check/number_program.h"
#include "emulator/check/observations.h"
#include "emulator/check/version.h"
#include "emulator/machine/execution/program_observers.h"
#include "emulator/machine/machine.h"

namespace zetl::emulator::check {

/// One for a machine, as long as that lives. Thread-safe.
///
/// Known limits: products of matrices, and the macros of exact divisions and square roots, are not looked at; a result
/// is missed if the thread's turn ends right behind it. A program's own `x == 0 ? -1 : y / x` looks like the compiler's
/// division.
class NumberCheck final : public machine::ProgramObserver {
  public:
    explicit NumberCheck(machine::Machine& machine);
    ~NumberCheck() override;

    std::vector<bool> linesOf(const machine::LoadedProgram& loaded) const override;
    void beforeLine(isa::Thread& thread, isa::Line line) noexcept override;

    /// What was found in a launch, or in its part on one tile, that has ended.
    std::vector<zetl::check::Finding> take(const machine::Dispatch& dispatch, const SourceOf& source);
    std::uint64_t takeLost() noexcept { return observations_.takeLost(); }

  private:
    struct Pending;
    Pending& pendingOfThread();
    void lookAtIntegers(const isa::Thread& thread, isa::Line line, const NumberProgram::Line& what,
                        std::uint32_t lanes);
    void lookAtConversion(const isa::Thread& thread, isa::Line line, std::uint32_t lanes);
    void lookAtResult(isa::Thread& thread, isa::Line line, Pending& pending);
    void report(const isa::Thread& thread, isa::Line line, zetl::check::Kind kind, std::uint32_t lane);

    const machine::Memory& memory_;
    const std::uint64_t version_ = nextVersion();  // of what threads remember of this object
    mutable NumberPrograms programs_;
    Observations observations_;
    Mutex mutex_;
    std::map<std::thread::id, std::unique_ptr<Pending>> pending_ ZETL_GUARDED_BY(mutex_);
    std::vector<std::shared_ptr<void>> holds_;  // last: devices report to a whole object
};

}  // namespace zetl::emulator::check
