#include "emulator/driver/device/fabric.h"

#include <cstring>

#include "base/never_destroyed.h"
#include "emulator/driver/device/device.h"
#include "emulator/driver/device/driver.h"
#include "emulator/driver/shared_parts.h"

namespace zetl::emulator::driver {

Status FabricVertex::describe(ze_fabric_vertex_exp_properties_t& out) const {
    static_assert(sizeof out.uuid.id == sizeof(ze_device_uuid_t::id));
    const auto uuid = device_->uuid();
    std::memcpy(out.uuid.id, uuid.id, sizeof uuid.id);
    out.type = device_->isSubDevice() ? ZE_FABRIC_VERTEX_EXP_TYPE_SUBDEVICE : ZE_FABRIC_VERTEX_EXP_TYPE_DEVICE;
    out.remote = false;
    out.address = {0, device_->machine().index() + 1, 0, 0};
    return ZE_RESULT_SUCCESS;
}

Status FabricEdge::describe(ze_fabric_edge_exp_properties_t& out) const {
    std::memset(out.uuid.id, 0, sizeof out.uuid.id);
    std::memcpy(out.uuid.id, "zetl-edge", 9);
    out.uuid.id[15] = static_cast<std::uint8_t>(number_);
    std::memset(out.model, 0, sizeof out.model);
    std::strncpy(out.model, "emulated", sizeof out.model - 1);
    out.bandwidth = 0;
    out.bandwidthUnit = ZE_BANDWIDTH_UNIT_UNKNOWN;
    out.latency = 0;
    out.latencyUnit = ZE_LATENCY_UNIT_UNKNOWN;
    out.duplexity = ZE_FABRIC_EDGE_EXP_DUPLEXITY_FULL_DUPLEX;
    return ZE_RESULT_SUCCESS;
}

void FabricEdge::vertices(ze_fabric_vertex_handle_t& a, ze_fabric_vertex_handle_t& b) const noexcept {
    a = a_.handle();
    b = b_.handle();
}

const Fabric& Fabric::instance() {
    static NeverDestroyed<Fabric> fabric;
    return *fabric;
}

Fabric::Fabric() {
    for (const auto& device : Driver::instance().devices()) {
        auto vertex = std::make_shared<FabricVertex>(device);
        for (const auto& tile : device->subDevices()) {
            vertex->subVertices_.push_back(std::make_shared<FabricVertex>(tile));
            live<FabricVertex>().add(vertex->subVertices_.back());
        }
        for (const auto& other : vertices_) {
            edges_.push_back(std::make_shared<FabricEdge>(*other, *vertex, static_cast<std::uint32_t>(edges_.size())));
            live<FabricEdge>().add(edges_.back());
        }
        live<FabricVertex>().add(vertex);
        vertices_.push_back(std::move(vertex));
    }
}

FabricVertex* Fabric::vertexOf(const Device& device) const noexcept {
    for (const auto& vertex : vertices_) {
        if (&vertex->device() == &device) return vertex.get();
        for (const auto& sub : vertex->subVertices())
            if (&sub->device() == &device) return sub.get();
    }
    return nullptr;
}

std::vector<std::shared_ptr<FabricEdge>> Fabric::edges(const FabricVertex& a, const FabricVertex& b) const {
    std::vector<std::shared_ptr<FabricEdge>> found;
    for (const auto& edge : edges_)
        if (edge->joins(a, b)) found.push_back(edge);
    return found;
}

const std::vector<std::shared_ptr<FabricVertex>>& fabricVertices() { return Fabric::instance().vertices(); }

Result<FabricVertex*> fabricVertexOf(Device& device) {
    FabricVertex* const vertex = Fabric::instance().vertexOf(device);
    if (!vertex) return ZE_RESULT_EXP_ERROR_DEVICE_IS_NOT_VERTEX;
    return vertex;
}

std::vector<std::shared_ptr<FabricEdge>> fabricEdges(const FabricVertex& a, const FabricVertex& b) {
    return Fabric::instance().edges(a, b);
}

}  // namespace zetl::emulator::driver
