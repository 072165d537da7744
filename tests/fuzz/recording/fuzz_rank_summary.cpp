// Any bytes as the summary of a rank, or a sound one with some bytes replaced: it is none, or it is shown, merged and
// written again as the same.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include "timeline/reduced_rank.h"
#include "timeline/summary.h"

namespace {

using namespace zetl::command;

std::string soundOne() {
    ReducedRank rank;
    rank.rank = 3;
    rank.ranks = 4;
    rank.host = "node1";
    rank.command = "solver";
    rank.processes = rank.threads = 1;
    rank.calls["zeMemFree"].calls = 5;
    rank.work["vector_add"].launches = 2;
    return rank.text();
}

/// Three bytes of the input each: where, and what.
std::string damaged(std::string text, const std::uint8_t* data, std::size_t size) {
    for (; size >= 3; data += 3, size -= 3) text[(data[0] | data[1] << 8) % text.size()] = static_cast<char>(data[2]);
    return text;
}

std::string inMemory(int file, const std::string& text) {
    if (ftruncate(file, 0) != 0 || pwrite(file, text.data(), text.size(), 0) != static_cast<ssize_t>(text.size()))
        std::abort();
    return "/proc/self/fd/" + std::to_string(file);
}

void showAll(const ReducedRank& rank) {
    Summary summary;
    summary.add(rank);
    summary.add(rank);
    (void)(summary.table(Terminal(), false) + summary.asTable().csv() + summary.json());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const std::string sound = soundOne();
    const int file = memfd_create("summary", MFD_CLOEXEC);
    const auto text = size % 2 ? damaged(sound, data, size) : std::string(reinterpret_cast<const char*>(data), size);
    std::string written;
    try {
        const auto rank = ReducedRank::read(inMemory(file, text));
        showAll(rank);
        written = rank.text();
    } catch (const std::runtime_error&) {
        return close(file);
    }
    if (written.size() > ReducedRank::kMostBytes || ReducedRank::read(inMemory(file, written)).text() != written)
        std::abort();
    return close(file);
}
