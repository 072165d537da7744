// What Level Zero costs over CUDA itself, both in one process and in turns: launches, round trips, copies, kernels.
//
//   nvidia_benchmark --short-kernels N    launches kernels of 10 us, waits behind each Nth, prints what one took:
//   scripts/nvidia
//                                         compares it with the same under `zetl trace`
#include <cuda.h>
#include <dlfcn.h>
#include <level_zero/ze_api.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <vector>

#include "nvidia/kernels.h"

namespace {

void require(int result, const char* call) {
    if (result == 0) return;
    std::fprintf(stderr, "%s -> %#x\n", call, static_cast<unsigned>(result));
    std::exit(1);
}
#define REQUIRE(call) require(static_cast<int>(call), #call)

/// Functions of libcuda, opened as any program without the toolkit would.
template <class F>
F* fromCuda(const char* name) {
    static void* const library = dlopen("libcuda.so.1", RTLD_NOW);
    auto* const found = library ? reinterpret_cast<F*>(dlsym(library, name)) : nullptr;
    require(found == nullptr, name);
    return found;
}
#define NAME_OF(name) #name
#define CUDA(name) fromCuda<decltype(::name)>(NAME_OF(name))

constexpr std::uint32_t kThreads = 256;
constexpr std::uint32_t kManyGroups = 1 << 20;
constexpr int kGraphLaunches = 20;
constexpr std::size_t kBytes = std::size_t{kThreads} * kManyGroups * sizeof(int);  // 1 GiB

/// One side of the comparison.
struct Side {
    std::function<void(std::uint32_t groups)> launch;
    std::function<void(std::size_t bytes)> copy;
    std::function<void()> wait;
    std::function<void()> graph;  ///< executes a graph of kGraphLaunches launches
};

double microseconds(const std::function<void()>& work) {
    const auto began = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - began).count();
}

double launchCost(const Side& side) {
    constexpr int kBatch = 256;  // below what the driver queues before it makes the caller wait
    const double cost = microseconds([&] {
        for (int i = 0; i < kBatch; ++i) side.launch(1);
    });
    side.wait();
    return cost / kBatch;
}

double roundTrip(const Side& side) {
    constexpr int kTrips = 100;
    return microseconds([&] {
               for (int i = 0; i < kTrips; ++i) {
                   side.launch(1);
                   side.wait();
               }
           }) /
           kTrips;
}

double bigCopy(const Side& side) {
    return microseconds([&] {
        side.copy(kBytes);
        side.wait();
    });
}

double bigKernel(const Side& side) {
    return microseconds([&] {
        side.launch(kManyGroups);
        side.wait();
    });
}

double graphTrip(const Side& side) {
    constexpr int kTrips = 50;
    return microseconds([&] {
               for (int i = 0; i < kTrips; ++i) {
                   side.graph();
                   side.wait();
               }
           }) /
           kTrips;
}

double median(std::vector<double> values) {
    std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
    return values[values.size() / 2];
}

struct Row {
    const char* name;
    double (*measure)(const Side&);
    double limit;  // of the ratio
};
constexpr Row kRows[] = {
    {"immediate launch", launchCost, 1.30},
    {"launch and wait", roundTrip, 1.20},
    {"copy of 1 GiB on the device", bigCopy, 1.02},
    {"kernel over 1 GiB", bigKernel, 1.02},
    {"graph of 20 launches and wait", graphTrip, 1.20},
};
constexpr Row kGraphAsList = {"list of them; graph", graphTrip, 1.00};

bool compare(const Row& row, const Side& cuda, const Side& levelZero) {
    constexpr int kRounds = 31;
    std::vector<double> bare;
    std::vector<double> ours;
    for (int i = 0; i < kRounds; ++i) {
        bare.push_back(row.measure(cuda));
        ours.push_back(row.measure(levelZero));
    }
    const double a = median(bare);
    const double b = median(ours);
    std::printf("%-30s %12.2f %12.2f %8.3f %8.2f\n", row.name, a, b, b / a, row.limit);
    return b / a <= row.limit;
}

struct Memory {
    CUdeviceptr from = 0;
    CUdeviceptr to = 0;
};

