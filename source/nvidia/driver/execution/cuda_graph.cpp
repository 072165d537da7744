#include "nvidia/driver/execution/cuda_graph.h"

#include <map>
#include <utility>

#include "nvidia/cuda/api.h"
#include "nvidia/cuda/current.h"
#include "nvidia/cuda/result.h"

namespace zetl::nvidia {
namespace {

/// Streams whose work CUDA notes instead of executing it: one per branch, and one from which they come and in which
/// they meet. The context is current.
class GraphCapture {
  public:
    GraphCapture() = default;
    GraphCapture(const GraphCapture&) = delete;
    GraphCapture& operator=(const GraphCapture&) = delete;
    ~GraphCapture() {
        CUgraph unwanted = nullptr;
        if (capturing_ && cuda().cuStreamEndCapture(origin_, &unwanted) == CUDA_SUCCESS && unwanted)
            cuda().cuGraphDestroy(unwanted);
        for (CUevent event : events_) cuda().cuEventDestroy(event);
        for (const auto& [branch, stream] : branches_) cuda().cuStreamDestroy(stream);
        if (origin_) cuda().cuStreamDestroy(origin_);
    }

    Status begin() {
        if (const Status bad = makeStream(origin_); bad != ZE_RESULT_SUCCESS) return bad;
        // Other threads go on with CUDA meanwhile.
        const Status begun = ZETL_CUDA(cuStreamBeginCapture(origin_, CU_STREAM_CAPTURE_MODE_RELAXED));
        if (begun != ZE_RESULT_SUCCESS) return begun;
        capturing_ = true;
        return mark(origin_, start_);
    }

    Status add(const CudaGraph::Node& node) {
        CUstream stream = nullptr;
        if (const Status bad = enter(node.branch, stream); bad != ZE_RESULT_SUCCESS) return bad;
        for (const std::size_t earlier : node.after)
            if (const Status bad = ZETL_CUDA(cuStreamWaitEvent(stream, marks_[earlier], 0)); bad != ZE_RESULT_SUCCESS)
                return bad;
        if (const Status bad = node.command.work(stream); bad != ZE_RESULT_SUCCESS) return bad;
        CUevent done = nullptr;
        if (const auto& signal = node.command.events.signal) {
            if (const Status bad = signal->appendToGraph(stream); bad != ZE_RESULT_SUCCESS) return bad;
            if (const Status bad = mark(stream, done); bad != ZE_RESULT_SUCCESS) return bad;
        }
        marks_.push_back(done);
        return ZE_RESULT_SUCCESS;
    }

    Result<CUgraph> end() {
        for (const auto& [branch, stream] : branches_) {
            CUevent last = nullptr;
            if (const Status bad = mark(stream, last); bad != ZE_RESULT_SUCCESS) return bad;
            if (const Status bad = ZETL_CUDA(cuStreamWaitEvent(origin_, last, 0)); bad != ZE_RESULT_SUCCESS) return bad;
        }
        capturing_ = false;
        CUgraph graph = nullptr;
        const Status ended = ZETL_CUDA(cuStreamEndCapture(origin_, &graph));
        return ended == ZE_RESULT_SUCCESS ? Result<CUgraph>(graph) : Result<CUgraph>(ended);
    }

  private:
    static Status makeStream(CUstream& stream) {
        return ZETL_CUDA(cuStreamCreateWithPriority(&stream, CU_STREAM_NON_BLOCKING, 0));
    }

    Status mark(CUstream stream, CUevent& event) {
        if (const Status bad = ZETL_CUDA(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING)); bad != ZE_RESULT_SUCCESS)
            return bad;
        events_.push_back(event);
        return ZETL_CUDA(cuEventRecord(event, stream));
    }

    Status enter(std::size_t branch, CUstream& stream) {
        const auto [place, isNew] = branches_.try_emplace(branch, nullptr);
        if (isNew) {
            if (const Status bad = makeStream(place->second); bad != ZE_RESULT_SUCCESS) {
                branches_.erase(place);
                return bad;
            }
            const Status bad = ZETL_CUDA(cuStreamWaitEvent(place->second, start_, 0));
            if (bad != ZE_RESULT_SUCCESS) return bad;
        }
        stream = place->second;
        return ZE_RESULT_SUCCESS;
    }

    CUstream origin_ = nullptr;
    CUevent start_ = nullptr;
    bool capturing_ = false;
    std::map<std::size_t, CUstream> branches_;
    std::vector<CUevent> marks_;  ///< behind each node that signals; null for the others, for which nothing waits
    std::vector<CUevent> events_;
};

}  // namespace

Result<std::shared_ptr<const CudaGraph>> CudaGraph::create(std::shared_ptr<Device::Work> work,
                                                           std::vector<Node> nodes) {
    const Current current(work->context);
    GraphCapture capture;
    if (const Status bad = capture.begin(); bad != ZE_RESULT_SUCCESS) return bad;
    for (const Node& node : nodes)
        if (const Status bad = capture.add(node); bad != ZE_RESULT_SUCCESS) return bad;
    const auto graph = capture.end();
    if (!graph) return graph.code();
    CUgraphExec executable = nullptr;
    const Status made = ZETL_CUDA(cuGraphInstantiate(&executable, *graph, 0));
    cuda().cuGraphDestroy(*graph);
    if (made != ZE_RESULT_SUCCESS) return made;
    return std::make_shared<const CudaGraph>(std::move(work), std::move(nodes), executable);
}

CudaGraph::~CudaGraph() {
    const Current current(work_->context);
    cuda().cuGraphExecDestroy(graph_);
}

Status CudaGraph::launch(CUstream stream) const {
    if (const Status bad = ZETL_CUDA(cuGraphLaunch(graph_, stream)); bad != ZE_RESULT_SUCCESS) return bad;
    for (const Node& node : nodes_)
        if (node.command.events.signal) node.command.events.signal->noteComing();
    return ZE_RESULT_SUCCESS;
}

}  // namespace zetl::nvidia
