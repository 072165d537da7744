#include "page/trace_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "page/html.h"
#include "page/page.h"
#include "page/timeline_data.h"
#include "text/demangled.h"

namespace zetl::command {
namespace {

using Level = Page::Level;

std::string byteText(std::uint64_t bytes) {
    constexpr std::pair<double, const char*> kUnits[] = {{1u << 30, "GiB"}, {1u << 20, "MiB"}, {1u << 10, "KiB"}};
    const auto value = static_cast<double>(bytes);
    for (const auto& [size, unit] : kUnits)
        if (value >= size) return fmt::format("{:.3g} {}", value / size, unit);
    return fmt::format("{} bytes", bytes);
}

HtmlCell counted(const Json& value) { return {std::to_string(value.get<std::uint64_t>()), value.get<double>(), -1}; }
HtmlCell timed(const Json& value, double share = -1) {
    return {durationText(value.get<std::uint64_t>()), value.get<double>(), share};
}

std::uint64_t columnSum(const Json& rows, const char* column) {
    std::uint64_t sum = 0;
    for (const auto& row : rows) sum += row.at(column).get<std::uint64_t>();
    return sum;
}

double ratio(std::uint64_t part, std::uint64_t whole) {
    return whole ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

/// A trace as data: what Summary::json() says, as far as it is shown.
class TraceSections {
  public:
    TraceSections(Page& page, std::span<const RecordingFile> recordings, const Summary& summary, bool mangled)
        : recordings_(recordings),
          tables_(summary.tables(HtmlTable::kMostRows)),
          work_(summary.workSums()),
          data_(timelineData(recordings)),
          mangled_(mangled),
          page_(page) {}

    void add() {
        addFindings();
        addFigures();
        addTimeline();
        addKernels();
        addRanks();
        addMemory();
        addCalls();
    }

  private:
    std::string shownName(const Json& name) const {
        const auto text = name.get<std::string>();
        return mangled_ ? text : demangled(text);
    }

    void addFindings() {
        addErrors();
        addDeviceFindings();
        addTimeFindings();
        addRankFindings();
        if (const auto lost = tables_.at("device_beyond_limit").get<std::uint64_t>())
            page_.addFinding(Level::warning,
                             fmt::format("{} commands of devices did not fit into the recording (--limit).", lost));
        if (const auto lost = tables_.at("unmeasured").get<std::uint64_t>())
            page_.addFinding(Level::note, fmt::format("The times of {} commands of devices are not known.", lost));
    }

    void addErrors() {
        std::uint64_t errors = 0;
        for (const auto& row : tables_.at("calls")) {
            const auto own = row.at("errors").get<std::uint64_t>();
            if (own != 0)
                page_.addFinding(Level::error, fmt::format("{} of {} calls of {} returned an error.", own,
                                                           row.at("calls").get<std::uint64_t>(),
                                                           row.at("function").get<std::string>()));
            const auto open = row.at("unfinished").get<std::uint64_t>();
            if (open != 0)
                page_.addFinding(Level::error, fmt::format("{} of {} had not returned when the process ended.", open,
                                                           row.at("function").get<std::string>()));
            errors += own + open;
        }
        if (errors == 0) page_.addFinding(Level::good, "No call returned an error, and all returned.");
    }

    void addDeviceFindings() {
        const auto& work = tables_.at("device");
        if (work.empty()) return page_.addFinding(Level::note, "No work of devices was recorded.");
        const auto& first = work.at(0);
        page_.addFinding(Level::note, fmt::format("{} takes {:.0f}% of the time on devices, in {} launches.",
                                                  shownName(first.at("name")), first.at("share").get<double>() * 100,
                                                  first.at("launches").get<std::uint64_t>()));
        addCopyFinding();
        if (recordings_.empty()) return;  // no times of begin and end, only totals
        constexpr double kIdle = 0.5;
        page_.addFinding(data_.busy < kIdle ? Level::warning : Level::good,
                         fmt::format("Devices work for {:.1f}% of the {} between the first and the last record.",
                                     data_.busy * 100, durationText(data_.duration)));
    }

    void addCopyFinding() {
        const auto& work = tables_.at("device");
        std::uint64_t copies = 0;
        for (const auto& row : work)
            if (row.at("name") == "copy" || row.at("name") == "image copy")
                copies += row.at("total_ns").get<std::uint64_t>();
        constexpr double kMany = 0.3;
        if (const auto share = ratio(copies, work_.total); share > kMany)
            page_.addFinding(Level::warning, fmt::format("Copies take {:.0f}% of the time on devices.", share * 100));
    }

    void addTimeFindings() {
        const auto& calls = tables_.at("calls");
        const auto all = columnSum(calls, "total_ns");
        constexpr double kMuch = 0.25;
        for (const auto& row : calls) {
            const auto name = row.at("function").get<std::string>();
            const auto share = ratio(row.at("total_ns").get<std::uint64_t>(), all);
            if (share < kMuch) continue;
            const bool compiles = name.starts_with("zeModuleCreate");
            page_.addFinding(
                compiles ? Level::warning : Level::note,
                fmt::format("{} takes {:.0f}% of the time in Level Zero{}", name, share * 100,
                            compiles ? ": modules are compiled; native binaries or a cache avoid it." : "."));
        }
        if (data_.bytesAtEnd != 0)
            page_.addFinding(Level::note, fmt::format("{} were allocated and not freed.", byteText(data_.bytesAtEnd)));
    }

    void addRankFindings() {
        const auto ranks = tables_.find("ranks");
        if (ranks == tables_.end() || ranks->at("ranks").size() < 2) return;
        const auto& spread = ranks->at(tables_.at("device").empty() ? "calls_ns" : "device_ns");
        const auto imbalance = spread.at("imbalance").get<double>();
        constexpr double kUneven = 0.1;
        page_.addFinding(
            imbalance > kUneven ? Level::warning : Level::good,
            fmt::format("The slowest rank is {}: {:.1f}% above the mean of {} ranks.",
                        spread.at("max_rank").get<std::int32_t>(), imbalance * 100, ranks->at("ranks").size()));
    }

    void addFigures() {
        const auto& calls = tables_.at("calls");
        if (!recordings_.empty()) page_.addFigure("from first to last record", durationText(data_.duration));
        page_.addFigure("calls", std::to_string(columnSum(calls, "calls")));
        page_.addFigure("in Level Zero", durationText(columnSum(calls, "total_ns")));
        page_.addFigure("commands of devices", std::to_string(work_.launches));
        page_.addFigure("on devices", durationText(work_.total));
        if (!recordings_.empty()) page_.addFigure("allocated at most", byteText(data_.mostBytes));
        page_.addFigure("processes", std::to_string(tables_.at("processes").get<std::uint64_t>()));
    }

    void addTimeline() {
        if (recordings_.empty()) return;
        std::string html =
            "<div><div class=tools><button type=button data-key=\"+\">Zoom in</button><button type=button "
            "data-key=\"-\">Zoom out</button><button type=button data-key=\"0\">All</button><button type=button "
            "data-key=p>Previous</button><button type=button data-key=n>Next</button><input type=search "
            "aria-label=\"Find a name\" placeholder=\"Find a name\"></div>\n<canvas tabindex=0 role=img "
            "aria-label=\"Timeline. Arrow keys move, plus and minus zoom, 0 shows all, n and p select the next and "
            "the previous slice.\"></canvas>\n<p class=picked aria-live=polite>Click a slice, or press n and p. Drag "
            "or use the arrow keys to move; + and - or Shift and the wheel zoom; 0 shows all.</p>\n<script "
            "type=\"application/json\">";
        html += scriptJson(data_.timeline) + "</script></div>\n<noscript><p>The timeline needs scripts.</p></noscript>";
        if (data_.shown < data_.slices)
            html += fmt::format("<p class=note>The {} longest of {} slices; a .pftrace file has all.</p>", data_.shown,
                                data_.slices);
        if (data_.hidden != 0) html += fmt::format("<p class=note>{} more tracks are not shown.</p>", data_.hidden);
        page_.addSection("timeline", "Timeline", html);
    }

    void addKernels() {
        HtmlTable table({"On devices", "#Launches", "#Total", "#Average", "#Shortest", "#Longest", "#Share"});
        for (const auto& row : tables_.at("device")) {
            const auto share = row.at("share").get<double>();
            table.add({{shownName(row.at("name"))},
                       counted(row.at("launches")),
                       timed(row.at("total_ns")),
                       timed(row.at("average_ns")),
                       timed(row.at("min_ns")),
                       timed(row.at("max_ns")),
                       {fmt::format("{:.1f}%", share * 100), share, share}});
        }
        table.addUnseen(unseen());
        if (!tables_.at("device").empty()) page_.addSection("kernels", "Kernels", table.html() + launchTable());
    }

    /// Rows that the data leaves out.
    std::size_t unseen() const { return work_.rows - tables_.at("device").size(); }

    /// How kernels were launched; empty if that was not recorded.
    std::string launchTable() const {
        HtmlTable table({"Longest launch of", "Grid", "Group size", "#Registers", "#SIMD width", "#Local memory",
                         "#Queued on average", "Other launches"});
        bool any = false;
        for (const auto& row : tables_.at("device")) {
            const auto& launch = row.at("longest_launch");
            if (launch.is_null()) continue;
            any = true;
            table.add(
                {{shownName(row.at("name"))},
                 {sizeOf(launch.at("grid"))},
                 {sizeOf(launch.at("group_size"))},
                 known(launch.at("registers")),
                 known(launch.at("simd_width")),
                 {byteText(launch.at("local_bytes").get<std::uint64_t>()), launch.at("local_bytes").get<double>(), -1},
                 timed(row.at("average_queued_ns")),
                 {otherLaunches(row)}});
        }
        if (!any) return {};
        table.addUnseen(unseen());
        return table.html() +
               "<p class=note>Queued: from the call that submitted a command to the command's begin.</p>";
    }

    static std::string otherLaunches(const Json& row) {
        if (row.at("launches") == 1) return "none";
        return row.at("launches_differ").get<bool>() ? "differ" : "alike";
    }

    static std::string sizeOf(const Json& size) {
        if (size.at(0) == 0) return "unknown";
        return fmt::format("{} x {} x {}", size.at(0).get<std::uint32_t>(), size.at(1).get<std::uint32_t>(),
                           size.at(2).get<std::uint32_t>());
    }

    static HtmlCell known(const Json& value) { return value == 0 ? HtmlCell{"unknown", 0, -1} : counted(value); }

    void addRanks() {
        const auto ranks = tables_.find("ranks");
        if (ranks == tables_.end()) return;
        std::uint64_t most = 1;
        for (const auto& row : ranks->at("ranks")) most = std::max(most, row.at("device_ns").get<std::uint64_t>());
        auto rows = ranks->at("ranks");
        if (rows.size() > HtmlTable::kMostRows)  // the slowest are shown
            std::stable_sort(rows.begin(), rows.end(), [most](const Json& a, const Json& b) {
                const auto* column = most > 1 ? "device_ns" : "calls_ns";
                return a.at(column).get<std::uint64_t>() > b.at(column).get<std::uint64_t>();
            });
        HtmlTable table({"#Rank", "Host", "#Calls", "#In calls", "#Commands", "#On devices"});
        for (const auto& row : rows)
            table.add({counted(row.at("rank")),
                       {row.at("host").get<std::string>()},
                       counted(row.at("calls")),
                       timed(row.at("calls_ns")),
                       counted(row.at("commands")),
                       timed(row.at("device_ns"), ratio(row.at("device_ns").get<std::uint64_t>(), most))});
        HtmlTable kernels({"Per rank, on devices", "#Minimum", "#Mean", "#Maximum", "#Imbalance", "#Slowest rank"});
        for (const auto& row : ranks->at("kernels")) {
            const auto imbalance = row.at("imbalance").get<double>();
            kernels.add({{shownName(row.at("name"))},
                         timed(row.at("min_ns")),
                         timed(row.at("mean_ns")),
                         timed(row.at("max_ns")),
                         {fmt::format("{:.1f}%", imbalance * 100), imbalance, -1},
                         counted(row.at("max_rank"))});
        }
        kernels.addUnseen(ranks->value("kernels_left_out", std::size_t(0)));
        page_.addSection("ranks", "Ranks", table.html() + kernels.html());
    }

    void addMemory() {
        if (data_.points == 0) return;
        page_.addSection(
            "memory", "Memory",
            fmt::format("<div><canvas role=img aria-label=\"Allocated memory over time, at most {}\"></canvas>"
                        "<script type=\"application/json\">{}</script></div><p class=note>What zeMemAlloc "
                        "functions returned and zeMemFree did not yet take, over all processes.</p>",
                        byteText(data_.mostBytes), scriptJson(data_.memory)));
    }

    void addCalls() {
        HtmlTable table({"Function", "#Calls", "#Total", "#Average", "#Shortest", "#Longest", "#Errors"});
        const auto all = columnSum(tables_.at("calls"), "total_ns");
        for (const auto& row : tables_.at("calls"))
            table.add({{row.at("function").get<std::string>()},
                       counted(row.at("calls")),
                       timed(row.at("total_ns"), ratio(row.at("total_ns").get<std::uint64_t>(), all)),
                       timed(row.at("average_ns")),
                       timed(row.at("min_ns")),
                       timed(row.at("max_ns")),
                       counted(row.at("errors"))});
        page_.addSection("calls", "Calls", table.html());
    }

    std::span<const RecordingFile> recordings_;
    Json tables_;
    WorkSums work_;
    TimelineData data_;
    bool mangled_;
    Page& page_;
};

}  // namespace

std::string programsOf(std::span<const RecordingFile> recordings) {
    std::set<std::string> programs;
    for (const auto& each : recordings) programs.insert(each.command());
    std::string all;
    for (const auto& each : programs) all += (all.empty() ? "" : ", ") + each;
    constexpr std::size_t kMost = 120;
    return all.size() > kMost ? all.substr(0, kMost) + "..." : all;
}

void addTraceSections(Page& page, std::span<const RecordingFile> recordings, const Summary& summary, bool mangled) {
    TraceSections(page, recordings, summary, mangled).add();
}

std::vector<std::pair<std::string, std::string>> factsOf(std::span<const RecordingFile> recordings) {
    std::vector<std::pair<std::string, std::string>> facts;
    std::set<std::string> hosts;
    std::uint64_t first = UINT64_MAX;
    for (const auto& each : recordings) {
        hosts.insert(each.host());
        if (each.header().realtime != 0) first = std::min(first, each.header().realtime);
    }
    std::string all;
    for (const auto& host : hosts) all += (all.empty() ? "" : ", ") + host;
    facts.emplace_back("Hosts", all);
    if (first != UINT64_MAX)
        facts.emplace_back("Recorded at", utcText(static_cast<std::time_t>(first / 1'000'000'000u)));
    return facts;
}

std::string tracePage(std::span<const RecordingFile> recordings, const Summary& summary, bool mangled) {
    Page page("zetl trace", programsOf(recordings));
    addTraceSections(page, recordings, summary, mangled);
    page.addEnvironment(factsOf(recordings));
    return page.html();
}

}  // namespace zetl::command
