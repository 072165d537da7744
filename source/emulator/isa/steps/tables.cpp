// Which host instruction set the handlers come from.
#include "base/log.h"
#include "base/settings.h"
#include "emulator/isa/step_table.h"
#include "emulator/isa/steps/rows.h"

namespace zetl::emulator::isa {
namespace {

struct Candidate {
    const StepTable* table;
    bool (*usable)();
};
bool always() { return true; }
#if ZETL_ISA_VECTOR_TABLES
bool hasAvx2() { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }
bool hasAvx512() {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512cd");
}
constexpr Candidate kCandidates[] = {{&kTableAvx512, hasAvx512}, {&kTableAvx2, hasAvx2}, {&kTableSse4, always}};
#else
constexpr Candidate kCandidates[] = {{&kTableSse4, always}};
#endif

const StepTable& choose() {
    if (const char* wish = settings::value(settings::kEmulatorVectors)) {
        if (const StepTable* t = findTable(wish)) return *t;
        log::error(log::Channel::emulator, "{}={}: this processor or build lacks it; use avx512, avx2 or sse4",
                   settings::kEmulatorVectors, wish);
    }
    for (const Candidate& c : kCandidates)
        if (c.usable()) return *c.table;
    return kTableSse4;
}

template <std::size_t... R>
constexpr auto rowInfos(std::index_sequence<R...>) {
    return std::array{RowInfo{static_cast<std::uint16_t>(std::get<R>(kAllRows).number), std::get<R>(kAllRows).name,
                              std::get<R>(kAllRows).exactness}...};
}
constexpr auto kRowInfos = rowInfos(std::make_index_sequence<std::tuple_size_v<decltype(kAllRows)>>{});

}  // namespace

const StepTable* findTable(std::string_view name) noexcept {
    for (const Candidate& c : kCandidates)
        if (name == c.table->name && c.usable()) return c.table;
    return nullptr;
}
const StepTable& hostTable() noexcept {
    static const StepTable& best = choose();
    return best;
}
std::string_view hostInstructionSet() noexcept { return hostTable().name; }
std::span<const RowInfo> allRows() noexcept { return kRowInfos; }

}  // namespace zetl::emulator::isa
