// How much of a kernel's counts a stream shows in the kernel's own time: kernels of three lengths, alone, behind each
// other, beside each other, and on two tiles. Prints the table of docs/measured/timing-model.md.
//
//   build/release/tests/benchmark/stream_spans [runs of each of the two kernels [length [arrangement]]]
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "emulated_gpu/gpu.h"
#include "emulated_gpu/measured_gpu.h"
#include "emulated_gpu/stream.h"
#include "support/process.h"

namespace zetl::test {
namespace {

constexpr std::uint32_t kGroups = 256;
constexpr std::uint32_t kGroupSize = 64;
constexpr std::uint32_t kItems = kGroups * kGroupSize;
constexpr std::uint64_t kTick = 80;  // nanoseconds
constexpr std::uint64_t kToolsMask = (std::uint64_t{1} << 31) - 1;
constexpr std::uint64_t kRange = kTick << 31;

/// In nanoseconds as reports have them.
struct Span {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
};

/// Times that wrap, one after the other, each less than the range behind the one before.
class Unwrapped {
  public:
    std::uint64_t operator()(std::uint64_t time) { return last_ += (time + kRange - last_ % kRange) % kRange; }

  private:
    std::uint64_t last_ = 0;
};

Span spanOf(ze_event_handle_t event) {
    ze_kernel_timestamp_result_t times{};
    EXPECT_OK(zeEventQueryKernelTimestamp(event, &times));
    return {(times.global.kernelStart & kToolsMask) * kTick, (times.global.kernelEnd & kToolsMask) * kTick};
}

/// A kernel, and the columns that no other kernel has a part in.
struct Kind {
    const char* kernel;
    const char* bytes;
    const char* operations;
    std::size_t bytesOfItem;
};
constexpr Kind kWrites{"writes", "LOAD_STORE_CACHE_BYTE_WRITE", "XVE_OPERATIONS_FP32", sizeof(float)};
constexpr Kind kReads{"reads", "LOAD_STORE_CACHE_BYTE_READ", "XVE_OPERATIONS_FP64", sizeof(double)};

/// Launches of one kind, each of which takes about so long without a tool.
class Runs {
  public:
    Runs(const Gpu& gpu, const Kind& kind, std::uint64_t nanoseconds)
        : gpu_(gpu), kind_(kind), kernel_(Gpu::kernelOf(gpu.moduleOf("span_kernels"), kind.kernel, kGroupSize)) {
        auto* const buffer = gpu.shared<std::byte>(kItems * kind.bytesOfItem);
        std::fill_n(buffer, kItems * kind.bytesOfItem, std::byte{});
        Gpu::arguments(kernel_, buffer);
        if (std::string(kind.kernel) == kReads.kernel) zeKernelSetArgumentValue(kernel_, 2, sizeof(void*), &buffer);
        take(nanoseconds);
    }

    const Kind& kind() const { return kind_; }
    ze_command_list_handle_t newList() const { return gpu_.immediate(); }
    void launch(ze_command_list_handle_t list) {
        constexpr auto kTimed = ZE_EVENT_POOL_FLAG_HOST_VISIBLE | ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP;
        const ze_group_count_t groups{kGroups, 1, 1};
        events_.push_back(Gpu::event(gpu_.pool(1, kTimed)));
        EXPECT_OK(zeCommandListAppendLaunchKernel(list, kernel_, &groups, events_.back(), 0, nullptr));
    }
    void await() const {
        for (auto* const event : events_) EXPECT_OK(zeEventHostSynchronize(event, UINT64_MAX));
    }
    /// Later than this time.
    std::vector<Span> spans(std::uint64_t since) const {
        Unwrapped unwrapped;
        unwrapped(since);
        std::vector<Span> all;
        for (auto* const event : events_) {
            const Span span = spanOf(event);
            all.push_back({unwrapped(span.begin), unwrapped(span.end)});
        }
        return all;
    }
    /// By all launches.
    std::uint64_t bytes() const { return std::uint64_t{events_.size()} * kItems * kind_.bytesOfItem * turns_; }

