#include "findings/gathered.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <map>

namespace zetl::command {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMost = 100'000;

using Known = std::map<std::string, check::Finding>;

void add(Known& known, check::Finding finding, Gathered& all) {
    const std::string key = keyOf(finding);
    const auto found = known.find(key);
    if (found == known.end()) {
        if (known.size() < kMost)
            known.emplace(key, std::move(finding));
        else
            ++all.tooMany;
        return;
    }
    const std::uint64_t room = std::numeric_limits<std::uint64_t>::max() - found->second.count;
    found->second.count += std::min(room, finding.count);
    if (found->second.schedules && finding.schedules) found->second.schedules->seen += finding.schedules->seen;
}

void readRun(const fs::path& directory, Known& known, Gathered& all) {
    for (const auto& entry : fs::directory_iterator(directory)) {
        if (entry.path().extension() != ".jsonl" || !entry.is_regular_file()) continue;
        ++all.processes;
        const bool incomplete = entry.path().native().ends_with(check::kIncompleteSuffix);
        if (incomplete) ++all.incomplete;
        std::ifstream file(entry.path());
        if (!file) ++all.unreadable;
        for (std::string line; std::getline(file, line);) {
            auto finding = check::fromJson(line);
            if (finding)
                add(known, std::move(*finding), all);
            else if (!incomplete)  // of an incomplete file, the last line may be cut off
                ++all.unreadable;
        }
    }
}

}  // namespace

const char* nameOf(check::Access access) noexcept {
    switch (access) {
        case check::Access::read:
            return "read";
        case check::Access::write:
            return "write";
        case check::Access::atomic:
            return "atomic access";
        case check::Access::none:
            break;
    }
    return "instruction";
}

std::string placeOf(const check::Side& side) {
    return side.source.empty() ? fmt::format("{:#x}", side.ip) : side.source;
}

std::string keyOf(const check::Finding& finding) {
    std::vector<std::string> sides;
    for (const check::Side& side : finding.sides)
        sides.push_back(fmt::format("{}@{}@{}", side.kernel, placeOf(side), nameOf(side.access)));
    std::sort(sides.begin(), sides.end());
    std::string key(check::infoOf(finding.kind).name);
    for (const std::string& side : sides) key += '|' + side;
    // Without an instruction the text alone tells mistakes apart.
    return sides.empty() ? key + '|' + finding.message : key;
}

std::string fingerprint(const check::Finding& finding) {
    std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a, which is the same on every host
    for (const char c : keyOf(finding)) hash = (hash ^ static_cast<std::uint8_t>(c)) * 0x100000001b3;
    return fmt::format("{:016x}", hash);
}

Gathered gather(const std::vector<RunDirectory>& runs) {
    Gathered all;
    Known known;
    for (const RunDirectory& run : runs) {
        Known ofRun;
        readRun(run.path, ofRun, all);
        for (auto& [key, finding] : ofRun) {
            if (!run.schedule.empty()) finding.schedules = check::Schedules{run.schedule};
            add(known, std::move(finding), all);
        }
    }
    for (auto& [key, finding] : known) all.findings.push_back(std::move(finding));
    return all;
}

}  // namespace zetl::command
