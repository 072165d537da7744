#include "emulator/driver/program/source_line.h"

#include <fmt/format.h>
#include <ze_tools_layer/correlation.h>

#include <algorithm>
#include <vector>

#include "correlation/debug_lines.h"
#include "emulator/driver/program/module.h"
#include "emulator/module/debug_image.h"

namespace zetl::emulator::driver {

namespace {

using Places = std::vector<correlation::Place>;

/// One line table for the whole module, with addresses on the device.
Places inZebin(const module::LinkedModule& module, std::uint64_t address) {
    auto image = module::makeDebugImage(module);
    if (!image) return {};
    const auto lines = correlation::DebugLines::open(*std::move(image));
    return lines ? lines->at(address) : Places();
}

/// A line table for each kernel, with offsets in its code.
Places inPatchTokens(const module::LinkedModule& module, std::uint64_t address) {
    std::string failure;
    const auto binary = correlation::Binary::read(module.image().native, failure);
    if (!binary) return {};
    const auto& code = module.image().code;
    for (std::uint32_t i = 0; i < code.size(); ++i) {
        const std::uint64_t offset = address - module.addressOf({binary::Place::Kind::code, i, 0});
        const auto kernel = std::ranges::find(binary->kernels(), code[i].name, &correlation::Kernel::name);
        if (offset < code[i].bytes.size() && kernel != binary->kernels().end())
            return binary->sourceOf(*kernel, static_cast<std::uint32_t>(offset));
    }
    return {};
}

}  // namespace

std::string sourceLine(const Module& module, std::uint64_t address) {
    if (!module.image().hasDebugData) return {};
    const bool zebin = module.image().container == binary::ModuleImage::Container::zebin;
    const auto places = zebin ? inZebin(module.linked(), address) : inPatchTokens(module.linked(), address);
    if (places.empty()) return {};
    return fmt::format("{}:{}", places.front().file.empty() ? "?" : places.front().file, places.front().line);
}

}  // namespace zetl::emulator::driver
