// Emits the bodies of a program, line by line, and the functions by which threads enter them.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <vector>

#include "emulator/translate/flow/barrier.h"
#include "emulator/translate/flow/common_work.h"
#include "emulator/translate/flow/families.h"
#include "emulator/translate/flow/flow.h"
#include "emulator/translate/flow/report.h"
#include "emulator/translate/lanes/fused.h"
#include "emulator/translate/lanes/single.h"
#include "emulator/translate/plan/flag_logic.h"
#include "emulator/translate/plan/last_uses.h"

namespace zetl::emulator::translate {

/// How much of the translated code is host code, in steps.
struct Shares {
    std::uint32_t lines = 0;
    std::uint32_t native = 0;                       ///< steps
    std::uint32_t called = 0;                       ///< steps whose handler is called
    std::map<isa::Opcode, std::uint32_t> calledBy;  ///< the same by instruction
    std::vector<bool> calling;                      ///< lines with such steps, in any version
};

class Blocks : Part {
  public:
    struct Entry {
        std::uint8_t body;
        std::uint32_t step;
        Label label;
    };
    /// Where the code of each line begins.
    struct LineStart {
        std::uint64_t offset;
        isa::Line line;
    };

    /// `whole`: the body for full lanes that will be emitted beside the masked one; 0 if there is none. `reported`:
    /// lines that the code reports.
    Blocks(HostCode& host, std::uint8_t whole, std::span<const isa::Reported> reported);

    /// Threads begin at this line. `setsMode`: they set the floating-point mode before they compute with it.
    void startAt(Line line, bool setsMode);
    /// Makes threads of a group take this part over from each other, in the body for full lanes. Call it behind
    /// startAt() and before the first body.
    void share(std::optional<CommonPart> part);
    /// Registers are lost that nobody reads any more, and parts of lanes that are off. Call it before the first body.
    void loseUnread(const Survey& survey);
    /// Emits all blocks of a body.
    void emitBody(std::uint8_t body, const Survey& survey);
    /// Call it after the last body: emits seldom-used code, jumps to targets outside of the emitted code, and entries.
    void finish();

    const std::vector<Entry>& entries() const noexcept { return entries_; }
    /// In the order of the code.
    const std::vector<LineStart>& lines() const noexcept { return lines_; }
    const Shares& shares() const noexcept { return shares_; }

  private:
    void endBlock(Line next);
    void beginBlock(Line line, std::uint32_t first, const Survey& survey);
    void emitLine(Line line, const Survey& survey);
    void planLine(Line line);
    bool emitFlagLogic(Line line, std::span<const Step> steps);
    void loseRegisters(Line line);
    std::uint32_t emitSteps(std::span<const Step> rest, bool begins);
    void emitStep(const Step& m);
    void callStep(const Step& m);
    bool isEnteredCounted(Line line) const;
    void noteWrittenFlags(std::span<const Step> steps);
    void emitEntries();

    const std::uint8_t whole_;
    Families families_;
    CurrentProduct product_;
    Singles singles_;
    Fused fused_;
    BlockLabels labels_;
    FloatMode mode_;
    Parking parking_;
    WorkSharing common_;
    Runs runs_;
    Barrier barrier_;
    Flow flow_;
    Reporting report_;
    Line entry_ = 0;
    LastUses lastUses_;      ///< of the block
    FlagLogics flagLogics_;  ///< of the block
    std::optional<LiveRegisters> live_;
    std::vector<Meaning> wholeMeanings_;           ///< of the line, if it writes all lanes though some are off
    std::vector<const Meaning*> currentMeanings_;  ///< of its steps; none if they are those that lowering recorded
    std::vector<Entry> entries_;
    std::vector<LineStart> lines_;
    Shares shares_;
};

}  // namespace zetl::emulator::translate
