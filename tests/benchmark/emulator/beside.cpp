#include "beside.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "collected.h"
#include "emulator/machine/timeline.h"
#include "emulator/peers/counting_service.h"
#include "emulator/peers/whole_device.h"
#include "kernel_bench.h"

namespace zetl::benchmark::emulator {
namespace {

namespace peers = ::zetl::emulator::peers;

constexpr const char* kBesideDevice = "max1550";
constexpr int kModelledBeside = 2;  // launches, until what is known about them is taken over
constexpr int kLaunchesBeside = 5;  // of each kind in a round
constexpr double kMostTimesAlone = 3;
constexpr std::uint64_t kStreamPeriod = 1'000'000;  // nanoseconds
constexpr std::size_t kStreamCapacity = 65536;

/// A streamer that reads the whole device.
class OpenStream {
  public:
    explicit OpenStream(machine::Device& device)
        : counters_(peers::WholeDevice::of(device)),
          timeline_(device.tile(0), kStreamPeriod, kStreamCapacity,
                    [this](std::uint64_t since) { return counters_->counters(0, since); }) {}

  private:
    std::shared_ptr<peers::WholeDevice> counters_;
    machine::Timeline timeline_;
};

/// The other process. It opens and closes a streamer by turns, at each byte that it receives.
class StreamingProcess {
  public:
    StreamingProcess() {
        int ends[2];
        if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) throw std::runtime_error("no sockets");
        process_ = fork();
        socket_ = ends[process_ == 0 ? 1 : 0];
        close(ends[process_ == 0 ? 0 : 1]);
        if (process_ == 0) serve();
    }
    ~StreamingProcess() {
        close(socket_);
        waitpid(process_, nullptr, 0);
    }
    StreamingProcess(const StreamingProcess&) = delete;
    StreamingProcess& operator=(const StreamingProcess&) = delete;

    void toggle() const {
        char byte = 'x';
        if (write(socket_, &byte, 1) != 1 || read(socket_, &byte, 1) != 1)
            throw std::runtime_error("the other process is gone");
    }

  private:
    [[noreturn]] void serve() const {
        machine::bench::KernelBench bench(machine::loadProfile(kBesideDevice), 1);
        std::unique_ptr<OpenStream> stream;
        for (char byte = 0; read(socket_, &byte, 1) == 1;) {
            if (stream)
                stream.reset();
            else
                stream = std::make_unique<OpenStream>(bench.device());
            if (write(socket_, &byte, 1) != 1) break;
        }
        _exit(0);
    }

    pid_t process_ = -1;
    int socket_ = -1;
};

/// A kernel with its buffers.
class Launcher {
  public:
    Launcher(machine::bench::KernelBench& bench, const Workload& workload)
        : bench_(bench),
          run_(workload.make(Size::full)),
          kernel_(bench.build(std::string("#define XE 1\n") + workload.source, workload.kernel)) {
        for (const auto& content : run_.buffers)
            arguments_.emplace_back(buffers_.emplace_back(bench.buffer(content.size())));
        for (const std::uint32_t scalar : run_.scalars) arguments_.emplace_back(scalar);
    }
    ~Launcher() {
        for (auto* const buffer : buffers_) bench_.release(buffer);
    }
    Launcher(const Launcher&) = delete;
    Launcher& operator=(const Launcher&) = delete;

    /// The least processor time of so many launches.
    double leastOf(int launches) {
        double least = std::numeric_limits<double>::infinity();
        for (int i = 0; i < launches; ++i) {
            for (std::size_t b = 0; b < buffers_.size(); ++b) std::ranges::copy(run_.buffers[b], buffers_[b]);
            const Time begin = Time::now();
            bench_.run(kernel_, {run_.local[0], run_.local[1], 1},
                       {run_.global[0] / run_.local[0], run_.global[1] / run_.local[1], 1}, arguments_);
            least = std::min(least, Time::now().since(begin).processor);
        }
        return least;
    }

  private:
    machine::bench::KernelBench& bench_;
    const Run run_;
    const machine::bench::Kernel kernel_;
    std::vector<std::uint32_t*> buffers_;
    std::vector<machine::bench::Argument> arguments_;
};

struct BesideTimes {
    double alone = std::numeric_limits<double>::infinity();
    double modelled = std::numeric_limits<double>::infinity();
    double repeated = std::numeric_limits<double>::infinity();
};

BesideTimes timesOf(Launcher& launcher, const StreamingProcess& other, int rounds) {
    BesideTimes least;
    launcher.leastOf(1);  // translates the kernel
    for (int i = 0; i < rounds; ++i) {
        least.alone = std::min(least.alone, launcher.leastOf(kLaunchesBeside));
        other.toggle();
        least.modelled = std::min(least.modelled, launcher.leastOf(kModelledBeside));
        least.repeated = std::min(least.repeated, launcher.leastOf(kLaunchesBeside));
        other.toggle();
    }
    return least;
}

/// Processes of this run meet each other and nobody else.
std::string meetingDirectory() {
    std::string name = (std::filesystem::temp_directory_path() / "zetl-beside-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no directory for sockets");
    setenv("XDG_RUNTIME_DIR", name.c_str(), 1);
    return name;
}

}  // namespace

int compareBeside(int rounds, std::string_view kernel) {
    const std::string directory = meetingDirectory();
    int above = 0;
    {
        const StreamingProcess other;
        // The service's threads use the machine until the process ends.
        auto& bench = *new machine::bench::KernelBench(machine::loadProfile(kBesideDevice), 1);
        [[maybe_unused]] auto* const service = peers::CountingService::start(bench.machine()).release();
        fmt::print("| kernel | alone, ms | modelled | repeated |\n|---|---|---|---|\n");
        for (const Workload& workload : workloads()) {
            if ((!kernel.empty() && kernel != workload.kernel) || workload.device != nullptr) continue;
            Launcher launcher(bench, workload);
            const BesideTimes times = timesOf(launcher, other, rounds);
            fmt::print("| {} | {:.2f} | {:.2f} | {:.2f} |\n", workload.kernel, times.alone * 1e3,
                       times.modelled / times.alone, times.repeated / times.alone);
            std::fflush(stdout);
            above += times.modelled > kMostTimesAlone * times.alone;
        }
    }
    std::filesystem::remove_all(directory);
    fmt::print("\n{} kernels take more than {} times as long while they are modelled\n", above, kMostTimesAlone);
    return 0;
}

}  // namespace zetl::benchmark::emulator
