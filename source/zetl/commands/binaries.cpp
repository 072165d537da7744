// `zetl kernels` and `zetl disasm`.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "commands/binary_view.h"
#include "commands/commands.h"
#include "commands/options.h"
#include "commands/program_binaries.h"
#include "run/emulated_device.h"
#include "text/terminal.h"
#include "text/usage_error.h"

namespace zetl::command {
namespace {

/// A command that shows the native binary in a file or those of a program, with show(view). `output` is what it shows,
/// for its help.
CLI::App* addBinary(CLI::App& app, const char* name, const char* text, const Invocation& call, Show show,
                    const char* output, const std::shared_ptr<BinaryView>& view) {
    auto* command = app.add_subcommand(name, text);
    auto choice = std::make_shared<Choice>();
    command->add_option("FILE", view->file, "A native binary or a debug image")->check(CLI::ExistingFile);
    auto tables = std::make_shared<TableOptions>();
    addTableOptions(*command, *tables, output, output, JsonOption::flag);
    auto* emulated = command->add_flag("--emulated", choice->emulated, "Run the program on the emulated GPU");
    addDeviceOptions(*command, *choice, emulated);
    command->allow_extras();
    command->callback([=] {
        const auto terminal = Terminal::of(STDOUT_FILENO);
        view->colours = terminal.colours;
        view->width = terminal.width;
        view->name = view->file;
        if (!view->file.empty() || !call.line.divided) {
            requireNoMore(*command, call.line);
            if (view->file.empty())
                throw UsageError(fmt::format(
                    "{0}: no file or program was given; type zetl {0} FILE or zetl {0} -- PROGRAM [ARGS...]", name));
            ShownTexts texts(*tables);
            texts.connect(*view);
            call.code = showFile(*view, show);
            texts.write();
            return;
        }
        const auto program = programOf(*command, call.line);
        requireDevice(call.installation, *choice);
        ShownTexts texts(*tables);
        texts.connect(*view);
        call.code = showProgram(call.installation, *choice, program, *view, show);
        texts.write();
    });
    return command;
}

}  // namespace

void addKernels(CLI::App& app, const Invocation& call) {
    auto view = std::make_shared<BinaryView>();
    addBinary(app, "kernels", "List the kernels of a native binary or of a program, and what each needs", call,
              showKernels, "the table", view)
        ->add_flag("--mangled", view->mangled, "Show kernels' names as compilers make them");
}

void addDisasm(CLI::App& app, const Invocation& call) {
    auto view = std::make_shared<BinaryView>();
    auto* disasm =
        addBinary(app, "disasm", "Show the machine code of a native binary or of a program, with source lines", call,
                  showCode, "the listing", view);
    disasm->add_option("--kernel", view->kernel, "Show only this kernel");
    addNegation(*disasm, "--no-source", view->source, "Show machine code only, without source lines");
    disasm->add_flag("--iga", view->iga, "Use Intel's disassembler, which also shows scoreboard and messages");
}

}  // namespace zetl::command
