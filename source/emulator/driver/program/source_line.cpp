#include "emulator/driver/program/source_line.h"

#include <fmt/format.h>

#include "correlation/debug_lines.h"
#include "emulator/driver/program/module.h"
#include "emulator/module/debug_image.h"

namespace zetl::emulator::driver {

std::string sourceLine(const Module& module, std::uint64_t address) {
    if (!module.image().hasDebugData) return {};
    auto image = module::makeDebugImage(module.linked());
    if (!image) return {};
    const auto lines = correlation::DebugLines::open(*std::move(image));
    if (!lines) return {};
    const auto places = lines->at(address);
    if (places.empty()) return {};
    return fmt::format("{}:{}", places.front().file.empty() ? "?" : places.front().file, places.front().line);
}

}  // namespace zetl::emulator::driver
