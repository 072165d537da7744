// Threads of a group, one after the other, as a function like GroupCode::Run.
#pragma once

#include <optional>
#include <vector>

#include "emulator/isa/observe.h"
#include "emulator/translate/flow/families.h"
#include "emulator/translate/flow/float_mode.h"
#include "emulator/translate/group/foresight.h"
#include "emulator/translate/group/held_lanes.h"
#include "emulator/translate/group/linear.h"
#include "emulator/translate/group/messages.h"
#include "emulator/translate/group/offsets.h"
#include "emulator/translate/group/planned_step.h"

namespace zetl::emulator::translate {

class GroupLoop : Part {
  public:
    explicit GroupLoop(HostCode& host)
        : Part(host),
          families_(host),
          mode_(host),
          messages_(host, families_.access, families_.lanes, families_.blocks) {}

    /// Emits them, by the body with their lanes. Returns false if a step is not known.
    bool emit(const GroupPlan& plan, std::uint8_t body);
    /// The same for threads that only say where they are going to access memory (GroupCode::foresee). Returns false
    /// if that follows from something else.
    bool emitForesight(const GroupPlan& plan, std::uint8_t body, Foresees what);
    const std::vector<isa::PlannedAccess>& foreseen() const noexcept { return foresight_->accesses(); }
    Label entry() const noexcept { return entry_; }
    /// Whether the code has a loop for threads whose addresses are single numbers.
    bool isLinear() const noexcept { return isLinear_; }

  private:
    bool emitPlanned(const GroupPlan::Line& line);
    void begin(std::uint8_t body);
    bool emitOnce(const GroupPlan& plan);
    bool emitLinearStep(HeldLanes& held, const PlannedStep& step, const isa::StateSlots& read);
    bool foreseeStep(HeldLanes& held, const PlannedStep& step);
    bool foreseeLanes(HeldLanes& held, const PlannedStep& step);
    void beginStep(const GroupPlan::Line& line, std::size_t step);
    void endLine();
    bool emitStep(const PlannedStep& step);
    void refuseTo(const Label& elsewhere);
    bool emitAny(const GroupPlan& plan, const Label& thread);
    /// The loop for threads whose ids run on; other threads go on at `otherwise`. Returns false if nothing is gained,
    /// and the loop must not be entered.
    std::optional<std::uint64_t> emitLinearBest(const GroupPlan& plan, const Label& otherwise);
    bool emitLinear(const GroupPlan& plan, const Label& otherwise, bool inMemoryOrder);
    bool emitOnVectors(HeldLanes& held, const PlannedStep& step);
    void takeWork();
    void saveRegisters(const GroupPlan& plan);
    void goToNextGroup(const Label& next);
    void tellWorkLeft();
    void countThreads(const GroupPlan& plan);

    Families families_;
    FloatMode mode_;
    GroupMessages messages_;
    // Seldom-used code of theirs is emitted behind the loop.
    std::optional<HeldLanes> held_;
    std::optional<LinearSteps> linear_;
    std::optional<OffsetSteps> offsets_;
    Label entry_;
    Label done_;  ///< jumped to when all threads of a group have ended
    Label exit_;
    Label refused_;  ///< jumped to for a thread that the code cannot execute
    bool isLinear_ = false;
    std::optional<Foresight> foresight_;
};

}  // namespace zetl::emulator::translate
