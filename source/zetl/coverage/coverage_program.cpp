#include "coverage/coverage_program.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <stdexcept>

#include "coverage/html.h"
#include "coverage/lcov.h"
#include "coverage/source_counts.h"
#include "executed/reader.h"
#include "files/file_content.h"
#include "files/output_file.h"
#include "files/output_name.h"
#include "metrics/screen_table.h"
#include "recording/directory.h"
#include "run/launch.h"
#include "text/demangled.h"
#include "text/table.h"
#include "text/terminal.h"
#include "text/usage_error.h"
#include "timeline/source_lines.h"

namespace zetl::command {
namespace {

namespace fs = std::filesystem;

/// What one run found.
struct CountedRun {
    std::vector<KernelCoverage> kernels;  ///< each name once, variants together
    std::vector<CoverageOfTest> tests;
    std::size_t processes = 0;
    std::size_t variants = 0;
};

void sayOfCoverage(const std::string& text) { fmt::print(stderr, "zetl coverage: {}\n", printable(text)); }

void addVariant(KernelCoverage& sum, const KernelCoverage& variant) {
    addTo(sum.threads, variant.threads);
    sum.instructions += variant.instructions;
    sum.executed += variant.executed;
    if (variant.withoutLines.empty()) sum.withoutLines.clear();
}

CountedRun foundIn(const fs::path& directory, const CoverageOptions& options) {
    CountedRun found;
    const CoverageFilter filter{Patterns(options.kernels.c_str()), Patterns(options.sources.c_str())};
    const executed::DirectoryCounts counted = executed::readDirectory(directory);
    found.processes = counted.processes;
    for (const std::string& file : counted.unreadable)
        sayOfCoverage(fmt::format("{} cannot be read; a process may have been killed while it wrote", file));
    std::map<std::string, KernelCoverage> kernels;
    for (const executed::ModuleCounts& module : counted.modules) try {
            for (KernelCounts& each : kernelsOf(module, filter)) {
                ++found.variants;
                const auto [known, fresh] = kernels.try_emplace(each.kernel.name, each.kernel);
                if (!fresh) addVariant(known->second, each.kernel);
                CoverageOfTest& test =
                    testOf(found.tests, options.byKernel ? testName(each.kernel.name) : std::string());
                for (const auto& [file, source] : each.sources) test.sources[file].add(source);
            }
        } catch (const std::runtime_error& failure) {
            sayOfCoverage(fmt::format("a module cannot be read: {}", failure.what()));
        }
    for (auto& [name, kernel] : kernels) found.kernels.push_back(std::move(kernel));
    return found;
}

/// Names of at most `room` characters.
Table coverageTable(const std::vector<KernelCoverage>& kernels, std::size_t room) {
    Table table{{"kernel", "threads", "instructions", "executed", "covered[percent]"}, {}};
    for (const KernelCoverage& each : kernels)
        table.rows.push_back({cutInMiddle(printable(demangled(each.name)), room), each.threads, each.instructions,
                              each.executed, CoveredShare{each.instructions, each.executed}.percent()});
    return table;
}

std::string kernelCoverageText(const std::vector<KernelCoverage>& kernels) {
    constexpr std::size_t kNumbers = 48;  // characters that the other columns take
    return screenTable(coverageTable(kernels, Terminal::kNarrowest - kNumbers));
}

/// "no source lines in: a, b: the module has no DWARF ..."
void tellWithoutLines(const std::vector<KernelCoverage>& kernels) {
    std::map<std::string, std::vector<std::string>> byReason;
    for (const KernelCoverage& each : kernels)
        if (!each.withoutLines.empty()) byReason[each.withoutLines].push_back(demangled(each.name));
    for (const auto& [reason, names] : byReason)
        sayOfCoverage(fmt::format("no source lines for {} of {} kernels, such as {}: {}", names.size(), kernels.size(),
                                  names.front(), reason));
}

std::string coveredText(const CoveredShare& share, const char* what) {
    return fmt::format("{} of {} {} ({:.1f} %)", share.hit, share.found, what, share.percent());
}

Sources allSources(const std::vector<CoverageOfTest>& tests) {
    Sources all;
    for (const CoverageOfTest& test : tests)
        for (const auto& [file, source] : test.sources) all[file].addNamed(source);
    return all;
}

/// The tests that are in the output file already.
std::vector<CoverageOfTest> formerTests(const CoverageOptions& options, const OutputFile& output) {
    std::vector<CoverageOfTest> tests;
    if (!options.append || output.file() == nullptr) return tests;
    const std::string& name = output.file()->name();
    const auto text = contentOf(name);
    if (!text) throw UsageError(fmt::format("--append: {} cannot be read", name));
    readLcov(*text, name, tests);
    return tests;
}

bool isInPath(const std::string& program) {
    const char* const path = std::getenv("PATH");
    std::string rest = path != nullptr ? path : "";
    while (!rest.empty()) {
        const auto colon = rest.find(':');
        if (access((rest.substr(0, colon) + '/' + program).c_str(), X_OK) == 0) return true;
        rest = colon == std::string::npos ? std::string() : rest.substr(colon + 1);
    }
    return false;
}

/// By genhtml if there is one and it can read all sources, which it insists on.
void writePages(const std::string& trace, const std::string& directory, const Sources& sources) {
    const bool readable =
        std::ranges::all_of(sources, [](const auto& each) { return access(each.first.c_str(), R_OK) == 0; });
    if (readable && !sources.empty() && isInPath("genhtml")) {
        const int code = runToEnd({"genhtml", "--quiet", "--branch-coverage", "--output-directory", directory, trace},
                                  ProgramOutput::standardError);
        if (code == 0) return;
        sayOfCoverage(fmt::format("genhtml failed with exit code {}; the pages are zetl's own", code));
    }
    writeCoveragePages(directory, sources);
}

void requireDirectory(const std::string& path) {
    if (path.empty()) return;
    std::error_code failure;
    fs::create_directories(path, failure);
    if (failure || !fs::is_directory(path))
        throw UsageError(fmt::format("--html {}: the directory cannot be made: {}", path, failure.message()));
}

}  // namespace

int coverProgram(const Installation& installation, const Choice& choice, const CoverageOptions& options) {
    OutputFile output(options.output, "coverage", "choose another file with -o");
    TableOutputs tables(options.tables);
    auto outputs = tables.all();
    outputs.push_back(&output);
    requireApart(outputs);
    if (!options.html.empty() && output.file() == nullptr)
        throw UsageError("--html needs a trace file: name one with -o");
    const std::vector<CoverageOfTest> earlier = formerTests(options, output);
    const std::string pages = options.html.empty() ? std::string() : outputDirectory(options.html);
    requireDirectory(pages);
    const RecordingDirectory directory("");
    Variables variables = variablesFor(installation, choice);
    variables.push_back({"ZETL_COVERAGE_OUTPUT", directory.path().native()});
    apply(variables);
    const int code = runToEnd(options.program, besides(outputs));

    const CountedRun found = foundIn(directory.path(), options);
    std::vector<CoverageOfTest> tests = earlier;
    readLcov(lcovText(found.tests), options.output, tests);
    writeAll(output, lcovText(tests));
    const Sources sources = allSources(tests);
    if (!pages.empty()) writePages(output.file()->name(), pages, sources);

    if (!found.kernels.empty()) fmt::print(stderr, "{}", kernelCoverageText(found.kernels));
    constexpr std::size_t kWhole = 4096;
    tables.write(coverageTable(found.kernels, kWhole));
    tellWithoutLines(found.kernels);
    if (found.processes == 0)
        sayOfCoverage(
            "nothing was counted: no process loaded a module on the emulated GPU, or TMPDIR has no room for counts");
    else if (found.kernels.empty() && !options.kernels.empty())
        sayOfCoverage(fmt::format("nothing was counted: --kernels {} matches no kernel", options.kernels));
    const Totals totals = totalsOf(sources);
    fmt::print(stderr, "zetl coverage: {}, {}, {} in {} file{}; {} process{}\n", coveredText(totals.lines, "lines"),
               coveredText(totals.functions, "functions"), coveredText(totals.branches, "branches"), sources.size(),
               sources.size() == 1 ? "" : "s", found.processes, found.processes == 1 ? "" : "es");
    if (code != 0) return code;
    if (found.processes == 0) return 1;
    return options.failUnder && totals.lines.percent() < *options.failUnder ? kTooFewLines : 0;
}

}  // namespace zetl::command
