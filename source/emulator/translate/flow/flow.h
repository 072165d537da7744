// Branches whose targets are in the instruction, and the end of threads.
#pragma once

#include "emulator/translate/flow/barrier.h"

namespace zetl::emulator::translate {

class Flow : Part {
  public:
    /// `whole`: the body for full lanes that is emitted beside the masked one; 0 if there is none.
    Flow(HostCode& host, BlockLabels& labels, FloatMode& mode, Parking& parking, Runs& runs, Barrier& barrier,
         std::uint8_t whole)
        : Part(host), labels_(labels), mode_(mode), parking_(parking), runs_(runs), barrier_(barrier), whole_(whole) {}

    /// A branch without mask may turn on lanes outside the call mask.
    void expectLanesOutside() { mayLeaveCallMask_ = true; }
    /// Emits a step of isa/flow.h; returns false if it must be called.
    bool emit(const Step& m);
    /// Whether threads may come from the line to the next one without a branch.
    bool mayGoOn(Line line) const;

  private:
    bool branch(const Step& m, Family family);
    bool jump(const Step& m);
    bool endThread(const Step& m);
    void pauseIfOver(Line some, Line none);
    void pause();
    void goToMasked(Line line);
    void goTo(const Step& m, Line line, bool sameLanes);
    void dispatch(Line line, bool sameLanes);
    void goByLanes(const Step& m, Line some, Line none);
    void goOn(const Step& m);
    void goOnWith(const Step& m, const Gp& lanes);
    void split(const Step& m, const Gp& on, const Gp& taken);
    void forkTogether(const Step& m);
    void goAllToJoin(const Step& m);
    static bool agrees(const Step& m);
    void fork(const Step& m);
    void forkBackward(const Step& m);
    void join(const Step& m);
    void branchIf(const Step& m);
    void branchElse(const Step& m);
    void loopWhile(const Step& m);

    BlockLabels& labels_;
    FloatMode& mode_;
    Parking& parking_;
    Runs& runs_;
    Barrier& barrier_;
    const std::uint8_t whole_;
    Line next_ = isa::kNoLine;  ///< the line that is emitted behind the branch
    bool mayLeaveCallMask_ = false;
};

}  // namespace zetl::emulator::translate
