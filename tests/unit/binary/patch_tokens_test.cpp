#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "compiled.h"

namespace zetl::emulator::module {
namespace {

/// Both containers come from the same source, so they have to tell the same about its kernels.
class BothContainers : public testing::TestWithParam<const char*> {
  protected:
    binary::ModulePointer zebin = readCompiled(GetParam());
    binary::ModulePointer tokens = readCompiled(GetParam(), "-cl-std=CL2.0", false);
};

TEST_P(BothContainers, AgreeOnTheKernels) {
    EXPECT_EQ(tokens->container, binary::ModuleImage::Container::patchTokens);
    ASSERT_EQ(tokens->kernels.size(), zebin->kernels.size());
    for (const binary::KernelImage& kernel : tokens->kernels) {
        const binary::KernelImage* other = zebin->kernel(kernel.name);
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
    EXPECT_EQ(tokens->segment(binary::DataKind::variables).bytes.size(),
              zebin->segment(binary::DataKind::variables).bytes.size());
}

INSTANTIATE_TEST_SUITE_P(Sources, BothContainers,
                         testing::Values(kVectorAdd, kArguments, kProgramScope, kPrintf, kPrivate));

// A module with functions reaches program-scope data by relocation.
TEST(PatchTokens, SymbolsAndRelocationsOfKernelsAreRead) {
    constexpr const char* kFlags = "-cl-std=CL2.0 -cl-opt-disable";
    const binary::ModulePointer tokens = readCompiled(kFunctions, kFlags, false);
    const binary::ModulePointer zebin = readCompiled(kFunctions, kFlags);
    const LinkedModule module = placed(tokens);
    const LinkedModule other = placed(zebin);
    EXPECT_TRUE(module.fullyResolved());
    ASSERT_EQ(tokens->kernels.size(), 1u) << "the holder of symbols is no kernel";
    EXPECT_EQ(tokens->kernels[0].unsupported, "");
    int checked = 0;
    for (const binary::Relocation& relocation : tokens->relocations) {
        if (relocation.place.kind != binary::Place::Kind::code) continue;
        const std::uint64_t at = module.layout().offset(relocation.place.index) + relocation.place.offset;
        const binary::Symbol& symbol = tokens->symbols[relocation.symbol];
        const auto found = other.variable(symbol.name);
        ASSERT_TRUE(found) << symbol.name << " is unknown in the other container";
        const bool high = relocation.kind == binary::RelocationKind::addressHigh32;
        std::uint32_t stored = 0;
        std::memcpy(&stored, module.code().data() + at, sizeof stored);
        EXPECT_EQ(stored, static_cast<std::uint32_t>(high ? found->address >> 32 : found->address)) << symbol.name;
        EXPECT_EQ(symbol.size, found->size);
        ++checked;
    }
    EXPECT_GE(checked, 4) << "two halves of two addresses";
}

TEST(PatchTokens, RefuseAnotherCore) {
    const auto image = binary::readNative(compiled(kVectorAdd, "", false), {.productFamily = 1271, .coreFamily = 3079});
    ASSERT_FALSE(image);
    EXPECT_EQ(image.error().cause, binary::Cause::wrongDevice);
}

}  // namespace
}  // namespace zetl::emulator::module
