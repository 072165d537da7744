#include "commands/program_binaries.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "recording/directory.h"
#include "recording/format.h"
#include "run/launch.h"
#include "text/spelling.h"

namespace zetl::command {
namespace {

namespace fs = std::filesystem;

/// In the order in which their process made them.
std::vector<fs::path> binariesIn(const fs::path& directory) {
    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator(directory))
        if (entry.path().extension() == ".bin") found.push_back(entry.path());
    std::sort(found.begin(), found.end());
    return found;
}

/// False, with a line on standard error, if one cannot be read; of a single kernel, if no module has it.
bool showAll(const std::vector<fs::path>& binaries, BinaryView& view, Show show) {
    std::size_t shown = 0;
    std::size_t unreadable = 0;
    std::vector<std::string> known;
    view.known = &known;
    if (view.json) *view.json += "[\n";
    for (std::size_t i = 0; i < binaries.size(); ++i) {
        view.file = binaries[i].native();
        view.name = fmt::format("module {} of {}", i + 1, binaries.size());
        if (view.json && i > 0) *view.json += ",\n";
        const Shown one = show(view);
        if (view.json && one == Shown::unreadable) *view.json += "null\n";
        shown += one == Shown::all;
        unreadable += one == Shown::unreadable;
        view.follows = shown > 0;
    }
    if (view.json) *view.json += "]\n";
    if (view.kernel.empty()) return unreadable == 0;
    if (shown == 0 && !binaries.empty())
        fmt::print(stderr, "zetl: none of the program's modules ({}) has a kernel {}{}\n", binaries.size(), view.kernel,
                   alternatives(view.kernel, known));
    return shown > 0;
}

}  // namespace

int showProgram(const Installation& installation, const Choice& choice, const std::vector<std::string>& program,
                BinaryView view, Show show) {
    const RecordingDirectory directory("");
    apply(variablesFor(installation, choice));
    apply(binaryVariables(installation, directory.path()));
    const int code = runToEnd(program, ProgramOutput::standardError);
    const auto binaries = binariesIn(directory.path());
    if (binaries.empty()) fmt::print(stderr, "zetl: the program created no module\n");
    const bool all = showAll(binaries, view, show) && !binaries.empty();
    return all || code != 0 ? code : 1;
}

}  // namespace zetl::command
