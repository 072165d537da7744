// Event-based collection: measures what a launch costs with a query around it, in the columns of ComputeBasic (or of
// the corresponding group of the device's vendor).
//
// Exit code 0: the query counted the launch's work; 1: it did not, or an error.
#include <cstdint>
#include <cstdio>

#include "session/check.h"
#include "session/metrics.h"
#include "session/sum_work.h"

namespace {

/// A pool with one query of an event-based group.
struct Query {
    zet_metric_group_handle_t group = nullptr;
    zet_metric_query_pool_handle_t pool = nullptr;
    zet_metric_query_handle_t query = nullptr;

    Query(const session::Session& session, const char* name)
        : group(session::findGroup(session.device, name, ZET_METRIC_GROUP_SAMPLING_TYPE_FLAG_EVENT_BASED)) {
        CHECK(zetContextActivateMetricGroups(session.context, session.device, 1, &group));
        const zet_metric_query_pool_desc_t description{ZET_STRUCTURE_TYPE_METRIC_QUERY_POOL_DESC, nullptr,
                                                       ZET_METRIC_QUERY_POOL_TYPE_PERFORMANCE, 1};
        CHECK(zetMetricQueryPoolCreate(session.context, session.device, group, &description, &pool));
        CHECK(zetMetricQueryCreate(pool, 0, &query));
    }
    ~Query() {
        zetMetricQueryDestroy(query);
        zetMetricQueryPoolDestroy(pool);
    }
    Query(const Query&) = delete;
    Query& operator=(const Query&) = delete;

    std::vector<std::uint8_t> data() const {
        std::size_t size = 0;
        CHECK(zetMetricQueryGetData(query, &size, nullptr));
        std::vector<std::uint8_t> raw(size);
        CHECK(zetMetricQueryGetData(query, &size, raw.data()));
        return raw;
    }
};

}  // namespace

int main() {
    session::switchMetricsOn();
    const session::Session session;
    const session::SumWork work(session, 64);
    session::Commands commands(session);
    const auto& known = session::computeGroupOf(session.device);
    const Query query(session, known.name);

    CHECK(zetCommandListAppendMetricQueryBegin(commands.list, query.query));
    work.append(commands.list);
    CHECK(zetCommandListAppendMetricQueryEnd(commands.list, query.query, nullptr, 0, nullptr));
    commands.run();

    const auto values = session::calculate(query.group, query.data());
    const auto metrics = session::listOf(zetMetricGet, query.group);
    for (std::size_t i = 0; i < metrics.size() && i < values.size(); ++i) {
        const auto column = session::propertiesOf(metrics[i]);
        std::printf("%-42s %16s %s\n", column.name, session::textOf(values[i]).c_str(), column.resultUnits);
    }
    const auto& counted = values.at(session::columnOf(query.group, known.work));
    std::printf("metric_query: the launch's %s: %s\n", known.work, session::textOf(counted).c_str());
    return session::numberOf(counted) > 0 ? 0 : 1;
}
