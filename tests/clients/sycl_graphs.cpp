// Command graphs of SYCL, beside what the host computes. Prints one line per step. For the runtime's headers alone: no
// SYCL compiler is needed, because the kernels come from a module of SPIR-V.
//
//   sycl_graphs KERNELS.spv [native]     native: graphs that the driver records
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <sycl/sycl.hpp>
#include <vector>

namespace {

namespace graphs = sycl::ext::oneapi::experimental;
using Handler = sycl::handler;

constexpr std::size_t kCount = 1024;
constexpr std::size_t kBytes = kCount * sizeof(int);
constexpr int kOnes = 0x01010101;  // an int whose bytes are all 1
const sycl::nd_range<1> kAll(kCount, 64);

std::vector<std::byte> bytesOf(const char* path) {
    std::ifstream file(path, std::ios::binary);
    const std::vector<char> read{std::istreambuf_iterator<char>(file), {}};
    std::vector<std::byte> bytes(read.size());
    std::memcpy(bytes.data(), read.data(), read.size());
    return bytes;
}

/// A queue and the kernels.
struct Gpu {
    explicit Gpu(const char* spirv)
        : source(graphs::create_kernel_bundle_from_source(queue.get_context(), graphs::source_language::spirv,
                                                          bytesOf(spirv))),
          bundle(graphs::build(source)) {}

    int* ints(int value = 0) const {
        auto* const data = sycl::malloc_shared<int>(kCount, queue);
        std::fill_n(data, kCount, value);
        return data;
    }
    sycl::queue another(const sycl::property_list& properties) const {
        return {queue.get_context(), queue.get_device(), properties};
    }
    graphs::command_graph<> graph() const { return {queue.get_context(), queue.get_device()}; }

    std::function<void(Handler&)> twicing(int* data, int added) const {
        return [=, this](Handler& handler) {
            handler.set_args(data, added);
            handler.parallel_for(kAll, twice);
        };
    }
    std::function<void(Handler&)> summing(int* a, int* b, int* out) const {
        return [=, this](Handler& handler) {
            handler.set_args(a, b, out);
            handler.parallel_for(kAll, sum);
        };
    }

