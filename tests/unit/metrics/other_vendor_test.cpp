// A device that is no Intel GPU: other names, doubles, queries bracketed on the host, sources that exclude each other.
#include <algorithm>

#include "metrics_fixture.h"

namespace zetl::metrics {
namespace {

namespace fake = test::fake;

struct OtherVendor : MetricsTest {
    explicit OtherVendor(const fake::Character& character = fake::otherVendors()) : MetricsTest(true, character) {}

    zet_metric_query_handle_t query() {
        const zet_metric_query_pool_desc_t desc{ZET_STRUCTURE_TYPE_METRIC_QUERY_POOL_DESC, nullptr,
                                                ZET_METRIC_QUERY_POOL_TYPE_PERFORMANCE, 1};
        zet_metric_query_handle_t query = nullptr;
        EXPECT_EQ(metrics_.queryPoolCreate(context_, device_, eventGroup("sm"), &desc, &pool_), ZE_RESULT_SUCCESS);
        EXPECT_EQ(metrics_.queryCreate(pool_, 0, &query), ZE_RESULT_SUCCESS);
        return query;
    }
    ze_result_t openStreamer(zet_metric_streamer_handle_t& streamer) {
        zet_metric_streamer_desc_t desc{ZET_STRUCTURE_TYPE_METRIC_STREAMER_DESC, nullptr, 100, 100000};
        return metrics_.streamerOpen(context_, device_, timeGroup("sm"), &desc, nullptr, &streamer);
    }
    std::vector<std::uint8_t> data(zet_metric_query_handle_t query) {
        std::size_t size = 0;
        EXPECT_EQ(metrics_.queryGetData(query, &size, nullptr), ZE_RESULT_SUCCESS);
        std::vector<std::uint8_t> raw(size);
        EXPECT_EQ(metrics_.queryGetData(query, &size, raw.data()), ZE_RESULT_SUCCESS);
        return raw;
    }
    zet_metric_query_pool_handle_t pool_ = nullptr;
};

struct WithoutQueries : OtherVendor {
    WithoutQueries()
        : OtherVendor([] {
              auto character = fake::otherVendors();
              character.queryKind = ZETL_QUERY_NONE;
              return character;
          }()) {}
};

struct StreamsOfAContext : OtherVendor {
    StreamsOfAContext()
        : OtherVendor([] {
              auto character = fake::otherVendors();
              character.streamScope = ZETL_SCOPE_CONTEXT;
              return character;
          }()) {}
};

TEST_F(OtherVendor, EveryBlockOfTheCatalogueIsAGroup) {
    EXPECT_EQ(groups().size(), 4u) << "two blocks, time based and event based";
    EXPECT_EQ(columns(eventGroup("sm")),
              (std::vector<std::string>{"GpuTime", "QueryBeginTime", "sm__cycles", "sm__warps"}));
    EXPECT_EQ(columns(timeGroup("dram")).back(), "dram__throughput");
    EXPECT_EQ(eventGroup("ComputeBasic"), nullptr);
}

TEST_F(OtherVendor, DoublesStayDoubles) {
    ASSERT_EQ(activate({eventGroup("sm")}), ZE_RESULT_SUCCESS);
    const auto q = query();
    const auto list = fake::immediateListHandle();
    ASSERT_EQ(metrics_.commandListAppendMetricQueryBegin(list, q), ZE_RESULT_SUCCESS);
    fake::count("sm__cycles", 4000);
    fake::count("sm__warps", 12.75);
    ASSERT_EQ(metrics_.commandListAppendMetricQueryEnd(list, q, nullptr, 0, nullptr), ZE_RESULT_SUCCESS);
    const auto row = rows(eventGroup("sm"), data(q)).at(0);
    EXPECT_EQ(row.at("sm__warps").type, ZET_VALUE_TYPE_FLOAT64);
    EXPECT_EQ(row.at("sm__warps").value.fp64, 12.75);
    EXPECT_EQ(row.at("sm__cycles").type, ZET_VALUE_TYPE_UINT64);
    EXPECT_EQ(row.at("sm__cycles").value.ui64, 4000u);
}

TEST_F(OtherVendor, PropertiesSayWhatTypeTheValuesHave) {
    std::uint32_t count = 0;
    ASSERT_EQ(metrics_.metricGet(eventGroup("sm"), &count, nullptr), ZE_RESULT_SUCCESS);
    std::vector<zet_metric_handle_t> metrics(count);
    ASSERT_EQ(metrics_.metricGet(eventGroup("sm"), &count, metrics.data()), ZE_RESULT_SUCCESS);
    zet_metric_properties_t properties{};
    ASSERT_EQ(metrics_.metricGetProperties(metrics.back(), &properties), ZE_RESULT_SUCCESS);
    EXPECT_STREQ(properties.name, "sm__warps");
    EXPECT_STREQ(properties.resultUnits, "warps");
    EXPECT_EQ(properties.resultType, ZET_VALUE_TYPE_FLOAT64);
}

TEST_F(OtherVendor, BracketedQueriesNeedAnImmediateList) {
    const auto q = query();
    EXPECT_EQ(metrics_.commandListAppendMetricQueryBegin(list_, q), ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    EXPECT_EQ(metrics_.commandListAppendMetricQueryEnd(list_, q, nullptr, 0, nullptr),
              ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    EXPECT_EQ(metrics_.commandListAppendMetricQueryBegin(fake::immediateListHandle(), q), ZE_RESULT_SUCCESS);
}

TEST_F(OtherVendor, StreamsAndQueriesExcludeEachOther) {
    EXPECT_EQ(activate({timeGroup("sm"), eventGroup("sm")}), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    ASSERT_EQ(activate({timeGroup("sm")}), ZE_RESULT_SUCCESS);
    query();
    zet_metric_streamer_handle_t streamer = nullptr;
    EXPECT_EQ(openStreamer(streamer), ZE_RESULT_ERROR_NOT_AVAILABLE) << "the pool holds the counters";
}

TEST_F(OtherVendor, ConcurrentGroupsAreOfOneSource) {
    zet_metric_group_handle_t handles[] = {timeGroup("sm"), eventGroup("sm")};
    std::uint32_t sets = 0;
    ASSERT_EQ(metrics_.deviceGetConcurrentMetricGroupsExp(device_, 2, handles, nullptr, &sets), ZE_RESULT_SUCCESS);
    EXPECT_EQ(sets, 2u);
}

TEST_F(WithoutQueries, EventBasedGroupsAreLeftOut) {
    EXPECT_EQ(groups().size(), 2u);
    EXPECT_EQ(eventGroup("sm"), nullptr);
    EXPECT_NE(timeGroup("sm"), nullptr);
}

TEST_F(StreamsOfAContext, TimeBasedGroupsAreLeftOut) {
    EXPECT_EQ(groups().size(), 2u);
    EXPECT_EQ(timeGroup("sm"), nullptr);
    EXPECT_NE(eventGroup("sm"), nullptr);
}

}  // namespace
}  // namespace zetl::metrics
