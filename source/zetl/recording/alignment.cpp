#include "recording/alignment.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <utility>

#include "recording/clocks.h"

namespace zetl::command {
namespace {

/// Above the numbers that Linux gives to processes.
constexpr std::uint32_t kFirstOther = (1u << 22) + 1;

/// Numbers of processes, which hosts give independently of each other.
class ProcessNumbers {
  public:
    std::uint32_t of(const RecordingFile& recording) {
        const auto process = recording.header().process;
        const auto host = recording.boot() + '/' + recording.host();
        const auto [known, isNew] = numbers_.try_emplace({process, host}, process);
        if (isNew && !taken_.insert(process).second) known->second = next_++;
        return known->second;
    }

  private:
    std::map<std::pair<std::uint32_t, std::string>, std::uint32_t> numbers_;
    std::set<std::uint32_t> taken_;
    std::uint32_t next_ = kFirstOther;
};

std::string nameOf(const RecordingFile& recording, bool severalHosts) {
    const auto host = recording.host();
    const auto& header = recording.header();
    if (header.rank >= 0)
        return "rank " + std::to_string(header.rank) + (host.empty() ? "" : " on " + host) + ": " + recording.command();
    return severalHosts && !host.empty() ? recording.command() + " on " + host : recording.command();
}

}  // namespace

void align(std::vector<RecordingFile>& recordings) {
    std::vector<std::size_t> order(recordings.size());
    std::iota(order.begin(), order.end(), std::size_t(0));
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return recordings[i].header().rank; });
    std::vector<RecordingFile> sorted;
    sorted.reserve(order.size());
    for (const auto i : order) sorted.push_back(std::move(recordings[i]));
    recordings.swap(sorted);
    std::set<std::string> hosts;
    for (const auto& each : recordings) hosts.insert(each.host());
    const Clocks clocks(recordings);
    ProcessNumbers numbers;
    for (auto& each : recordings)
        each.setPlace({clocks.shiftOf(each), numbers.of(each), nameOf(each, hosts.size() > 1)});
}

std::vector<RecordingFile> openRecordings(std::span<const std::filesystem::path> directories) {
    std::vector<RecordingFile> files;
    std::set<std::filesystem::path> known;  // a directory may be named twice
    for (const auto& directory : directories)
        for (const auto& path : recordingsIn(directory)) try {
                if (!known.insert(std::filesystem::weakly_canonical(path)).second) continue;
                files.emplace_back(path);
            } catch (const std::exception& failure) {
                std::fprintf(stderr, "zetl: %s\n", failure.what());
            }
    align(files);
    return files;
}

std::vector<RecordingFile> openRecordings(const std::filesystem::path& directory) {
    return openRecordings(std::span(&directory, 1));
}

}  // namespace zetl::command
