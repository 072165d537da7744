#include "metrics/stall_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>

#include "metrics/stall_flame.h"
#include "metrics/stall_listing.h"
#include "metrics/stalled_lines.h"
#include "page/html.h"
#include "page/page.h"
#include "text/demangled.h"

namespace zetl::command {
namespace {

constexpr std::size_t kMostKernelPages = 100;
constexpr std::size_t kMostLineFindings = 5;
constexpr std::size_t kMostAnnotated = 20;        // kernels with source and machine code
constexpr std::size_t kMostAnnotatedLines = 400;  // of each
constexpr std::size_t kMostCode = 48u * 1024;     // bytes of text of each

double shareOf(std::uint64_t some, std::uint64_t all) {
    return all == 0 ? 0 : static_cast<double>(some) / static_cast<double>(all);
}

HtmlTable linesTable(const StallProfile& profile, const StalledKernel& kernel, const std::vector<StalledLine>& lines,
                     SourceLines& sources) {
    HtmlTable table({"#Share", "#Samples", "Line", "Waits for", "Source"});
    for (const auto& line : lines) {
        const auto samples = sumOf(line.samples);
        const auto share = shareOf(samples, sumOf(kernel.samples));
        table.add({{fmt::format("{:.1f}%", share * 100), share, share},
                   {std::to_string(samples), static_cast<double>(samples), -1},
                   {whereOf(line.place)},
                   {mainReasons(profile, line.samples)},
                   {sources.line(line.place)}});
    }
    return table;
}

/// Source lines that were read, in their order, with what was sampled at them.
using Annotated = std::map<int, const StalledLine*>;

std::string sourceRow(const StallProfile& profile, const StalledKernel& kernel, const correlation::Place& place,
                      const StalledLine* line, SourceLines& sources) {
    const auto text = escaped(sources.line(place));
    if (line == nullptr)
        return fmt::format("<tr><td class=n><td class=n>{}<td><td><code>{}</code></tr>\n", place.line, text);
    const auto share = shareOf(sumOf(line->samples), sumOf(kernel.samples)) * 100;
    return fmt::format(
        "<tr class=hot><td class=n style=\"--s:{0:.2f}%\">{0:.1f}%<td class=n>{1}<td>{2}<td><code>{3}</code></tr>\n",
        share, place.line, escaped(mainReasons(profile, line->samples)), text);
}

/// The lines of one file with the lines around them.
std::string annotatedFile(const StallProfile& profile, const StalledKernel& kernel, const std::string& file,
                          const Annotated& lines, SourceLines& sources) {
    constexpr int kAround = 4;
    auto html = fmt::format(
        "<div class=wide><table class=source><caption>{}</caption><thead><tr><th class=n>Share<th "
        "class=n>Line<th>Waits "
        "for<th>Source</tr></thead><tbody>\n",
        escaped(file));
    int shown = 0;
    correlation::Place place;
    place.file = file;
    for (const auto& [number, line] : lines) {
        for (int each = std::max(shown + 1, number - kAround); each < number; ++each) {
            if (each > shown + 1 && shown != 0 && each == number - kAround)
                html += "<tr><td class=n><td class=n>...<td><td></tr>\n";
            place.line = each;
            html += sourceRow(profile, kernel, place, nullptr, sources);
        }
        place.line = shown = number;
        html += sourceRow(profile, kernel, place, line, sources);
    }
    return html + "</tbody></table></div>\n";
}

std::string annotatedSource(const StallProfile& profile, const StalledKernel& kernel,
                            const std::vector<StalledLine>& lines, SourceLines& sources) {
    std::map<std::string, Annotated> files;
    for (std::size_t i = 0; i < lines.size() && i < kMostAnnotatedLines; ++i)
        if (lines[i].place.line > 0) files[lines[i].place.file].emplace(lines[i].place.line, &lines[i]);
    std::string html;
    for (const auto& [file, own] : files) html += annotatedFile(profile, kernel, file, own, sources);
    return html;
}

/// Machine code, which opens on request.
std::string codeOf(const StallProfile& profile, const StalledKernel& kernel, bool mangled, SourceLines& sources) {
    auto text = stallCode(profile, kernel, mangled, sources);
    const bool cut = text.size() > kMostCode;
    if (cut) text.resize(text.rfind('\n', kMostCode) + 1);
    return fmt::format("<details><summary>Machine code with samples</summary><pre>{}</pre>{}</details>\n",
                       escaped(text), cut ? "<p class=note>The rest is left out; --code prints all.</p>" : "");
}

}  // namespace

void addStallSections(Page& page, const StallProfile& profile, const std::vector<const StalledKernel*>& kernels,
                      bool mangled, SourceLines& sources) {
    page.addFigure("samples", std::to_string(profile.mapped() + profile.unmapped()));
    page.addFigure("sampled kernels", std::to_string(kernels.size()));
    page.addFigure("between samples", fmt::format("{} ns", profile.period()));
    if (profile.lost() != 0 || profile.moreLost())
        page.addFinding(Page::Level::warning, fmt::format("{}{} samples were lost, so busy kernels have too few.",
                                                          profile.moreLost() ? "More than " : "", profile.lost()));
    if (const auto flame = stallFlame(profile, kernels, mangled); !flame.empty())
        page.addSection("stalls", "What threads wait for", flame);
    for (std::size_t i = 0; i < kernels.size() && i < kMostKernelPages; ++i) {
        const auto& kernel = *kernels[i];
        const auto lines = linesOf(kernel);
        const auto name = mangled ? kernel.name : demangled(kernel.name);
        if (i < kMostLineFindings && !lines.empty())
            page.addFinding(Page::Level::note,
                            fmt::format("{:.0f}% of the samples of {} are at {}: {}.",
                                        shareOf(sumOf(lines[0].samples), sumOf(kernel.samples)) * 100, name,
                                        whereOf(lines[0].place), mainReasons(profile, lines[0].samples)));
        auto html = linesTable(profile, kernel, lines, sources).html();
        if (!kernel.withoutLines.empty()) html += "<p class=note>" + escaped(kernel.withoutLines) + "</p>";
        if (i < kMostAnnotated)
            html += annotatedSource(profile, kernel, lines, sources) + codeOf(profile, kernel, mangled, sources);
        page.addSection(fmt::format("kernel{}", i), name, html);
    }
    if (kernels.size() > kMostKernelPages)
        page.addFinding(Page::Level::note, fmt::format("Of {} sampled kernels, the {} with the most samples are shown.",
                                                       kernels.size(), kMostKernelPages));
}

std::string stallPage(const StallProfile& profile, const std::vector<const StalledKernel*>& kernels, bool mangled,
                      SourceLines& sources) {
    Page page("zetl stalls", kernels.empty() ? "no kernel" : mangled ? kernels[0]->name : demangled(kernels[0]->name));
    addStallSections(page, profile, kernels, mangled, sources);
    page.addEnvironment({});
    return page.html();
}

}  // namespace zetl::command
