// The lines of a program at which numbers can go wrong: floating-point arithmetic, and divisions of integers.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "base/mutex.h"
#include "emulator/machine/code/loaded_program.h"
#include "isa/xe/instruction.h"

namespace zetl::emulator::check {

/// Immutable.
struct NumberProgram {
    explicit NumberProgram(const isa::Program& program);

    struct Line {
        bool computes = false;         ///< floating-point numbers: its result is looked at when the next line begins
        bool follows = false;          ///< the line before computes
        bool converts = false;         ///< floating-point numbers to integers
        bool guards = false;           ///< branches for the lanes whose integer division has a divisor of zero
        bool passes = false;           ///< branches for the other lanes
        bool inverts = false;          ///< the divisor of an integer division, as a number that shall not be zero
        bool indexes = false;          ///< computes an index with signed numbers
        bool replacesSources = false;  ///< of a line that computes: its result may replace what a source was
        bool ofIntegers() const noexcept { return guards || passes || inverts || indexes; }
    };
    std::vector<Line> lines;
    /// What a ProgramObserver says of it.
    std::vector<bool> watched;
};

/// Programs that were looked at, kept as CheckedPrograms keeps them. Thread-safe.
class NumberPrograms {
  public:
    const NumberProgram& of(const machine::LoadedProgram& loaded);

  private:
    struct Known {
        std::shared_ptr<const machine::LoadedProgram> keep;
        std::unique_ptr<const NumberProgram> program;
    };
    Mutex mutex_;
    std::map<const machine::LoadedProgram*, Known> known_ ZETL_GUARDED_BY(mutex_);
};

}  // namespace zetl::emulator::check