    sycl::queue queue{sycl::gpu_selector_v};
    sycl::kernel_bundle<sycl::bundle_state::ext_oneapi_source> source;
    sycl::kernel_bundle<sycl::bundle_state::executable> bundle;
    sycl::kernel twice = bundle.ext_oneapi_get_kernel("twice");
    sycl::kernel sum = bundle.ext_oneapi_get_kernel("sum");
};

bool areAll(const int* data, int value) {
    return std::all_of(data, data + kCount, [=](int one) { return one == value; });
}

std::function<void(Handler&)> after(const sycl::event& event, std::function<void(Handler&)> work) {
    return [=](Handler& handler) {
        handler.depends_on(event);
        work(handler);
    };
}

sycl::property_list behind(const graphs::node& node) { return {graphs::property::node::depends_on(node)}; }

bool explicitNodes(Gpu& gpu) {
    auto graph = gpu.graph();
    int* const a = gpu.ints();
    int* const b = gpu.ints();
    int* const c = gpu.ints();
    const auto setA = graph.add([=](Handler& handler) { handler.memset(a, 3, kBytes); });
    const auto setB = graph.add([=](Handler& handler) { handler.memset(b, 5, kBytes); });
    const auto first = graph.add(gpu.twicing(a, 1), behind(setA));
    const auto both = graph.add(gpu.summing(a, b, c), {graphs::property::node::depends_on(first, setB)});
    graph.add([=](Handler& handler) { handler.memcpy(b, c, kBytes); }, behind(both));
    auto executable = graph.finalize();
    bool right = true;
    for (int i = 0; i < 3; ++i) {
        gpu.queue.ext_oneapi_graph(executable).wait();
        right = right && areAll(b, 11 * kOnes + 1);
        std::fill_n(b, kCount, 0);
    }
    return right;
}

bool recorded(Gpu& gpu) {
    auto graph = gpu.graph();
    int* const a = gpu.ints(1);
    int* const b = gpu.ints();
    graph.begin_recording(gpu.queue);
    const auto first = gpu.queue.submit(gpu.twicing(a, 0));
    const auto second = gpu.queue.submit(after(first, gpu.twicing(a, 1)));
    gpu.queue.memcpy(b, a, kBytes, second);
    graph.end_recording();
    const bool untouched = areAll(a, 1);
    auto executable = graph.finalize();
    gpu.queue.ext_oneapi_graph(executable).wait();
    const bool once = areAll(b, 5);
    gpu.queue.ext_oneapi_graph(executable).wait();
    return untouched && once && areAll(b, 21);
}

bool forked(Gpu& gpu) {
    auto other = gpu.another({});
    auto graph = gpu.graph();
    int* const a = gpu.ints();
    int* const b = gpu.ints();
    int* const c = gpu.ints();
    graph.begin_recording({gpu.queue, other});
    const auto left = gpu.queue.memset(a, 2, kBytes);
    const auto right = other.memset(b, 7, kBytes);
    const auto middle = other.submit(after(right, gpu.twicing(b, 0)));
    gpu.queue.submit(after(left, after(middle, gpu.summing(a, b, c))));
    graph.end_recording();
    auto executable = graph.finalize();
    for (int i = 0; i < 5; ++i) gpu.queue.ext_oneapi_graph(executable);
    gpu.queue.wait();
    return areAll(c, 16 * kOnes);
}

bool updatedArguments(Gpu& gpu) {
    auto graph = gpu.graph();
    int* const a = gpu.ints(1);
    int* const b = gpu.ints(1);
    graphs::dynamic_parameter data(a);
    graphs::dynamic_parameter added(4);
    auto node = graph.add([&](Handler& handler) {
        handler.set_arg(0, data);
        handler.set_arg(1, added);
        handler.parallel_for(kAll, gpu.twice);
    });
    auto executable = graph.finalize(graphs::property::graph::updatable{});
    gpu.queue.ext_oneapi_graph(executable).wait();
    const bool first = areAll(a, 6) && areAll(b, 1);
    data.update(b);
    added.update(9);
    executable.update(node);
    gpu.queue.ext_oneapi_graph(executable).wait();
    const bool second = areAll(a, 6) && areAll(b, 11);
    node.update_nd_range(sycl::nd_range<1>(kCount / 2, 64));
    executable.update(node);
    gpu.queue.ext_oneapi_graph(executable).wait();
    return first && second && b[kCount / 2 - 1] == 31 && b[kCount / 2] == 11;
}

bool updatedWhole(Gpu& gpu) {
    int* const a = gpu.ints(1);
    int* const b = gpu.ints(1);
    auto one = gpu.graph();
    one.add(gpu.twicing(a, 1));
    auto two = gpu.graph();
    two.add(gpu.twicing(b, 2));
    auto executable = one.finalize(graphs::property::graph::updatable{});
    gpu.queue.ext_oneapi_graph(executable).wait();
    executable.update(two);
    gpu.queue.ext_oneapi_graph(executable).wait();
    return areAll(a, 3) && areAll(b, 4);
}

bool nested(Gpu& gpu) {
    int* const a = gpu.ints(1);
    auto inner = gpu.graph();
    inner.add(gpu.twicing(a, 0));
    auto closed = inner.finalize();
    auto outer = gpu.graph();
    const auto before = outer.add(gpu.twicing(a, 1));
    const auto middle = outer.add([&](Handler& handler) { handler.ext_oneapi_graph(closed); }, behind(before));
    outer.add(gpu.twicing(a, 5), behind(middle));
    auto executable = outer.finalize();
    gpu.queue.ext_oneapi_graph(executable).wait();
    return areAll(a, 17);
}

bool hostTask(Gpu& gpu) {
    int* const a = gpu.ints(1);
    auto graph = gpu.graph();
    const auto before = graph.add(gpu.twicing(a, 1));
    const auto addTen = [=] { std::for_each(a, a + kCount, [](int& one) { one += 10; }); };
    const auto task = graph.add([=](Handler& handler) { handler.host_task(addTen); }, behind(before));
    graph.add(gpu.twicing(a, 0), behind(task));
    auto executable = graph.finalize();
    gpu.queue.ext_oneapi_graph(executable).wait();
    return areAll(a, 26);
}

bool profiled(Gpu& gpu) {
    namespace profiling = sycl::info::event_profiling;
    auto timed = gpu.another({sycl::property::queue::enable_profiling()});
    int* const a = gpu.ints(1);
    auto graph = gpu.graph();
    graph.add(gpu.twicing(a, 1));
    auto executable = graph.finalize(graphs::property::graph::enable_profiling{});
    auto event = timed.ext_oneapi_graph(executable);
    event.wait();
    const auto start = event.get_profiling_info<profiling::command_start>();
    return areAll(a, 3) && event.get_profiling_info<profiling::command_end>() > start;
}

/// Ten executions of a graph that an in-order queue recorded.
bool inOrder(Gpu& gpu, const sycl::property_list& properties) {
    auto ordered = gpu.another({sycl::property::queue::in_order()});
    int* const a = gpu.ints();
    int* const b = gpu.ints();
    graphs::command_graph graph(ordered, properties);
    graph.begin_recording(ordered);
    ordered.submit(gpu.twicing(a, 1));
    ordered.submit(gpu.twicing(a, 0));
    ordered.memcpy(b, a, kBytes);
    graph.end_recording();
    const bool untouched = areAll(a, 0);
    auto executable = graph.finalize();
    int wanted = 0;
    for (int i = 0; i < 10; ++i) {
        ordered.ext_oneapi_graph(executable);
        wanted = 2 * (2 * wanted + 1);
    }
    ordered.wait();
    return untouched && areAll(b, wanted);
}

bool printed(Gpu& gpu) {
    auto graph = gpu.graph();
    graph.add(gpu.twicing(gpu.ints(), 1));
    graph.print_graph("graph.dot", true);
    return !bytesOf("graph.dot").empty();
}

const sycl::property_list& native() {
    static const sycl::property_list properties{graphs::property::graph::enable_native_recording{}};
    return properties;
}

bool nativeFork(Gpu& gpu) {
    auto ordered = gpu.another({sycl::property::queue::in_order()});
    auto other = gpu.another({sycl::property::queue::in_order()});
    int* const a = gpu.ints();
    int* const b = gpu.ints();
    int* const c = gpu.ints();
    graphs::command_graph graph(ordered, native());
    graph.begin_recording(ordered);
    const auto first = ordered.memset(a, 2, kBytes);
    const auto side = other.submit(after(first, gpu.summing(a, a, b)));
    ordered.memset(c, 1, kBytes);
    ordered.submit(after(side, gpu.summing(a, b, c)));
    graph.end_recording();
    auto executable = graph.finalize();
    for (int i = 0; i < 3; ++i) ordered.ext_oneapi_graph(executable);
    ordered.wait();
    return areAll(c, 6 * kOnes);
}

bool nativeQuestions(Gpu& gpu) {
    int called = 0;
    bool right = true;
    {
        auto ordered = gpu.another({sycl::property::queue::in_order()});
        graphs::command_graph graph(ordered, native());
        right = graph.empty() && graph.get_id() != 0;
        graph.begin_recording(ordered);
        ordered.submit(gpu.twicing(gpu.ints(), 1));
        graph.end_recording();
        graph.set_destruction_callback([&called] { ++called; });
        graph.print_graph("native.dot");
        right = right && !graph.empty() && !bytesOf("native.dot").empty();
    }
    return right && called == 1;
}

using Step = std::function<bool(Gpu&)>;
struct Named {
    const char* name;
    Step run;
};

std::vector<Named> steps(bool recordedByDriver) {
    if (recordedByDriver)
        return {{"executed in order", [](Gpu& gpu) { return inOrder(gpu, native()); }},
                {"a fork", nativeFork},
                {"identifier, callback and dump", nativeQuestions}};
    return {{"nodes with edges", explicitNodes},
            {"a recorded queue", recorded},
            {"two recorded queues", forked},
            {"updated arguments and sizes", updatedArguments},
            {"updated by another graph", updatedWhole},
            {"a graph in a graph", nested},
            {"a task of the host", hostTask},
            {"times", profiled},
            {"executed in order", [](Gpu& gpu) { return inOrder(gpu, {}); }},
            {"a dump", printed}};
}

void run(const Named& step, Gpu& gpu) {
    std::string outcome;
    try {
        outcome = step.run(gpu) ? "ok" : "wrong results";
    } catch (const std::exception& failure) {
        outcome = failure.what();
    }
    std::printf("%s: %s\n", step.name, outcome.c_str());
    std::fflush(stdout);
}

}  // namespace

int main(int count, char** arguments) {
    if (count < 2) return 2;
    Gpu gpu(arguments[1]);
    for (const Named& step : steps(count > 2)) run(step, gpu);
}
