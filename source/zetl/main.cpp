// The zetl command: parses the command line and calls the command.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>

#include "commands/commands.h"
#include "commands/commit.h"
#include "commands/help.h"
#include "files/standard_streams.h"
#include "text/usage_error.h"

namespace {

using namespace zetl::command;

constexpr int kUsage = 2;
constexpr int kFailure = 1;

std::string versionText() {
    const std::string commit = kCommit;
    return commit.empty() ? "zetl " ZETL_VERSION : fmt::format("zetl " ZETL_VERSION " (commit {})", commit);
}

int runCommand(int argc, char** argv) try {
    CLI::App app("Run, trace, measure, debug and check Level Zero programs", "zetl");
    app.require_subcommand(0, 1);  // the words after a command are its own, also if they are named like another
    app.set_version_flag("--version", versionText(), "Show zetl's version and the commit it was built from");
    int code = 0;
    CommandLine line(argc, argv);
    const auto installation = Installation::find();
    addCommands(app, {installation, line, code});
    addHelp(app);
    requireCommand(app, line);
    try {
        app.parse(line.ours);
    } catch (const CLI::ParseError& refusal) {
        if (refusal.get_exit_code() == 0) return app.exit(refusal);
        throw UsageError(refusalText(app, refusal));
    }
    return code;
} catch (const UsageError& refusal) {
    std::fprintf(stderr, "zetl: %s\n", refusal.what());
    return kUsage;
} catch (const std::exception& failure) {
    if (isReaderGone(failure)) return kReaderGone;
    std::fprintf(stderr, "zetl: %s\n", failure.what());
    return kFailure;
}

}  // namespace

int main(int argc, char** argv) {
    prepareStandardStreams();
    return finishStandardOutput(runCommand(argc, argv));
}
