// `zetl diff`: one program on several devices, with several compilers and schedules.
#include "comparison/diff.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "commands/commands.h"
#include "commands/options.h"
#include "text/byte_count.h"
#include "text/usage_error.h"

namespace zetl::command {
namespace {

constexpr char kSeparator = ',';

/// What varies from run to run.
void addWays(CLI::App& command, DiffOptions& options) {
    command
        .add_option("--device", options.devices,
                    "Emulated devices, separated by commas; runs on the first are the reference")
        ->delimiter(kSeparator)
        ->allow_extra_args(false);
    command
        .add_option("--compiler", options.compilers,
                    "Compilers for them, separated by commas: newest, system, or a directory")
        ->delimiter(kSeparator)
        ->allow_extra_args(false);
    command
        .add_option("--schedule", options.schedules,
                    "Ways to execute kernels, separated by commas: " + scheduleNames() +
                        ", and numbers that choose shuffled ones (default: all the names, unless several "
                        "devices or compilers are given)")
        ->delimiter(kSeparator)
        ->allow_extra_args(false);
    command.add_flag("--opencl", options.opencl,
                     "Also compute each launch of the reference by the host's OpenCL (such as PoCL), from the memory "
                     "that it began with");
}

}  // namespace

void addDiff(CLI::App& app, const Invocation& call) {
    auto* command = app.add_subcommand(
        "diff", "Run a program in several ways on the emulated GPU and find the first launch whose results differ");
    auto options = std::make_shared<DiffOptions>();
    auto limit = std::make_shared<std::string>("1G");
    addWays(*command, *options);
    command
        ->add_option("--ulps", options->ulps,
                     "Floating-point numbers that are at most so many units in the last place apart are the same")
        ->check(CLI::Range(0.0, 1e15));
    command->add_option("--limit", *limit, "Keep at most so many bytes of each process's memory")->default_str(*limit);
    command->add_option("--recording", options->directory, "Keep what the runs left in this directory");
    addReports(*command, options->reports, "the runs");
    command->prefix_command();
    command->callback([=] {
        options->program = programOf(*command, call.line);
        const auto bytes = byteCount(*limit);
        if (!bytes) throw UsageError(fmt::format("--limit {}: not a number of bytes, such as 64M", *limit));
        options->limit = *bytes;
        call.code = diffProgram(call.installation, *options);
    });
}

}  // namespace zetl::command
