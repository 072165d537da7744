#include "binary/ze_info.h"

#include <gtest/gtest.h>

#include <map>
#include <tuple>

#include "binary/native_binary.h"
#include "module/compiled.h"

namespace zetl::binary {
namespace {

namespace module = emulator::module;

std::string kernelText(const std::string& environment, const std::string& rest = {}) {
    return "version: '1.20'\nkernels:\n  - name: k\n    execution_env:\n      simd_size: 16\n" + environment + rest;
}

Cause causeOf(const std::string& yaml) {
    const auto info = readZeInfo(yaml);
    EXPECT_FALSE(info) << yaml;
    return info ? Cause::compilerMissing : info.error().cause;
}

TEST(ZeInfo, ReadsWhatNewerCompilersWrite) {
    const auto info =
        readZeInfo(kernelText("      grf_count: 256\n      inline_data_payload_size: 32\n      generate_local_id: "
                              "true\n      future_key: [1, 2]\n"
                              "      work_group_walk_order_dimensions: [2, 0, 1]\n",
                              "    payload_arguments:\n"
                              "      - {arg_type: work_dimensions, offset: 0, size: 4}\n"
                              "      - {arg_type: data_const_buffer, offset: 8, size: 8}\n"
                              "    per_thread_memory_buffers:\n"
                              "      - {type: scratch, usage: spill_fill_space, size: 1024}\n"
                              "      - {type: global, usage: private_space, size: 64, is_simt_thread: true}\n"
                              "global_host_access_table:\n  - {device_name: d, host_name: h}\n"
                              "functions:\n  - name: f\n    execution_env: {simd_size: 16}\n"));
    ASSERT_TRUE(info) << info.error().message;
    const KernelImage& kernel = info->kernels.at(0);
    EXPECT_EQ(kernel.environment.grfCount, 256u);
    EXPECT_EQ(kernel.environment.inlineDataBytes, 32u);
    EXPECT_TRUE(kernel.environment.generatesLocalIds);
    EXPECT_EQ(kernel.environment.walkOrder, (std::array<std::uint8_t, 3>{2, 0, 1}));
    EXPECT_EQ(kernel.crossThreadBytes, 32u);
    EXPECT_EQ(kernel.scratchBytes(), 1024u);
    EXPECT_EQ(kernel.privateBytesPerThread(), 1024u);
    EXPECT_TRUE(kernel.unsupported.empty());
    EXPECT_EQ(info->hostNames.at(0), std::make_pair(std::string("d"), std::string("h")));
    EXPECT_EQ(info->functions.at(0).name, "f");
}

TEST(ZeInfo, PackedLocalIdsTakeAWholeRegister) {
    const auto info = readZeInfo(
        "version: '1.20'\nkernels:\n  - name: k\n    execution_env: {simd_size: 1}\n"
        "    per_thread_payload_arguments: [{arg_type: packed_local_ids, offset: 0, size: 6}]\n");
    ASSERT_TRUE(info) << info.error().message;
    const KernelImage& kernel = info->kernels.at(0);
    ASSERT_TRUE(kernel.perThread);
    EXPECT_TRUE(kernel.perThread->packedLocalIds);
    EXPECT_EQ(kernel.perThread->size, 64u);
}

TEST(ZeInfo, UnknownPayloadIsRefusedByKernelOnlyIfItHasBytes) {
    const auto harmless =
        readZeInfo(kernelText("", "    payload_arguments: [{arg_type: mystery, offset: 0, size: 0}]\n"));
    ASSERT_TRUE(harmless);
    EXPECT_TRUE(harmless->kernels.at(0).unsupported.empty());
    const auto needed =
        readZeInfo(kernelText("", "    payload_arguments: [{arg_type: mystery, offset: 0, size: 8}]\n"));
    ASSERT_TRUE(needed);
    EXPECT_NE(needed->kernels.at(0).unsupported.find("mystery"), std::string::npos);
}

TEST(ZeInfo, AWalkOrderOfZeroesIsNone) {
    const auto info = readZeInfo(kernelText("      work_group_walk_order_dimensions: [0, 0, 0]\n"));
    ASSERT_TRUE(info);
    EXPECT_EQ(info->kernels.at(0).environment.walkOrder, (std::array<std::uint8_t, 3>{0, 1, 2}));
}

TEST(ZeInfo, RefusesWhatContradictsTheFormat) {
    EXPECT_EQ(causeOf("kernels: [ {name: k"), Cause::damaged);
    EXPECT_EQ(causeOf("just text"), Cause::damaged);
    EXPECT_EQ(causeOf("kernels:\n  - execution_env: {simd_size: 16}\n"), Cause::damaged);
    EXPECT_EQ(causeOf("kernels:\n  - {name: k, execution_env: {simd_size: 17}}\n"), Cause::damaged);
    EXPECT_EQ(causeOf("kernels:\n  - {name: k, execution_env: {simd_size: -16}}\n"), Cause::damaged);
    EXPECT_EQ(causeOf("kernels:\n  - {name: k, execution_env: {simd_size: [16]}}\n"), Cause::damaged);
    EXPECT_EQ(causeOf("kernels:\n  - {name: k}\n"), Cause::damaged);
    EXPECT_EQ(causeOf(kernelText("      work_group_walk_order_dimensions: [0, 0, 1]\n")), Cause::damaged);
    EXPECT_EQ(causeOf(kernelText("", "    payload_arguments: [{arg_type: local_size, offset: 0, size: 16}]\n")),
              Cause::damaged);
    EXPECT_EQ(causeOf(kernelText(
                  "", "    payload_arguments: [{arg_type: arg_bypointer, addrmode: stateless, offset: 0, size: 2}]\n")),
              Cause::damaged);
}

TEST(ZeInfo, RefusesWhatIsBeyondTheLimits) {
    EXPECT_EQ(causeOf(kernelText("      slm_size: 393217\n")), Cause::limit);
    EXPECT_EQ(causeOf(kernelText("      slm_size: 99999999999999999999\n")), Cause::damaged);
    EXPECT_EQ(causeOf(kernelText("", "    payload_arguments: [{arg_type: arg_byvalue, offset: 8190, size: 4}]\n")),
              Cause::limit);
    EXPECT_EQ(causeOf(kernelText(
                  "", "    payload_arguments: [{arg_type: arg_byvalue, offset: 4294967295, size: 4294967295}]\n")),
              Cause::limit);
    EXPECT_EQ(causeOf(kernelText(
                  "", "    payload_arguments: [{arg_type: arg_byvalue, arg_index: 4000000000, offset: 0, size: 4}]\n")),
              Cause::limit);
    EXPECT_EQ(causeOf(kernelText(
                  "", "    per_thread_memory_buffers: [{type: scratch, usage: single_space, size: 999999999}]\n")),
              Cause::limit);
    EXPECT_EQ(causeOf(std::string(kMaxZeInfoBytes + 1, ' ')), Cause::limit);
}

TEST(ZeInfo, DeepNestingAndAliasesEnd) {
    EXPECT_EQ(causeOf(std::string(100000, '[')), Cause::damaged);
    std::string bomb = "version: &a0 x\n";
    for (int i = 1; i < 40; ++i) {
        const std::string before = "*a" + std::to_string(i - 1);
        bomb += "k" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + before + ", " + before + "]\n";
    }
    const auto info = readZeInfo(bomb + "kernels: *a39\n");
    EXPECT_FALSE(info);
}

/// What is written is read as it was, whichever container it came from.
class Written : public testing::TestWithParam<std::tuple<const char*, bool>> {};
INSTANTIATE_TEST_SUITE_P(Modules, Written,
                         testing::Combine(testing::Values(module::kVectorAdd, module::kArguments, module::kPrintf,
                                                          module::kPrivate),
                                          testing::Bool()));

/// What comes where, byte by byte: patch tokens cut it into smaller pieces.
using Passed = std::map<std::uint32_t, std::tuple<PayloadKind, std::uint32_t, std::uint32_t>>;
Passed passed(const KernelImage& kernel) {
    Passed bytes;
    for (const PayloadArgument& piece : kernel.payload)
        for (std::uint32_t i = 0; i < piece.size; ++i)
            bytes[piece.offset + i] = {piece.kind, piece.argument, piece.sourceOffset + i};
    return bytes;
}

TEST_P(Written, IsReadAgain) {
    const auto& [source, zebin] = GetParam();
    const auto image = module::readCompiled(source, "-cl-std=CL2.0", zebin);
    const auto info = readZeInfo(writeZeInfo(image->kernels));
    ASSERT_TRUE(info) << info.error().message;
    ASSERT_EQ(info->kernels.size(), image->kernels.size());
    for (std::size_t i = 0; i < info->kernels.size(); ++i) {
        const KernelImage& kernel = info->kernels[i];
        const KernelImage& before = image->kernels[i];
        EXPECT_EQ(kernel.name, before.name);
        EXPECT_EQ(kernel.crossThreadBytes, before.crossThreadBytes);
        EXPECT_EQ(kernel.scratchBytes(), before.scratchBytes());
        EXPECT_EQ(kernel.privateBytesPerThread(), before.privateBytesPerThread());
        EXPECT_EQ(kernel.perThread.has_value(), before.perThread.has_value());
        EXPECT_EQ(kernel.perThread.value_or(PerThreadPayload()).size,
                  before.perThread.value_or(PerThreadPayload()).size);
        const auto& environment = kernel.environment;
        EXPECT_EQ(environment.simdSize, before.environment.simdSize);
        EXPECT_EQ(environment.grfCount, before.environment.grfCount);
        EXPECT_EQ(environment.slmBytes, before.environment.slmBytes);
        EXPECT_EQ(environment.barrierCount, before.environment.barrierCount);
        EXPECT_EQ(environment.requiredGroupSize, before.environment.requiredGroupSize);
        EXPECT_EQ(environment.walkOrder, before.environment.walkOrder);
        EXPECT_EQ(environment.hasPrintf, before.environment.hasPrintf);
        EXPECT_EQ(passed(kernel), passed(before));
        for (std::size_t k = 0; k < kernel.arguments.size(); ++k)
            EXPECT_EQ(kernel.arguments[k].space, before.arguments[k].space) << k;
    }
}

TEST(ZeInfo, AnyNameCanBeWritten) {
    KernelImage kernel;
    kernel.environment.simdSize = 16;
    for (const char* name : {"it's", "a: b", "- x", "null", "#", ""}) {
        kernel.name = name;
        const auto info = readZeInfo(writeZeInfo(std::span(&kernel, 1)));
        ASSERT_EQ(static_cast<bool>(info), *name != '\0') << name;
        if (info) {
            EXPECT_EQ(info->kernels.at(0).name, name);
        }
    }
}

}  // namespace
}  // namespace zetl::binary
