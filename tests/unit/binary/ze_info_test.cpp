#include "binary/ze_info.h"

#include <gtest/gtest.h>

#include "binary/native_binary.h"

namespace zetl::binary {
namespace {

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
    EXPECT_EQ(causeOf(kernelText("      slm_size: 131073\n")), Cause::limit);
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

}  // namespace
}  // namespace zetl::binary
