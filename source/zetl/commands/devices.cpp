// `zetl devices`: what the emulated GPU can be.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstddef>
#include <cstdio>
#include <memory>

#include "commands/commands.h"
#include "commands/options.h"
#include "run/profile_table.h"
#include "text/terminal.h"

namespace zetl::command {
namespace {

constexpr double kGibibyte = 1024.0 * 1024 * 1024;

/// "2 devices, each 2 tiles, each 8 x 8 x 8": cores, their EUs, and threads of an EU.
std::string sizeOf(const ProfileRow& row) {
    std::string text;
    if (row.devices > 1) text += fmt::format("{} devices, each ", row.devices);
    if (row.tiles > 1) text += fmt::format("{} tiles, each ", row.tiles);
    return text + fmt::format("{} x {} x {}", row.subslices, row.eus, row.threads);
}

double gibibytesOf(const ProfileRow& row) { return static_cast<double>(row.memoryBytes) / kGibibyte; }

/// The last column takes as many lines as it needs.
std::string asText(std::size_t width) {
    constexpr std::size_t kBefore = 51;
    constexpr std::size_t kLongSize = 1;  // "12 x 8 x 10" is longer than its column
    std::string text =
        fmt::format("{:<18} {:<7} {:>10} {:>5} {:>5}  {}\n", "profile", "kind", "size", "MHz", "GiB", "what it is");
    for (const ProfileRow& row : profileRows()) {
        const bool alone = row.devices == 1 && row.tiles == 1;
        const auto what = inLines(alone ? std::string(row.what) : fmt::format("{} ({})", row.what, sizeOf(row)),
                                  width - kBefore - kLongSize);
        text += fmt::format("{:<18} {:<7} {:>10} {:>5} {:>5.1f}  {}\n", row.profile, row.architecture,
                            fmt::format("{} x {} x {}", row.subslices, row.eus, row.threads), row.clockMhz,
                            gibibytesOf(row), what.front());
        for (std::size_t i = 1; i < what.size(); ++i) text += fmt::format("{:<{}}{}\n", "", kBefore, what[i]);
    }
    return text;
}

Table deviceTable() {
    Table table{{"profile", "what", "name", "architecture", "devices", "tiles", "cores", "eusPerCore", "threadsPerEu",
                 "clockMHz", "memoryBytes"},
                {}};
    for (const ProfileRow& row : profileRows())
        table.rows.push_back({row.profile, row.what, row.name, row.architecture, row.devices, row.tiles, row.subslices,
                              row.eus, row.threads, row.clockMhz, row.memoryBytes});
    return table;
}

}  // namespace

void addDeviceList(CLI::App& app, const Invocation& call) {
    auto* command = app.add_subcommand("devices", "List the devices that the emulated GPU can be");
    auto tables = std::make_shared<TableOptions>();
    addTableOptions(*command, *tables, "the table", "the table", JsonOption::flag);
    command->allow_extras();
    command->callback([=] {
        requireNoMore(*command, call.line);
        TableOutputs outputs(*tables);
        outputs.write(deviceTable());
        const auto shown = fmt::format(
            "{}\nSizes are cores x EUs x threads. zetl run --device PROFILE -- PROGRAM takes one\n"
            "of them, or several: --device b580+lnl.\n",
            asText(Terminal::of(STDOUT_FILENO).width));
        outputs.show(shown, stdout);
    });
}

}  // namespace zetl::command
