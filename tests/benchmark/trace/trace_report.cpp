// What `zetl report` takes for recordings of a million calls and of four: calls a second, bytes a call on disk, memory.
// Exit code 1: more than 40 bytes a call, or memory that grows with the recording.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "support/level_zero.h"
#include "support/process.h"

namespace {

namespace fs = std::filesystem;
using zetl::test::inBuildTree;
using zetl::test::Objects;

constexpr std::uint32_t kCallsARound = 5;

/// The traced program: rounds of calls whose arguments differ from one to the next.
void call(std::uint32_t rounds) {
    const auto& objects = Objects::get();
    const ze_kernel_desc_t described{ZE_STRUCTURE_TYPE_KERNEL_DESC, nullptr, 0, "matrix_product"};
    ze_kernel_handle_t kernel = nullptr;
    zeKernelCreate(nullptr, &described, &kernel);
    ze_device_mem_alloc_desc_t memory{};
    memory.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC;
    for (std::uint32_t i = 0; i < rounds; ++i) {
        void* pointer = nullptr;
        const ze_group_count_t groups{1 + i % 509, 1 + i % 7, 1};
        zeMemAllocDevice(objects.context, &memory, 64 + i * 8, 64, objects.device, &pointer);
        zeKernelSetArgumentValue(kernel, i % 4, sizeof pointer, &pointer);
        zeCommandListAppendLaunchKernel(objects.list, kernel, &groups, nullptr, 0, nullptr);
        zeCommandListAppendBarrier(objects.list, nullptr, 0, nullptr);
        zeMemFree(objects.context, pointer);
    }
}

struct Taken {
    double seconds = 0;  ///< of processor time
    long kilobytes = 0;  ///< most at a time
    std::uintmax_t bytes = 0;
};

/// Runs `zetl report` alone, so that what it took is known.
Taken report(const fs::path& recording, const fs::path& timeline) {
    const std::string program = inBuildTree("bin/zetl");
    const pid_t child = fork();
    if (child == 0) {
        static_cast<void>(freopen("/dev/null", "w", stderr));
        execl(program.c_str(), "zetl", "report", recording.c_str(), "-o", timeline.c_str(), nullptr);
        _exit(127);
    }
    int status = 0;
    rusage usage{};
    wait4(child, &status, 0, &usage);
    if (status != 0) std::exit(3);
    const auto seconds = [](const timeval& time) {
        return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
    };
    return {seconds(usage.ru_utime) + seconds(usage.ru_stime), usage.ru_maxrss, fs::file_size(timeline)};
}

Taken measure(const fs::path& directory, std::uint32_t calls) {
    const fs::path recording = directory / std::to_string(calls);
    const auto outcome = zetl::test::Process({inBuildTree("bin/zetl"), "trace", "--no-device", "--limit", "1GB",
                                              "--recording", recording, "-o", directory / "first.pftrace", "--",
                                              zetl::test::thisProgram(), "--calls", std::to_string(calls)})
                             .with("ZE_ENABLE_ALT_DRIVERS", inBuildTree("tests/support/libze_fake_driver.so.1"))
                             .run(std::chrono::seconds(120));
    if (!outcome.good()) std::exit(3);
    const Taken taken = report(recording, directory / "timeline.pftrace");
    std::printf("%10u calls: %5.2f M calls/s, %5.2f bytes a call, %6.1f MB of memory\n", calls,
                calls / taken.seconds / 1e6, static_cast<double>(taken.bytes) / calls,
                static_cast<double>(taken.kilobytes) / 1024);
    return taken;
}

/// Pages of the recording that are read stay for a while, so a few megabytes are no growth.
int judge(const Taken& few, const Taken& many, std::uint32_t calls) {
    constexpr double kMostBytes = 40;
    constexpr long kSlack = 8 * 1024;
    const bool compact = static_cast<double>(many.bytes) / calls <= kMostBytes;
    const bool flat = many.kilobytes <= few.kilobytes + kSlack;
    if (!compact) std::printf("more than %.0f bytes a call\n", kMostBytes);
    if (!flat) std::printf("memory grows with the recording\n");
    return compact && flat ? 0 : 1;
}

}  // namespace

int main(int count, char** arguments) {
    if (count == 3) {
        call(static_cast<std::uint32_t>(std::strtoul(arguments[2], nullptr, 10)) / kCallsARound);
        return 0;
    }
    std::string pattern = (fs::temp_directory_path() / "zetl-report-XXXXXX").native();
    const fs::path directory = mkdtemp(pattern.data());
    constexpr std::uint32_t kFew = 1'000'000;
    constexpr std::uint32_t kMany = 4 * kFew;
    const Taken few = measure(directory, kFew);
    const Taken many = measure(directory, kMany);
    fs::remove_all(directory);
    return judge(few, many, kMany);
}
