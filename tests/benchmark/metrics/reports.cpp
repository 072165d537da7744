#include "benchmark/metrics/reports.h"

#include <fmt/format.h>

#include <cstring>

namespace zetl::test {
namespace {

using metrics::Column;
using metrics::Field;
using metrics::Kind;

constexpr std::uint32_t kReportBytes = 256;
// counters of 40 bits in two parts, and of 32 bits
constexpr std::uint32_t kWide = 20;
constexpr std::uint32_t kNarrow = 16;
constexpr std::uint32_t kClock = 0x0c;
constexpr std::uint32_t kLow = 0x20;
constexpr std::uint32_t kHigh = 0xa4;
constexpr std::uint32_t kRest = 0xc0;

Field word(const char* name, std::uint32_t offset, Kind kind) {
    return {.name = name, .kind = kind, .bits = 32, .offset = offset, .bytes = 4};
}
Column count(std::string name, std::string equation) {
    return {.name = std::move(name), .equation = std::move(equation)};
}
Column share(std::string name, const std::string& counter) {
    return {.name = std::move(name),
            .value = ZET_VALUE_TYPE_FLOAT32,
            .equation = counter + " 100 FMUL $GpuCoreClocks $VectorEngineTotalCount UMUL FDIV 100 FMIN",
            .maximum = "100"};
}

void addFields(std::vector<Field>& fields) {
    fields = {word("ReportId", 0, Kind::last), word("ContextId", 8, Kind::last),
              word("GpuCoreClocks", kClock, Kind::delta)};
    for (std::uint32_t i = 0; i < kWide; ++i)
        fields.push_back({.name = fmt::format("A{}", i + 4),
                          .bits = 40,
                          .offset = kLow + 4 * i,
                          .bytes = 4,
                          .highOffset = kHigh + i,
                          .highBytes = 1});
    for (std::uint32_t i = 0; i < kNarrow; ++i)
        fields.push_back(word(fmt::format("N{}", i).c_str(), kRest + 4 * i, Kind::delta));
}

}  // namespace

metrics::Descriptor hardwareGroup() {
    metrics::Descriptor group;
    group.name = "Hardware";
    group.cumulative = true;
    group.reportBytes = kReportBytes;
    group.clock = {12'500'000, 32};
    group.time = word("Time", 4, Kind::last);
    group.symbols = {{"VectorEngineTotalCount", 512}};
    addFields(group.fields);
    auto& columns = group.columns;
    columns = {count("GpuTime", "$ElapsedTime"),
               count("GpuCoreClocks", "$GpuCoreClocks"),
               count("AvgGpuCoreFrequencyMHz", "$GpuCoreClocks 1000 UMUL $ElapsedTime UDIV"),
               count("QueryBeginTime", "$EndTime"),
               count("ReportReason", "$ReportId 19 >> 0x7f AND"),
               count("StreamMarker", "$ContextId")};
    for (std::uint32_t i = 0; i < kWide; ++i)
        columns.push_back(share(fmt::format("Share{}", i), fmt::format("$A{}", i + 4)));
    for (std::uint32_t i = 0; i < kNarrow; ++i)
        columns.push_back(count(fmt::format("Bytes{}", i), fmt::format("$N{} 64 UMUL", i)));
    for (std::uint32_t i = 0; columns.size() < kColumns; ++i)
        columns.push_back(count(fmt::format("Count{}", i), fmt::format("$A{}", i + 4)));
    return group;
}

std::vector<std::byte> reportsOf(std::size_t count) {
    std::vector<std::byte> raw(count * kReportBytes);
    const auto put = [](std::byte* at, std::uint64_t value, std::size_t bytes) { std::memcpy(at, &value, bytes); };
    for (std::uint64_t i = 0; i < count; ++i) {
        auto* const report = raw.data() + i * kReportBytes;
        put(report, std::uint64_t{1} << 19, 4);
        put(report + 4, 512 * i, 4);
        put(report + kClock, 65536 * i, 4);
        for (std::uint32_t j = 0; j < kWide; ++j) {
            const auto value = (std::uint64_t{1} << 40) - 1000 + i * (j + 1) * 1'000'003;
            put(report + kLow + 4 * j, value, 4);
            put(report + kHigh + j, value >> 32, 1);
        }
        for (std::uint32_t j = 0; j < kNarrow; ++j) put(report + kRest + 4 * j, i * (j + 7) * 10'007, 4);
    }
    return raw;
}

}  // namespace zetl::test
