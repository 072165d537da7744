#include "comparison/difference.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "comparison/element.h"

namespace zetl::command {
namespace {

using results::Buffer;
using results::Launch;
using results::Process;

std::string launchSizes(const Launch& launch) {
    const auto& [x, y, z] = launch.groups;
    const auto& [a, b, c] = launch.groupSize;
    return fmt::format("{}x{}x{} groups of {}x{}x{}", x, y, z, a, b, c);
}

std::string bufferName(const Buffer& buffer) {
    if (buffer.argument == results::kThroughPointer) return "memory reached through a pointer";
    std::string text = fmt::format("argument {}", buffer.argument);
    const std::string type = buffer.type.substr(0, buffer.type.find(';'));
    if (!buffer.name.empty()) text += fmt::format(" ({}{}{})", type, type.empty() ? "" : " ", buffer.name);
    return text;
}

bool sameBlocks(const Buffer& one, const Buffer& other) {
    return std::ranges::equal(one.blocks, other.blocks, {}, &results::Block::hash, &results::Block::hash);
}

/// Compares a buffer of two runs, block by block.
class BufferComparison {
  public:
    BufferComparison(const Process& expectedIn, const Buffer& expected, const Process& foundIn, const Buffer& found,
                     std::uint64_t ulps)
        : expectedIn_(expectedIn),
          expected_(expected),
          foundIn_(foundIn),
          found_(found),
          ulps_(ulps),
          element_(Element::of(expected.type)) {}

    /// Fills what differs; returns false if nothing does.
    bool run(Difference& difference) {
        for (std::size_t i = 0; i < expected_.blocks.size(); ++i)
            if (expected_.blocks[i].hash != found_.blocks[i].hash) block(i, difference);
        if (differing_ == 0 && !unknown_) return false;
        difference.differing = unknown_ ? 0 : differing_;
        const std::uint64_t all = expected_.bytes / element_.bytes();
        if (!difference.element) {
            difference.what = "its contents differ; they were not kept (--limit)";
        } else {
            difference.what =
                fmt::format("{}{} of {} elements differ, the first is {}: {}, not {}", unknown_ ? "at least " : "",
                            differing_, all, *difference.element, difference.found, difference.expected);
            if (beforePointer_) difference.what += " (counted from the begin of the allocation)";
        }
        return true;
    }

  private:
    const Process& expectedIn_;
    const Buffer& expected_;
    const Process& foundIn_;
    const Buffer& found_;
    const std::uint64_t ulps_;
    const Element element_;
    std::uint64_t differing_ = 0;
    bool unknown_ = false;  ///< contents of a block that differs were not kept
    bool beforePointer_ = false;

    void block(std::size_t index, Difference& difference) {
        const auto expected = contentOf(expectedIn_, expected_.blocks[index]);
        const auto found = contentOf(foundIn_, found_.blocks[index]);
        if (expected.empty() || found.empty()) {
            unknown_ = true;
            return;
        }
        const std::uint64_t begin = index * results::kBlockBytes;
        const std::uint64_t bytes = std::min<std::uint64_t>(results::kBlockBytes, expected_.bytes - begin);
        for (std::uint64_t at = 0; at < bytes; at += element_.bytes()) {
            const std::uint64_t size = std::min<std::uint64_t>(element_.bytes(), bytes - at);
            const auto a = std::span(expected).subspan(at, size);
            const auto b = std::span(found).subspan(at, size);
            if (element_.alike(a, b, ulps_)) continue;
            if (differing_++ == 0) first(begin + at, a, b, difference);
        }
    }

    void first(std::uint64_t at, std::span<const std::byte> expected, std::span<const std::byte> found,
               Difference& difference) {
        beforePointer_ = at < expected_.offset;
        difference.element = (beforePointer_ ? at : at - expected_.offset) / element_.bytes();
        difference.expected = element_.text(expected);
        difference.found = element_.text(found);
    }
};

/// Launches of one process, by kernel.
std::map<std::string, std::vector<const Launch*>> byKernel(const Process& process) {
    std::map<std::string, std::vector<const Launch*>> launches;
    for (const Launch& launch : process.launches) launches[launch.kernel].push_back(&launch);
    return launches;
}

class ProcessComparison {
  public:
    ProcessComparison(const Process& reference, const Process& other, std::uint64_t ulps)
        : reference_(reference), other_(other), ulps_(ulps) {}

