// The floating-point mode that cr0 asks for, as the host's.
#pragma once

#include "emulator/translate/held/part.h"

namespace zetl::emulator::translate {

class FloatMode : Part {
  public:
    explicit FloatMode(HostCode& host) : Part(host) {}

    /// A step that applies cr0. `sets`: sets the mode if it is another; otherwise the step does.
    bool apply(const Step& m, bool sets);
    void set(const Label& refused);
    void unlessSet(const Label& otherwise);

  private:
    void askedFor(const Label& otherwise);
};

}  // namespace zetl::emulator::translate
