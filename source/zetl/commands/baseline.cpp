// `zetl baseline`: what kernels cost, compared with an earlier run.
#include <CLI/CLI.hpp>
#include <memory>

#include "baseline/baseline_program.h"
#include "commands/commands.h"
#include "commands/options.h"
#include "run/emulated_device.h"

namespace zetl::command {
namespace {

struct Measured {
    Choice choice;
    BaselineOptions options;
};

std::shared_ptr<Measured> addMeasured(CLI::App& command, const char* file) {
    auto measured = std::make_shared<Measured>();
    measured->choice.emulated = true;
    measured->options.version = ZETL_VERSION;
    command.add_option("FILE", measured->options.file, file)->required();
    addDeviceOptions(command, measured->choice);
    command.prefix_command();
    return measured;
}

}  // namespace

void addBaseline(CLI::App& app, const Invocation& call) {
    auto* baseline =
        app.add_subcommand("baseline", "Compare what kernels cost on the emulated GPU with an earlier run");

    auto* save = baseline->add_subcommand("save", "Run a program and save what its kernels cost");
    const auto saved = addMeasured(*save, "File for the baseline");
    save->callback([=] {
        saved->options.program = programOf(*save, call.line);
        requireDevice(call.installation, saved->choice);
        call.code = saveBaseline(call.installation, saved->choice, saved->options);
    });

    auto* compare = baseline->add_subcommand("compare", "Run a program and compare what its kernels cost");
    const auto compared = addMeasured(*compare, "The baseline");
    compare
        ->add_option("--tolerance", compared->options.tolerance.counters,
                     "Changes of counters of at most so many per cent are none")
        ->check(CLI::Range(0.0, 1e6))
        ->default_str("0");
    compare
        ->add_option("--time-tolerance", compared->options.tolerance.time,
                     "Changes of the modelled time of at most so many per cent are none")
        ->check(CLI::Range(0.0, 1e6))
        ->default_str("0");
    compare->add_flag("--accept", compared->options.accept, "Write what the kernels cost now to the baseline");
    addReports(*compare, compared->options.reports, "the changes");
    compare->callback([=] {
        compared->options.program = programOf(*compare, call.line);
        requireDevice(call.installation, compared->choice);
        call.code = compareBaseline(call.installation, compared->choice, compared->options);
    });
}

}  // namespace zetl::command