  private:
    void take(std::uint64_t nanoseconds) {
        constexpr std::uint32_t kTrial = 200;
        const auto list = newList();
        std::uint64_t least = UINT64_MAX;
        setTurns(kTrial);
        for (int i = 0; i < 5; ++i) {
            launch(list);
            await();
            const Span span = spanOf(events_.back());
            least = std::min(least, span.end - span.begin);
        }
        events_.clear();
        setTurns(static_cast<std::uint32_t>(std::max<std::uint64_t>(1, kTrial * nanoseconds / least)));
    }
    void setTurns(std::uint32_t turns) {
        turns_ = turns;
        EXPECT_OK(zeKernelSetArgumentValue(kernel_, 1, sizeof turns, &turns));
    }

    const Gpu gpu_;
    const Kind& kind_;
    ze_kernel_handle_t kernel_;
    std::uint32_t turns_ = 0;
    std::vector<ze_event_handle_t> events_;
};

/// Where a column's counts lie.
struct Found {
    std::uint64_t all = 0;
    std::uint64_t overlapping = 0;  ///< in reports that overlap a span
    std::uint64_t near = 0;         ///< in reports that lie within a span and 1 % of its length on either side
    Found& operator+=(const Found& other) {
        all += other.all;
        overlapping += other.overlapping;
        near += other.near;
        return *this;
    }
};

std::uint64_t timeOf(const Row& row) { return row.at("QueryBeginTime").value.ui64; }

Found find(const std::vector<Row>& rows, const std::string& column, const std::vector<Span>& spans,
           std::uint64_t period) {
    Found found;
    Unwrapped unwrapped;
    for (const Row& row : rows) {
        const std::uint64_t value = row.at(column).value.ui64;
        const std::uint64_t end = unwrapped(timeOf(row));
        const std::uint64_t begin = end - period;
        const auto overlaps = [&](const Span& span) { return span.begin <= end && span.end >= begin; };
        const auto contains = [&](const Span& span) {
            const std::uint64_t margin = (span.end - span.begin) / 100;
            return span.begin - margin <= begin && end <= span.end + margin;
        };
        found.all += value;
        if (std::ranges::any_of(spans, overlaps)) found.overlapping += value;
        if (std::ranges::any_of(spans, contains)) found.near += value;
    }
    return found;
}

struct Length {
    const char* name;
    std::uint64_t nanoseconds;  ///< alone and without a tool, which is about a third
    std::uint32_t period;       ///< of the reports
};

using Arrangement = std::function<void(Runs&, Runs&, Stream&, int)>;

void alone(Runs& writes, Runs& reads, Stream& stream, int runs) {
    const auto list = writes.newList();
    for (int i = 0; i < runs; ++i)
        for (Runs* const each : {&writes, &reads}) {
            each->launch(list);
            each->await();
            stream.pass(2);
        }
}

void behind(Runs& writes, Runs& reads, Stream&, int runs) {
    const auto list = writes.newList();
    for (int i = 0; i < runs; ++i)
        for (Runs* const each : {&writes, &reads}) each->launch(list);
}

void beside(Runs& writes, Runs& reads, Stream&, int runs) {
    const auto first = writes.newList();
    const auto second = reads.newList();
    for (int i = 0; i < runs; ++i) {
        writes.launch(first);
        reads.launch(second);
    }
}

struct Case {
    const char* name;
    Arrangement arrange;
    std::size_t tiles = 1;
};
const Case kCases[] = {
    {"alone", alone}, {"behind each other", behind}, {"beside each other", beside}, {"on two tiles", beside, 2}};

std::string shareOf(std::uint64_t part, std::uint64_t all) {
    return fmt::format("{:.2f} %", all == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(all));
}

double medianMilliseconds(std::vector<Span> spans) {
    std::ranges::nth_element(spans, spans.begin() + static_cast<std::ptrdiff_t>(spans.size() / 2), {},
                             [](const Span& span) { return span.end - span.begin; });
    const Span& middle = spans[spans.size() / 2];
    return static_cast<double>(middle.end - middle.begin) / 1e6;
}

void measure(const Gpu& root, const Length& length, const Case& which, int runs) {
    const auto tiles = listOf(zeDeviceGetSubDevices, root.device());
    const Gpu first = root.on(tiles.at(0));
    const Gpu second = root.on(tiles.at(which.tiles - 1));
    Runs writes(first, kWrites, length.nanoseconds);
    Runs reads(second, kReads, length.nanoseconds);
    std::vector<std::unique_ptr<Stream>> streams;
    for (std::size_t tile = 0; tile < which.tiles; ++tile)
        streams.push_back(std::make_unique<Stream>(root.on(tiles[tile]), 1000, length.period, "KernelSummary"));
    for (auto& stream : streams) stream->pass(2);
    which.arrange(writes, reads, *streams.front(), runs);
    for (const Runs* const each : {&writes, &reads}) each->await();
    for (auto& stream : streams) stream->pass(3);
    Found bytes;
    Found operations;
    std::vector<Span> all;
    std::uint64_t expected = 0;
    for (const Runs* const each : {&writes, &reads}) {
        const auto rows = streams[each == &reads ? which.tiles - 1 : 0]->rows();
        const auto spans = each->spans(timeOf(rows.front()));
        all.insert(all.end(), spans.begin(), spans.end());
        const Found ofBytes = find(rows, each->kind().bytes, spans, length.period);
        expected += each->bytes();
        bytes += ofBytes;
        operations += find(rows, each->kind().operations, spans, length.period);
    }
    fmt::print("| {} | {} | {} | {:.2f} | {} | {} | {} | {} |{}\n", length.name, which.name, all.size(),
               medianMilliseconds(all), shareOf(bytes.overlapping, bytes.all),
               shareOf(operations.overlapping, operations.all), shareOf(bytes.near, bytes.all),
               shareOf(operations.near, operations.all),
               bytes.all == expected ? "" : fmt::format(" {} bytes were counted of {}", bytes.all, expected));
    std::fflush(stdout);
}

}  // namespace
}  // namespace zetl::test

