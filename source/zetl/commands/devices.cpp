// `zetl devices`: what the emulated GPU can be.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "commands/commands.h"
#include "run/profile_table.h"
#include "text/json.h"

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

std::string asText() {
    std::string text =
        fmt::format("{:<18} {:<7} {:>10} {:>5} {:>5}  {}\n", "profile", "kind", "size", "MHz", "GiB", "what it is");
    for (const ProfileRow& row : profileRows()) {
        const std::string size = sizeOf(row);
        const bool alone = row.devices == 1 && row.tiles == 1;
        text += fmt::format("{:<18} {:<7} {:>10} {:>5} {:>5.1f}  {}{}\n", row.profile, row.architecture,
                            fmt::format("{} x {} x {}", row.subslices, row.eus, row.threads), row.clockMhz,
                            gibibytesOf(row), row.what, alone ? "" : " (" + size + ")");
    }
    return text;
}

std::string asJson() {
    auto all = Json::array();
    for (const ProfileRow& row : profileRows())
        all.push_back({{"profile", row.profile},
                       {"what", row.what},
                       {"name", row.name},
                       {"architecture", row.architecture},
                       {"devices", row.devices},
                       {"tiles", row.tiles},
                       {"cores", row.subslices},
                       {"eusPerCore", row.eus},
                       {"threadsPerEu", row.threads},
                       {"clockMHz", row.clockMhz},
                       {"memoryBytes", row.memoryBytes}});
    return all.dump(2) + '\n';
}

}  // namespace

void addDeviceList(CLI::App& app, const Invocation& call) {
    auto* command = app.add_subcommand("devices", "List the devices that the emulated GPU can be");
    auto json = std::make_shared<bool>(false);
    command->add_flag("--json", *json, "Print JSON instead of a table");
    command->allow_extras();
    command->callback([=] {
        requireNoMore(*command, call.line);
        if (*json) return fmt::print("{}", asJson());
        fmt::print(
            "{}\nSizes are cores x EUs x threads. zetl run --device PROFILE -- PROGRAM takes one of them, or\n"
            "several: --device b580+lnl.\n",
            asText());
    });
}

}  // namespace zetl::command
