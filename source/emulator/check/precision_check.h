// Finds float results that differ from those of double precision: beside each float that a thread computes, the same
// is computed in double precision, of the double precision operands.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "base/mutex.h"
#include "check/finding.h"
#include "emulator/check/findings.h"
#include "emulator/check/init_program.h"
#include "emulator/check/observations.h"
#include "emulator/check/version.h"
#include "emulator/machine/execution/program_observers.h"
#include "emulator/machine/machine.h"

namespace zetl::emulator::machine {
struct HardwareThread;
}  // namespace zetl::emulator::machine

namespace zetl::emulator::check {

/// A float, and what it would be in double precision. As long as the float is where it was computed, that holds.
struct PreciseFloat {
    std::uint32_t bits = 0;
    isa::Line born = isa::kNoLine;  ///< where the two began to differ by too much
    double value = 0;
};

/// The double precision values of a program's floats, of which each line may make some.
struct PrecisionProgram {
    explicit PrecisionProgram(const isa::Program& program);

    enum class What : std::uint8_t { nothing, computes, loads, stores };
    struct Line {
        What what = What::nothing;
        bool follows = false;  ///< the line before has a result that is looked at here
        std::uint32_t message = 0;
    };
    struct Message {
        isa::AccessPlan plan;
        MessageData data;
    };
    std::vector<Line> lines;
    std::vector<Message> messages;
};

/// One for a machine, as long as that lives. Thread-safe.
///
/// Known limits: divisions and square roots that are exactly rounded, products of matrices, halves and conversions from
/// doubles begin anew; so do floats in memory that many others were stored behind.
class PrecisionCheck final : public machine::ProgramObserver {
  public:
    /// Results that differ by more than this part of the double precision one are reported when they are stored.
    PrecisionCheck(machine::Machine& machine, double most);

    std::vector<bool> linesOf(const machine::LoadedProgram& loaded) const override;
    void beforeLine(isa::Thread& thread, isa::Line line) noexcept override;

    /// What was found in a launch, or in its part on one tile, that has ended.
    std::vector<zetl::check::Finding> take(const machine::Dispatch& dispatch, const SourceOf& source);
    std::uint64_t takeLost() noexcept { return observations_.takeLost(); }

    static constexpr double kUsualMost = 1e-3;

  private:
    static constexpr std::uint32_t kLanes = 32;
    struct ThreadState {
        std::uint64_t launch = 0;
        std::uint64_t group = 0;
        std::uint32_t index = ~0u;
        std::vector<PreciseFloat> registers;  ///< by dwords of the registers, and of the accumulators behind them
        // The line whose result comes next.
        isa::Line line = isa::kNoLine;
        std::uint32_t lanes = 0;
        std::array<PreciseFloat, kLanes> results;
        isa::MemoryAccess access;
    };
    struct Line;
    const PrecisionProgram& programOf(const machine::LoadedProgram& loaded) const;
    ThreadState& stateOf(const machine::HardwareThread& thread);
    PreciseFloat sourceOf(const Line& line, const isa::Operand& operand, std::uint32_t lane) const noexcept;
    void compute(const Line& line);
    void settle(const Line& line);
    template <class F>
    void eachStored(const Line& line, const PrecisionProgram::Message& message, const isa::MemoryAccess& access, F&& f)
        ZETL_REQUIRES(storing_);
    void store(const Line& line);
    void loaded(const Line& line, const PrecisionProgram::Message& message);
    bool isFar(const PreciseFloat& one) const noexcept;
    void report(const Line& line, isa::Line born, std::uint32_t lane);

    /// Where a float lies that lanes of any thread of a group, or of any group, find again.
    static std::uint64_t keyOf(const Line& line, isa::MemorySpace space, std::uint64_t address) noexcept;
    static constexpr std::size_t kMost = std::size_t{1} << 20;  // floats in memory, by their keys
    struct Stored {
        std::uint64_t key = ~std::uint64_t{0};
        PreciseFloat precise;
    };

    const machine::Memory& memory_;
    const double most_;
    const std::uint64_t version_ = nextVersion();  // of what threads remember of this object
    Observations observations_;
    mutable Mutex mutex_;
    struct Known {
        std::shared_ptr<const machine::LoadedProgram> keep;
        std::unique_ptr<const PrecisionProgram> program;
    };
    mutable std::map<const machine::LoadedProgram*, Known> programs_ ZETL_GUARDED_BY(mutex_);
    std::map<const machine::HardwareThread*, std::unique_ptr<ThreadState>> threads_ ZETL_GUARDED_BY(mutex_);
    Mutex storing_;
    std::vector<Stored> stored_ ZETL_GUARDED_BY(storing_);  // in the place of an older one with a key like it
    std::vector<std::shared_ptr<void>> holds_;              // last: devices report to a whole object
};

}  // namespace zetl::emulator::check
