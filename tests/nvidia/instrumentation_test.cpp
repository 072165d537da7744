// Instrumented machine code on a real GPU: it computes what it computed, and counts what the hardware counts.
#include <ze_tools_layer/instrumentation.h>

#include <algorithm>
#include <cstdio>

#include "emulated_gpu/queries.h"
#include "nvidia_gpu.h"

namespace zetl::test {
namespace {

using instrumentation::Block;
using instrumentation::Program;
using instrumentation::Section;

constexpr std::uint32_t kLanesOfGroup = 96;
constexpr std::uint32_t kBranchingGroups = 40;
constexpr std::uint32_t kBranchingItems = kLanesOfGroup * kBranchingGroups;

/// Lanes of a warp part in a loop, come to a function at different times, leave early, and meet at a barrier.
constexpr const char* kBranching = R"(.version 7.0
.target sm_70
.address_size 64

.func (.param .b32 sum) grown(.param .b32 steps)
{
    .reg .pred %p<3>;
    .reg .b32 %r<4>;
    mov.b32 %r3, 0;
    ld.param.u32 %r1, [steps];
next:
    setp.eq.u32 %p1, %r1, 0;
    @%p1 bra done;
    and.b32 %r2, %r1, 3;
    setp.eq.u32 %p2, %r2, 2;
    @%p2 bra odd;
    add.u32 %r3, %r3, %r1;
    bra last;
odd:
    mad.lo.u32 %r3, %r3, 3, %r1;
last:
    sub.u32 %r1, %r1, 1;
    bra next;
done:
    st.param.b32 [sum], %r3;
    ret;
}

.visible .entry branching(.param .u64 data, .param .u32 items)
{
    .shared .align 4 .b8 sums[4];
    .reg .pred %p<6>;
    .reg .b32 %r<20>;
    .reg .b64 %rd<6>;
    ld.param.u64 %rd1, [data];
    ld.param.u32 %r1, [items];
    cvta.to.global.u64 %rd2, %rd1;
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %ntid.x;
    mov.u32 %r4, %tid.x;
    mad.lo.u32 %r5, %r2, %r3, %r4;
    setp.eq.u32 %p1, %r4, 0;
    @%p1 st.shared.u32 [sums], %r2;
    bar.sync 0;
    mul.wide.u32 %rd3, %r5, 4;
    add.u64 %rd4, %rd2, %rd3;
    ld.global.u32 %r6, [%rd4];
    and.b32 %r7, %r5, 7;
loop:
    setp.eq.u32 %p2, %r7, 0;
    @%p2 bra behind;
    and.b32 %r8, %r6, 1;
    setp.eq.u32 %p3, %r8, 0;
    @%p3 bra even;
    mad.lo.u32 %r6, %r6, 3, 1;
    rem.u32 %r9, %r5, 3;
    setp.ne.u32 %p4, %r9, 0;
    @%p4 bra join;
    {
    .param .b32 steps;
    .param .b32 sum;
    st.param.b32 [steps], %r7;
    call (sum), grown, (steps);
    ld.param.b32 %r10, [sum];
    }
    add.u32 %r6, %r6, %r10;
    bra join;
even:
    shr.u32 %r6, %r6, 1;
    xor.b32 %r6, %r6, %r5;
join:
    sub.u32 %r7, %r7, 1;
    bra loop;
behind:
    atom.shared.add.u32 %r11, [sums], %r6;
    bar.sync 0;
    setp.ge.u32 %p5, %r5, %r1;
    @%p5 exit;
    ld.shared.u32 %r12, [sums];
    add.u32 %r13, %r6, %r12;
    st.global.u32 [%rd4], %r13;
    ret;
}
)";

std::vector<std::uint8_t> binaryOf(ze_module_handle_t module) {
    std::size_t size = 0;
    EXPECT_OK(zeModuleGetNativeBinary(module, &size, nullptr));
    std::vector<std::uint8_t> binary(size);
    EXPECT_OK(zeModuleGetNativeBinary(module, &size, binary.data()));
    return binary;
}

ze_kernel_handle_t branchingOf(ze_module_handle_t module, int* data) {
    const ze_kernel_desc_t description{ZE_STRUCTURE_TYPE_KERNEL_DESC, nullptr, 0, "branching"};
    ze_kernel_handle_t kernel = nullptr;
    EXPECT_OK(zeKernelCreate(module, &description, &kernel));
    EXPECT_OK(zeKernelSetGroupSize(kernel, kLanesOfGroup, 1, 1));
    Gpu::arguments(kernel, data, kBranchingItems - 50);
    return kernel;
}

void fill(int* data) {
    for (std::uint32_t i = 0; i < kBranchingItems; ++i) data[i] = static_cast<int>(i * 7919 % 1000);
}

struct Counted {
    std::uint64_t instructions;
    const std::uint64_t* executed;
};

/// The module with each of its blocks counted in one of the counters.
std::vector<Counted> countBlocks(Program& program, std::uint64_t* counters) {
    std::vector<Counted> counted;
    for (Section& section : program.sections()) {
        EXPECT_EQ(section.obstacle(), "");
        for (const Block& block : section.blocks()) {
            const auto code = countingCode(section, block.begin, reinterpret_cast<std::uint64_t>(counters));
            const bool inserted = code && section.insertBefore(block.begin, *code);
            EXPECT_TRUE(inserted) << section.name() << " " << block.begin;
            constexpr std::uint64_t kInstruction = 16;
            if (inserted) counted.push_back({(block.end - block.begin) / kInstruction, counters++});
        }
    }
    return counted;
}

SCENARIO(countsWhatTheHardwareCounts) {
    const Gpu gpu;
    const Queries queries(gpu, "NvidiaCompute");
    const auto module = ptxModule(gpu, kBranching);
    int* data = gpu.host(kBranchingItems);
    const ze_group_count_t groups{kBranchingGroups, 1, 1};
    const auto kernel = branchingOf(module, data);
    const auto list = gpu.immediate(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    std::uint64_t hardware = 0;
    for (std::uint32_t run = 0; run < 2; ++run) {  // the first launch pays for what later ones find
        fill(data);
        ASSERT_OK(zetCommandListAppendMetricQueryBegin(list, queries[run]));
        ASSERT_OK(zeCommandListAppendLaunchKernel(list, kernel, &groups, nullptr, 0, nullptr));
        ASSERT_OK(zetCommandListAppendMetricQueryEnd(list, queries[run], nullptr, 0, nullptr));
        hardware = queries.row(queries[run]).at("sm__inst_executed.sum").value.ui64;
    }
    const std::vector<int> expected(data, data + kBranchingItems);

    std::string failure;
    const auto program = Program::read(binaryOf(module), failure);
    ASSERT_TRUE(program) << failure;
    std::size_t blocks = 0;
    for (const Section& section : program->sections()) blocks += section.blocks().size();
    auto* const counters = reinterpret_cast<std::uint64_t*>(gpu.host(2 * static_cast<std::uint32_t>(blocks)));
    std::fill_n(counters, blocks, 0);
    const auto counted = countBlocks(*program, counters);
    const auto written = program->write(failure);
    ASSERT_EQ(failure, "");
    ze_module_desc_t description{};
    description.stype = ZE_STRUCTURE_TYPE_MODULE_DESC;
    description.format = ZE_MODULE_FORMAT_NATIVE;
    description.inputSize = written.size();
    description.pInputModule = written.data();
    ze_module_handle_t changed = nullptr;
    ASSERT_OK(zeModuleCreate(gpu.context(), gpu.device(), &description, &changed, nullptr));
    fill(data);
    ASSERT_OK(zeCommandListAppendLaunchKernel(list, branchingOf(changed, data), &groups, nullptr, 0, nullptr));
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), data));
    std::uint64_t executed = 0;
    for (const Counted& block : counted) executed += block.instructions * *block.executed;
    std::printf("instrumentation: %lu instructions in %zu blocks, %lu by the hardware\n", executed, counted.size(),
                hardware);
    EXPECT_EQ(executed, hardware);
}
TEST(NvidiaInstrumentation, CountsWhatTheHardwareCounts) {
    if (!realGpu()) GTEST_SKIP() << "the stand-in executes no machine code";
    EXPECT_RUNS(onCounters("countsWhatTheHardwareCounts"));
}

}  // namespace
}  // namespace zetl::test
