// `zetl devices`: what the emulated GPU can be.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "commands/commands.h"
#include "metrics/table.h"
#include "run/profile_table.h"

namespace zetl::command {
namespace {

constexpr double kGibibyte = 1024.0 * 1024 * 1024;

/// "2 devices of 2 tiles, each 8 x 8 x 8" for people who know what they run on.
std::string sizeOf(const ProfileRow& row) {
    std::string text;
    if (row.devices > 1) text += fmt::format("{} devices, each ", row.devices);
    if (row.tiles > 1) text += fmt::format("{} tiles, each ", row.tiles);
    return text + fmt::format("{} x {} x {}", row.subslices, row.eus, row.threads);
}

Table allProfiles() {
    Table table{{"profile", "architecture", "cores x EUs x threads", "MHz", "GiB", "what it is"}, {}};
    for (const ProfileRow& row : profileRows())
        table.rows.push_back({row.profile, row.architecture, sizeOf(row), row.clockMhz,
                              fmt::format("{:.1f}", static_cast<double>(row.memoryBytes) / kGibibyte), row.what});
    return table;
}

}  // namespace

void addDevices(CLI::App& app, const Invocation& call) {
    auto* command = app.add_subcommand("devices", "List the devices that the emulated GPU can be");
    auto json = std::make_shared<bool>(false);
    command->add_flag("--json", *json, "Print JSON instead of a table");
    command->allow_extras();
    command->callback([=] {
        requireNoMore(*command, call.line);
        fmt::print("{}", allProfiles().text(*json ? Format::json : Format::table));
        if (!*json) fmt::print("\nzetl run --device PROFILE -- ...; several make one machine: --device b580+lnl\n");
    });
}

}  // namespace zetl::command
