// What a native binary has in it, for people and for programs.
#pragma once

#include <string>

namespace zetl::command {

struct BinaryView {
    std::string file;
    std::string name;    ///< of the file, for people
    std::string kernel;  ///< only this one; empty: all
    bool json = false;
    bool colours = false;
    bool source = true;  ///< source lines between the instructions
    bool iga = false;    ///< in the words of Intel's disassembler
};

/// Kernels and what they need, a row each. Returns an exit code: 1 if the file cannot be read, with a line on standard
/// error.
int showKernels(const BinaryView& view);

/// Machine code with the source lines it came from; exit codes as above, 1 too if there is no such kernel.
int showCode(const BinaryView& view);

}  // namespace zetl::command
