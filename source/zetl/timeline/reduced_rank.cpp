#include "timeline/reduced_rank.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <set>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "recording/alignment.h"
#include "text/json.h"

namespace zetl::command {
namespace {

namespace fs = std::filesystem;

constexpr const char* kKind = "zetl rank summary";
constexpr std::uint64_t kVersion = 1;
constexpr std::size_t kRoomForCalls = 6 * 1024;
constexpr std::size_t kRoomForWork =
    8 * 1024;  // 2 KB are left for the head, in which host and command have 64 bytes each
constexpr std::size_t kMostOfText = 64;

std::string dumped(const Json& value) { return value.dump(-1, ' ', false, Json::error_handler_t::replace); }

Json rowOf(const std::string& name, const FunctionTotals& totals) {
    return {name, totals.calls, totals.unfinished, totals.errors, totals.total, totals.shortest, totals.longest};
}

Json rowOf(const std::string& name, const WorkTotals& totals) {
    const auto& launch = totals.longestSpan;
    return {name,
            totals.launches,
            totals.total,
            totals.shortest,
            totals.longest,
            totals.bytes,
            totals.queued,
            launch.groups[0],
            launch.groups[1],
            launch.groups[2],
            launch.groupSize[0],
            launch.groupSize[1],
            launch.groupSize[2],
            launch.localBytes,
            launch.registers,
            launch.simdWidth,
            totals.varies ? 1u : 0u};
}

/// Takes the values of a row in their order, and throws if one is missing or of another kind.
class RowReader {
  public:
    explicit RowReader(const Json& row) : row_(row) {
        if (!row.is_array()) throw std::runtime_error("a row is missing");
    }
    std::string text() {
        const auto& value = next();
        if (!value.is_string()) throw std::runtime_error("a name is missing");
        return value.get<std::string>();
    }
    std::uint64_t number() {
        const auto& value = next();
        if (!value.is_number_unsigned()) throw std::runtime_error("a number is missing");
        return value.get<std::uint64_t>();
    }
    template <class T>
    void read(T& field) {
        field = static_cast<T>(number());
    }

  private:
    const Json& next() {
        if (at_ == row_.size()) throw std::runtime_error("a row is too short");
        return row_[at_++];
    }
    const Json& row_;
    std::size_t at_ = 0;
};

void read(RowReader& row, FunctionTotals& totals) {
    for (auto* field :
         {&totals.calls, &totals.unfinished, &totals.errors, &totals.total, &totals.shortest, &totals.longest})
        *field = row.number();
}

void read(RowReader& row, WorkTotals& totals) {
    for (auto* field :
         {&totals.launches, &totals.total, &totals.shortest, &totals.longest, &totals.bytes, &totals.queued})
        *field = row.number();
    auto& launch = totals.longestSpan;
    for (auto& each : launch.groups) row.read(each);
    for (auto& each : launch.groupSize) row.read(each);
    row.read(launch.localBytes);
    row.read(launch.registers);
    row.read(launch.simdWidth);
    totals.varies = row.number() != 0;
}

/// The rows that took the longest, as far as there is room; adds the others to `others` and counts them in `left`.
template <class Totals>
Json rowsWithin(const std::map<std::string, Totals, std::less<>>& all, std::size_t room, Totals& others,
                std::uint64_t& left) {
    std::vector<std::pair<std::string_view, const Totals*>> sorted;
    sorted.reserve(all.size());
    for (const auto& [name, totals] : all) sorted.emplace_back(name, &totals);
    std::ranges::stable_sort(sorted, std::greater<>(), [](const auto& each) { return each.second->total; });
    Json rows = Json::array();
    for (const auto& [name, totals] : sorted) {
        auto row = rowOf(std::string(name), *totals);
        const auto bytes = dumped(row).size() + 1;
        if (bytes > room) {
            others.merge(*totals);
            ++left;
            continue;
        }
        room -= bytes;
        rows.push_back(std::move(row));
    }
    return rows;
}

/// A member that must be there. Missing ones make the file unreadable, unknown ones do not.
const Json& member(const Json& from, const char* name) {
    const auto found = from.find(name);
    if (found == from.end()) throw std::runtime_error(fmt::format("\"{}\" is missing", name));
    return *found;
}

std::uint64_t numberIn(const Json& from, const char* name) {
    const auto& value = member(from, name);
    if (!value.is_number_unsigned()) throw std::runtime_error(fmt::format("\"{}\" is no number", name));
    return value.get<std::uint64_t>();
}

std::string textIn(const Json& from, const char* name) {
    const auto& value = member(from, name);
    if (!value.is_string()) throw std::runtime_error(fmt::format("\"{}\" is no text", name));
    return value.get<std::string>().substr(0, kMostOfText);
}

template <class Totals>
void readRows(const Json& from, const char* name, std::map<std::string, Totals, std::less<>>& into) {
    const auto& rows = member(from, name);
    if (!rows.is_array()) throw std::runtime_error(fmt::format("\"{}\" is no list", name));
    for (const auto& each : rows) {
        RowReader row(each);
        Totals totals;
        auto key = row.text();
        read(row, totals);
        into[std::move(key)].merge(totals);
    }
}

template <class Totals>
void readOthers(const Json& from, const char* name, std::uint64_t& count, Totals& totals) {
    RowReader row(member(from, name));
    row.text();
    read(row, totals);
    count = numberIn(from, (std::string(name) + "_count").c_str());
}

ReducedRank parsed(const std::string& text) {
    const auto all = Json::parse(text);
    if (!all.is_object() || !all.contains("kind") || all.at("kind") != kKind)
        throw std::runtime_error("not the summary of a rank");
    if (numberIn(all, "version") != kVersion) throw std::runtime_error("not written by this version of zetl");
    ReducedRank rank;
    const auto number = numberIn(all, "rank");
    if (number > INT32_MAX) throw std::runtime_error("no such rank");
    rank.rank = static_cast<std::int32_t>(number);
    rank.ranks = static_cast<std::uint32_t>(std::min<std::uint64_t>(numberIn(all, "ranks"), UINT32_MAX));
    rank.host = textIn(all, "host");
    rank.command = textIn(all, "command");
    rank.realtime = numberIn(all, "realtime");
    rank.processes = numberIn(all, "processes");
    rank.threads = numberIn(all, "threads");
    RowReader beyond(member(all, "beyond"));
    for (auto& each : rank.beyond) each = beyond.number();
    rank.spansBeyond = numberIn(all, "spans_beyond");
    rank.unmeasured = numberIn(all, "unmeasured");
    readRows(all, "calls", rank.calls);
    readRows(all, "work", rank.work);
    readOthers(all, "other_calls", rank.otherFunctions, rank.otherCalls);
    readOthers(all, "other_work", rank.otherKernels, rank.otherWork);
    return rank;
}

std::string nameOf(std::int32_t rank) { return fmt::format("rank{}{}", rank, kSummarySuffix); }

}  // namespace

std::string ReducedRank::text() const {
    auto calls = otherCalls;
    auto functions = otherFunctions;
    auto device = otherWork;
    auto kernels = otherKernels;
    auto callRows = rowsWithin(this->calls, kRoomForCalls, calls, functions);
    auto workRows = rowsWithin(work, kRoomForWork, device, kernels);
    const Json all = {{"kind", kKind},
                      {"version", kVersion},
                      {"rank", static_cast<std::uint64_t>(rank)},
                      {"ranks", ranks},
                      {"host", host.substr(0, kMostOfText)},
                      {"command", command.substr(0, kMostOfText)},
                      {"realtime", realtime},
                      {"processes", processes},
                      {"threads", threads},
                      {"beyond", beyond},
                      {"spans_beyond", spansBeyond},
                      {"unmeasured", unmeasured},
                      {"calls", std::move(callRows)},
                      {"other_calls", rowOf("", calls)},
                      {"other_calls_count", functions},
                      {"work", std::move(workRows)},
                      {"other_work", rowOf("", device)},
                      {"other_work_count", kernels}};
    return dumped(all) + '\n';
}

ReducedRank ReducedRank::read(const fs::path& file) try {
    if (!fs::is_regular_file(file)) throw std::runtime_error("not a regular file");
    if (fs::file_size(file) > kMostBytes) throw std::runtime_error("too large for the summary of a rank");
    std::string text(kMostBytes, '\0');
    std::ifstream input(file, std::ios::binary);
    if (!input) throw std::runtime_error("cannot be read");
    input.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(input.gcount()));
    return parsed(text);
} catch (const Json::exception&) {
    throw std::runtime_error(fmt::format("{}: damaged", file.native()));
} catch (const std::exception& failure) {
    throw std::runtime_error(fmt::format("{}: {}", file.native(), failure.what()));
}

