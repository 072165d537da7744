#include "emulator/module/payload.h"

#include <gtest/gtest.h>

#include <cstring>

#include "compiled.h"

namespace zetl::emulator::module {
namespace {

template <class T>
binary::Bytes bytesOf(const T& value) {
    binary::Bytes bytes(sizeof value);
    std::memcpy(bytes.data(), &value, sizeof value);
    return bytes;
}

template <class T>
T at(const binary::Bytes& bytes, std::uint64_t offset) {
    T value;
    std::memcpy(&value, &bytes.at(offset), sizeof value);
    return value;
}

const binary::PayloadArgument& pieceOf(const binary::KernelImage& kernel, binary::PayloadKind kind,
                                       std::uint32_t argument = 0) {
    for (const binary::PayloadArgument& piece : kernel.payload)
        if (piece.kind == kind && piece.argument == argument) return piece;
    throw std::runtime_error("no such piece");
}

struct Launch {
    binary::ModulePointer image;
    const binary::KernelImage& kernel = image->kernels.at(0);
    std::vector<ArgumentValue> arguments{9};
    LaunchShape shape{.groupSize = {8, 4, 1}, .groupCount = {3, 2, 1}, .globalOffset = {100, 0, 7}, .dimensions = 2};

    explicit Launch(bool zebin = true) : image(readCompiled(kArguments, "-cl-std=CL2.0", zebin)) {
        struct S {
            int a = 11;
            float b = 0.5f;
            char c[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
            double d = 2.25;
        };
        arguments[0].bytes = bytesOf(S{});
        arguments[1].bytes = bytesOf(std::int8_t{-3});
        arguments[2].bytes = bytesOf(std::int16_t{1234});
        arguments[3].bytes = bytesOf(std::int64_t{-5});
        arguments[4].bytes = bytesOf(std::array<int, 4>{1, 2, 3, 4});
        arguments[5].bytes = bytesOf(std::uint64_t{0x1122334455667788});
        arguments[6].localBytes = 100;
        arguments[7].bytes = bytesOf(std::uint64_t{0x99});
        arguments[8].localBytes = 64;
    }
};

class Payload : public testing::TestWithParam<bool> {};

TEST_P(Payload, HoldsEveryArgument) {
    const Launch launch(GetParam());
    const auto data = crossThreadData(launch.kernel, launch.shape, launch.arguments, {});
    ASSERT_TRUE(data) << data.error().message;
    EXPECT_EQ(data->bytes.size(), launch.kernel.crossThreadBytes);
    EXPECT_EQ(at<std::uint64_t>(data->bytes, pieceOf(launch.kernel, binary::PayloadKind::pointer, 5).offset),
              0x1122334455667788u);
    EXPECT_EQ(at<std::int64_t>(data->bytes, pieceOf(launch.kernel, binary::PayloadKind::value, 3).offset), -5);
    EXPECT_EQ(at<std::int8_t>(data->bytes, pieceOf(launch.kernel, binary::PayloadKind::value, 1).offset), -3);
    EXPECT_EQ(at<std::uint32_t>(data->bytes, pieceOf(launch.kernel, binary::PayloadKind::globalIdOffset).offset), 100u);
    for (const binary::PayloadArgument& piece : launch.kernel.payload)
        if (piece.kind == binary::PayloadKind::value && piece.argument == 0) {
            EXPECT_EQ(std::memcmp(&data->bytes[piece.offset], &launch.arguments[0].bytes.at(piece.sourceOffset),
                                  std::min<std::size_t>(piece.size, 32 - piece.sourceOffset)),
                      0)
                << piece.sourceOffset;
        }
}

TEST_P(Payload, PlacesLocalArgumentsOneAfterTheOther) {
    const Launch launch(GetParam());
    const auto data = crossThreadData(launch.kernel, launch.shape, launch.arguments, {});
    ASSERT_TRUE(data);
    const auto first =
        at<std::uint32_t>(data->bytes, pieceOf(launch.kernel, binary::PayloadKind::localPointer, 6).offset);
    const auto second =
        at<std::uint32_t>(data->bytes, pieceOf(launch.kernel, binary::PayloadKind::localPointer, 8).offset);
    EXPECT_EQ(first, 0u) << "the code itself adds the kernel's own local memory";
    EXPECT_GE(second, 100u);
    EXPECT_EQ(second % 8, 0u);
    EXPECT_EQ(data->slmBytes, launch.kernel.environment.slmBytes + second + 64);
}

INSTANTIATE_TEST_SUITE_P(Containers, Payload, testing::Values(true, false),
                         [](const auto& info) { return info.param ? "zebin" : "patchTokens"; });

TEST(PayloadErrors, AreNamed) {
    Launch launch;
    launch.arguments[6].localBytes = 1 << 20;
    auto data = crossThreadData(launch.kernel, launch.shape, launch.arguments, {});
    ASSERT_FALSE(data);
    EXPECT_EQ(data.error().cause, binary::Cause::limit);
    launch.arguments[6].localBytes = UINT32_MAX;
    EXPECT_FALSE(crossThreadData(launch.kernel, launch.shape, launch.arguments, {}));
    launch.arguments.resize(4);
    data = crossThreadData(launch.kernel, launch.shape, launch.arguments, {});
    ASSERT_FALSE(data);
    EXPECT_EQ(data.error().cause, binary::Cause::badArgument);
}

binary::KernelImage threadKernel(std::uint32_t simd) {
    binary::KernelImage kernel;
    kernel.environment.simdSize = simd;
    kernel.perThread = binary::PerThreadPayload{.packedLocalIds = false, .offset = 0, .size = 192};
    return kernel;
}

TEST(LocalIds, FollowTheLinearOrder) {
    const binary::KernelImage kernel = threadKernel(32);
    const LaunchShape shape{.groupSize = {5, 4, 3}};
    ASSERT_EQ(shape.threads(32), 2u);
    const binary::Bytes blocks = perThreadBlocks(kernel, shape);
    ASSERT_EQ(blocks.size(), 384u);
    for (std::uint32_t item = 0; item < 60; ++item) {
        const std::uint32_t offset = item / 32 * 192 + item % 32 * 2;
        EXPECT_EQ(at<std::uint16_t>(blocks, offset), item % 5);
        EXPECT_EQ(at<std::uint16_t>(blocks, offset + 64), item / 5 % 4);
        EXPECT_EQ(at<std::uint16_t>(blocks, offset + 128), item / 20);
    }
}

TEST(LocalIds, HonourTheWalkOrder) {
    binary::KernelImage kernel = threadKernel(16);
    kernel.environment.walkOrder = {2, 0, 1};
    const LaunchShape shape{.groupSize = {2, 2, 4}};
    const binary::Bytes block = perThreadData(kernel, shape, 0);
    EXPECT_EQ(at<std::uint16_t>(block, 1 * 2 + 128), 1u) << "Z varies first";
    EXPECT_EQ(at<std::uint16_t>(block, 4 * 2), 1u) << "then X";
    EXPECT_EQ(at<std::uint16_t>(block, 8 * 2 + 64), 1u) << "then Y";
}

TEST(LocalIds, PackedOnesTakeARegisterAThread) {
    binary::KernelImage kernel = threadKernel(1);
    kernel.perThread = binary::PerThreadPayload{.packedLocalIds = true, .offset = 0, .size = 64};
    const binary::Bytes blocks = perThreadBlocks(kernel, {.groupSize = {3, 2, 2}});
    ASSERT_EQ(blocks.size(), 12u * 64);
    for (std::uint32_t item = 0; item < 12; ++item) {
        EXPECT_EQ(at<std::uint16_t>(blocks, item * 64), item % 3);
        EXPECT_EQ(at<std::uint16_t>(blocks, item * 64 + 2), item / 3 % 2);
        EXPECT_EQ(at<std::uint16_t>(blocks, item * 64 + 4), item / 6);
    }
}

TEST(ImplicitArguments, FollowTheRecord) {
    const LaunchShape shape{
        .groupSize = {8, 4, 2}, .groupCount = {3, 2, 1}, .globalOffset = {1, 2, 3}, .dimensions = 3};
    const binary::Bytes record = implicitArguments(threadKernel(16), shape, 0xabc, 0xdef);
    ASSERT_EQ(record.size(), 96u);
    EXPECT_EQ(record[0], 96);
    EXPECT_EQ(record[2], 3);
    EXPECT_EQ(record[3], 16);
    EXPECT_EQ(at<std::uint32_t>(record, 4), 8u);
    EXPECT_EQ(at<std::uint64_t>(record, 16), 24u);
    EXPECT_EQ(at<std::uint64_t>(record, 40), 0xabcu);
    EXPECT_EQ(at<std::uint64_t>(record, 56), 2u);
    EXPECT_EQ(at<std::uint64_t>(record, 72), 0xdefu);
    EXPECT_EQ(at<std::uint32_t>(record, 80), 3u);
}

}  // namespace
}  // namespace zetl::emulator::module
