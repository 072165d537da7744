// The layer's getters on tables of every size that a loader may have: success, no hole, not a byte beyond the end.
#include "support/tables.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "layer/fake_loader.h"
#include "support/process.h"

namespace zetl::test {
namespace {

/// A table that ends where an inaccessible page begins; what lies in front of it is a known pattern.
class GuardedTable {
  public:
    explicit GuardedTable(int entries) : entries_(entries) {
        const auto page = static_cast<std::size_t>(getpagesize());
        memory_ =
            static_cast<char*>(mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
        mprotect(memory_ + page, page, PROT_NONE);
        size_ = page / sizeof(void*);
        for (std::size_t i = 0; i < size_; ++i) words()[i] = pattern(i);
    }
    ~GuardedTable() { munmap(memory_, 2 * static_cast<std::size_t>(getpagesize())); }
    GuardedTable(const GuardedTable&) = delete;
    GuardedTable& operator=(const GuardedTable&) = delete;

    void** table() { return words() + (size_ - static_cast<std::size_t>(entries_)); }
    void fill(void* value) { std::fill_n(table(), entries_, value); }
    bool frontIntact() {
        for (std::size_t i = 0; i + static_cast<std::size_t>(entries_) < size_; ++i)
            if (words()[i] != pattern(i)) return false;
        return true;
    }
    int holes() { return static_cast<int>(std::count(table(), table() + entries_, nullptr)); }

  private:
    static void* pattern(std::size_t i) { return reinterpret_cast<void*>(0xc0ffee00 + i); }
    void** words() { return reinterpret_cast<void**>(memory_); }

    int entries_;
    char* memory_;
    std::size_t size_;
};

std::uint64_t driverFunction() { return 0; }
void* const kDriverFunction = reinterpret_cast<void*>(&driverFunction);

class Tables : public testing::Test {
  protected:
    void SetUp() override {
        ASSERT_TRUE(loader_.call) << loader_.error;
        ASSERT_TRUE(layer_) << dlerror();
    }
    void* getter(const Table& table) {
        void* const function = dlsym(layer_, table.getter);
        EXPECT_TRUE(function) << table.getter << " is not exported";
        return function;
    }
    FakeLoader loader_;
    void* const layer_ = dlopen(inBuildTree("lib/libze_tools_layer.so.1").c_str(), RTLD_NOW | RTLD_LOCAL);
};

TEST_F(Tables, EveryVersionAndEveryTable) {
    for (int minor = 0; minor <= kNewestMinor; ++minor)
        for (const auto& table : kTables) {
            GuardedTable guarded(table.entries(minor));
            guarded.fill(kDriverFunction);
            const auto version = static_cast<ze_api_version_t>(ZE_MAKE_VERSION(1, minor));
            EXPECT_EQ(loader_.call(getter(table), version, guarded.table()), ZE_RESULT_SUCCESS) << table.getter;
            EXPECT_TRUE(guarded.frontIntact()) << table.getter << " 1." << minor;
            EXPECT_EQ(guarded.holes(), 0) << table.getter << " 1." << minor;
        }
}

TEST_F(Tables, NoNullSlotIsLeft) {
    for (int minor = 0; minor <= kNewestMinor; ++minor)
        for (const auto& table : kTables) {
            GuardedTable guarded(table.entries(minor));
            guarded.fill(nullptr);
            const auto version = static_cast<ze_api_version_t>(ZE_MAKE_VERSION(1, minor));
            EXPECT_EQ(loader_.call(getter(table), version, guarded.table()), ZE_RESULT_SUCCESS) << table.getter;
            EXPECT_TRUE(guarded.frontIntact()) << table.getter << " 1." << minor;
            EXPECT_EQ(guarded.holes(), 0) << table.getter << " 1." << minor;
        }
}

TEST_F(Tables, VersionsFromTheFuture) {
    for (const auto version : {ZE_MAKE_VERSION(1, 18), ZE_MAKE_VERSION(1, 99), ZE_MAKE_VERSION(2, 0), 0x7fffffff})
        for (const auto& table : kTables) {
            GuardedTable guarded(table.maxEntries());
            guarded.fill(kDriverFunction);
            EXPECT_EQ(loader_.call(getter(table), static_cast<ze_api_version_t>(version), guarded.table()),
                      ZE_RESULT_SUCCESS);
            EXPECT_EQ(guarded.holes(), 0) << table.getter;
        }
}

TEST_F(Tables, TracedTablesAreReallyReplaced) {
    for (const char* name : {"zeGetCommandListProcAddrTable", "zeGetMemProcAddrTable", "zerGetGlobalProcAddrTable"}) {
        const auto& table = kTables[findTable(name)];
        GuardedTable guarded(table.maxEntries());
        guarded.fill(kDriverFunction);
        loader_.call(getter(table), static_cast<ze_api_version_t>(ZE_MAKE_VERSION(1, kNewestMinor)), guarded.table());
        for (int i = 0; i < table.maxEntries(); ++i)
            EXPECT_NE(guarded.table()[i], kDriverFunction) << table.function(i);
    }
}

TEST_F(Tables, SecondPassKeepsTheFirst) {
    for (const auto& table : kTables) {
        GuardedTable guarded(table.maxEntries());
        guarded.fill(kDriverFunction);
        const auto version = static_cast<ze_api_version_t>(ZE_MAKE_VERSION(1, kNewestMinor));
        loader_.call(getter(table), version, guarded.table());
        const std::vector<void*> first(guarded.table(), guarded.table() + table.maxEntries());
        loader_.call(getter(table), version, guarded.table());
        EXPECT_EQ(std::vector<void*>(guarded.table(), guarded.table() + table.maxEntries()), first) << table.getter;
    }
}

TEST_F(Tables, NullTableIsNoReasonToFailTheLoader) {
    for (const auto& table : kTables)
        EXPECT_EQ(loader_.call(getter(table), ZE_API_VERSION_CURRENT, nullptr), ZE_RESULT_SUCCESS) << table.getter;
}

/// Loaders whose tables are not what the version they pass promises, found by comparing the headers of every release;
/// all other tables of these releases are regular.
struct Deviation {
    int minor;
    int patch;
    int specMinor;
    std::set<std::string> tables;
};
const Deviation kDeviations[] = {
    {9, 4, 5, {"zetGetMetricGroupExpProcAddrTable"}},
    {10, 0, 6, {"zetGetMetricGroupExpProcAddrTable"}},
    {11, 0, 6, {"zetGetMetricGroupExpProcAddrTable"}},
    {18,
     0,
     11,
     {"zeGetCommandListExpProcAddrTable", "zeGetKernelExpProcAddrTable", "zetGetMetricExpProcAddrTable",
      "zetGetMetricGroupExpProcAddrTable"}},
    {18,
     3,
     11,
     {"zeGetCommandListExpProcAddrTable", "zeGetKernelExpProcAddrTable", "zetGetMetricExpProcAddrTable",
      "zetGetMetricGroupExpProcAddrTable"}},
    {18, 5, 11, {"zeGetKernelExpProcAddrTable"}},
    {19, 0, 11, {}},
    {20, 6, 12, {}},
};

const char* const kCandidates[] = {"zeGetCommandListExpProcAddrTable", "zeGetKernelExpProcAddrTable",
                                   "zetGetMetricExpProcAddrTable", "zetGetMetricGroupExpProcAddrTable"};

class DeviatingLoaders : public Tables, public testing::WithParamInterface<Deviation> {
  protected:
    /// In a process of its own, because the layer asks a loader for its version once.
    void check() {
        const auto& deviation = GetParam();
        const auto version = static_cast<ze_api_version_t>(ZE_MAKE_VERSION(1, deviation.specMinor));
        loader_.report(1, deviation.minor, deviation.patch);
        for (const char* name : kCandidates) {
            const auto& table = kTables[findTable(name)];
            const int entries = table.entries(deviation.specMinor);
            if (entries == 0) continue;
            GuardedTable guarded(entries);
            guarded.fill(kDriverFunction);
            EXPECT_EQ(loader_.call(getter(table), version, guarded.table()), ZE_RESULT_SUCCESS);
            const auto kept = std::count(guarded.table(), guarded.table() + entries, kDriverFunction);
            EXPECT_EQ(kept == entries, deviation.tables.count(name) == 1) << name;
        }
        std::exit(HasFailure() ? 1 : 0);
    }
};

TEST_P(DeviatingLoaders, DeviatingTablesAndOnlyTheyAreLeftAlone) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");  // starts anew, with a layer that knows no loader yet
    EXPECT_EXIT(check(), testing::ExitedWithCode(0), "");
}

INSTANTIATE_TEST_SUITE_P(Releases, DeviatingLoaders, testing::ValuesIn(kDeviations), [](const auto& deviation) {
    return "v1_" + std::to_string(deviation.param.minor) + "_" + std::to_string(deviation.param.patch);
});

}  // namespace
}  // namespace zetl::test
