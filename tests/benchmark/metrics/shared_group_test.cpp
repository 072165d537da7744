// Threads that calculate with one group share nothing that is written: they calculate while all that the group has is
// read-only. So two threads cost each other nothing but what the host's memory makes them.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <new>
#include <thread>

#include "benchmark/metrics/reports.h"

namespace {

constexpr std::size_t kBytes = std::size_t{4} << 20;
constexpr std::size_t kAligned = 64;

/// Pages of which this thread allocates while it says so, and which can be made read-only.
class Pages {
  public:
    bool used() const { return used_; }
    void use(bool yes) { used_ = yes; }
    void* take(std::size_t bytes) {
        auto* const place = start_ + taken_;
        taken_ += (bytes + kAligned - 1) / kAligned * kAligned;
        if (taken_ > kBytes) std::abort();
        return place;
    }
    bool hold(const void* place) const { return place >= start_ && place < start_ + kBytes; }
    void protect(int protection) { ASSERT_EQ(mprotect(start_, kBytes, protection), 0); }
    std::size_t taken() const { return taken_; }

  private:
    char* start_ =
        static_cast<char*>(mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    std::size_t taken_ = 0;
    bool used_ = false;
};

Pages& pages() {
    static Pages pages;
    return pages;
}
std::atomic<bool> serves{false};
thread_local bool mine = false;

}  // namespace

// Not inlined, so that the compiler does not judge one by what the other is made of.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
    if (serves && mine) return pages().take(bytes);
    if (void* const place = std::malloc(bytes)) return place;
    throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* place) noexcept {
    if (!pages().hold(place)) std::free(place);
}
void operator delete(void* place, std::size_t) noexcept { operator delete(place); }

namespace zetl::test {
namespace {

TEST(SharedGroup, IsOnlyReadWhileThreadsCalculate) {
    constexpr std::size_t kRows = 1000;
    pages();
    serves = mine = true;
    const auto* const calculator = new metrics::Calculator(hardwareGroup());
    serves = mine = false;
    EXPECT_GT(pages().taken(), std::size_t{10'000}) << "the group is there";
    pages().protect(PROT_READ);
    const auto raw = reportsOf(kRows + 1);
    std::vector<std::vector<zet_typed_value_t>> values(2, std::vector<zet_typed_value_t>(kRows * kColumns));
    std::vector<std::thread> threads;
    for (auto& target : values)
        threads.emplace_back([&] {
            for (const auto type :
                 {ZET_METRIC_GROUP_CALCULATION_TYPE_MAX_METRIC_VALUES, ZET_METRIC_GROUP_CALCULATION_TYPE_METRIC_VALUES})
                calculator->calculate(type, raw, kRows, target.data());
        });
    for (auto& thread : threads) thread.join();
    pages().protect(PROT_READ | PROT_WRITE);
    EXPECT_EQ(values[0][1].value.ui64, 65536u);
    EXPECT_EQ(std::memcmp(values[0].data(), values[1].data(), values[0].size() * sizeof values[0][0]), 0);
    delete calculator;
}

}  // namespace
}  // namespace zetl::test
