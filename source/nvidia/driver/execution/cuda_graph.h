// A CUDA graph: commands that the device gets as one.
#pragma once

#include <cuda.h>

#include <memory>
#include <vector>

#include "base/result.h"
#include "nvidia/driver/execution/command.h"

namespace zetl::nvidia {

/// Immutable; held by shared_ptr. CUDA runs one execution after the other. One that is destroyed while it runs ends
/// first: CUDA frees it when it is done.
class CudaGraph {
  public:
    struct Node {
        std::size_t branch = 0;               ///< commands of one branch follow each other, those of two may overlap
        Command command = {};                 ///< without waits
        std::vector<std::size_t> after = {};  ///< earlier nodes, of any branch
    };

    /// Captures the nodes' work. CUDA refuses some of it: the codes of check().
    static Result<std::shared_ptr<const CudaGraph>> create(std::shared_ptr<Device::Work> work, std::vector<Node> nodes);
    CudaGraph(std::shared_ptr<Device::Work> work, std::vector<Node> nodes, CUgraphExec graph)
        : work_(std::move(work)), nodes_(std::move(nodes)), graph_(graph) {}
    ~CudaGraph();
    CudaGraph(const CudaGraph&) = delete;
    CudaGraph& operator=(const CudaGraph&) = delete;

    /// The stream's context is current.
    Status launch(CUstream stream) const;

  private:
    const std::shared_ptr<Device::Work> work_;
    const std::vector<Node> nodes_;  ///< keeps what the graph names alive
    const CUgraphExec graph_;
};

}  // namespace zetl::nvidia
