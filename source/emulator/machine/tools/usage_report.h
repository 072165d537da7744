// Which opcodes and messages a run executed, and how faithfully: shows what a result on the emulator is worth.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "emulator/isa/instruction_set.h"
#include "emulator/machine/tools/tally.h"
#include "isa/xe/opcodes.h"

namespace zetl::emulator::machine {

/// Not thread-safe.
class UsageReport {
  public:
    void add(const Tally::LineCounts& counts);
    /// Logs at level info, one line per opcode, least exact first; nothing if nothing was added.
    void write() const;

  private:
    struct Entry {
        isa::Exactness exactness = isa::Exactness::exact;
        std::uint64_t executed = 0;
    };
    std::map<std::string, Entry> entries_;
};

}  // namespace zetl::emulator::machine
