// Streams, events, copies, launches: each stream is a thread that does one thing after the other.
#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "stand_in.h"
#include "watcher.h"

/// A graph, and an executable one.
struct CUgraph_st {
    struct Node {
        std::function<void()> work;
        std::set<std::size_t> after;
    };
    std::vector<Node> nodes;
    std::set<CUstream> streams;  ///< that are captured
    CUstream origin = nullptr;
    std::mutex running;

    /// Of the nodes that may run, the last one first: an edge that is missing shows.
    std::vector<std::size_t> order() const {
        std::vector<std::size_t> order;
        std::set<std::size_t> done;
        while (order.size() < nodes.size())
            for (std::size_t i = nodes.size(); i-- > 0;)
                if (!done.contains(i) && std::ranges::includes(done, nodes[i].after)) {
                    order.push_back(i);
                    done.insert(i);
                    break;
                }
        return order;
    }
};
struct CUgraphExec_st {
    std::shared_ptr<CUgraph_st> graph;
};

struct CUstream_st {
    std::mutex mutex;
    std::condition_variable changed;
    std::deque<std::function<void()>> waiting;
    bool busy = false;
    CUgraph graph = nullptr;       ///< into which it is captured
    std::set<std::size_t> behind;  ///< what its next node comes after

    void add(std::function<void()> work) {
        std::lock_guard guard(mutex);
        if (graph) {
            graph->nodes.push_back({std::move(work), behind});
            behind = {graph->nodes.size() - 1};
            return;
        }
        waiting.push_back(std::move(work));
        changed.notify_all();
    }
    bool idle() {
        std::lock_guard guard(mutex);
        return waiting.empty() && !busy;
    }
    void finish() {
        std::unique_lock guard(mutex);
        changed.wait(guard, [this] { return (waiting.empty() && !busy) || stand_in::lost != CUDA_SUCCESS; });
    }
    /// Ends with the process.
    void run() {
        for (;;) {
            std::unique_lock guard(mutex);
            changed.wait(guard, [this] { return !waiting.empty(); });
            const auto work = std::move(waiting.front());
            waiting.pop_front();
            busy = true;
            guard.unlock();
            if (stand_in::lost == CUDA_SUCCESS) work();
            guard.lock();
            busy = false;
            changed.notify_all();
        }
    }
};

namespace {

std::atomic<const stand_in::Watcher*> watcher{nullptr};
std::atomic<unsigned> lastCall{0};

/// Adds work that a watcher sees, unless a graph records it.
void addWatched(CUstream stream, const char* function, std::function<void()> work) {
    const auto* const watching = watcher.load();
    if (!watching || stream->graph) return stream->add(std::move(work));
    const unsigned call = ++lastCall;
    watching->called(function, call);
    stream->add([=, work = std::move(work)] {
        watching->began(call);
        work();
        watching->ended(call);
    });
}

std::mutex registering;
/// Streams live as long as the process.
std::vector<CUstream_st*>& streams() {
    static auto* const all = new std::vector<CUstream_st*>;
    return *all;
}

std::uint32_t* word(CUdeviceptr address) { return reinterpret_cast<std::uint32_t*>(address); }

template <class T>
CUresult fill(const char* function, CUdeviceptr to, T value, std::size_t count, CUstream stream) {
    if (const CUresult scripted = stand_in::answerOf(function); scripted != CUDA_SUCCESS) return scripted;
    addWatched(stream, function, [=] { std::fill_n(reinterpret_cast<T*>(to), count, value); });
    return CUDA_SUCCESS;
}

std::size_t place(std::size_t z, std::size_t height, std::size_t pitch, std::size_t y) {
    return (z * height + y) * pitch;
}

CUresult launch(const char* call, CUfunction function, unsigned groups, unsigned threads, unsigned shared,
                CUstream stream, void** arguments) {
    stand_in::Launch launch{groups, threads, {}, shared, function->module};
    for (std::size_t i = 0; i < function->sizes.size(); ++i) {
        std::uint64_t value = 0;
        std::memcpy(&value, arguments[i], function->sizes[i]);
        launch.arguments.push_back(value);
    }
    addWatched(stream, call, [function, launch] { function->body(launch); });
    return CUDA_SUCCESS;
}

}  // namespace

/// For the stand-in for libcupti.
extern "C" void standInWatch(const stand_in::Watcher* watching) { watcher = watching; }

void stand_in::finishStreams() {
    registering.lock();
    const auto all = streams();
    registering.unlock();
    for (auto* stream : all) stream->finish();
}

