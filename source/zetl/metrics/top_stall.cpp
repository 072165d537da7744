#include "metrics/top_stall.h"

#include <fmt/format.h>

#include <cstdint>
#include <filesystem>

#include "metrics/stall_profile.h"
#include "timeline/source_lines.h"

namespace zetl::command {
namespace {

constexpr std::string_view kIssuing = "Active";  // the reason of samples in which the thread does not wait

using WaitingLines = std::map<std::pair<std::string, int>, std::uint64_t>;

std::uint64_t waitingSamples(const StallProfile& profile, const StallCounts& samples) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < samples.size(); ++i)
        if (profile.reasons()[i] != kIssuing) sum += samples[i];
    return sum;
}

void addTopLine(TopStall& found, const WaitingLines& lines, SourceLines& sources) {
    std::uint64_t all = 0;
    const WaitingLines::value_type* top = nullptr;
    for (const auto& each : lines) {
        all += each.second;
        if (!top || each.second > top->second) top = &each;
    }
    if (!top || all == 0) return;
    found.share = static_cast<double>(top->second) / static_cast<double>(all);
    const auto& [file, line] = top->first;
    if (line == 0) return;
    found.place = printable(fmt::format("{}:{}", std::filesystem::path(file).filename().string(), line));
    correlation::Place place;
    place.file = file;
    place.line = line;
    found.text = printable(sources.line(place));
}

}  // namespace

std::map<std::string, TopStall> topStalls(const std::filesystem::path& directory) {
    const StallProfile profile(directory);
    std::map<std::string, WaitingLines> kernels;
    std::map<std::string, TopStall> all;
    for (const auto& kernel : profile.kernels()) {
        for (const auto& each : kernel.code) {
            const auto place = each.places.empty() ? correlation::Place() : each.places.front();
            if (const auto samples = waitingSamples(profile, each.samples))
                kernels[kernel.name][{place.file, place.line}] += samples;
        }
        if (kernels.contains(kernel.name)) all[kernel.name].withoutLines = kernel.withoutLines;
    }
    SourceLines sources;
    for (const auto& [name, lines] : kernels) addTopLine(all[name], lines, sources);
    return all;
}

}  // namespace zetl::command
