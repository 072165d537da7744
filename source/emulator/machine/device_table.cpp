// Run by the build: device_table TEMPLATE OUTPUT fills the device profiles and the products of all architectures into
// the source of `zetl devices` and `zetl doctor`, which know them from nowhere else.
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

#include "emulator/machine/embedded_profiles.h"
#include "emulator/machine/profile.h"

namespace zetl::emulator::machine {
namespace {

/// The first line, a comment, without its mark and full stop.
std::string_view titleOf(std::string_view text) {
    text = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.find_first_not_of("# "), text.size()));
    if (text.ends_with('.')) text.remove_suffix(1);
    return text;
}

std::string profiles() {
    std::string rows;
    for (const EmbeddedProfile& embedded : embeddedProfiles()) {
        const Profile profile = loadProfile(embedded.name);
        const DeviceProfile& device = profile.devices.front();
        rows += fmt::format(R"(        {{"{}", R"~({})~", R"~({})~", "{}", {}, {}, {}, {}, {}, {}, {}}},)"
                            "\n",
                            embedded.name, titleOf(embedded.text), device.name, device.architecture().name,
                            profile.devices.size(), device.tiles, device.subslices(), device.eusPerSubslice,
                            device.threadsPerEu, device.coreClockMhz, device.memoryBytes);
    }
    return rows;
}

std::string products() {
    std::string rows;
    for (const zetl::isa::xe::Architecture* architecture : zetl::isa::xe::allArchitectures())
        for (const zetl::isa::xe::Product* product : architecture->products)
            rows += fmt::format("        \"{}\",\n", product->name);
    return rows;
}

void fill(std::string& text, std::string_view mark, const std::string& rows) {
    const std::size_t at = text.find(mark);
    if (at == std::string::npos) throw std::runtime_error(fmt::format("the template has no {}", mark));
    text.replace(at, mark.size(), rows);
}

void run(const char* from, const char* to) {
    std::stringstream read;
    read << std::ifstream(from).rdbuf();
    std::string text = std::move(read).str();
    fill(text, "@profiles@", profiles());
    fill(text, "@products@", products());
    std::ofstream out(to);
    out << text;
    out.close();
    if (!out) throw std::runtime_error(fmt::format("{} cannot be written", to));
}

}  // namespace
}  // namespace zetl::emulator::machine

int main(int count, char** arguments) try {
    if (count != 3) throw std::runtime_error("device_table TEMPLATE OUTPUT");
    zetl::emulator::machine::run(arguments[1], arguments[2]);
    return 0;
} catch (const std::exception& problem) {
    std::fprintf(stderr, "device_table: %s\n", problem.what());
    return 1;
}
