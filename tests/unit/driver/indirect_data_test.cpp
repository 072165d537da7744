// The indirect data of a launch are laid once, and each tile's copy has the address of its own private memory.
#include "emulator/driver/program/indirect_data.h"

#include <gtest/gtest.h>

#include <cstring>

namespace zetl::emulator::driver::test {
namespace {

constexpr std::uint64_t kBase = 0x1122334455667788;

/// Eight bytes of a value, and the address of private memory behind them.
binary::KernelImage withPrivateMemory(std::uint32_t inlineBytes) {
    binary::KernelImage image;
    image.environment.simdSize = 16;
    image.environment.inlineDataBytes = inlineBytes;
    image.crossThreadBytes = 32;
    image.arguments = {{.kind = binary::KernelArgument::Kind::value, .size = 8}};
    image.payload = {{.kind = binary::PayloadKind::value, .offset = 0, .size = 8},
                     {.kind = binary::PayloadKind::privateBase, .offset = 8, .size = 8}};
    return image;
}

machine::Launch laid(const binary::KernelImage& image, std::uint64_t value) {
    KernelState state(image);
    EXPECT_EQ(state.setArgument(0, sizeof value, &value), ZE_RESULT_SUCCESS);
    machine::Launch launch;
    const auto at = layIndirectData(launch, state, state.shape({1, 1, 1}), {});
    EXPECT_TRUE(at);
    setPrivateBase(launch, image, *at, kBase);
    return launch;
}

std::uint64_t wordAt(const std::vector<std::byte>& bytes, std::size_t offset) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + offset, sizeof word);
    return word;
}

TEST(IndirectData, PrivateMemoryIsNamedInTheCrossThreadData) {
    const auto image = withPrivateMemory(0);
    const machine::Launch launch = laid(image, 42);
    EXPECT_TRUE(launch.inlineData.empty());
    EXPECT_EQ(wordAt(launch.indirect, launch.argumentsAt), 42u);
    EXPECT_EQ(wordAt(launch.indirect, launch.argumentsAt + 8), kBase);
    EXPECT_EQ(launch.privateBase, kBase);
}

TEST(IndirectData, AlsoWhereItsAddressArrivesInARegister) {
    const auto image = withPrivateMemory(16);
    const machine::Launch launch = laid(image, 42);
    ASSERT_EQ(launch.inlineData.size(), 16u);
    EXPECT_EQ(wordAt(launch.inlineData, 0), 42u);
    EXPECT_EQ(wordAt(launch.inlineData, 8), kBase);
}

TEST(IndirectData, AlsoWhereOnlyHalfOfItDoes) {
    const auto image = withPrivateMemory(12);
    const machine::Launch launch = laid(image, 42);
    ASSERT_EQ(launch.inlineData.size(), 12u);
    std::uint64_t base = 0;
    std::memcpy(&base, launch.inlineData.data() + 8, 4);
    std::memcpy(reinterpret_cast<std::byte*>(&base) + 4, launch.indirect.data() + launch.argumentsAt, 4);
    EXPECT_EQ(base, kBase);
}

}  // namespace
}  // namespace zetl::emulator::driver::test
