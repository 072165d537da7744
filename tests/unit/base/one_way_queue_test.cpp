// The queue between two threads, at its ends: within a chunk, across chunks, and with both threads at work.
#include "base/one_way_queue.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <thread>
#include <vector>

namespace zetl {
namespace {

using Queue = OneWayQueue<std::uint64_t, 4>;

std::vector<std::uint64_t> all(Queue& queue) {
    std::vector<std::uint64_t> values;
    queue.takeAll([&](std::uint64_t value) { values.push_back(value); });
    return values;
}

TEST(OneWayQueue, KeepsItsOrderAcrossChunks) {
    Queue queue;
    EXPECT_TRUE(all(queue).empty());
    std::uint64_t next = 0;
    for (const std::size_t count : {1u, 3u, 4u, 5u, 9u, 0u, 12u}) {
        std::vector<std::uint64_t> pushed;
        for (std::size_t i = 0; i < count; ++i) {
            pushed.push_back(++next);
            EXPECT_TRUE(queue.push(next));
            queue.makeRoom();
        }
        EXPECT_EQ(all(queue), pushed);
    }
}

TEST(OneWayQueue, KeepsWhatNobodyTakes) {
    Queue queue;
    for (std::uint64_t i = 0; i < 100; ++i) EXPECT_TRUE(queue.push(i));
}

TEST(OneWayQueue, CarriesEachValueOnceBetweenThreads) {
    constexpr std::uint64_t kValues = 100'000;
    Queue queue;
    std::thread writer([&] {
        for (std::uint64_t i = 1; i <= kValues; ++i) {
            EXPECT_TRUE(queue.push(i));
            queue.makeRoom();
        }
    });
    std::uint64_t last = 0;
    while (last < kValues)
        queue.takeAll([&](std::uint64_t value) {
            EXPECT_EQ(value, last + 1);
            last = value;
        });
    writer.join();
    EXPECT_TRUE(all(queue).empty());
}

}  // namespace
}  // namespace zetl
