// What it costs a program of short kernels to be recorded by `zetl trace`, calls alone and with what devices do, in one
// run: processor time a launch, and its share in a kernel of 10 us.
//
//   build/release/tests/benchmark/activity_cost [rounds]
//
// The program is recorded as users do it, above a driver whose functions only return. Rounds alternate between the
// arrangements and the best counts.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "support/level_zero.h"
#include "support/process.h"

namespace {

namespace fs = std::filesystem;
using zetl::test::inBuildTree;
using zetl::test::Objects;
using zetl::test::Process;

constexpr std::uint32_t kLaunches = 300'000;
constexpr double kKernelNanoseconds = 10'000;

double processorNanoseconds() {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
}

ze_event_handle_t makeEvent(ze_context_handle_t context) {
    const ze_event_pool_desc_t described{ZE_STRUCTURE_TYPE_EVENT_POOL_DESC, nullptr, ZE_EVENT_POOL_FLAG_HOST_VISIBLE,
                                         1};
    ze_event_pool_handle_t pool = nullptr;
    zeEventPoolCreate(context, &described, 0, nullptr, &pool);
    const ze_event_desc_t first{ZE_STRUCTURE_TYPE_EVENT_DESC, nullptr, 0, 0, ZE_EVENT_SCOPE_FLAG_HOST};
    ze_event_handle_t event = nullptr;
    zeEventCreate(pool, &first, &event);
    return event;
}

/// The program: launches on an immediate list, each so many'th with an event that is waited for.
void launch(std::uint32_t launchesAWait) {
    const auto& objects = Objects::get();
    const ze_kernel_desc_t described{ZE_STRUCTURE_TYPE_KERNEL_DESC, nullptr, 0, "short_one"};
    ze_kernel_handle_t kernel = nullptr;
    zeKernelCreate(nullptr, &described, &kernel);
    const ze_command_queue_desc_t queue{};
    ze_command_list_handle_t list = nullptr;
    zeCommandListCreateImmediate(objects.context, objects.device, &queue, &list);
    ze_event_handle_t event = makeEvent(objects.context);
    const ze_group_count_t groups{1, 1, 1};
    const double start = processorNanoseconds();
    for (std::uint32_t i = 1; i <= kLaunches; ++i) {
        const bool waits = i % launchesAWait == 0;
        zeCommandListAppendLaunchKernel(list, kernel, &groups, waits ? event : nullptr, 0, nullptr);
        if (!waits) continue;
        zeEventHostSynchronize(event, UINT64_MAX);
        zeEventHostReset(event);
    }
    std::printf("nanoseconds a launch: %f\n", (processorNanoseconds() - start) / kLaunches);
}

enum class Recorded { nothing, calls, callsAndDevices };

struct Arrangement {
    const char* name;
    const char* launchesAWait;
    Recorded recorded;
    double nanoseconds = 1e9;  ///< a launch
};

std::vector<std::string> commandOf(const Arrangement& arrangement, const fs::path& timeline) {
    std::vector<std::string> words{zetl::test::thisProgram(), "--launches-a-wait", arrangement.launchesAWait};
    if (arrangement.recorded == Recorded::nothing) return words;
    std::vector<std::string> trace{inBuildTree("bin/zetl"), "trace", "-o", timeline};
    if (arrangement.recorded == Recorded::calls) trace.emplace_back("--no-device");
    trace.emplace_back("--");
    words.insert(words.begin(), trace.begin(), trace.end());
    return words;
}

/// Runs the program once and keeps what is better than before.
bool improve(Arrangement& arrangement, const fs::path& directory) {
    const auto outcome = Process(commandOf(arrangement, directory / "timeline.pftrace"))
                             .with("ZE_ENABLE_ALT_DRIVERS", inBuildTree("tests/support/libze_fake_driver.so.1"))
                             .with("TMPDIR", directory)
                             .run(std::chrono::seconds(120));
    constexpr std::string_view kBefore = "nanoseconds a launch: ";
    const auto at = outcome.output.find(kBefore);
    if (!outcome.good() || at == std::string::npos) {
        std::fprintf(stderr, "%s: the measured process failed:\n%s\n", arrangement.name, outcome.output.c_str());
        return false;
    }
    arrangement.nanoseconds =
        std::min(arrangement.nanoseconds, std::strtod(&outcome.output[at + kBefore.size()], nullptr));
    return true;
}

void print(const std::vector<Arrangement>& arrangements) {
    std::printf("| a program that | ns a launch | added | of a kernel of 10 us |\n|---|---:|---:|---:|\n");
    double unrecorded = 0;
    for (const auto& each : arrangements) {
        if (each.recorded == Recorded::nothing) unrecorded = each.nanoseconds;
        const double added = each.nanoseconds - unrecorded;
        std::printf("| %s | %.0f | %.0f | %.1f %% |\n", each.name, each.nanoseconds, added,
                    100 * added / kKernelNanoseconds);
    }
}

int compare(int rounds) {
    std::string pattern = (fs::temp_directory_path() / "zetl-activity-XXXXXX").native();
    const fs::path directory = mkdtemp(pattern.data());
    std::vector<Arrangement> arrangements = {
        {"waits behind 100 launches", "100", Recorded::nothing},
        {"the same, calls recorded", "100", Recorded::calls},
        {"the same, calls and devices recorded", "100", Recorded::callsAndDevices},
        {"waits behind each launch", "1", Recorded::nothing},
        {"the same, calls recorded", "1", Recorded::calls},
        {"the same, calls and devices recorded", "1", Recorded::callsAndDevices},
    };
    bool measured = true;
    for (int round = 0; round < rounds && measured; ++round)
        for (auto& each : arrangements) measured = measured && improve(each, directory);
    fs::remove_all(directory);
    if (measured) print(arrangements);
    return measured ? 0 : 1;
}

}  // namespace

int main(int count, char** arguments) {
    if (count == 3) {
        launch(static_cast<std::uint32_t>(std::max(1, std::atoi(arguments[2]))));
        return 0;
    }
    return compare(count > 1 ? std::atoi(arguments[1]) : 5);
}
