// An observer that keeps all that lines can read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "emulator/isa/observe.h"
#include "emulator/isa/thread.h"

namespace zetl::test {

/// Lines as they are about to execute, one after the other, with the execution mask and all registers.
class Witness : public emulator::isa::LineObserver {
  public:
    void beforeLine(emulator::isa::Thread& thread, emulator::isa::Line line) noexcept override {
        lines.push_back(line);
        masks.push_back(thread.active);
        registers.insert(registers.end(), thread.state, thread.state + emulator::isa::layout::kArchitectureEnd);
    }
    std::vector<emulator::isa::Line> lines;
    std::vector<std::uint32_t> masks;
    std::vector<std::byte> registers;
};

}  // namespace zetl::test