std::vector<ReducedRank> reduced(std::span<const RecordingFile> recordings) {
    std::map<std::int32_t, std::vector<const RecordingFile*>> ranks;
    for (const auto& each : recordings)
        if (each.header().rank >= 0) ranks[each.header().rank].push_back(&each);
    std::vector<ReducedRank> all;
    all.reserve(ranks.size());
    for (const auto& [number, files] : ranks) {
        Summary summary;
        auto realtime = UINT64_MAX;
        for (const auto* each : files) {
            summary.add(*each);
            if (each->header().realtime != 0) realtime = std::min<std::uint64_t>(realtime, each->header().realtime);
        }
        auto& rank = all.emplace_back(summary.reduced());
        rank.rank = number;
        rank.ranks = files.front()->header().ranks;
        rank.host = files.front()->host();
        rank.command = files.front()->command();
        rank.realtime = realtime == UINT64_MAX ? 0 : realtime;
    }
    return all;
}

void keepReduced(std::span<const ReducedRank> ranks, const fs::path& directory) {
    for (const auto& rank : ranks) {
        const auto path = directory / nameOf(rank.rank);
        const auto unfinished = path.native() + ".part";
        std::ofstream file(unfinished, std::ios::binary);
        file << rank.text();
        file.close();
        std::error_code failure;
        if (file) fs::rename(unfinished, path, failure);
        if (!file || failure) {
            fs::remove(unfinished, failure);
            throw std::runtime_error(
                fmt::format("{} cannot be written: the directory is full or not writable; the "
                            "recordings stay",
                            path.native()));
        }
    }
}

KeptRun openRun(std::span<const fs::path> directories) {
    KeptRun run{openRecordings(directories), {}};
    std::set<std::pair<std::string, std::int32_t>> recorded;  // where, and which rank
    for (const auto& each : run.recordings)
        recorded.emplace(fs::weakly_canonical(each.path().parent_path()).native(), each.header().rank);
    std::set<fs::path> known;  // a directory may be named twice
    for (const auto& directory : directories)
        for (const auto& path : rankSummariesIn(directory)) try {
                const auto canonical = fs::weakly_canonical(path);
                if (!known.insert(canonical).second) continue;
                auto rank = ReducedRank::read(path);
                if (!recorded.contains({canonical.parent_path().native(), rank.rank}))
                    run.ranks.push_back(std::move(rank));
            } catch (const std::exception& failure) {
                std::fprintf(stderr, "zetl: %s\n", failure.what());
            }
    return run;
}

}  // namespace zetl::command
