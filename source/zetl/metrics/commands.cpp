#include "metrics/commands.h"

#include <CLI/CLI.hpp>
#include <map>
#include <memory>

#include "emulated_device.h"
#include "metrics/calculate.h"
#include "metrics/listing.h"
#include "metrics/query.h"

namespace zetl::command {
namespace {

struct Wanted {
    Choice choice;
    Format format = Format::table;
    std::string name;
};

void addFormat(CLI::App& command, Format& format) {
    const std::map<std::string, Format> formats{{"table", Format::table}, {"csv", Format::csv}, {"json", Format::json}};
    command.add_option("--format", format, "table, csv or json")
        ->transform(CLI::CheckedTransformer(formats))
        ->default_str("table");
}

std::shared_ptr<Wanted> addDevices(CLI::App& command) {
    auto wanted = std::make_shared<Wanted>();
    auto* emulated =
        command.add_flag("--emulated", wanted->choice.emulated, "Of the emulated GPU instead of the system's devices");
    command.add_option("--device", wanted->choice.profile, "Profile of the emulated device, a name or a file")
        ->needs(emulated);
    addFormat(command, wanted->format);
    command.allow_extras();
    return wanted;
}

}  // namespace

void addMetrics(CLI::App& app, const Installation& installation, const CommandLine& line, int& code) {
    auto* metrics = app.add_subcommand(
        "metrics", "List metric groups and metrics; measure kernels; calculate exported metric data");
    metrics->require_subcommand(1);

    auto* list = metrics->add_subcommand("list", "The metric groups of the devices");
    list->callback([=, &installation, &line, &code, wanted = addDevices(*list)] {
        requireNoMore(*list, line);
        requireDevice(installation, wanted->choice);
        code = listGroups(installation, wanted->choice, wanted->format);
    });

    auto* info = metrics->add_subcommand("info", "The metrics of a group, or of all");
    const auto described = addDevices(*info);
    info->add_option("group", described->name, "Its name, such as ComputeBasic");
    info->callback([=, &installation, &line, &code] {
        requireNoMore(*info, line);
        requireDevice(installation, described->choice);
        code = describeMetrics(installation, described->choice, described->name, described->format);
    });

    auto* measured = metrics->add_subcommand("query", "Run a program and tell what each of its kernels cost");
    const auto options = std::make_shared<QueryOptions>();
    const auto choice = std::make_shared<Choice>();
    auto* emulated =
        measured->add_flag("--emulated", choice->emulated, "On the emulated GPU instead of the system's devices");
    measured->add_option("--device", choice->profile, "Profile of the emulated device, a name or a file")
        ->needs(emulated);
    measured->add_option("--group", options->group, "An event-based metric group instead of KernelSummary");
    measured->add_option("-o,--output", options->output, "Where the table goes; else to standard error");
    addFormat(*measured, options->format);
    measured->prefix_command();
    measured->callback([=, &installation, &line, &code] {
        options->program = programOf(*measured, line);
        requireDevice(installation, *choice);
        code = query(installation, *choice, *options);
    });

    auto* values =
        metrics->add_subcommand("calculate", "The values in exported metric data; needs no GPU and no driver");
    const auto exported = std::make_shared<Wanted>();
    values->add_option("file", exported->name, "What zetMetricGroupGetExportDataExp gave")
        ->required()
        ->check(CLI::ExistingFile);
    addFormat(*values, exported->format);
    values->allow_extras();
    values->callback([=, &installation, &line, &code] {
        requireNoMore(*values, line);
        code = calculate(installation, exported->name, exported->format);
    });
}

}  // namespace zetl::command
