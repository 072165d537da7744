// `zetl coverage`: which lines of a program's kernels were executed.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "commands/commands.h"
#include "commands/options.h"
#include "coverage/coverage_program.h"
#include "run/emulated_device.h"
#include "text/usage_error.h"

namespace zetl::command {

void addCoverage(CLI::App& app, const Invocation& call) {
    auto* command = app.add_subcommand(
        "coverage", "Run a program on the emulated GPU and write which lines of its kernels were executed");
    auto choice = std::make_shared<Choice>();
    choice->emulated = true;
    auto options = std::make_shared<CoverageOptions>();
    auto by = std::make_shared<std::string>("source");
    command
        ->add_option("-o,--output", options->output, "Write the coverage to this LCOV trace file (-: standard output)")
        ->capture_default_str();
    addTableOptions(*command, options->tables, "the table of kernels");
    command->add_flag("--append", options->append, "Add to what the file holds instead of replacing it");
    command->add_option("--html", options->html, "Also write pages into this directory, by genhtml if there is one");
    command->add_option("--by", *by, "Merge all kernels by source, or keep each kernel as a test: source or kernel")
        ->capture_default_str();
    command->add_option("--kernels", options->kernels, "Count only kernels that match these patterns");
    command->add_option("--sources", options->sources, "Count only lines of source files that match these patterns");
    command
        ->add_option("--fail-under", options->failUnder,
                     "Exit with 99 if fewer than so many per cent of the lines were executed")
        ->check(CLI::Range(0.0, 100.0));
    addDeviceOptions(*command, *choice);
    addSchedule(*command, *choice);
    command->prefix_command();
    command->callback([=] {
        options->program = programOf(*command, call.line);
        if (*by != "source" && *by != "kernel") throw UsageError(fmt::format("--by {}: write source or kernel", *by));
        options->byKernel = *by == "kernel";
        requireDevice(call.installation, *choice);
        call.code = coverProgram(call.installation, *choice, *options);
    });
}

}  // namespace zetl::command
