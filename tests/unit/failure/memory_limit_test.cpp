// Memory is counted from its allocation until it is freed.
#include "failure/memory_limit.h"

#include <gtest/gtest.h>

#include <limits>

namespace zetl::failure {
namespace {

TEST(MemoryInUse, WhatIsFreedCanBeAllocatedAgain) {
    MemoryInUse memory;
    const int first = 0;
    EXPECT_FALSE(memory.reserve(101, 100));
    ASSERT_TRUE(memory.reserve(60, 100));
    memory.keep(&first, 60);
    EXPECT_FALSE(memory.reserve(41, 100));
    EXPECT_TRUE(memory.reserve(40, 100));
    memory.unreserve(40);
    EXPECT_EQ(memory.take(&first), 60u);
    EXPECT_EQ(memory.take(&first), 0u);
    EXPECT_TRUE(memory.reserve(100, 100));
    EXPECT_FALSE(memory.reserve(std::numeric_limits<std::uint64_t>::max(), 100));
}

}  // namespace
}  // namespace zetl::failure