Side bareCuda(Memory& memory) {
    CUdevice device = 0;
    CUcontext context = nullptr;
    CUmodule module = nullptr;
    CUfunction add = nullptr;
    CUstream stream = nullptr;
    REQUIRE(CUDA(cuInit)(0));
    REQUIRE(CUDA(cuDeviceGet)(&device, 0));
    REQUIRE(CUDA(cuDevicePrimaryCtxRetain)(&context, device));
    REQUIRE(CUDA(cuCtxSetCurrent)(context));
    REQUIRE(CUDA(cuModuleLoadData)(&module, zetl::test::kKernels));
    REQUIRE(CUDA(cuModuleGetFunction)(&add, module, "add"));
    REQUIRE(CUDA(cuStreamCreate)(&stream, CU_STREAM_NON_BLOCKING));
    REQUIRE(CUDA(cuMemAlloc)(&memory.from, kBytes));
    REQUIRE(CUDA(cuMemAlloc)(&memory.to, kBytes));
    auto* const launchKernel = CUDA(cuLaunchKernel);
    auto* const copyAsync = CUDA(cuMemcpyAsync);
    auto* const synchronize = CUDA(cuStreamSynchronize);
    const auto launch = [=, &memory](std::uint32_t groups) {
        std::uint32_t value = 1;
        void* arguments[] = {&memory.from, &value};
        REQUIRE(launchKernel(add, groups, 1, 1, kThreads, 1, 1, 0, stream, arguments, nullptr));
    };
    CUgraph graph = nullptr;
    CUgraphExec executable = nullptr;
    REQUIRE(CUDA(cuStreamBeginCapture)(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    for (int i = 0; i < kGraphLaunches; ++i) launch(1);
    REQUIRE(CUDA(cuStreamEndCapture)(stream, &graph));
    REQUIRE(CUDA(cuGraphInstantiate)(&executable, graph, 0));
    auto* const launchGraph = CUDA(cuGraphLaunch);
    return {launch, [=, &memory](std::size_t bytes) { REQUIRE(copyAsync(memory.to, memory.from, bytes, stream)); },
            [=] { REQUIRE(synchronize(stream)); }, [=] { REQUIRE(launchGraph(executable, stream)); }};
}

/// Level Zero with an immediate list and a kernel of the tests.
struct Program {
    ze_kernel_handle_t kernel = nullptr;
    ze_command_list_handle_t list = nullptr;
    ze_command_list_handle_t regular = nullptr;
    decltype(&zeCommandListHostSynchronize) synchronize = nullptr;
    ze_driver_handle_t driver = nullptr;

    explicit Program(const char* name) {
        std::uint32_t one = 1;
        ze_device_handle_t device = nullptr;
        ze_context_handle_t context = nullptr;
        REQUIRE(zeInit(0));
        REQUIRE(zeDriverGet(&one, &driver));
        REQUIRE(zeDeviceGet(driver, &one, &device));
        const ze_context_desc_t contextDescription{ZE_STRUCTURE_TYPE_CONTEXT_DESC, nullptr, 0};
        REQUIRE(zeContextCreate(driver, &contextDescription, &context));
        ze_module_desc_t description{};
        description.stype = ZE_STRUCTURE_TYPE_MODULE_DESC;
        description.format = ZE_MODULE_FORMAT_NATIVE;
        description.inputSize = std::strlen(zetl::test::kKernels);
        description.pInputModule = reinterpret_cast<const std::uint8_t*>(zetl::test::kKernels);
        ze_module_handle_t module = nullptr;
        REQUIRE(zeModuleCreate(context, device, &description, &module, nullptr));
        const ze_kernel_desc_t described{ZE_STRUCTURE_TYPE_KERNEL_DESC, nullptr, 0, name};
        REQUIRE(zeKernelCreate(module, &described, &kernel));
        ze_command_queue_desc_t queue{};
        queue.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC;
        REQUIRE(zeCommandListCreateImmediate(context, device, &queue, &list));
        const ze_command_list_desc_t recorded{ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC, nullptr, 0, 0};
        REQUIRE(zeCommandListCreate(context, device, &recorded, &regular));
        synchronize = function<decltype(zeCommandListHostSynchronize)>("zeCommandListHostSynchronize");
    }

    template <class F>
    F* function(const char* name) const {
        void* found = nullptr;
        REQUIRE(zeDriverGetExtensionFunctionAddress(driver, name, &found));
        return reinterpret_cast<F*>(found);
    }
    void launchOn(ze_command_list_handle_t onto, std::uint32_t groups) const {
        const ze_group_count_t count{groups, 1, 1};
        REQUIRE(zeCommandListAppendLaunchKernel(onto, kernel, &count, nullptr, 0, nullptr));
    }
    void launch(std::uint32_t groups) const { launchOn(list, groups); }
    void wait() const { REQUIRE(synchronize(list, UINT64_MAX)); }
};

/// What executes a graph of the program's launches, and a closed list of them.
std::function<void()> graphOf(const Program& program) {
    using Begin = ze_result_t(ze_command_list_handle_t, const void*);
    using End = ze_result_t(ze_command_list_handle_t, const void*, void**);
    using Instantiate = ze_result_t(void*, const void*, void**);
    using Append =
        ze_result_t(ze_command_list_handle_t, void*, const void*, ze_event_handle_t, std::uint32_t, ze_event_handle_t*);
    void* graph = nullptr;
    void* executable = nullptr;
    REQUIRE(program.function<Begin>("zeCommandListBeginGraphCaptureExt")(program.list, nullptr));
    for (int i = 0; i < kGraphLaunches; ++i) program.launch(1);
    REQUIRE(program.function<End>("zeCommandListEndGraphCaptureExt")(program.list, nullptr, &graph));
    REQUIRE(program.function<Instantiate>("zeGraphInstantiateExt")(graph, nullptr, &executable));
    auto* const append = program.function<Append>("zeCommandListAppendGraphExt");
    return [=] { REQUIRE(append(program.list, executable, nullptr, nullptr, 0, nullptr)); };
}

std::function<void()> listOf(const Program& program) {
    for (int i = 0; i < kGraphLaunches; ++i) program.launchOn(program.regular, 1);
    REQUIRE(zeCommandListClose(program.regular));
    using Append = ze_result_t(ze_command_list_handle_t, std::uint32_t, ze_command_list_handle_t*, ze_event_handle_t,
                               std::uint32_t, ze_event_handle_t*);
    auto* const append = program.function<Append>("zeCommandListImmediateAppendCommandListsExp");
    return [=] {
        ze_command_list_handle_t list = program.regular;
        REQUIRE(append(program.list, 1, &list, nullptr, 0, nullptr));
    };
}

struct Sides {
    Side byGraph;
    Side byList;
};

Sides levelZero(const Memory& memory) {
    const Program program("add");
    REQUIRE(zeKernelSetGroupSize(program.kernel, kThreads, 1, 1));
    const std::uint32_t value = 1;
    REQUIRE(zeKernelSetArgumentValue(program.kernel, 0, sizeof memory.from, &memory.from));
    REQUIRE(zeKernelSetArgumentValue(program.kernel, 1, sizeof value, &value));
    void* const to = reinterpret_cast<void*>(memory.to);
    const void* const from = reinterpret_cast<const void*>(memory.from);
    const Side side = {[=](std::uint32_t groups) { program.launch(groups); },
                       [=](std::size_t bytes) {
                           REQUIRE(zeCommandListAppendMemoryCopy(program.list, to, from, bytes, nullptr, 0, nullptr));
                       },
                       [=] { program.wait(); }, graphOf(program)};
    Side byList = side;
    byList.graph = listOf(program);
    return {side, byList};
}

int shortKernels(int launchesAWait) {
    constexpr int kLaunches = 20'000;
    constexpr std::uint64_t kNanoseconds = 10'000;
    const Program program("spin");
    REQUIRE(zeKernelSetArgumentValue(program.kernel, 0, sizeof kNanoseconds, &kNanoseconds));
    program.launch(1);
    program.wait();
    const double all = microseconds([&] {
        for (int i = 1; i <= kLaunches; ++i) {
            program.launch(1);
            if (i % launchesAWait == 0) program.wait();
        }
        program.wait();
    });
    std::printf("microseconds a launch: %.3f\n", all / kLaunches);
    return 0;
}

}  // namespace

int main(int count, char** arguments) {
    if (count == 3) return shortKernels(std::max(1, std::atoi(arguments[2])));
    Memory memory;
    const Side cuda = bareCuda(memory);
    const auto [ours, byList] = levelZero(memory);
    std::printf("%-30s %12s %12s %8s %8s\n", "median of 31, microseconds", "CUDA", "Level Zero", "ratio", "limit");
    bool good = true;
    for (const Row& row : kRows) {
        row.measure(cuda);
        row.measure(ours);
        good &= compare(row, cuda, ours);
    }
    good &= compare(kGraphAsList, byList, ours);
    return good ? 0 : 1;
}
