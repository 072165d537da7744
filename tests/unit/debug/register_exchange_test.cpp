// What it takes to read the registers of a thread in another process.
#include <gtest/gtest.h>

#include <atomic>
#include <numeric>

#include "debug/register_sets.h"
#include "debug/register_snapshot.h"
#include "debug/remote_target.h"
#include "support/debug_wire.h"

namespace zetl::debug {
namespace {

namespace fake = test::fake;

/// The debugger's side of a connection to an agent that counts what it is asked.
class RegisterExchange : public testing::Test {
  protected:
    RegisterExchange() {
        fake::addTo(devices_);
        EXPECT_TRUE(peer_.introduce());
        fake::occupyThreads({0, 1});
        fake::stopThread(0, ZETL_STOP_BREAKPOINT);
        fake::stopThread(1, ZETL_STOP_BREAKPOINT);
        auto [theirs, ours] = socketPair();
        agent_.emplace(std::move(theirs), [this](const wire::Message& request) {
            ++asked_;
            return std::optional(peer_.ask(request).message);
        });
        target_ = makeRemoteTarget(std::move(ours), device(), [](const zetl_event_t&) {});
    }
    const device::Device& device() { return **devices_.find(fake::deviceHandle()); }
    static zetl_thread_t thread(std::uint32_t last) { return {{0, 0, 0, last, 0, 0}}; }
    std::vector<std::uint8_t> read(const zetl_thread_t& thread, std::uint32_t first, std::uint32_t count) {
        std::vector<std::uint8_t> values(kBytes * count);
        EXPECT_EQ(target_->readRegisters(thread, fake::kGeneral, first, count, values.size(), values.data()), ZETL_OK);
        return values;
    }
    int asked() { return asked_.exchange(0); }

    static constexpr std::size_t kBytes = 64;
    device::Devices devices_{fake::coreCalls()};
    ServedDebugger peer_;
    std::atomic<int> asked_{0};
    std::optional<ScriptedAgent> agent_;  // its thread uses the above
    std::unique_ptr<Target> target_;
};

TEST_F(RegisterExchange, EverythingOfAThreadTakesOne) {
    for (const auto* set : registerSetsOf(device())) {
        std::uint32_t count = 0;
        ASSERT_EQ(target_->registerCount(thread(0), set->type, count), ZETL_OK);
        std::vector<std::uint8_t> values(bytesOf(*set, count, device()));
        EXPECT_EQ(target_->readRegisters(thread(0), set->type, 0, count, values.size(), values.data()), ZETL_OK);
    }
    EXPECT_EQ(asked(), 1);
    read(thread(1), 0, 8);
    EXPECT_EQ(asked(), 1) << "another thread";
}

TEST_F(RegisterExchange, WhatWasWrittenIsReadBack) {
    std::vector<std::uint8_t> values(2 * kBytes);
    std::iota(values.begin(), values.end(), std::uint8_t{1});
    read(thread(0), 0, 8);
    EXPECT_EQ(asked(), 1);
    ASSERT_EQ(target_->writeRegisters(thread(0), fake::kGeneral, 3, 2, values.size(), values.data()), ZETL_OK);
    std::uint32_t count = 0;
    EXPECT_EQ(target_->registerCount(thread(0), fake::kGeneral, count), ZETL_OK);
    EXPECT_EQ(asked(), 1) << "their number is known still";
    EXPECT_EQ(read(thread(0), 3, 2), values);
    EXPECT_EQ(asked(), 1);
}

TEST_F(RegisterExchange, AThreadThatRanIsAskedAgain) {
    read(thread(0), 0, 8);
    ASSERT_EQ(target_->run(thread(0)), ZETL_OK);
    asked();
    std::uint32_t count = 0;
    EXPECT_EQ(target_->registerCount(thread(0), fake::kGeneral, count), ZETL_NOT_READY);
    std::uint8_t values[kBytes];
    EXPECT_EQ(target_->readRegisters(thread(0), fake::kGeneral, 0, 1, sizeof values, values), ZETL_NOT_READY);
    EXPECT_EQ(asked(), 2);
}

TEST_F(RegisterExchange, RangesThatTheThreadDoesNotHaveAreRefused) {
    std::uint8_t values[kBytes];
    EXPECT_EQ(target_->readRegisters(thread(0), fake::kGeneral, 8, 1, sizeof values, values), ZETL_MISUSE);
    EXPECT_EQ(target_->readRegisters(thread(0), 99, 0, 1, sizeof values, values), ZETL_MISUSE);
    EXPECT_EQ(target_->readRegisters(thread(0), fake::kGeneral, 0, 1, sizeof values - 1, values), ZETL_MISUSE);
}

/// Bytes that are no registers of the device's are not taken for some.
TEST(RegisterSnapshot, TakesNoBytesThatCannotBe) {
    device::Devices devices{fake::coreCalls()};
    fake::addTo(devices);
    const auto& device = **devices.find(fake::deviceHandle());
    std::vector<std::byte> right;
    for (const auto* set : registerSetsOf(device)) {
        const std::uint32_t head[] = {set->type, set->count};
        const auto bytes = wire::bytesOf(head);
        right.insert(right.end(), bytes.begin(), bytes.end());
        right.resize(right.size() + bytesOf(*set, set->count, device));
    }
    ASSERT_TRUE(RegisterSnapshot::parse(right, device));
    for (std::size_t bytes = 0; bytes < right.size(); ++bytes) {
        const auto end = right.begin() + static_cast<std::ptrdiff_t>(bytes);
        EXPECT_FALSE(RegisterSnapshot::parse({right.begin(), end}, device)) << bytes;
    }
    auto more = right;
    more.push_back({});
    EXPECT_FALSE(RegisterSnapshot::parse(more, device));
    for (const std::size_t byte : {0, 3, 4, 7}) {  // type and count of the first set
        auto wrong = right;
        wrong[byte] = std::byte{0xFF};
        EXPECT_FALSE(RegisterSnapshot::parse(wrong, device)) << byte;
    }
}

}  // namespace
}  // namespace zetl::debug
