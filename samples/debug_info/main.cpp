// Reads the debug data of a module (zetModuleGetDebugInfo): its size, the places of its parts on the device, and the
// source line of each instruction, through the calls that were inlined. Does so for a module that was built with -g and
// for one that was not.
//
// Exit code 0: the module built with -g has lines, and its code has an address on the device (which debug data of patch
// tokens do not contain). 1: an error. 2: the driver gives no such data; the program prints what it gives.
#include <level_zero/zet_api.h>
#include <ze_tools_layer/correlation.h>

#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "session/check.h"
#include "session/elf_sections.h"
#include "session/session.h"

namespace {

using namespace zetl::correlation;

const char* const kSource = R"(
float wave(float x) {
    return native_sin(x) * 0.5f;
}
kernel void waves(global float* data) {
    data[get_global_id(0)] = wave(data[get_global_id(0)]);
})";

constexpr auto kFormat = ZET_MODULE_DEBUG_INFO_FORMAT_ELF_DWARF;

/// Asks for the size first, then for the bytes. Empty if the driver has none.
session::Bytes debugInfo(ze_module_handle_t module) {
    std::size_t size = 0;
    const auto result = zetModuleGetDebugInfo(module, kFormat, &size, nullptr);
    if (result == ZE_RESULT_ERROR_UNSUPPORTED_FEATURE || size == 0) return {};
    CHECK(result);
    session::Bytes data(size);
    CHECK(zetModuleGetDebugInfo(module, kFormat, &size, data.data()));
    return data;
}

void printSections(const session::Bytes& data) {
    for (const auto& section : session::elfSectionsOf(data))
        if (section.bytes)
            std::printf("  %-28s %8" PRIu64 " bytes at %#" PRIx64 "\n", section.name.c_str(), section.bytes,
                        section.address);
}

std::string textOf(const std::vector<Place>& places) {
    std::string text;
    for (const Place& place : places)
        text += (text.empty() ? "" : ", inlined into ") + place.function + " line " + std::to_string(place.line);
    return text;
}

/// Prints how many instructions come from each place; returns the number of those with a known place.
std::size_t printLines(const Binary& binary, const Kernel& kernel) {
    std::map<std::string, std::size_t> counts;
    for (const Instruction& instruction : binary.instructions(kernel))
        ++counts[textOf(binary.sourceOf(kernel, instruction.offset))];
    std::size_t known = 0;
    for (const auto& [place, count] : counts) {
        std::printf("  %4zu instructions: %s\n", count, place.empty() ? "no line" : place.c_str());
        if (!place.empty()) known += count;
    }
    return known;
}

bool hasPlace(const Binary& binary, const Kernel& kernel) {
    return kernel.address != 0 || binary.container() == "debug data of patch tokens";
}

/// Shows one build. Returns 0 with lines and addresses, 1 without lines, 2 without any readable data.
int show(const session::Session& session, const char* options) {
    const session::Kernel waves(session, kSource, "waves", options);
    const auto data = debugInfo(waves.module);
    std::printf("built with '%s': %zu bytes\n", options, data.size());
    printSections(data);
    if (data.empty()) return 2;
    std::string failure;
    const auto binary = Binary::read(data, failure);
    if (!binary) {
        std::printf("  not read: %s\n", failure.c_str());
        return 2;
    }
    if (!binary->withoutLines().empty()) std::printf("  no source lines: %s\n", binary->withoutLines().c_str());
    std::size_t known = 0;
    for (const Kernel& kernel : binary->kernels()) {
        std::printf("%s: %u bytes of code at %#" PRIx64 "\n", kernel.name.c_str(), kernel.codeBytes, kernel.address);
        if (binary->withoutLines().empty() && hasPlace(*binary, kernel)) known += printLines(*binary, kernel);
    }
    return known != 0 ? 0 : 1;
}

}  // namespace

int main() {
    const session::Session session;
    show(session, "");
    const int result = show(session, "-g");
    std::printf("debug_info: the module built with -g %s\n",
                result == 0 ? "leads back to its source" : "does NOT lead back to its source");
    return result;
}
