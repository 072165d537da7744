// Streamers see what all processes of the user run on the device: real processes, through the stock loader, no layer.
#include <dirent.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>

#include "emulated_gpu/counted_work.h"
#include "emulated_gpu/gpu.h"
#include "emulated_gpu/measured_gpu.h"
#include "emulated_gpu/neighbour.h"
#include "emulated_gpu/stream.h"
#include "emulated_gpu/timed_works.h"
#include "support/scenario.h"
#include "support/wait_for.h"

namespace zetl::test {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

constexpr auto kLimit = std::chrono::seconds(120);

/// Launches `times` times at the first word from the other process; ends at the next, or when that process is gone.
void workWhenTold(const Neighbour& other, int times) {
    const Gpu gpu;
    CountedWork work(gpu);
    other.hear();
    work.launch(times);
    other.say();
    other.hear();
}

/// A stream whose first report, which is only a reference, lies before all that is counted.
class Watch {
  public:
    explicit Watch(const Gpu& gpu) : stream_(gpu) { stream_.pass(1); }
    /// Launches that the reports show so far.
    double launches() {
        written_ += stream_.settledSince("GLOBAL_BYTE_WRITE");
        return static_cast<double>(written_) / static_cast<double>(CountedWork::kBytesWritten);
    }

  private:
    Stream stream_;
    std::uint64_t written_ = 0;
};

fs::path session() { return fs::path(std::getenv("XDG_RUNTIME_DIR")) / "ze-tools-layer"; }

std::vector<std::string> endpoints(const std::string& kind, const fs::path& directory = session()) {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(directory))
        if (entry.path().filename().string().starts_with(kind)) names.push_back(entry.path().filename().string());
    return names;
}

