#include "commands/binary_view.h"

#include <fmt/format.h>
#include <ze_tools_layer/correlation.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "files/file_content.h"
#include "run/nvdisasm.h"
#include "text/demangled.h"
#include "text/json.h"
#include "text/spelling.h"
#include "text/terminal.h"
#include "timeline/source_lines.h"

namespace zetl::command {
namespace {

using correlation::Binary;
using correlation::Instruction;
using correlation::Kernel;
using correlation::Place;

constexpr const char* kSourceColour = "\033[36m";
constexpr const char* kNameColour = "\033[1m";
constexpr const char* kPlain = "\033[0m";

std::string coloured(const BinaryView& view, const char* colour, const std::string& text) {
    return view.colours ? colour + text + kPlain : text;
}

/// A binary, and for NVIDIA's code the texts of its instructions.
struct Opened {
    std::unique_ptr<Binary> binary;
    SassTexts sass;
    std::string withoutSass;  ///< why there are none
};

/// Null, with a line on standard error, if the file is not a native binary.
std::unique_ptr<Binary> binaryOf(const BinaryView& view) {
    const auto content = contentOf(view.file);
    std::string failure = "it cannot be read";
    std::unique_ptr<Binary> binary;
    if (content)
        binary = Binary::read({reinterpret_cast<const std::uint8_t*>(content->data()), content->size()}, failure);
    if (!binary) fmt::print(stderr, "zetl: {}: {}\n", view.name, printable(failure));
    return binary;
}

Json rowOf(const Kernel& kernel) {
    return {{"name", kernel.name},
            {"launchable", kernel.launchable},
            {"address", kernel.address},
            {"codeBytes", kernel.codeBytes},
            {"simdWidth", kernel.simdWidth},
            {"registers", kernel.registers},
            {"localBytes", kernel.localBytes},
            {"privateBytes", kernel.privateBytes},
            {"spillBytes", kernel.spillBytes},
            {"barriers", kernel.barriers},
            {"callsThroughStack", kernel.callsThroughStack}};
}

/// The binary is null if the file is none.
Opened openedFor(const BinaryView& view) {
    Opened opened{binaryOf(view), {}, {}};
    if (!opened.binary || opened.binary->container() != "cubin") return opened;
    const auto content = contentOf(view.file).value_or("");
    const std::span bytes(reinterpret_cast<const std::uint8_t*>(content.data()), content.size());
    opened.sass = disassembled(bytes, opened.withoutSass);
    return opened;
}

Json placesOf(const Binary& binary, const Kernel& kernel, const Instruction& instruction) {
    Json places = Json::array();
    for (const Place& place : binary.sourceOf(kernel, instruction.offset))
        places.push_back(
            {{"function", place.function}, {"file", place.file}, {"line", place.line}, {"column", place.column}});
    return places;
}

std::vector<Instruction> instructionsOf(const BinaryView& view, const Opened& opened, const Kernel& kernel) {
    auto all = view.iga ? opened.binary->igaInstructions(kernel) : opened.binary->instructions(kernel);
    describe(opened.sass, kernel.name, all);
    return all;
}

Json codeOf(const BinaryView& view, const Opened& opened, const Kernel& kernel) {
    Json described = rowOf(kernel);
    for (const Instruction& instruction : instructionsOf(view, opened, kernel))
        described["instructions"].push_back({{"offset", instruction.offset},
                                             {"bytes", instruction.bytes},
                                             {"text", instruction.text},
                                             {"source", placesOf(*opened.binary, kernel, instruction)}});
    return described;
}

void printPlace(const BinaryView& view, const std::vector<Place>& places, SourceLines& sources) {
    std::string text =
        fmt::format("; {}:{} {}", places.front().file, places.front().line, sources.line(places.front()));
    for (std::size_t i = 1; i < places.size(); ++i)
        text += fmt::format("  [inlined at {}:{} in {}]", places[i].file, places[i].line, places[i].function);
    *view.text += fmt::format("{}\n", coloured(view, kSourceColour, printable(std::move(text))));
}

/// Lanes and registers, if they are known. For functions they are not.
std::string headingOf(const Kernel& kernel) {
    const auto lanes =
        kernel.simdWidth ? fmt::format("SIMD{}, {} registers, ", kernel.simdWidth, kernel.registers) : std::string();
    return fmt::format("{}: {}{} bytes", printable(kernel.name), lanes, kernel.codeBytes);
}

void printCode(const BinaryView& view, const Opened& opened, const Kernel& kernel, SourceLines& sources) {
    *view.text += fmt::format("{}\n", coloured(view, kNameColour, headingOf(kernel)));
    std::vector<Place> last;
    for (const Instruction& instruction : instructionsOf(view, opened, kernel)) {
        auto places = view.source ? opened.binary->sourceOf(kernel, instruction.offset) : std::vector<Place>();
        for (Place& place : places) place.column = 0;
        if (!places.empty() && places != last) printPlace(view, places, sources);
        if (!places.empty()) last = std::move(places);
        *view.text += fmt::format("{:8x}:  {}\n", kernel.address + instruction.offset, instruction.text);
    }
}

std::string dumped(const Json& value) { return value.dump(2, ' ', true, Json::error_handler_t::replace) + '\n'; }

void divide(const BinaryView& view) {
    if (view.follows) *view.text += '\n';
}

void sayWhatIsMissing(const BinaryView& view, const Opened& opened) {
    const auto& binary = *opened.binary;
    if (!opened.withoutSass.empty())
        fmt::print(stderr, "zetl: {}: instructions are shown as words: {}\n", view.name, printable(opened.withoutSass));
    if (view.source && !binary.withoutLines().empty())
        fmt::print(stderr, "zetl: {}: no source lines: {}\n", view.name, binary.withoutLines());
    if (view.iga && !view.follows && !binary.withoutIga().empty())
        fmt::print(stderr, "zetl: --iga: shown by zetl's own disassembler: {}\n", binary.withoutIga());
}

std::string kernelsJson(const Binary& binary) {
    Json all = {{"container", binary.container()}, {"buildOptions", binary.buildOptions()}};
    all["kernels"] = Json::array();
    for (const Kernel& kernel : binary.kernels()) all["kernels"].push_back(rowOf(kernel));
    return dumped(all);
}

void addKernels(const Binary& binary, Table& table) {
    table.headings = {"kernel", "SIMD", "registers", "local", "private", "spilled", "barrier", "code"};
    for (const Kernel& kernel : binary.kernels())
        table.rows.push_back({kernel.name, kernel.simdWidth, kernel.registers, kernel.localBytes, kernel.privateBytes,
                              kernel.spillBytes, kernel.barriers, kernel.codeBytes});
}

void addCode(const BinaryView& view, const Opened& opened, const std::vector<Kernel>& kernels, Table& table) {
    table.headings = {"kernel", "offset", "instruction", "file", "line"};
    for (const Kernel& kernel : kernels)
        for (const Instruction& instruction : instructionsOf(view, opened, kernel)) {
            const auto places = opened.binary->sourceOf(kernel, instruction.offset);
            const Place place = places.empty() ? Place() : places.front();
            table.rows.push_back({kernel.name, instruction.offset, instruction.text, place.file, place.line});
        }
}

/// As wide as there is room beside the other columns, one per kernel and an empty one.
std::vector<std::string> shownNames(const BinaryView& view, const std::vector<Kernel>& kernels) {
    constexpr std::size_t kOthers = 56;
    std::vector<std::string> names;
    std::size_t width = std::string_view("kernel").size();
    for (const Kernel& kernel : kernels) {
        const auto name = printable(view.mangled ? kernel.name : demangled(kernel.name));
        names.push_back(cutInMiddle(name, view.width - kOthers));
        width = std::max(width, lengthOf(names.back()));
    }
    names.emplace_back();
    for (auto& each : names) each = padded(each, width);
    return names;
}

void printKernels(const BinaryView& view, const Binary& binary) {
    divide(view);
    const auto options = printable(binary.buildOptions());
    *view.text +=
        fmt::format("{}, built {}\n", binary.container(), options.empty() ? "without options" : "with: " + options);
    const auto names = shownNames(view, binary.kernels());
    *view.text +=
        fmt::format("{} {:>4} {:>9} {:>7} {:>7} {:>7} {:>7} {:>8}\n", padded("kernel", lengthOf(names.front())), "SIMD",
                    "registers", "local", "private", "spilled", "barrier", "code");
    for (std::size_t i = 0; i + 1 < names.size(); ++i) {
        const Kernel& kernel = binary.kernels()[i];
        *view.text +=
            fmt::format("{} {:>4} {:>9} {:>7} {:>7} {:>7} {:>7} {:>8}\n", coloured(view, kNameColour, names[i]),
                        kernel.simdWidth ? std::to_string(kernel.simdWidth) : "-", kernel.registers, kernel.localBytes,
                        kernel.privateBytes, kernel.spillBytes, kernel.barriers, kernel.codeBytes);
    }
}

}  // namespace

void ShownTexts::connect(BinaryView& view) {
    view.text = outputs_.text || !outputs_.isStandard() ? &text_ : nullptr;
    view.json = outputs_.json ? &json_ : nullptr;
    view.table = outputs_.csv || outputs_.markdown ? &table_ : nullptr;
    if (outputs_.text) view.colours = false;
}

void ShownTexts::write() {
    outputs_.write(table_, json_);
    outputs_.show(text_, stdout);
}

Shown showKernels(const BinaryView& view) {
    const auto binary = binaryOf(view);
    if (!binary) return Shown::unreadable;
    if (view.json) *view.json += kernelsJson(*binary);
    if (view.table) addKernels(*binary, *view.table);
    if (view.text) printKernels(view, *binary);
    return Shown::all;
}

Shown showCode(const BinaryView& view) {
    const auto opened = openedFor(view);
    const auto& binary = opened.binary;
    if (!binary) return Shown::unreadable;
    std::vector<Kernel> wanted = binary->kernels();
    if (!view.kernel.empty()) std::erase_if(wanted, [&](const Kernel& kernel) { return kernel.name != view.kernel; });
    if (view.json) {
        Json all = Json::array();
        for (const Kernel& kernel : wanted) all.push_back(codeOf(view, opened, kernel));
        *view.json += dumped(all);
    }
    if (view.table) addCode(view, opened, wanted, *view.table);
    if (view.text && !wanted.empty()) {
        divide(view);
        sayWhatIsMissing(view, opened);
        SourceLines sources;
        for (const Kernel& kernel : wanted) printCode(view, opened, kernel, sources);
    }
    if (!wanted.empty() || view.kernel.empty()) return Shown::all;
    for (const Kernel& kernel : binary->kernels())
        if (view.known && kernel.launchable) view.known->push_back(printable(kernel.name));
    return Shown::noKernel;
}

int showFile(BinaryView view, Show show) {
    std::vector<std::string> known;
    view.known = &known;
    const Shown shown = show(view);
    if (shown == Shown::noKernel)
        fmt::print(stderr, "zetl: {}: there is no kernel {}{}\n", view.name, view.kernel,
                   alternatives(view.kernel, known));
    return shown == Shown::all ? 0 : 1;
}

}  // namespace zetl::command
