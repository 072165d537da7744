#include "emulator/driver/program/kernel_state.h"

#include <gtest/gtest.h>

#include <vector>

namespace zetl::emulator::driver::test {
namespace {

/// One argument of the source's struct { long; char; }, passed member by member.
binary::KernelImage takesAPair() {
    binary::KernelImage image;
    image.arguments = {{binary::KernelArgument::Kind::value, binary::AddressSpace::none, binary::Access::none, 9}};
    image.payload = {{binary::PayloadKind::value, 0, 8, 0, 0}, {binary::PayloadKind::value, 8, 1, 0, 8}};
    return image;
}

TEST(KernelState, AValueReachesEveryPieceOfItsArgument) {
    const auto image = takesAPair();
    KernelState state(image);
    const std::vector<std::uint8_t> value(4096, 7);
    for (const std::size_t size : {9u, 16u, 64u, 2048u}) {
        EXPECT_EQ(state.setArgument(0, size, value.data()), ZE_RESULT_SUCCESS) << size;
        EXPECT_EQ(state.arguments()[0].bytes, binary::Bytes(9, 7)) << "padding and what follows is not read";
    }
    const std::vector<std::uint8_t> other(4096, 8);
    for (const std::size_t size : {0u, 1u, 8u, 2049u})
        EXPECT_EQ(state.setArgument(0, size, other.data()), ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE) << size;
    EXPECT_EQ(state.arguments()[0].bytes, binary::Bytes(9, 7)) << "a refused value changes nothing";
}

TEST(KernelState, LocalMemoryIsCountedBeyond32Bits) {
    binary::KernelImage image;
    image.arguments.resize(3);
    for (auto& argument : image.arguments) argument.kind = binary::KernelArgument::Kind::localPointer;
    KernelState state(image);
    for (std::uint32_t i = 0; i < 3; ++i)
        EXPECT_EQ(state.setArgument(i, std::size_t{1} << 40, nullptr), ZE_RESULT_SUCCESS);
    EXPECT_EQ(state.localBytes(), 3 * std::uint64_t{UINT32_MAX}) << "far too much, and no sum that wrapped";
}

}  // namespace
}  // namespace zetl::emulator::driver::test
