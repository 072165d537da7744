#include "emulated.h"

#include <algorithm>
#include <stdexcept>

#include "kernel_bench.h"

namespace zetl::benchmark::emulator {
namespace {

using ::zetl::emulator::machine::Extent;
namespace bench = ::zetl::emulator::machine::bench;

class Emulated final : public Implementation {
  public:
    Emulated(std::uint32_t workers, bool collecting) : bench_("max1550", workers) {
        if (collecting) collecting_ = bench_.tile().collect();
    }

    /// Of all that the timing model counts: what only makes it faster leaves it as it is.
    std::uint64_t modelChecksum() {
        std::uint64_t sum = 0xcbf29ce484222325;
        const auto add = [&](std::uint64_t value) { sum = (sum ^ value) * 0x100000001b3; };
        std::ranges::for_each(bench_.tile().counters().counts.values, add);
        return sum;
    }

    Outcome measure(const Workload& workload, const Run& run, int repeats) override {
        const bench::Kernel kernel = bench_.build(std::string("#define XE 1\n") + workload.source, workload.kernel);
        std::vector<std::uint32_t*> buffers;
        std::vector<bench::Argument> arguments;
        for (const auto& content : run.buffers) {
            buffers.push_back(bench_.buffer(content.size()));
            arguments.emplace_back(buffers.back());
        }
        for (const std::uint32_t scalar : run.scalars) arguments.emplace_back(scalar);
        const Extent local{run.local[0], run.local[1], 1};
        const Extent groups{run.global[0] / run.local[0], run.global[1] / run.local[1], 1};
        Outcome outcome;
        for (int i = 0; i < repeats; ++i) {
            for (std::size_t b = 0; b < buffers.size(); ++b) std::ranges::copy(run.buffers[b], buffers[b]);
            const Time begin = Time::now();
            const auto dispatch = bench_.run(kernel, local, groups, arguments);
            outcome.time.improve(Time::now().since(begin), i == 0);
            if (dispatch->fault()) throw std::runtime_error(dispatch->fault().describe());
        }
        outcome.result.assign(buffers[run.result], buffers[run.result] + run.buffers[run.result].size());
        for (std::uint32_t* buffer : buffers) bench_.release(buffer);
        if (collecting_) outcome.model = modelChecksum();
        return outcome;
    }

  private:
    bench::KernelBench bench_;
    std::shared_ptr<void> collecting_;  // ends before the bench
};

}  // namespace

std::unique_ptr<Implementation> makeEmulated(std::uint32_t workers, bool collecting) {
    return std::make_unique<Emulated>(workers, collecting);
}

}  // namespace zetl::benchmark::emulator
