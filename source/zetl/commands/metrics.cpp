// `zetl metrics` and `zetl stalls` on the command line.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <memory>
#include <string>

#include "commands/commands.h"
#include "commands/options.h"
#include "metrics/calculate.h"
#include "metrics/listing.h"
#include "metrics/query.h"
#include "metrics/stalls.h"
#include "metrics/stream.h"
#include "run/emulated_device.h"
#include "text/milliseconds.h"
#include "text/usage_error.h"

namespace zetl::command {
namespace {

struct Wanted {
    Choice choice;
    TableOptions tables;
    std::string format;  ///< as --format has it
    std::string name;
};

/// What -o, --csv, --json and --markdown say, and the older --format: csv and json are then printed where -o says, and
/// nothing is for people.
void addFormat(CLI::App& command, TableOptions& tables, std::string& format) {
    addTableOptions(command, tables, "the table", "the table");
    command.add_option("--format", format, "Print a table, csv or json")->default_str("table");
}

/// Once all options are read. Throws UsageError for another format.
void applyFormat(const CLI::App& command, TableOptions& tables, const std::string& format) {
    if (format.empty() || format == "table") return;
    if (format != "csv" && format != "json")
        throw UsageError(
            fmt::format("{}: --format {}: not a format; write table, csv or json", command.get_name(), format));
    auto& output = format == "csv" ? tables.csv : tables.json;
    if (!output.empty())
        throw UsageError(fmt::format("{0}: --format {1} and --{1} are the same", command.get_name(), format));
    output = tables.text.empty() ? "-" : tables.text;
    tables.text.clear();
    tables.shown = false;
}

std::shared_ptr<Wanted> addDevices(CLI::App& command) {
    auto wanted = std::make_shared<Wanted>();
    auto* emulated =
        command.add_flag("--emulated", wanted->choice.emulated, "Use the emulated GPU instead of the system's devices");
    command.add_option("--device", wanted->choice.profile, "Emulated device: the name of a profile, or a .yaml file")
        ->needs(emulated);
    addFormat(command, wanted->tables, wanted->format);
    command.allow_extras();
    return wanted;
}

/// The options that choose the device for a program.
std::shared_ptr<Choice> addPlace(CLI::App& command) {
    auto choice = std::make_shared<Choice>();
    auto* emulated =
        command.add_flag("--emulated", choice->emulated, "Use the emulated GPU instead of the system's devices");
    command.add_option("--device", choice->profile, "Emulated device: the name of a profile, or a .yaml file")
        ->needs(emulated);
    return choice;
}

template <class Period>
void addPeriod(CLI::App& command, Period& period, const char* byDefault) {
    command
        .add_option_function<std::string>(
            "--period",
            [&](const std::string& text) {
                const auto wanted = samplingPeriod(text);
                if (!wanted)
                    throw UsageError(fmt::format("--period {}: not a time from 1ns to 4s; write 20us or 1ms", text));
                period = *wanted;
            },
            "Time between two samples, such as 20us or 1ms")
        ->default_str(byDefault);
}

void addStream(CLI::App& metrics, const Invocation& call) {
    auto* command = metrics.add_subcommand("stream", "Run a program and record the devices' counters in its timeline");
    const auto options = std::make_shared<StreamOptions>();
    const auto choice = addPlace(*command);
    command
        ->add_option("--group", options->group, "Time-based metric group, or CoreApiOnly for devices without metrics")
        ->capture_default_str();
    addPeriod(*command, options->period, "1ms");
    command
        ->add_option("-o,--timeline", options->report.timeline,
                     "Write the timeline to this file, as JSON if its name ends in .json, else in Perfetto's format; "
                     "'' writes none")
        ->capture_default_str();
    addTableOptions(*command, options->report.tables, "one row per report");
    command->add_option("--prometheus", options->prometheus,
                        "While the program runs, let Prometheus read the counters at this port of this host, or at an "
                        "address such as 0.0.0.0:9400");
    command->prefix_command();
    command->callback([=] {
        options->program = programOf(*command, call.line);
        requireDevice(call.installation, *choice);
        call.code = stream(call.installation, *choice, *options);
    });
}

/// "2%" or "2".
std::uint32_t percentIn(std::string_view text) {
    constexpr std::uint32_t kMost = 100;
    std::string_view digits = text;
    if (digits.ends_with('%')) digits.remove_suffix(1);
    std::uint32_t percent = 0;
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), percent);
    if (read.ec != std::errc() || read.ptr != digits.data() + digits.size() || percent == 0 || percent > kMost)
        throw UsageError(fmt::format("--accuracy {}: not a share from 1% to 100%", text));
    return percent;
}

}  // namespace

