// Counts straight-line runs, and what they take of the thread's quantum.
#pragma once

#include <optional>

#include "emulator/translate/flow/common_work.h"

namespace zetl::emulator::translate {

class Runs : Part {
  public:
    Runs(HostCode& host, WorkSharing& common) : Part(host), common_(common) {}

    /// Where the run began that is emitted, if it is known.
    std::optional<Line> entered() const noexcept { return entered_; }
    void setEntered(std::optional<Line> line) { entered_ = line; }
    void count(const Step& m);
    void enterAt(Line line);

  private:
    void addCharge(Line end);

    WorkSharing& common_;
    std::optional<Line> entered_;
};

}  // namespace zetl::emulator::translate
