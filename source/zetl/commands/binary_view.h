// Shows the content of a native binary, for people and for programs.
#pragma once

#include <string>
#include <vector>

namespace zetl::command {

struct BinaryView {
    std::string file;
    std::string name;    ///< of the file, for people
    std::string kernel;  ///< show only this one; empty: all
    bool json = false;
    bool colours = false;
    bool source = true;                         ///< source lines between the instructions
    bool iga = false;                           ///< use Intel's disassembler
    bool follows = false;                       ///< something was shown before, so print a blank line first
    std::vector<std::string>* known = nullptr;  ///< receives the names of the kernels if the binary lacks `kernel`
};

enum class Shown {
    all,         ///< everything was shown
    noKernel,    ///< the binary has none of that name
    unreadable,  ///< with a line on standard error that says why
};
using Show = Shown (*)(const BinaryView&);

/// One row per kernel with the resources it needs.
Shown showKernels(const BinaryView& view);

/// Machine code with the source lines it came from.
Shown showCode(const BinaryView& view);

/// Shows one file with `show`. Returns the exit code: 1, with a line on standard error, if not all was shown.
int showFile(BinaryView view, Show show);

}  // namespace zetl::command
