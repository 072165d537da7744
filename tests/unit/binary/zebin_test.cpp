#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "module/compiled.h"
#include "module/emptied.h"

namespace zetl::binary {
namespace {

namespace module = emulator::module;

TEST(Zebin, DescribesAKernel) {
    const ModulePointer image = module::readCompiled(module::kVectorAdd);
    ASSERT_EQ(image->kernels.size(), 1u);
    const KernelImage& kernel = image->kernels[0];
    EXPECT_EQ(kernel.name, "add");
    EXPECT_EQ(kernel.environment.simdSize, 32u);
    EXPECT_EQ(kernel.environment.grfCount, 128u);
    EXPECT_EQ(kernel.arguments.size(), 3u);
    for (const KernelArgument& argument : kernel.arguments) EXPECT_EQ(argument.kind, KernelArgument::Kind::pointer);
    ASSERT_TRUE(kernel.perThread);
    EXPECT_EQ(kernel.perThread->size, 192u);
    EXPECT_EQ(kernel.crossThreadBytes % 32, 0u);
    ASSERT_EQ(kernel.reflection.size(), 3u);
    EXPECT_EQ(kernel.reflection[2].name, "c");
    EXPECT_EQ(kernel.reflection[2].typeName, "int*");
    EXPECT_EQ(image->code[kernel.codeSection].name, "add");
    EXPECT_EQ(image->code[kernel.codeSection].bytes.size() % 64, 0u);
}

TEST(Zebin, KeepsWhatItCameFrom) {
    const ModulePointer image = module::readCompiled(module::kVectorAdd);
    EXPECT_EQ(image->native, module::compiled(module::kVectorAdd));
    EXPECT_TRUE(readSpirv(image->spirv));
    EXPECT_EQ(image->buildOptions, "-cl-std=CL2.0");
    EXPECT_EQ(image->target.productFamily, 1271u);
    EXPECT_EQ(image->target.maximumRevision, 7u);
    EXPECT_FALSE(image->hasDebugData);
    EXPECT_TRUE(module::readCompiled(module::kVectorAdd, "-cl-std=CL2.0 -g")->hasDebugData);
}

TEST(Zebin, DescribesEveryKindOfArgument) {
    const ModulePointer image = module::readCompiled(module::kArguments);
    const KernelImage& kernel = image->kernels.at(0);
    using Kind = KernelArgument::Kind;
    const Kind expected[] = {Kind::value,   Kind::value,        Kind::value,   Kind::value,       Kind::value,
                             Kind::pointer, Kind::localPointer, Kind::pointer, Kind::localPointer};
    ASSERT_EQ(kernel.arguments.size(), std::size(expected));
    for (std::size_t i = 0; i < std::size(expected); ++i) EXPECT_EQ(kernel.arguments[i].kind, expected[i]) << i;
    EXPECT_EQ(kernel.arguments[0].size, 32u) << "a struct as the caller passes it";
    EXPECT_EQ(kernel.arguments[1].size, 1u) << "a char, widened only in the payload";
    EXPECT_EQ(kernel.arguments[4].size, 16u);
    EXPECT_EQ(kernel.arguments[7].space, AddressSpace::constant);
    EXPECT_EQ(kernel.environment.requiredGroupSize, (std::array<std::uint32_t, 3>{8, 4, 1}));
    EXPECT_EQ(kernel.attributes, "reqd_work_group_size(8,4,1)");
    EXPECT_GE(kernel.environment.slmBytes, 40u);
}

TEST(Zebin, FollowsTheBuildVariant) {
    EXPECT_EQ(
        module::readCompiled(module::kVectorAdd, "-ze-opt-large-register-file")->kernels.at(0).environment.grfCount,
        256u);
    const ModulePointer plain = module::readCompiled(module::kPrivate);
    const ModulePointer slow = module::readCompiled(module::kPrivate, "-ze-opt-disable");
    EXPECT_GT(plain->kernels.at(0).scratchBytes(), 0u);
    EXPECT_EQ(slow->kernels.at(0).scratchBytes(), 0u);
    EXPECT_GE(slow->kernels.at(0).privateBytesPerThread(), 200u * 4 * 16);
}

TEST(Zebin, DropsTheFunctionHolder) {
    const ModulePointer image = module::readCompiled(module::kProgramScope);
    EXPECT_EQ(image->kernels.size(), 1u);
    EXPECT_EQ(image->kernel("Intel_Symbol_Table_Void_Program"), nullptr);
    EXPECT_EQ(image->segment(DataKind::constants).bytes.size() >= 16, true);
    EXPECT_NE(image->kernel("scope"), nullptr);
}

TEST(Zebin, RefusesAnotherProduct) {
    const auto image = readNative(module::compiled(module::kVectorAdd), {.productFamily = 1270, .coreFamily = 3080});
    ASSERT_FALSE(image);
    EXPECT_EQ(image.error().cause, Cause::wrongDevice);
    EXPECT_NE(image.error().message.find("0x4f7"), std::string::npos) << image.error().message;
}

// The compiler states the range, 7 to 7, but does not ask for the check: a bit in the note does.
TEST(Zebin, RefusesAnotherRevisionIfTheBinaryAsksForTheCheck) {
    Bytes binary = module::compiled(module::kVectorAdd);
    isa::xe::Product older = isa::xe::kPvc;
    older.ip.revision = 3;
    EXPECT_TRUE(readNative(binary, older));
    const std::array<std::uint8_t, 4> metadata{0x00, 0x07, 0x27, 0x00};
    const auto word = std::search(binary.begin(), binary.end(), metadata.begin(), metadata.end());
    ASSERT_NE(word, binary.end());
    word[1] |= 0x20;
    EXPECT_TRUE(readNative(binary));
    const auto image = readNative(binary, older);
    ASSERT_FALSE(image);
    EXPECT_EQ(image.error().cause, Cause::wrongDevice);
    EXPECT_NE(image.error().message.find("revision"), std::string::npos) << image.error().message;
}

// Threads of other architectures have 96, but not those of Xe-HPC.
TEST(Zebin, RefusesRegistersThatThreadsDoNotHave) {
    Bytes binary = module::compiled(module::kVectorAdd);
    constexpr std::string_view kKey = "grf_count:";
    constexpr std::string_view kUsual = "128";
    const auto key = std::search(binary.begin(), binary.end(), kKey.begin(), kKey.end());
    const auto count = std::search(key, binary.end(), kUsual.begin(), kUsual.end());
    ASSERT_NE(count, binary.end());
    std::ranges::copy(std::string_view(" 96"), count);
    const auto image = readNative(binary);
    ASSERT_FALSE(image);
    EXPECT_EQ(image.error().cause, Cause::damaged);
    EXPECT_NE(image.error().message.find("have no 96 registers"), std::string::npos) << image.error().message;
}

TEST(Zebin, KnowsKernelsWithImages) {
    const ModulePointer image = module::readCompiled(
        "kernel void fine(global int* o) { o[0] = 1; }\n"
        "kernel void picture(read_only image2d_t i, global float4* o) { o[0] = read_imagef(i, (int2)(0)); }\n");
    EXPECT_FALSE(image->kernel("fine")->usesImages());
    const KernelImage& picture = *image->kernel("picture");
    EXPECT_TRUE(picture.usesImages());
    EXPECT_EQ(picture.arguments.at(0).kind, KernelArgument::Kind::image);
    EXPECT_EQ(picture.arguments.at(0).access, Access::readOnly);
    EXPECT_EQ(picture.arguments.at(0).size, sizeof(std::uint64_t));
}

TEST(Zebin, SectionsWithoutBytesDoNoHarm) {
    for (const Bytes& damaged : module::emptied(module::compiled(module::kProgramScope, "-cl-std=CL2.0 -g"))) {
        const auto image = readNative(damaged);
        EXPECT_TRUE(image || !image.error().message.empty());
    }
}

TEST(Zebin, ReadsInstrumentationData) {
    const ModulePointer image = module::readCompiled(module::kVectorAdd, "-zet-profile-flags 3");
    const KernelImage& kernel = image->kernels.at(0);
    ASSERT_TRUE(kernel.gtpin);
    EXPECT_TRUE(kernel.gtpin->hasRegisterInfo);
    EXPECT_EQ(kernel.gtpin->registerCount, 128u);
    ASSERT_FALSE(kernel.gtpin->freeRegisters.empty());
    for (const FreeRegisters& range : kernel.gtpin->freeRegisters) {
        EXPECT_GT(range.count, 0u);
        EXPECT_LE(range.start + range.count, 128u * 64);
    }
}

}  // namespace
}  // namespace zetl::binary