int main(int count, char** arguments) {
    using namespace zetl::test;
    setenv("ZE_ENABLE_ALT_DRIVERS", inBuildTree("lib/libze_emulated_gpu.so.1").c_str(), 1);
    setenv("ZETL_EMULATED_DEVICE", "max1550-two-tiles", 1);
    setenv("ZET_ENABLE_METRICS", "1", 1);
    // Streams cover all processes of the user that meet in this directory: none but this one.
    std::string directory = (std::filesystem::temp_directory_path() / "zetl-spans-XXXXXX").string();
    if (mkdtemp(directory.data()) == nullptr) return 1;
    setenv("XDG_RUNTIME_DIR", directory.c_str(), 1);
    const int runs = count > 1 ? std::atoi(arguments[1]) : 10;
    const Gpu gpu;
    fmt::print(
        "| length | kernels run | runs | median, ms | bytes in their reports | operations | bytes within 1 % | "
        "operations |\n|---|---|---|---|---|---|---|---|\n");
    for (const Length& length : {Length{"1 ms", 700'000, 50'000}, Length{"100 ms", 35'000'000, 100'000},
                                 Length{"3 s", 800'000'000, 3'000'000}})
        for (const Case& which : kCases)
            if ((count < 3 || arguments[2] == std::string(length.name)) &&
                (count < 4 || arguments[3] == std::string(which.name)))
                measure(gpu, length, which, runs);
    std::filesystem::remove_all(directory);
    return 0;
}