    std::optional<Difference> run() const {
        auto others = byKernel(other_);
        std::map<std::string, std::size_t> seen;
        for (std::size_t i = 0; i < reference_.launches.size(); ++i) {
            const Launch& expected = reference_.launches[i];
            Difference at;
            at.launch = i + 1;
            at.kernel = expected.kernel;
            at.occurrence = ++seen[expected.kernel];
            at.place = launchSizes(expected);
            const auto& candidates = others[expected.kernel];
            const Launch* const found = at.occurrence <= candidates.size() ? candidates[at.occurrence - 1] : nullptr;
            if (found == nullptr) {
                at.what = "there is no such launch";
                return at;
            }
            if (found->leftOut.empty() && compare(expected, *found, at)) return at;
        }
        return more(others, seen);
    }

  private:
    const Process& reference_;
    const Process& other_;
    const std::uint64_t ulps_;

    bool compare(const Launch& expected, const Launch& found, Difference& at) const {
        if (expected.faulted != found.faulted) {
            at.what = found.faulted ? "it ended in a fault" : "it did not end in a fault";
            return true;
        }
        if (expected.groups != found.groups || expected.groupSize != found.groupSize) {
            at.what = "it has " + launchSizes(found);
            return true;
        }
        for (std::size_t i = 0; i < std::min(expected.buffers.size(), found.buffers.size()); ++i) {
            const Buffer& a = expected.buffers[i];
            const Buffer& b = found.buffers[i];
            if (a.bytes == b.bytes && a.argument == b.argument && sameBlocks(a, b)) continue;
            Difference inBuffer = at;
            inBuffer.place += fmt::format("; {}, {} bytes", bufferName(a), a.bytes);
            if (a.argument != results::kThroughPointer) inBuffer.argument = a.argument;
            if (a.bytes != b.bytes || a.argument != b.argument)
                inBuffer.what = fmt::format("it is {} of {} bytes", bufferName(b), b.bytes);
            else if (!BufferComparison(reference_, a, other_, b, ulps_).run(inBuffer))
                continue;
            at = inBuffer;
            return true;
        }
        if (expected.buffers.size() == found.buffers.size()) return false;
        at.what = fmt::format("it can reach {} buffers, not {}", found.buffers.size(), expected.buffers.size());
        return true;
    }

    std::optional<Difference> more(const std::map<std::string, std::vector<const Launch*>>& others,
                                   const std::map<std::string, std::size_t>& seen) const {
        for (const auto& [kernel, launches] : others) {
            const auto expected = seen.find(kernel);
            const std::size_t count = expected == seen.end() ? 0 : expected->second;
            if (launches.size() <= count) continue;
            Difference at;
            at.kernel = kernel;
            at.occurrence = count + 1;
            at.place = launchSizes(*launches[count]);
            at.what = "the reference has no such launch";
            return at;
        }
        return std::nullopt;
    }
};

}  // namespace

std::size_t launchesOf(const RunResults& run) {
    std::size_t count = 0;
    for (const Process& process : run)
        count += static_cast<std::size_t>(std::ranges::count(process.launches, std::string(), &Launch::leftOut));
    return count;
}

std::map<std::string, std::size_t> leftOutOf(const RunResults& run) {
    std::map<std::string, std::size_t> reasons;
    for (const Process& process : run)
        for (const Launch& launch : process.launches)
            if (!launch.leftOut.empty()) ++reasons[launch.leftOut];
    return reasons;
}

std::optional<Difference> difference(const RunResults& reference, const RunResults& other, std::uint64_t ulps) {
    for (std::size_t i = 0; i < std::max(reference.size(), other.size()); ++i) {
        Difference missing;
        missing.process = i + 1;
        if (i >= std::min(reference.size(), other.size())) {
            missing.what = fmt::format("{} processes launched kernels, not {}", other.size(), reference.size());
            return missing;
        }
        if (auto found = ProcessComparison(reference[i], other[i], ulps).run()) {
            found->process = i + 1;
            return found;
        }
    }
    return std::nullopt;
}

}  // namespace zetl::command
