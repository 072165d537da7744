// What a native binary has in it, for people and for programs.
#pragma once

#include <string>
#include <vector>

namespace zetl::command {

struct BinaryView {
    std::string file;
    std::string name;    ///< of the file, for people
    std::string kernel;  ///< only this one; empty: all
    bool json = false;
    bool colours = false;
    bool source = true;                         ///< source lines between the instructions
    bool iga = false;                           ///< in the words of Intel's disassembler
    bool follows = false;                       ///< something was shown before: a blank line divides them
    std::vector<std::string>* known = nullptr;  ///< gets the names of the kernels of a binary that has not `kernel`
};

enum class Shown {
    all,         ///< of what was asked for
    noKernel,    ///< the binary has none of that name
    unreadable,  ///< with a line on standard error that says why
};
using Show = Shown (*)(const BinaryView&);

/// Kernels and what they need, a row each.
Shown showKernels(const BinaryView& view);

/// Machine code with the source lines it came from.
Shown showCode(const BinaryView& view);

/// One file by `show`. Returns an exit code: 1 if not all was shown, with a line on standard error.
int showFile(BinaryView view, Show show);

}  // namespace zetl::command
