#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "module/compiled.h"

namespace zetl::binary {
namespace {

namespace module = emulator::module;

/// Both containers come from the same source, so they have to tell the same about its kernels.
class BothContainers : public testing::TestWithParam<const char*> {
  protected:
    ModulePointer zebin = module::readCompiled(GetParam());
    ModulePointer tokens = module::readCompiled(GetParam(), "-cl-std=CL2.0", false);
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
                         testing::Values(module::kVectorAdd, module::kArguments, module::kProgramScope, module::kPrintf,
                                         module::kPrivate));

// A module with functions reaches program-scope data by relocation.
TEST(PatchTokens, SymbolsAndRelocationsOfKernelsAreRead) {
    constexpr const char* kFlags = "-cl-std=CL2.0 -cl-opt-disable";
    const ModulePointer tokens = module::readCompiled(module::kFunctions, kFlags, false);
    const ModulePointer zebin = module::readCompiled(module::kFunctions, kFlags);
    const module::LinkedModule linked = module::placed(tokens);
    const module::LinkedModule other = module::placed(zebin);
    EXPECT_TRUE(linked.fullyResolved());
    ASSERT_EQ(tokens->kernels.size(), 1u) << "the holder of symbols is no kernel";
    EXPECT_EQ(tokens->kernels[0].unsupported, "");
    int checked = 0;
    for (const Relocation& relocation : tokens->relocations) {
        if (relocation.place.kind != Place::Kind::code) continue;
        const std::uint64_t at = linked.layout().offset(relocation.place.index) + relocation.place.offset;
        const Symbol& symbol = tokens->symbols[relocation.symbol];
        const auto found = other.variable(symbol.name);
        ASSERT_TRUE(found) << symbol.name << " is unknown in the other container";
        const bool high = relocation.kind == RelocationKind::addressHigh32;
        std::uint32_t stored = 0;
        std::memcpy(&stored, linked.code().data() + at, sizeof stored);
        EXPECT_EQ(stored, static_cast<std::uint32_t>(high ? found->address >> 32 : found->address)) << symbol.name;
        EXPECT_EQ(symbol.size, found->size);
        ++checked;
    }
    EXPECT_GE(checked, 4) << "two halves of two addresses";
}

TEST(PatchTokens, RefuseAnotherCore) {
    const auto image =
        readNative(module::compiled(module::kVectorAdd, "", false), {.productFamily = 1271, .coreFamily = 3079});
    ASSERT_FALSE(image);
    EXPECT_EQ(image.error().cause, Cause::wrongDevice);
}

}  // namespace
}  // namespace zetl::binary