std::string fileOf(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

/// Whether this process shares counts with anybody now.
bool counts() { return fileOf("/proc/self/maps").find("zetl-counts") != std::string::npos; }

/// Asks until the answer is yes: once, since a question about what came since the last one takes its answer away.
bool soon(const std::function<bool()>& condition) { return waitFor(condition, 20s); }

SCENARIO(laterProcessIsSeenFromItsFirstLaunch) {
    Neighbour other([](const Neighbour& parent) {
        parent.hear();  // nothing of the driver is loaded before the stream is open
        const Gpu gpu;
        CountedWork(gpu).launch(5);
        parent.say();
        parent.hear();
    });
    const Gpu gpu;
    CountedWork work(gpu);
    Watch watch(gpu);
    other.tell();
    work.launch(7);
    EXPECT_EQ(watch.launches(), 12) << "five of its and seven of ours";
    other.say();
    other.end();
    EXPECT_EQ(watch.launches(), 12) << "its counts stay";
}
TEST(WholeDevice, LaterProcessIsSeenFromItsFirstLaunch) {
    EXPECT_RUNS(measured("laterProcessIsSeenFromItsFirstLaunch"));
}

SCENARIO(earlierProcessIsSeenFromTheOpening) {
    Neighbour other([](const Neighbour& parent) {
        const Gpu gpu;
        CountedWork work(gpu);
        work.launch(3);
        EXPECT_FALSE(counts());
        parent.say();
        parent.hear();
        work.launch(4);
        parent.say();
        parent.hear();
        EXPECT_TRUE(soon([] { return !counts(); })) << "nobody asks any more";
    });
    const Gpu gpu;
    other.hear();
    {
        Watch watch(gpu);
        other.tell();
        EXPECT_EQ(watch.launches(), 4);
    }
    other.say();
}
TEST(WholeDevice, EarlierProcessIsSeenFromTheOpening) { EXPECT_RUNS(measured("earlierProcessIsSeenFromTheOpening")); }

/// The model's counters are those of the modelled work, whichever process did it.
SCENARIO(modelledCountsOfOthersAreThere) {
    Neighbour other([](const Neighbour& parent) { workWhenTold(parent, 2); });
    const Gpu gpu;
    Stream stream(gpu, 1000, kPeriod, "ComputeBasic");
    stream.pass(1);
    other.tell();
    stream.pass(3);
    double active = 0;
    std::uint64_t threads = 0;
    std::uint64_t clocks = 0;
    for (const auto& row : stream.rows()) {
        active += static_cast<double>(row.at("XVE_ACTIVE").value.fp32);
        threads += row.at("XVE_COMPUTE_THREAD_COUNT").value.ui64;
        clocks += row.at("GpuCoreClocks").value.ui64;
        EXPECT_LE(row.at("XVE_ACTIVE").value.fp32, 100.f);
    }
    EXPECT_GT(active, 0);
    EXPECT_GT(threads, 0u);
    EXPECT_GT(clocks, 0u);
}
TEST(WholeDevice, ModelledCountsOfOthersAreThere) { EXPECT_RUNS(measured("modelledCountsOfOthersAreThere")); }

SCENARIO(killedProcessLeavesItsCountsAndNothingElse) {
    Neighbour other([](const Neighbour& parent) {
        const Gpu gpu;
        CountedWork work(gpu);
        parent.hear();
        work.launch(6);
        parent.say();
        const auto stop = gpu.shared<int>(1);
        *stop = 0;
        const auto kernel = gpu.kernel("spin", 8);
        Gpu::arguments(kernel, stop);
        EXPECT_OK(zeCommandListAppendLaunchKernel(gpu.immediate(), kernel, &kOneGroup, nullptr, 0, nullptr));
        parent.say();
        parent.hear();
    });
    const Gpu gpu;
    CountedWork work(gpu);
    Watch watch(gpu);
    other.tell();
    other.hear();
    EXPECT_EQ(endpoints("counting").size(), 1u) << "this process has no queue yet";
    other.kill();
    EXPECT_EQ(watch.launches(), 6);
    work.launch(2);
    EXPECT_EQ(watch.launches(), 8);
    EXPECT_TRUE(soon([&] { return watch.launches() == 8 && endpoints("counting").size() == 1; })) << "our own is left";
}
TEST(WholeDevice, KilledProcessLeavesItsCountsAndNothingElse) {
    EXPECT_RUNS(measured("killedProcessLeavesItsCountsAndNothingElse"));
}

/// A process that watches the device, says so when it is asked, and goes on until its parent speaks again.
void watchUntilTold(const Neighbour& parent) {
    const Gpu gpu;
    const Watch watch(gpu);
    parent.hear();
    parent.say();
    parent.hear();
}

SCENARIO(killedReaderIsCountedForNoLonger) {
    Neighbour reader(watchUntilTold);
    const Gpu gpu;
    CountedWork work(gpu);
    reader.tell();
    work.launch(1);
    EXPECT_TRUE(counts());
    EXPECT_EQ(endpoints("reading").size(), 1u);
    reader.kill();
    EXPECT_TRUE(soon([] { return !counts(); }));
    EXPECT_TRUE(soon([] { return endpoints("reading").empty(); }));
    work.launch(1);
}
TEST(WholeDevice, KilledReaderIsCountedForNoLonger) { EXPECT_RUNS(measured("killedReaderIsCountedForNoLonger")); }

/// Becomes another user. What was loaded before stays.
void become(uid_t user) {
    ASSERT_EQ(setresgid(user, user, user), 0);
    ASSERT_EQ(setresuid(user, user, user), 0);
    prctl(PR_SET_DUMPABLE, 1);  // as a program that was started so
}

SCENARIO(usersDoNotSeeEachOther) {
    if (geteuid() != 0) return;  // only root can be somebody else
    // A user of this process alone (of systemd's range for such), since the same test of another configuration may run
    // beside this one.
    const uid_t somebody = 61184 + static_cast<uid_t>(getpid()) % 4096;
    const fs::path theirs = "/tmp/ze-tools-layer-" + std::to_string(somebody);
    Neighbour other([&](const Neighbour& parent) {
        const Gpu gpu;
        CountedWork work(gpu);
        become(somebody);
        Watch watch(gpu);
        parent.say();
        parent.hear();
        work.launch(5);
        EXPECT_EQ(endpoints("counting", theirs).size(), 1u);
        EXPECT_EQ(watch.launches(), 5) << "nothing of root's";
        parent.say();
        parent.hear();
    });
    const Gpu gpu;
    CountedWork work(gpu);
    other.hear();
    Watch watch(gpu);
    work.launch(3);
    other.tell();
    EXPECT_EQ(watch.launches(), 3) << "nothing of somebody else's";
    other.say();
    other.end();
    fs::remove_all(theirs);
}
TEST(WholeDevice, UsersDoNotSeeEachOther) { EXPECT_RUNS(measured("usersDoNotSeeEachOther")); }

SCENARIO(namespacesOfProcessesAndNetworksAreNoBorder) {
    if (geteuid() != 0) return;  // needs the right to make namespaces
    Neighbour other([](const Neighbour& parent) {
        ASSERT_EQ(unshare(CLONE_NEWNET | CLONE_NEWPID), 0);
        const pid_t first = fork();  // the first process of the namespace
        if (first == 0) {
            EXPECT_EQ(getpid(), 1);
            workWhenTold(parent, 5);
            std::exit(0);
        }
        waitpid(first, nullptr, 0);
    });
    const Gpu gpu;
    Watch watch(gpu);
    other.tell();
    EXPECT_EQ(watch.launches(), 5);
    other.say();
}
TEST(WholeDevice, NamespacesOfProcessesAndNetworksAreNoBorder) {
    EXPECT_RUNS(measured("namespacesOfProcessesAndNetworksAreNoBorder"));
}

SCENARIO(sixtyFourProcesses) {
    std::vector<Neighbour> others;
    for (int i = 0; i < 64; ++i) others.emplace_back([](const Neighbour& parent) { workWhenTold(parent, 2); });
    const Gpu gpu;
    Watch watch(gpu);
    for (const auto& other : others) other.say();
    for (const auto& other : others) other.hear();
    EXPECT_EQ(watch.launches(), 128);
    for (std::size_t i = 0; i < 32; ++i) others[i].kill();
    others.erase(others.begin(), others.begin() + 32);
    EXPECT_EQ(watch.launches(), 128);
    EXPECT_TRUE(soon([&] { return watch.launches() == 128 && endpoints("counting").size() == 32; }));
    for (const auto& other : others) other.say();
}
TEST(WholeDevice, SixtyFourProcesses) {
    const auto outcome = measured("sixtyFourProcesses").run(kLimit);
    EXPECT_TRUE(outcome.good()) << outcome;
}

/// Nonsense from the same user: it is dropped, and the stream goes on.
SCENARIO(nonsenseDoesNotDisturb) {
    const Gpu gpu;
    CountedWork work(gpu);
    Watch watch(gpu);
    work.launch(1);
    const auto name = endpoints("reading").at(0);
    std::vector<int> sockets;
    for (int i = 0; i < 600; ++i) {  // more than anybody keeps
        const int socket = ::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        (session() / name).string().copy(address.sun_path, sizeof address.sun_path - 1);
        const bool connected = connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
        if (connected && i % 2 == 0) send(socket, "nonsense", static_cast<std::size_t>(i % 9), MSG_NOSIGNAL);
        sockets.push_back(socket);
        if (i % 100 == 0) letPass(5ms);  // not all at once
    }
    work.launch(1);
    EXPECT_EQ(watch.launches(), 2);
    for (const int socket : sockets) close(socket);
    work.launch(1);
    EXPECT_EQ(watch.launches(), 3);
}
TEST(WholeDevice, NonsenseDoesNotDisturb) { EXPECT_RUNS(measured("nonsenseDoesNotDisturb")); }

/// Times that a thread of this process gave its processor up, by name.
int waitsOf(const std::string& thread) {
    for (const auto& entry : fs::directory_iterator("/proc/self/task")) {
        if (fileOf(entry.path() / "comm") != thread + "\n") continue;
        const auto status = fileOf(entry.path() / "status");
        const std::string key = "\nvoluntary_ctxt_switches:";
        return std::stoi(status.substr(status.find(key) + key.size()));
    }
    return -1;
}

SCENARIO(nobodyAsksAndNothingIsDone) {
    const Gpu gpu;
    CountedWork work(gpu);
    work.launch(1);
    ASSERT_TRUE(soon([] { return waitsOf("zetl-counts") > 0; })) << "it sleeps";
    const int before = waitsOf("zetl-counts");
    work.launch(100);
    EXPECT_LE(waitsOf("zetl-counts"), before + 1) << "it does not wake for a launch";
    EXPECT_FALSE(counts());
}
TEST(WholeDevice, NobodyAsksAndNothingIsDone) { EXPECT_RUNS(measured("nobodyAsksAndNothingIsDone")); }

/// Many processes may be there beside the one that works.
SCENARIO(whoHasNothingToCountSleeps) {
    Neighbour reader(watchUntilTold);
    const Gpu gpu;
    CountedWork work(gpu);
    reader.tell();
    work.launch(1);
    ASSERT_TRUE(counts());
    ASSERT_TRUE(soon([] { return waitsOf("zetl-counts") > 0; }));
    const int before = waitsOf("zetl-counts");
    EXPECT_FALSE(waitFor([&] { return waitsOf("zetl-counts") > before + 2; }, 100ms))
        << "it has met the reader a moment ago";
    reader.say();
}
TEST(WholeDevice, WhoHasNothingToCountSleeps) { EXPECT_RUNS(measured("whoHasNothingToCountSleeps")); }

/// Of a kernel that has not ended.
SCENARIO(countsOfARunningKernelOfAnotherProcessAreThere) {
    Neighbour other([](const Neighbour& parent) {
        const Gpu gpu;
        parent.hear();
        const auto stop = gpu.shared<int>(1);
        *stop = 0;
        const auto kernel = gpu.kernel("spin", 8);
        Gpu::arguments(kernel, stop);
        const auto list = gpu.immediate();
        EXPECT_OK(zeCommandListAppendLaunchKernel(list, kernel, &kOneGroup, nullptr, 0, nullptr));
        parent.say();
        parent.hear();
        *stop = 1;
        EXPECT_OK(gpu.synchronize(list, UINT64_MAX));
    });
    const Gpu gpu;
    Stream stream(gpu);
    other.tell();
    EXPECT_TRUE(soon([&] { return stream.settledSince("GLOBAL_BYTE_READ") > 0; })) << "it polls all the time";
    other.say();
}
TEST(WholeDevice, CountsOfARunningKernelOfAnotherProcessAreThere) {
    EXPECT_RUNS(measured("countsOfARunningKernelOfAnotherProcessAreThere"));
}

/// What the other process finds out, in memory of both.
struct Found {
    std::array<TimedWorks::Span, TimedWorks::kMost> spans;
    std::uint64_t bytes;
};

/// Each of its kernels is in the reports of the kernel's time, though this process reads when it can.
SCENARIO(workOfAnotherProcessIsInTheReportsOfItsKernel) {
    auto* const found =
        static_cast<Found*>(mmap(nullptr, sizeof(Found), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    ASSERT_NE(found, MAP_FAILED);
    Neighbour other([found](const Neighbour& parent) {
        const Gpu gpu;
        TimedWorks works(gpu);
        parent.hear();
        works.run();
        std::ranges::copy(works.spans(), found->spans.begin());
        found->bytes = works.bytes();
        parent.say();
        parent.hear();
    });
    const Gpu gpu;
    Stream stream(gpu, 1000, TimedWorks::kPeriod, TimedWorks::kMetrics);
    stream.pass(1);
    other.tell();
    stream.pass(3);
    TimedWorks::expectInSpans(stream.rows(), {found->spans.begin(), found->spans.end()}, found->bytes);
    other.say();
    munmap(found, sizeof(Found));
}
TEST(WholeDevice, WorkOfAnotherProcessIsInTheReportsOfItsKernel) {
    EXPECT_RUNS(measured("workOfAnotherProcessIsInTheReportsOfItsKernel", "max1550"));
}

/// Without a place to meet the stream has this process's counts, and the other one runs on.
SCENARIO(noPlaceToMeetIsNoFault) {
    const Gpu gpu;
    CountedWork work(gpu);
    Watch watch(gpu);
    work.launch(4);
    EXPECT_EQ(watch.launches(), 4);
}
TEST(WholeDevice, NoPlaceToMeetIsNoFault) {
    if (geteuid() != 0) return;  // needs the right to mount
    const auto outcome = measured("noPlaceToMeetIsNoFault")
                             .under({"/usr/bin/unshare", "-m", "/bin/sh", "-c",
                                     "for d in /tmp /run; do mount -t tmpfs -o ro none $d; done; exec \"$@\"", "sh"})
                             .run();
    EXPECT_TRUE(outcome.good()) << outcome;
    EXPECT_NE(outcome.output.find("counters are those of this process alone"), std::string::npos) << outcome;
}

}  // namespace
}  // namespace zetl::test
