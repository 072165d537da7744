#include "emulator/machine/timing.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <iterator>

#include "base/yaml.h"
#include "emulator/machine/embedded_profiles.h"

namespace zetl::emulator::machine {
namespace {

struct TimingField {
    const char* key;
    std::uint32_t TimingModel::*member;
    std::uint32_t least;
    std::uint32_t most;
};

constexpr std::uint32_t kCycles = 100'000;
constexpr TimingField kFields[] = {
    {.key = "arithmetic", .member = &TimingModel::arithmetic, .least = 1, .most = kCycles},
    {.key = "accumulator", .member = &TimingModel::accumulator, .least = 1, .most = kCycles},
    {.key = "register_file", .member = &TimingModel::registerFile, .least = 1, .most = kCycles},
    {.key = "extended_math", .member = &TimingModel::extendedMath, .least = 1, .most = kCycles},
    {.key = "systolic", .member = &TimingModel::systolic, .least = 1, .most = kCycles},
    {.key = "branch", .member = &TimingModel::branch, .least = 1, .most = kCycles},
    {.key = "barrier", .member = &TimingModel::barrier, .least = 1, .most = kCycles},
    {.key = "source_read", .member = &TimingModel::sourceRead, .least = 1, .most = kCycles},
    {.key = "slm", .member = &TimingModel::slm, .least = 1, .most = kCycles},
    {.key = "slm_wide", .member = &TimingModel::slmWide, .least = 1, .most = kCycles},
    {.key = "l1_hit", .member = &TimingModel::l1Hit, .least = 1, .most = kCycles},
    {.key = "l3_hit", .member = &TimingModel::l3Hit, .least = 1, .most = kCycles},
    {.key = "memory", .member = &TimingModel::memory, .least = 1, .most = kCycles},
    {.key = "fence", .member = &TimingModel::fence, .least = 1, .most = kCycles},
    {.key = "other_message", .member = &TimingModel::otherMessage, .least = 1, .most = kCycles},
    {.key = "queue", .member = &TimingModel::queue, .least = 1, .most = kCycles},
    {.key = "l1_bytes_per_cycle", .member = &TimingModel::l1BytesPerCycle, .least = 1, .most = 1u << 16},
    {.key = "l3_bytes_per_cycle", .member = &TimingModel::l3BytesPerCycle, .least = 1, .most = 1u << 16},
    {.key = "memory_percent", .member = &TimingModel::memoryPercent, .least = 1, .most = 100},
    {.key = "line_bytes", .member = &TimingModel::lineBytes, .least = 16, .most = 4096},
    {.key = "l1_bytes", .member = &TimingModel::l1Bytes, .least = 4096, .most = 1u << 26},
    {.key = "l1_ways", .member = &TimingModel::l1Ways, .least = 1, .most = 64},
    {.key = "l3_ways", .member = &TimingModel::l3Ways, .least = 1, .most = 64},
    {.key = "slm_banks", .member = &TimingModel::slmBanks, .least = 1, .most = 1024},
};

[[noreturn]] void fail(std::string_view key, std::string_view what) {
    throw TimingError(fmt::format("timing: {}: {}", key, what));
}

std::uint32_t readField(const yaml::Node& map, const TimingField& field) {
    const auto value = map[field.key].number();
    if (!value || *value < field.least || *value > field.most)
        fail(field.key, fmt::format("must be a whole number from {} to {}", field.least, field.most));
    return static_cast<std::uint32_t>(*value);
}

yaml::Node parse(std::string_view text) {
    try {
        yaml::Node root = yaml::parse(text);
        if (root.isMap()) return root;
    } catch (const yaml::Error& error) {
        fail("syntax", error.what());
    }
    fail("syntax", "must be a map of times and sizes");
}

}  // namespace

TimingModel parseTiming(std::string_view text) {
    const yaml::Node root = parse(text);
    TimingModel timing;
    for (const TimingField& field : kFields) timing.*field.member = readField(root, field);
    for (const auto& entry : root.entries()) {
        const auto known = [&](const TimingField& field) { return entry.key == field.key; };
        if (std::none_of(std::begin(kFields), std::end(kFields), known)) fail(entry.key, "is not a part of the model");
    }
    if (!std::has_single_bit(timing.lineBytes)) fail("line_bytes", "must be a power of two");
    return timing;
}

TimingModel loadTiming(std::string_view name) {
    for (const EmbeddedProfile& timing : embeddedTimings()) {
        if (name == timing.name) return parseTiming(timing.text);
    }
    fail("timing", fmt::format("there is no timing model '{}'", name));
}

}  // namespace zetl::emulator::machine
