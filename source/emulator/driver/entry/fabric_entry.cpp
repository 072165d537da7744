// Entry points of zeFabric...
#include "base/enumerate.h"
#include "driver/property.h"
#include "emulator/driver/device/device.h"
#include "emulator/driver/device/driver.h"
#include "emulator/driver/device/fabric.h"
#include "emulator/driver/entry/tables.h"
#include "emulator/driver/shared_parts.h"

namespace zetl::emulator::driver {
namespace {

template <class T, class H>
Status list(const std::vector<std::shared_ptr<T>>& objects, std::uint32_t* count, H* out) {
    return enumerate(static_cast<std::uint32_t>(objects.size()), count, out,
                     [&](auto i) { return objects[i]->handle(); });
}

ze_result_t ZE_APICALL getVertices(ze_driver_handle_t driver, std::uint32_t* count,
                                   ze_fabric_vertex_handle_t* out) noexcept {
    return onObject<Driver>("zeFabricVertexGetExp", driver, {count},
                            [&](Driver&) { return list(Fabric::instance().vertices(), count, out); });
}

ze_result_t ZE_APICALL getSubVertices(ze_fabric_vertex_handle_t vertex, std::uint32_t* count,
                                      ze_fabric_vertex_handle_t* out) noexcept {
    return onObject<FabricVertex>("zeFabricVertexGetSubVerticesExp", vertex, {count},
                                  [&](FabricVertex& object) { return list(object.subVertices(), count, out); });
}

ze_result_t ZE_APICALL getVertexProperties(ze_fabric_vertex_handle_t vertex,
                                           ze_fabric_vertex_exp_properties_t* out) noexcept {
    return onObject<FabricVertex>("zeFabricVertexGetPropertiesExp", vertex, {out},
                                  [&](FabricVertex& object) { return object.describe(*out); });
}

ze_result_t ZE_APICALL getVertexDevice(ze_fabric_vertex_handle_t vertex, ze_device_handle_t* out) noexcept {
    return answer<FabricVertex>("zeFabricVertexGetDeviceExp", vertex, out,
                                [](FabricVertex& object) { return object.device().handle(); });
}

ze_result_t ZE_APICALL getDeviceVertex(ze_device_handle_t device, ze_fabric_vertex_handle_t* out) noexcept {
    return onObject<Device, ZE_RESULT_EXP_ERROR_DEVICE_IS_NOT_VERTEX>(
        "zeDeviceGetFabricVertexExp", device, {out}, [&](Device& object) -> Status {
            FabricVertex* vertex = Fabric::instance().vertexOf(object);
            if (!vertex) return ZE_RESULT_EXP_ERROR_DEVICE_IS_NOT_VERTEX;
            *out = vertex->handle();
            return ZE_RESULT_SUCCESS;
        });
}

ze_result_t ZE_APICALL getEdges(ze_fabric_vertex_handle_t a, ze_fabric_vertex_handle_t b, std::uint32_t* count,
                                ze_fabric_edge_handle_t* out) noexcept {
    return onObject<FabricVertex>("zeFabricEdgeGetExp", a, {}, [&](FabricVertex& first) -> Status {
        const auto second = find<FabricVertex>(b);
        if (!second) return second.code();
        if (!count) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
        return list(Fabric::instance().edges(first, **second), count, out);
    });
}

ze_result_t ZE_APICALL getEdgeVertices(ze_fabric_edge_handle_t edge, ze_fabric_vertex_handle_t* a,
                                       ze_fabric_vertex_handle_t* b) noexcept {
    return onObject<FabricEdge>("zeFabricEdgeGetVerticesExp", edge, {a, b}, [&](FabricEdge& object) {
        *a = object.a().handle();
        *b = object.b().handle();
        return ZE_RESULT_SUCCESS;
    });
}

ze_result_t ZE_APICALL getEdgeProperties(ze_fabric_edge_handle_t edge, ze_fabric_edge_exp_properties_t* out) noexcept {
    return onObject<FabricEdge>("zeFabricEdgeGetPropertiesExp", edge, {out},
                                [&](FabricEdge& object) { return object.describe(*out); });
}

}  // namespace

Rows fabricRows() noexcept {
    static const Served rows[] = {
        ZETL_SERVES(zeFabricVertexGetExp, getVertices),
        ZETL_SERVES(zeFabricVertexGetSubVerticesExp, getSubVertices),
        ZETL_SERVES(zeFabricVertexGetPropertiesExp, getVertexProperties),
        ZETL_SERVES(zeFabricVertexGetDeviceExp, getVertexDevice),
        ZETL_SERVES(zeDeviceGetFabricVertexExp, getDeviceVertex),
        ZETL_SERVES(zeFabricEdgeGetExp, getEdges),
        ZETL_SERVES(zeFabricEdgeGetVerticesExp, getEdgeVertices),
        ZETL_SERVES(zeFabricEdgeGetPropertiesExp, getEdgeProperties),
    };
    return rows;
}

}  // namespace zetl::emulator::driver
