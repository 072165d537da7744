// The barrier that compilers use, number 0, by threads of a group that one host thread runs.
#pragma once

#include <optional>
#include <vector>

#include "emulator/translate/flow/block_labels.h"
#include "emulator/translate/flow/float_mode.h"
#include "emulator/translate/flow/runs.h"
#include "emulator/translate/held/parking.h"

namespace zetl::emulator::translate {

class Barrier : Part {
  public:
    Barrier(HostCode& host, BlockLabels& labels, FloatMode& mode, Parking& parking, Runs& runs)
        : Part(host), labels_(labels), mode_(mode), parking_(parking), runs_(runs) {}

    /// Threads begin at this line, in that body if all lanes are on (0: in none). `setsMode`: they set the
    /// floating-point mode before they compute with it.
    void startAt(Line line, bool setsMode, std::uint8_t whole);
    bool signal(const Step& m);
    bool wait(const Step& m);
    void followEnd();
    void emitBeginnings();
    /// Call it where threads enter that step of a body.
    void bindEntry(std::uint8_t body, std::uint32_t step);

  private:
    /// How threads begin in one of the bodies.
    struct Beginning {
        std::uint8_t body;
        Label entered;  ///< the function that threads enter
        Label goesOn;   ///< jumped to by threads that come from another thread
    };
    struct FirstLine {
        Line line;
        bool setsMode;
        std::vector<Beginning> beginnings;
    };
    void followWithNext(const Step& m, const Label& behind);
    void goOnWithAnother(const Label& otherwise);
    void beginAnother(const Label& going, const Label& otherwise);

    BlockLabels& labels_;
    FloatMode& mode_;
    Parking& parking_;
    Runs& runs_;
    std::optional<FirstLine> first_;
};

}  // namespace zetl::emulator::translate
