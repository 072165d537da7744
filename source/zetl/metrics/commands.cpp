#include "metrics/commands.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <map>
#include <memory>

#include "emulated_device.h"
#include "metrics/calculate.h"
#include "metrics/listing.h"
#include "metrics/query.h"
#include "metrics/stalls.h"
#include "metrics/stream.h"
#include "milliseconds.h"
#include "usage_error.h"

namespace zetl::command {
namespace {

struct Wanted {
    Choice choice;
    Format format = Format::table;
    std::string name;
};

void addFormat(CLI::App& command, Format& format) {
    command
        .add_option_function<std::string>(
            "--format",
            [&](const std::string& text) {
                static const std::map<std::string, Format> kFormats{
                    {"table", Format::table}, {"csv", Format::csv}, {"json", Format::json}};
                const auto found = kFormats.find(text);
                if (found == kFormats.end())
                    throw UsageError(fmt::format("{}: --format {}: not table, csv or json", command.get_name(), text));
                format = found->second;
            },
            "table, csv or json")
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

/// Where a program runs.
std::shared_ptr<Choice> addPlace(CLI::App& command) {
    auto choice = std::make_shared<Choice>();
    auto* emulated =
        command.add_flag("--emulated", choice->emulated, "On the emulated GPU instead of the system's devices");
    command.add_option("--device", choice->profile, "Profile of the emulated device, a name or a file")
        ->needs(emulated);
    return choice;
}

void addPeriod(CLI::App& command, std::uint32_t& period, const char* byDefault) {
    command
        .add_option_function<std::string>(
            "--period",
            [&](const std::string& text) {
                const auto wanted = samplingPeriod(text);
                if (!wanted) throw UsageError(fmt::format("--period {}: not a time from 1ns to 4s", text));
                period = *wanted;
            },
            "Time between two samples, such as 20us or 1ms")
        ->default_str(byDefault);
}

void addStream(CLI::App& metrics, const Installation& installation, const CommandLine& line, int& code) {
    auto* command = metrics.add_subcommand("stream", "Run a program, with the devices' counters in its timeline");
    const auto options = std::make_shared<StreamOptions>();
    const auto choice = addPlace(*command);
    command
        ->add_option("--group", options->group,
                     "A time-based metric group, or CoreApiOnly, for devices without metrics")
        ->capture_default_str();
    addPeriod(*command, options->period, "1ms");
    command
        ->add_option("-o,--timeline", options->report.timeline,
                     "Where the timeline goes: JSON if it ends in .json, else Perfetto's format; '' for none")
        ->capture_default_str();
    command->add_option("--csv", options->report.csv, "Write a row a report to this file ('-': standard output)");
    command->add_option("--json", options->report.json, "The same as JSON");
    command->prefix_command();
    command->callback([=, &installation, &line, &code] {
        options->program = programOf(*command, line);
        requireDevice(installation, *choice);
        code = stream(installation, *choice, *options);
    });
}

}  // namespace

void addStalls(CLI::App& app, const Installation& installation, const CommandLine& line, int& code) {
    auto* command =
        app.add_subcommand("stalls", "Run a program and tell where its kernels' threads wait, and for what");
    const auto options = std::make_shared<StallsOptions>();
    const auto choice = addPlace(*command);
    addPeriod(*command, options->period, "20us");
    command->add_option("--kernel", options->kernel, "Only this one");
    command->add_flag("--code", options->code, "Machine code with its samples, too");
    command->add_option("--csv", options->csv, "Write the table to this file, too ('-': standard output)");
    command->add_option("--json", options->json, "The same with machine code, as JSON");
    command->prefix_command();
    command->callback([=, &installation, &line, &code] {
        options->program = programOf(*command, line);
        requireDevice(installation, *choice);
        code = stalls(installation, *choice, *options);
    });
}

void addMetrics(CLI::App& app, const Installation& installation, const CommandLine& line, int& code) {
    auto* metrics = app.add_subcommand(
        "metrics", "List metric groups and metrics; measure kernels and devices; calculate exported metric data");

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
    const auto choice = addPlace(*measured);
    measured->add_option("--group", options->group, "An event-based metric group instead of KernelSummary");
    measured->add_option("-o,--output", options->output,
                         "Where the table goes ('-': standard output, as csv and json do by default)");
    addFormat(*measured, options->format);
    measured->prefix_command();
    measured->callback([=, &installation, &line, &code] {
        options->program = programOf(*measured, line);
        requireDevice(installation, *choice);
        code = query(installation, *choice, *options);
    });

    addStream(*metrics, installation, line, code);

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
