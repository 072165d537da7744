// Shows the content of a native binary, for people and for programs.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "files/table_outputs.h"

namespace zetl::command {

struct BinaryView {
    std::string file;
    std::string name;    ///< of the file, for people
    std::string kernel;  ///< show only this one; empty: all
    // what is shown goes to the ends of these; null: it is not wanted
    std::string* text = nullptr;
    std::string* json = nullptr;
    Table* table = nullptr;  ///< one row per kernel or instruction
    bool colours = false;
    bool mangled = false;  ///< show kernels' names as compilers make them
    std::size_t width = 120;
    bool source = true;                         ///< source lines between the instructions
    bool iga = false;                           ///< use Intel's disassembler
    bool follows = false;                       ///< something was shown before, so print a blank line first
    std::vector<std::string>* known = nullptr;  ///< receives the names of the kernels if the binary lacks `kernel`
};

/// What a command shows, until it is written.
class ShownTexts {
  public:
    explicit ShownTexts(const TableOptions& options) : outputs_(options) {}
    /// Lets the view add what the outputs want.
    void connect(BinaryView& view);
    void write();

  private:
    TableOutputs outputs_;
    std::string text_;
    std::string json_;
    Table table_;
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