CUresult cuStreamCreateWithPriority(CUstream* stream, unsigned, int) {
    ANSWER_AS_SCRIPTED;
    *stream = new CUstream_st;
    const std::lock_guard guard(registering);
    streams().push_back(*stream);
    std::thread([made = *stream] { made->run(); }).detach();
    return CUDA_SUCCESS;
}
CUresult cuStreamDestroy(CUstream) { return CUDA_SUCCESS; }
CUresult cuStreamQuery(CUstream stream) {
    ANSWER_AS_SCRIPTED;
    return !stream || stream->idle() ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}
CUresult cuStreamSynchronize(CUstream stream) {
    ANSWER_AS_SCRIPTED;
    stream->finish();
    return stand_in::lost;
}
CUresult cuStreamWriteValue32(CUstream stream, CUdeviceptr address, cuuint32_t value, unsigned) {
    ANSWER_AS_SCRIPTED;
    stream->add([=] { __atomic_store_n(word(address), value, __ATOMIC_RELEASE); });
    return CUDA_SUCCESS;
}
CUresult cuStreamWaitValue32(CUstream stream, CUdeviceptr address, cuuint32_t value, unsigned) {
    ANSWER_AS_SCRIPTED;
    stream->add([=] {
        while (__atomic_load_n(word(address), __ATOMIC_ACQUIRE) < value && stand_in::lost == CUDA_SUCCESS)
            std::this_thread::sleep_for(std::chrono::microseconds(20));
    });
    return CUDA_SUCCESS;
}
CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned) {
    ANSWER_AS_SCRIPTED;
    if (event->graph && (!stream->graph || stream->graph == event->graph)) {
        stream->graph = event->graph;
        stream->graph->streams.insert(stream);
        stream->behind.insert(event->behind.begin(), event->behind.end());
        return CUDA_SUCCESS;
    }
    if (event->graph || stream->graph) return CUDA_ERROR_STREAM_CAPTURE_ISOLATION;
    stream->add([event] {
        while (event->pending > 0) std::this_thread::sleep_for(std::chrono::microseconds(20));
    });
    return CUDA_SUCCESS;
}

CUresult cuStreamBeginCapture(CUstream stream, CUstreamCaptureMode) {
    ANSWER_AS_SCRIPTED;
    if (stream->graph) return CUDA_ERROR_ILLEGAL_STATE;
    stream->graph = new CUgraph_st;
    stream->graph->origin = stream;
    stream->graph->streams = {stream};
    stream->behind.clear();
    return CUDA_SUCCESS;
}
/// Every node must come before the end of the stream on which the capture began.
CUresult cuStreamEndCapture(CUstream stream, CUgraph* out) {
    ANSWER_AS_SCRIPTED;
    if (!stream->graph) return CUDA_ERROR_ILLEGAL_STATE;
    CUgraph_st& graph = *stream->graph;
    if (graph.origin != stream) return CUDA_ERROR_STREAM_CAPTURE_UNMATCHED;
    std::set<std::size_t> joined = stream->behind;
    for (std::size_t i = graph.nodes.size(); i-- > 0;)
        if (joined.contains(i)) joined.insert(graph.nodes[i].after.begin(), graph.nodes[i].after.end());
    for (CUstream each : graph.streams) each->graph = nullptr;
    for (CUstream each : graph.streams) each->behind.clear();
    *out = &graph;
    if (joined.size() == graph.nodes.size()) return CUDA_SUCCESS;
    *out = nullptr;
    delete &graph;
    return CUDA_ERROR_STREAM_CAPTURE_UNJOINED;
}
/// cuGraphInstantiate.
CUresult cuGraphInstantiateWithFlags(CUgraphExec* out, CUgraph graph, unsigned long long) {
    ANSWER_AS_SCRIPTED;
    auto copy = std::make_shared<CUgraph_st>();
    copy->nodes = graph->nodes;
    *out = new CUgraphExec_st{std::move(copy)};
    return CUDA_SUCCESS;
}
CUresult cuGraphLaunch(CUgraphExec executable, CUstream stream) {
    ANSWER_AS_SCRIPTED;
    stream->add([graph = executable->graph] {
        const std::lock_guard one(graph->running);
        for (const std::size_t node : graph->order())
            if (stand_in::lost == CUDA_SUCCESS) graph->nodes[node].work();
    });
    return CUDA_SUCCESS;
}
CUresult cuGraphDestroy(CUgraph graph) {
    delete graph;
    return CUDA_SUCCESS;
}
CUresult cuGraphExecDestroy(CUgraphExec executable) {
    delete executable;
    return CUDA_SUCCESS;
}

CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void* data) {
    stream->add([=] { function(data); });
    return CUDA_SUCCESS;
}

CUresult cuEventCreate(CUevent* event, unsigned) {
    *event = new CUevent_st;
    return CUDA_SUCCESS;
}
CUresult cuEventDestroy(CUevent event) {
    // Kept, since work of streams may still name it; events that nobody destroys are leaks.
    static std::mutex mutex;
    static auto* const destroyed = new std::vector<CUevent>;
    const std::lock_guard guard(mutex);
    destroyed->push_back(event);
    return CUDA_SUCCESS;
}
CUresult cuEventRecord(CUevent event, CUstream stream) {
    ANSWER_AS_SCRIPTED;
    event->graph = stream->graph;
    event->behind = stream->behind;
    if (stream->graph) return CUDA_SUCCESS;
    ++event->pending;
    stream->add([event] {
        event->time = stand_in::now();
        --event->pending;
    });
    return CUDA_SUCCESS;
}
CUresult cuEventQuery(CUevent event) {
    ANSWER_AS_SCRIPTED;
    return event->pending > 0 ? CUDA_ERROR_NOT_READY : CUDA_SUCCESS;
}
CUresult cuEventElapsedTime(float* milliseconds, CUevent from, CUevent to) {
    ANSWER_AS_SCRIPTED;
    if (from->pending > 0 || to->pending > 0) return CUDA_ERROR_NOT_READY;
    *milliseconds = static_cast<float>(static_cast<double>(static_cast<std::int64_t>(to->time - from->time)) / 1e6);
    return CUDA_SUCCESS;
}

/// As the real one, it returns only when a copy to plain host memory is done, and has read such memory when it returns.
CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream stream) {
    ANSWER_AS_SCRIPTED;
    addWatched(stream, __func__,
               [=] { std::memmove(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes); });
    if (stand_in::allocationAt(to) == 0 || stand_in::allocationAt(from) == 0) stream->finish();
    return stand_in::lost;
}
CUresult cuMemcpyDtoH(void* to, CUdeviceptr from, std::size_t bytes) {
    ANSWER_AS_SCRIPTED;
    std::memcpy(to, reinterpret_cast<const void*>(from), bytes);
    return CUDA_SUCCESS;
}
CUresult cuMemcpy3DAsync(const CUDA_MEMCPY3D* given, CUstream stream) {
    ANSWER_AS_SCRIPTED;
    addWatched(stream, __func__, [copy = *given] {
        const auto* from = reinterpret_cast<const char*>(copy.srcDevice);
        auto* to = reinterpret_cast<char*>(copy.dstDevice);
        for (std::size_t z = 0; z < copy.Depth; ++z)
            for (std::size_t y = 0; y < copy.Height; ++y)
                std::memcpy(to + place(z, copy.dstHeight, copy.dstPitch, y),
                            from + place(z, copy.srcHeight, copy.srcPitch, y), copy.WidthInBytes);
    });
    if (given->dstMemoryType == CU_MEMORYTYPE_HOST || given->srcMemoryType == CU_MEMORYTYPE_HOST) stream->finish();
    return stand_in::lost;
}
CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, std::size_t count, CUstream stream) {
    return fill(__func__, to, value, count, stream);
}
CUresult cuMemsetD16Async(CUdeviceptr to, unsigned short value, std::size_t count, CUstream stream) {
    return fill(__func__, to, value, count, stream);
}
CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value, std::size_t count, CUstream stream) {
    return fill(__func__, to, value, count, stream);
}

CUresult cuLaunchKernel(CUfunction function, unsigned groupsX, unsigned groupsY, unsigned groupsZ, unsigned x,
                        unsigned y, unsigned z, unsigned shared, CUstream stream, void** arguments, void**) {
    ANSWER_AS_SCRIPTED;
    return launch(__func__, function, groupsX * groupsY * groupsZ, x * y * z, shared, stream, arguments);
}
CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned groupsX, unsigned groupsY, unsigned groupsZ,
                                   unsigned x, unsigned y, unsigned z, unsigned shared, CUstream stream,
                                   void** arguments) {
    ANSWER_AS_SCRIPTED;
    return launch(__func__, function, groupsX * groupsY * groupsZ, x * y * z, shared, stream, arguments);
}
