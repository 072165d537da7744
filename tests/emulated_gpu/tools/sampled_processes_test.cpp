// Samples cover what all processes of the user run on the device: real processes, through the stock loader, no layer.
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "emulated_gpu/counted_work.h"
#include "emulated_gpu/gpu.h"
#include "emulated_gpu/measured_gpu.h"
#include "emulated_gpu/neighbour.h"
#include "emulated_gpu/stream.h"
#include "support/scenario.h"
#include "support/wait_for.h"

namespace zetl::test {
namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t kEveryPeriod = 20'000;  // nanoseconds
constexpr std::uint64_t kLowAddress = 0xffffffff;

/// Where a kernel's code lies, in memory of both processes.
struct Code {
    std::uint64_t base;
    std::size_t bytes;
};

Code* sharedCode() {
    void* const at = mmap(nullptr, sizeof(Code), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    EXPECT_NE(at, MAP_FAILED);
    return static_cast<Code*>(at);
}

Code codeOf(const Gpu& gpu, ze_kernel_handle_t kernel) {
    using Base = ze_result_t(ze_kernel_handle_t, std::uint64_t*);
    Code code{};
    EXPECT_OK(gpu.function<Base>("zexKernelGetBaseAddress")(kernel, &code.base));
    EXPECT_OK(gpu.function<decltype(zeKernelGetBinaryExp)>("zeKernelGetBinaryExp")(kernel, &code.bytes, nullptr));
    code.base &= kLowAddress;
    return code;
}

/// Launches `add` once, and says where its code lies.
void addOnce(const Gpu& gpu, Code& code) {
    const auto kernel = gpu.kernel("add", CountedWork::kGroupSize);
    auto* const buffer = gpu.shared(CountedWork::kGroups * CountedWork::kGroupSize);
    Gpu::arguments(kernel, buffer, buffer, buffer);
    code = codeOf(gpu, kernel);
    const ze_group_count_t groups{CountedWork::kGroups, 1, 1};
    const auto list = gpu.list();
    EXPECT_OK(zeCommandListAppendLaunchKernel(list, kernel, &groups, nullptr, 0, nullptr));
    EXPECT_OK(gpu.run(list));
}

/// A streamer of samples, and what it has read so far.
class Samples {
  public:
    explicit Samples(const Gpu& gpu) : group_(opened(gpu)), stream_(gpu, group_, 1, kEveryPeriod) {}

    /// Of all reasons, by the place of the instruction in the code; those beyond it are at -1.
    std::map<std::int64_t, std::uint64_t> in(const Code& code) {
        EXPECT_OK(stream_.read());
        std::map<std::int64_t, std::uint64_t> all;
        if (stream_.raw().empty()) return all;
        for (const auto& row : rowsOf(group_, stream_.raw())) {
            std::uint64_t sum = 0;
            for (const auto& [name, value] : row)
                if (name != "IP") sum += value.value.ui64;
            const std::uint64_t place = (row.at("IP").value.ui64 << 3) - code.base;
            all[place < code.bytes ? static_cast<std::int64_t>(place) : -1] += sum;
        }
        return all;
    }
    bool any() { return !in({}).empty(); }

  private:
    static zet_metric_group_handle_t opened(const Gpu& gpu) {
        auto* const stalls = group(gpu, "EuStallSampling", kTimeBased);
        activate(gpu, stalls);
        return stalls;
    }
    zet_metric_group_handle_t group_;
    Stream stream_;
};

/// Whether this process samples for anybody now.
bool samples() {
    std::ifstream maps("/proc/self/maps");
    return std::string(std::istreambuf_iterator<char>(maps), {}).find("zetl-stalls") != std::string::npos;
}

/// What `unitrace --stall-sampling` does: the parent runs nothing itself. The model of each process is its own, so the
/// parent's own launch of the same kernel has the same samples.
SCENARIO(aParentSamplesTheKernelsOfItsChild) {
    auto* const code = sharedCode();
    Neighbour child([code](const Neighbour& parent) {
        parent.hear();  // nothing of the driver is loaded before the streamer is open
        const Gpu gpu;
        addOnce(gpu, *code);
        parent.say();
        parent.hear();
    });
    const Gpu gpu;
    std::map<std::int64_t, std::uint64_t> ofChild;
    {
        Samples samples(gpu);
        child.tell();
        ofChild = samples.in(*code);
        EXPECT_GT(ofChild.size(), 3u);
        EXPECT_FALSE(ofChild.contains(-1)) << "none lies elsewhere";
        child.say();
        child.end();
        EXPECT_EQ(samples.in(*code), ofChild) << "they stay, and come once";
    }
    Samples samples(gpu);
    Code own{};
    addOnce(gpu, own);
    EXPECT_EQ(samples.in(own), ofChild);
}
TEST(SampledProcesses, AParentSamplesTheKernelsOfItsChild) {
    EXPECT_RUNS(measured("aParentSamplesTheKernelsOfItsChild"));
}

SCENARIO(aProcessThatWorkedBeforeIsSampledFromTheOpening) {
    auto* const code = sharedCode();
    Neighbour other([code](const Neighbour& parent) {
        const Gpu gpu;
        addOnce(gpu, *code);
        EXPECT_FALSE(samples());
        parent.tell();
        EXPECT_TRUE(samples());
        addOnce(gpu, *code);
        parent.tell();
        EXPECT_TRUE(waitFor([] { return !samples(); })) << "nobody asks any more";
    });
    const Gpu gpu;
    other.hear();
    {
        Samples samples(gpu);
        EXPECT_FALSE(samples.any()) << "nothing of what was before";
        other.tell();
        EXPECT_FALSE(samples.in(*code).contains(-1));
        EXPECT_TRUE(samples.any());
    }
    other.say();
}
TEST(SampledProcesses, AProcessThatWorkedBeforeIsSampledFromTheOpening) {
    EXPECT_RUNS(measured("aProcessThatWorkedBeforeIsSampledFromTheOpening"));
}

/// A kernel that does not end is sampled while it runs; the process is killed in it.
SCENARIO(anEndlessKernelOfAKilledProcessIsSampled) {
    Neighbour other([](const Neighbour& parent) {
        const Gpu gpu;
        parent.hear();
        auto* const stop = gpu.shared(1);
        *stop = 0;
        const auto kernel = gpu.kernel("spin", 8);
        Gpu::arguments(kernel, stop);
        EXPECT_OK(zeCommandListAppendLaunchKernel(gpu.immediate(), kernel, &kOneGroup, nullptr, 0, nullptr));
        parent.say();
        parent.hear();
    });
    const Gpu gpu;
    Samples samples(gpu);
    other.tell();
    EXPECT_TRUE(waitFor([&] { return samples.any(); }));
    other.kill();
    Code own{};
    addOnce(gpu, own);
    EXPECT_TRUE(samples.any());
}
TEST(SampledProcesses, AnEndlessKernelOfAKilledProcessIsSampled) {
    EXPECT_RUNS(measured("anEndlessKernelOfAKilledProcessIsSampled"));
}

SCENARIO(aKilledReaderIsSampledForNoLonger) {
    Neighbour reader([](const Neighbour& parent) {
        const Gpu gpu;
        const Samples samples(gpu);
        parent.hear();
        parent.say();
        parent.hear();
    });
    const Gpu gpu;
    CountedWork work(gpu);
    reader.tell();
    work.launch(1);
    EXPECT_TRUE(samples());
    reader.kill();
    EXPECT_TRUE(waitFor([] { return !samples(); }));
    work.launch(1);
}
TEST(SampledProcesses, AKilledReaderIsSampledForNoLonger) {
    EXPECT_RUNS(measured("aKilledReaderIsSampledForNoLonger"));
}

SCENARIO(aProcessMaySampleItselfAlone) {
    Neighbour other([](const Neighbour& parent) {
        parent.hear();
        const Gpu gpu;
        Code code{};
        addOnce(gpu, code);
        EXPECT_FALSE(samples());
        parent.say();
        parent.hear();
    });
    const Gpu gpu;
    Samples samples(gpu);
    other.tell();
    EXPECT_FALSE(samples.any());
    Code own{};
    addOnce(gpu, own);
    EXPECT_FALSE(samples.in(own).empty());
    other.say();
}
TEST(SampledProcesses, AProcessMaySampleItselfAlone) {
    EXPECT_RUNS(measured("aProcessMaySampleItselfAlone").with("ZETL_SAMPLING_SCOPE", "process"));
}

/// Nonsense from the same user is dropped, and the streamer goes on.
SCENARIO(nonsenseDoesNotDisturbSamples) {
    const Gpu gpu;
    Samples samples(gpu);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    for (const auto& entry : fs::directory_iterator(fs::path(std::getenv("XDG_RUNTIME_DIR")) / "ze-tools-layer"))
        if (entry.path().filename().string().starts_with("sampling"))
            entry.path().string().copy(address.sun_path, sizeof address.sun_path - 1);
    ASSERT_NE(address.sun_path[0], 0);
    for (std::size_t bytes = 0; bytes < 20; ++bytes) {
        const int socket = ::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        ASSERT_EQ(connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
        if (bytes != 0) send(socket, "nonsense nonsense no", bytes, MSG_NOSIGNAL);
        if (bytes % 2 == 0) close(socket);
    }
    Code own{};
    addOnce(gpu, own);
    EXPECT_FALSE(samples.in(own).contains(-1));
    EXPECT_TRUE(samples.any());
}
TEST(SampledProcesses, NonsenseDoesNotDisturbSamples) { EXPECT_RUNS(measured("nonsenseDoesNotDisturbSamples")); }

}  // namespace
}  // namespace zetl::test
