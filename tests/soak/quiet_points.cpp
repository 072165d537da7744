#include "soak/quiet_points.h"

#include <dirent.h>
#include <malloc.h>
#include <unistd.h>

#include <fstream>
#include <span>

#include "soak/ledger.h"

namespace zetl::soak {
namespace {

constexpr std::size_t kFewest = 8;

/// By the C library, as the standard library's iterators end a process that has no memory.
std::uint64_t entriesOf(const char* directory) {
    DIR* const entries = opendir(directory);
    if (!entries) return 0;
    std::uint64_t count = 0;
    while (const dirent* const entry = readdir(entries)) count += entry->d_name[0] != '.';
    closedir(entries);
    return count;
}

/// The slope of value(point) over episodes.
template <class F>
double slope(std::span<const Holdings> points, F value) {
    double meanX = 0, meanY = 0;
    for (const auto& point : points) {
        meanX += static_cast<double>(point.episodes);
        meanY += static_cast<double>(value(point));
    }
    const auto count = static_cast<double>(points.size());
    meanX /= count;
    meanY /= count;
    double products = 0, squares = 0;
    for (const auto& point : points) {
        const double x = static_cast<double>(point.episodes) - meanX;
        products += x * (static_cast<double>(value(point)) - meanY);
        squares += x * x;
    }
    return squares > 0 ? products / squares : 0;
}

}  // namespace

Holdings holdings() {
    malloc_trim(0);
    std::uint64_t virtualPages = 0, residentPages = 0;
    std::ifstream("/proc/self/statm") >> virtualPages >> residentPages;
    return {ledger().episodes, residentPages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)),
            entriesOf("/proc/self/fd"), entriesOf("/proc/self/task")};
}

Growth growthOf(const std::vector<Holdings>& points) {
    const auto late = std::span(points).subspan(points.size() / 2);
    if (late.size() < kFewest) return {};
    constexpr double kThousand = 1000;
    return {kThousand * slope(late, [](const Holdings& point) { return point.residentBytes; }) / 1024,
            kThousand * slope(late, [](const Holdings& point) { return point.descriptors; })};
}

}  // namespace zetl::soak
