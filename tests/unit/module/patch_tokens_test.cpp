#include <gtest/gtest.h>

#include <algorithm>

#include "compiled.h"

namespace zetl::emulator::module {
namespace {

/// Both containers come from the same source, so they have to tell the same about its kernels.
class BothContainers : public testing::TestWithParam<const char*> {
  protected:
    ModulePointer zebin = readCompiled(GetParam());
    ModulePointer tokens = readCompiled(GetParam(), "-cl-std=CL2.0", false);
};

TEST_P(BothContainers, AgreeOnTheKernels) {
    EXPECT_EQ(tokens->container, ModuleImage::Container::patchTokens);
    ASSERT_EQ(tokens->kernels.size(), zebin->kernels.size());
    for (const KernelImage& kernel : tokens->kernels) {
        const KernelImage* other = zebin->kernel(kernel.name);
        ASSERT_NE(other, nullptr) << kernel.name;
        EXPECT_EQ(kernel.environment.simdSize, other->environment.simdSize);
        EXPECT_EQ(kernel.environment.grfCount, other->environment.grfCount);
        EXPECT_EQ(kernel.environment.slmBytes, other->environment.slmBytes);
        EXPECT_EQ(kernel.environment.requiredGroupSize, other->environment.requiredGroupSize);
        EXPECT_EQ(kernel.environment.skipPerThreadLoad, other->environment.skipPerThreadLoad);
        EXPECT_EQ(kernel.scratchBytes(), other->scratchBytes());
        EXPECT_EQ(kernel.privateBytesPerThread(), other->privateBytesPerThread());
        EXPECT_EQ(kernel.perThread.has_value(), other->perThread.has_value());
        EXPECT_EQ(kernel.unsupported, other->unsupported);
        ASSERT_EQ(kernel.arguments.size(), other->arguments.size());
        for (std::size_t i = 0; i < kernel.arguments.size(); ++i)
            EXPECT_EQ(kernel.arguments[i].kind, other->arguments[i].kind) << i;
        ASSERT_EQ(kernel.reflection.size(), other->reflection.size());
        for (std::size_t i = 0; i < kernel.reflection.size(); ++i)
            EXPECT_EQ(kernel.reflection[i].name, other->reflection[i].name);
    }
    EXPECT_EQ(tokens->spirv, zebin->spirv);
    EXPECT_EQ(tokens->segment(DataKind::variables).bytes.size(), zebin->segment(DataKind::variables).bytes.size());
}

INSTANTIATE_TEST_SUITE_P(Sources, BothContainers,
                         testing::Values(kVectorAdd, kArguments, kProgramScope, kPrintf, kPrivate));

TEST(PatchTokens, RefuseAnotherCore) {
    const auto image = readNative(compiled(kVectorAdd, "", false), {.productFamily = 1271, .coreFamily = 3079});
    ASSERT_FALSE(image);
    EXPECT_EQ(image.error().cause, Cause::wrongDevice);
}

}  // namespace
}  // namespace zetl::emulator::module
