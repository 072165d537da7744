#include "emulator/machine/timing.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <iterator>

#include "base/yaml.h"
#include "emulator/machine/embedded_profiles.h"

namespace zetl::emulator::machine {
namespace {

struct Field {
    const char* key;
    std::uint32_t TimingModel::*member;
    std::uint32_t least;
    std::uint32_t most;
};

constexpr std::uint32_t kCycles = 100'000;
constexpr Field kFields[] = {
    {"arithmetic", &TimingModel::arithmetic, 1, kCycles},
    {"accumulator", &TimingModel::accumulator, 1, kCycles},
    {"register_file", &TimingModel::registerFile, 1, kCycles},
    {"extended_math", &TimingModel::extendedMath, 1, kCycles},
    {"systolic", &TimingModel::systolic, 1, kCycles},
    {"branch", &TimingModel::branch, 1, kCycles},
    {"barrier", &TimingModel::barrier, 1, kCycles},
    {"source_read", &TimingModel::sourceRead, 1, kCycles},
    {"slm", &TimingModel::slm, 1, kCycles},
    {"slm_wide", &TimingModel::slmWide, 1, kCycles},
    {"l1_hit", &TimingModel::l1Hit, 1, kCycles},
    {"l3_hit", &TimingModel::l3Hit, 1, kCycles},
    {"memory", &TimingModel::memory, 1, kCycles},
    {"fence", &TimingModel::fence, 1, kCycles},
    {"other_message", &TimingModel::otherMessage, 1, kCycles},
    {"queue", &TimingModel::queue, 1, kCycles},
    {"l1_bytes_per_cycle", &TimingModel::l1BytesPerCycle, 1, 1u << 16},
    {"l3_bytes_per_cycle", &TimingModel::l3BytesPerCycle, 1, 1u << 16},
    {"line_bytes", &TimingModel::lineBytes, 16, 4096},
    {"l1_bytes", &TimingModel::l1Bytes, 4096, 1u << 26},
    {"l1_ways", &TimingModel::l1Ways, 1, 64},
    {"l3_ways", &TimingModel::l3Ways, 1, 64},
    {"slm_banks", &TimingModel::slmBanks, 1, 1024},
};

[[noreturn]] void fail(std::string_view key, std::string_view what) {
    throw TimingError(fmt::format("timing: {}: {}", key, what));
}

std::uint32_t readField(const yaml::Node& map, const Field& field) {
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
    for (const Field& field : kFields) timing.*field.member = readField(root, field);
    for (const auto& entry : root.entries()) {
        const auto known = [&](const Field& field) { return entry.key == field.key; };
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
