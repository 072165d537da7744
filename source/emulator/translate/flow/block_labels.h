// The labels of blocks, by body and line.
#pragma once

#include <map>
#include <utility>

#include "emulator/translate/held/part.h"

namespace zetl::emulator::translate {

class BlockLabels : Part {
  public:
    explicit BlockLabels(HostCode& host) : Part(host) {}

    Label of(std::uint8_t body, Line line);
    const Step* stepAt(std::uint8_t body, Line line) const;
    /// Where blocks were not emitted, threads leave host code.
    void bindOthers();

  private:
    std::map<std::pair<std::uint8_t, std::uint32_t>, Label> labels_;
};

}  // namespace zetl::emulator::translate
