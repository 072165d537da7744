// The fabric between devices (core specification, "Fabric Topology Discovery").
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/result.h"
#include "emulator/driver/shared_parts.h"

namespace zetl::emulator::driver {

class Device;

/// A device or sub-device as a node of the fabric. Lives as long as the process; immutable.
class FabricVertex : public Object<FabricVertex, ze_fabric_vertex_handle_t> {
  public:
    static constexpr const char* kNoun = "fabric vertex";

    explicit FabricVertex(std::shared_ptr<Device> device) : device_(std::move(device)) {}

    Device& device() const noexcept { return *device_; }
    const std::vector<std::shared_ptr<FabricVertex>>& subVertices() const noexcept { return subVertices_; }
    Status describe(ze_fabric_vertex_exp_properties_t& out) const;

  private:
    friend class Fabric;
    std::shared_ptr<Device> device_;
    std::vector<std::shared_ptr<FabricVertex>> subVertices_;
};

/// A link between two root vertices. Lives as long as the process; immutable.
class FabricEdge : public Object<FabricEdge, ze_fabric_edge_handle_t> {
  public:
    static constexpr const char* kNoun = "fabric edge";

    FabricEdge(FabricVertex& a, FabricVertex& b, std::uint32_t number) : a_(a), b_(b), number_(number) {}

    FabricVertex& a() const noexcept { return a_; }
    FabricVertex& b() const noexcept { return b_; }
    bool joins(const FabricVertex& a, const FabricVertex& b) const noexcept {
        return (&a_ == &a && &b_ == &b) || (&a_ == &b && &b_ == &a);
    }
    void vertices(ze_fabric_vertex_handle_t& a, ze_fabric_vertex_handle_t& b) const noexcept;
    Status describe(ze_fabric_edge_exp_properties_t& out) const;

  private:
    FabricVertex& a_;
    FabricVertex& b_;
    std::uint32_t number_;
};

/// One vertex per device, and one edge between every two root devices. Made on first use; thread-safe.
class Fabric {
  public:
    static const Fabric& instance();

    /// For instance() only.
    Fabric();

    const std::vector<std::shared_ptr<FabricVertex>>& vertices() const noexcept { return vertices_; }
    FabricVertex* vertexOf(const Device& device) const noexcept;
    std::vector<std::shared_ptr<FabricEdge>> edges(const FabricVertex& a, const FabricVertex& b) const;

  private:
    std::vector<std::shared_ptr<FabricVertex>> vertices_;
    std::vector<std::shared_ptr<FabricEdge>> edges_;
};

// The functions that ask the fabric.
const std::vector<std::shared_ptr<FabricVertex>>& fabricVertices();
/// EXP_ERROR_DEVICE_IS_NOT_VERTEX.
Result<FabricVertex*> fabricVertexOf(Device& device);
std::vector<std::shared_ptr<FabricEdge>> fabricEdges(const FabricVertex& a, const FabricVertex& b);

}  // namespace zetl::emulator::driver
