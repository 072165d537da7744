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
    /// Counts the run that ends with the step, but does not set where the next one begins.
    void count(const Step& m);
    /// The next run begins there.
    void enterAt(Line line);

  private:
    void addCharge(Line end);

    WorkSharing& common_;
    std::optional<Line> entered_;
};

}  // namespace zetl::emulator::translate
