// Queries of the emulated GPU as the tests use them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "emulated_gpu/measured_gpu.h"

namespace zetl::test {

/// A pool of queries of one event-based group, which is active from then on.
class Queries {
  public:
    Queries(const Gpu& gpu, const std::string& name) : Queries(gpu, name, gpu.device()) {}
    Queries(const Gpu& gpu, const std::string& name, ze_device_handle_t device)
        : Queries(gpu, groupOf(device, name, ZET_METRIC_GROUP_SAMPLING_TYPE_FLAG_EVENT_BASED), device) {}
    Queries(const Gpu& gpu, zet_metric_group_handle_t group, ze_device_handle_t device) : group_(group) {
        EXPECT_OK(zetContextActivateMetricGroups(gpu.context(), device, 1, &group_));
        const zet_metric_query_pool_desc_t description{ZET_STRUCTURE_TYPE_METRIC_QUERY_POOL_DESC, nullptr,
                                                       ZET_METRIC_QUERY_POOL_TYPE_PERFORMANCE, 8};
        EXPECT_OK(zetMetricQueryPoolCreate(gpu.context(), device, group_, &description, &pool_));
    }
    zet_metric_group_handle_t group() const { return group_; }
    zet_metric_query_pool_handle_t pool() const { return pool_; }
    zet_metric_query_handle_t operator[](std::uint32_t index) const {
        zet_metric_query_handle_t query = nullptr;
        EXPECT_OK(zetMetricQueryCreate(pool_, index, &query));
        return query;
    }
    /// Executes a list of what `append` puts into it, between begin and end of the query.
    template <class F>
    static void around(const Gpu& gpu, zet_metric_query_handle_t query, F&& append) {
        const auto list = gpu.list();
        EXPECT_OK(zetCommandListAppendMetricQueryBegin(list, query));
        append(list);
        EXPECT_OK(zetCommandListAppendMetricQueryEnd(list, query, nullptr, 0, nullptr));
        EXPECT_OK(gpu.run(list));
    }
    static std::vector<std::uint8_t> raw(zet_metric_query_handle_t query) {
        std::size_t size = 0;
        EXPECT_OK(zetMetricQueryGetData(query, &size, nullptr));
        std::vector<std::uint8_t> raw(size);
        EXPECT_OK(zetMetricQueryGetData(query, &size, raw.data()));
        return raw;
    }
    Row row(zet_metric_query_handle_t query) const {
        const auto rows = rowsOf(group_, raw(query));
        EXPECT_EQ(rows.size(), 1u);
        return rows.empty() ? Row() : rows.front();
    }

  private:
    zet_metric_group_handle_t group_;
    zet_metric_query_pool_handle_t pool_ = nullptr;
};

}  // namespace zetl::test