void addStalls(CLI::App& app, const Invocation& call) {
    auto* command =
        app.add_subcommand("stalls", "Run a program and show where its kernels' threads wait, and for what");
    const auto options = std::make_shared<StallsOptions>();
    const auto choice = addPlace(*command);
    addPeriod(*command, options->period, "20us, and longer while samples are lost");
    command->add_option("--kernel", options->kernel, "Show only this kernel");
    addKeptPart(*command, options->directory);
    command->add_flag("--code", options->code, "Also show machine code with the samples of each instruction");
    command->add_flag("--mangled", options->mangled, "Show the names of C++ kernels as the compiler made them");
    addTableOptions(*command, options->tables, "lines and instructions", "the listing");
    command->add_option("--html", options->html, "Also write an HTML page: one file that needs no network");
    command->prefix_command();
    command->callback([=] {
        options->program = programOf(*command, call.line);
        requireDevice(call.installation, *choice);
        call.code = stalls(call.installation, *choice, *options);
    });
}

void addMetrics(CLI::App& app, const Invocation& call) {
    auto* metrics =
        app.add_subcommand("metrics", "List metric groups, measure kernels and devices, calculate exported data");

    auto* list = metrics->add_subcommand("list", "List the metric groups of the devices");
    list->callback([=, wanted = addDevices(*list)] {
        requireNoMore(*list, call.line);
        applyFormat(*list, wanted->tables, wanted->format);
        requireDevice(call.installation, wanted->choice);
        call.code = listGroups(call.installation, wanted->choice, wanted->tables);
    });

    auto* info = metrics->add_subcommand("info", "Describe the metrics of one group, or of all groups");
    const auto described = addDevices(*info);
    info->add_option("GROUP", described->name, "The name of a group, such as ComputeBasic; without it, all groups");
    info->callback([=] {
        requireNoMore(*info, call.line);
        applyFormat(*info, described->tables, described->format);
        requireDevice(call.installation, described->choice);
        call.code = describeMetrics(call.installation, described->choice, described->name, described->tables);
    });

    auto* measured = metrics->add_subcommand("query", "Run a program and show what each of its kernels cost");
    const auto options = std::make_shared<QueryOptions>();
    const auto choice = addPlace(*measured);
    measured
        ->add_option("--group", options->groups,
                     "Event-based metric groups, separated by commas (default: KernelSummary; on NVIDIA GPUs, "
                     "NvidiaSpeedOfLight)")
        ->delimiter(',')
        ->allow_extra_args(false);
    measured->add_flag("--per-launch", options->perLaunch, "Show each launch in a row of its own, in their order");
    const auto accuracy = std::make_shared<std::string>();
    measured->add_option(
        "--accuracy", *accuracy,
        "Model a sample of the work-groups of an emulated GPU, and all of a kernel of whose cycles the "
        "sample states a larger error than this, such as 2%");
    const auto format = std::make_shared<std::string>();
    addFormat(*measured, options->tables, *format);
    measured->add_option("--html", options->html, "Also write an HTML page: one file that needs no network");
    addKeptPart(*measured, options->directory);
    measured->prefix_command();
    measured->callback([=] {
        options->program = programOf(*measured, call.line);
        applyFormat(*measured, options->tables, *format);
        if (!accuracy->empty()) options->accuracy = percentIn(*accuracy);
        requireDevice(call.installation, *choice);
        call.code = query(call.installation, *choice, *options);
    });

    addStream(*metrics, call);

    auto* values =
        metrics->add_subcommand("calculate", "Calculate the values in exported metric data, without a GPU or a driver");
    const auto exported = std::make_shared<Wanted>();
    values->add_option("FILE", exported->name, "Data from zetMetricGroupGetExportDataExp")
        ->required()
        ->check(CLI::ExistingFile);
    addFormat(*values, exported->tables, exported->format);
    values->allow_extras();
    values->callback([=] {
        requireNoMore(*values, call.line);
        applyFormat(*values, exported->tables, exported->format);
        call.code = calculate(call.installation, exported->name, exported->tables);
    });
}

}  // namespace zetl::command
