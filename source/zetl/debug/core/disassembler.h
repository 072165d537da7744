// Instructions as text, by Intel's own disassembler if it is installed.
#pragma once

#include <memory>
#include <string>

#include "core/instruction.h"

namespace zetl::debugger {

class Disassembler {
  public:
    Disassembler();
    ~Disassembler();

    /// The instruction; its words, if libiga64 is missing or does not know it.
    std::string text(const Instruction& instruction) const;

  private:
    struct Library;
    std::unique_ptr<Library> library_;
};

}  // namespace zetl::debugger
