#include "metrics/stall_page.h"

#include <fmt/format.h>

#include "metrics/stall_listing.h"
#include "metrics/stalled_lines.h"
#include "page/html.h"
#include "page/page.h"
#include "text/demangled.h"

namespace zetl::command {
namespace {

constexpr std::size_t kMostKernelPages = 100;
constexpr std::size_t kMostLineFindings = 5;

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

}  // namespace

std::string stallPage(const StallProfile& profile, const std::vector<const StalledKernel*>& kernels, bool mangled,
                      SourceLines& sources) {
    Page page("zetl stalls", kernels.empty() ? "no kernel" : mangled ? kernels[0]->name : demangled(kernels[0]->name));
    page.addFigure("samples", std::to_string(profile.mapped() + profile.unmapped()));
    page.addFigure("kernels", std::to_string(kernels.size()));
    page.addFigure("between samples", fmt::format("{} ns", profile.period()));
    if (profile.lost() != 0 || profile.moreLost())
        page.addFinding(Page::Level::warning, fmt::format("{}{} samples were lost, so busy kernels have too few.",
                                                          profile.moreLost() ? "More than " : "", profile.lost()));
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
        page.addSection(fmt::format("kernel{}", i), name, html);
    }
    if (kernels.size() > kMostKernelPages)
        page.addFinding(Page::Level::note, fmt::format("Of {} kernels, the {} with the most samples are shown.",
                                                       kernels.size(), kMostKernelPages));
    page.addEnvironment({});
    return page.html();
}

}  // namespace zetl::command
