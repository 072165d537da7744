#include "emulator/driver/program/source_line.h"

#include <fmt/format.h>
#include <ze_tools_layer/correlation.h>

#include <vector>

#include "correlation/debug_lines.h"
#include "emulator/driver/program/module.h"
#include "emulator/module/debug_image.h"

namespace zetl::emulator::driver {

namespace {

/// The image's line table, whose addresses are those on the device, gives the places of the address.
std::vector<correlation::Place> placesOf(const module::LinkedModule& module, std::uint64_t address) {
    auto image = module::makeDebugImage(module);
    if (!image) return {};
    const auto lines = correlation::DebugLines::open(*std::move(image));
    return lines ? lines->at(address) : std::vector<correlation::Place>();
}

std::string lineOf(const correlation::Place& place) {
    return fmt::format("{}:{}", place.file.empty() ? "?" : place.file, place.line);
}

}  // namespace

std::string sourceLine(const Module& module, std::uint64_t address) {
    if (!module.image().hasDebugData) return {};
    const auto places = placesOf(module.linked(), address);
    return places.empty() ? std::string() : lineOf(places.front());
}

std::string sourceChain(const Module& module, std::uint64_t address) {
    if (!module.image().hasDebugData) return {};
    std::string lines;
    for (const correlation::Place& place : placesOf(module.linked(), address)) {
        if (lines.empty())
            lines = lineOf(place);
        else
            lines += fmt::format("\n{} ({})", lineOf(place), place.function);
    }
    return lines;
}

}  // namespace zetl::emulator::driver
