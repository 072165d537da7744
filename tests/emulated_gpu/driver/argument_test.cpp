// Arguments of calls that do not fit: each is answered by a documented code where it is given, or where it is found.
#include <cstring>
#include <vector>

#include "emulated_gpu/gpu.h"
#include "support/level_zero.h"
#include "support/scenario.h"
#include "ze_tools_layer/level_zero.h"

namespace zetl::test {
namespace {

#define EXTENSION(gpu, name) (gpu).function<decltype(::name)>(#name)

constexpr std::uint32_t kMost = 0xffffffff;
/// 2^64 groups; and 2^63, of which two work-items each are too many.
constexpr ze_group_count_t kUncountable{1u << 31, 1u << 31, 4};
constexpr ze_group_count_t kHalf{1u << 31, 1u << 31, 2};

SCENARIO(gridsThatCannotBeCountedAreRefused) {
    const Gpu gpu;
    auto* counter = gpu.shared(1);
    *counter = 0;
    const auto kernel = gpu.kernel("count", 2);
    Gpu::arguments(kernel, counter);
    const auto list = gpu.immediate(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    for (const ze_group_count_t& groups : {kUncountable, kHalf, ze_group_count_t{kMost, kMost, kMost}}) {
        EXPECT_EQ(zeCommandListAppendLaunchKernel(list, kernel, &groups, nullptr, 0, nullptr),
                  ZE_RESULT_ERROR_INVALID_ARGUMENT);
        EXPECT_EQ(zeCommandListAppendLaunchCooperativeKernel(list, kernel, &groups, nullptr, 0, nullptr),
                  ZE_RESULT_ERROR_INVALID_ARGUMENT);
        EXPECT_EQ(EXTENSION(gpu, zeCommandListAppendLaunchKernelWithParameters)(list, kernel, &groups, nullptr, nullptr,
                                                                                0, nullptr),
                  ZE_RESULT_ERROR_INVALID_ARGUMENT);
        void* arguments[] = {&counter};
        EXPECT_EQ(EXTENSION(gpu, zeCommandListAppendLaunchKernelWithArguments)(list, kernel, groups, {2, 1, 1},
                                                                               arguments, nullptr, nullptr, 0, nullptr),
                  ZE_RESULT_ERROR_INVALID_ARGUMENT);
    }
    const ze_group_count_t none{kMost, 0, kMost};
    EXPECT_OK(zeCommandListAppendLaunchKernel(list, kernel, &none, nullptr, 0, nullptr)) << "an empty grid is fine";
    EXPECT_OK(zeCommandListAppendLaunchKernel(list, kernel, &kOneGroup, nullptr, 0, nullptr));
    EXPECT_EQ(*counter, 2);
}
TEST(Argument, GridsThatCannotBeCountedAreRefused) { EXPECT_RUNS(emulated("gridsThatCannotBeCountedAreRefused")); }

SCENARIO(aGridReadFromMemoryIsAFaultIfItCannotBeCounted) {
    const Gpu gpu;
    auto* counter = gpu.shared(1);
    *counter = 0;
    const auto kernel = gpu.kernel("count", 2);
    Gpu::arguments(kernel, counter);
    auto* groups = gpu.host<ze_group_count_t>(1);
    auto* count = gpu.host<std::uint32_t>(1);
    *groups = kHalf;
    *count = 1;
    const auto single = gpu.immediate(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    EXPECT_EQ(zeCommandListAppendLaunchKernelIndirect(single, kernel, groups, nullptr, 0, nullptr),
              ZE_RESULT_ERROR_DEVICE_LOST);
    const auto several = gpu.immediate(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    auto* kernels = const_cast<ze_kernel_handle_t*>(&kernel);
    EXPECT_EQ(zeCommandListAppendLaunchMultipleKernelsIndirect(several, 1, kernels, count, groups, nullptr, 0, nullptr),
              ZE_RESULT_ERROR_DEVICE_LOST);
    EXPECT_EQ(*counter, 0);
}
TEST(Argument, AGridReadFromMemoryIsAFaultIfItCannotBeCounted) {
    EXPECT_RUNS(emulated("aGridReadFromMemoryIsAFaultIfItCannotBeCounted"));
    EXPECT_RUNS(emulated("aGridReadFromMemoryIsAFaultIfItCannotBeCounted", "small-two-by-two"));
}

SCENARIO(localMemoryBeyondTheDeviceIsFoundAtTheLaunch) {
    const Gpu gpu;
    ze_device_compute_properties_t properties{};
    properties.stype = ZE_STRUCTURE_TYPE_DEVICE_COMPUTE_PROPERTIES;
    ASSERT_OK(zeDeviceGetComputeProperties(gpu.device(), &properties));
    auto* data = gpu.shared(8);
    const auto kernel = gpu.kernel("reverse", 8);
    Gpu::arguments(kernel, data);
    const auto list = gpu.immediate(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    const auto launch = [&] { return zeCommandListAppendLaunchKernel(list, kernel, &kOneGroup, nullptr, 0, nullptr); };
    std::uint32_t x = 0;
    std::uint32_t y = 0;
    std::uint32_t z = 0;
    for (const std::size_t bytes : {properties.maxSharedLocalMemory + std::size_t{1}, std::size_t{1} << 33, ~0ul}) {
        ASSERT_OK(zeKernelSetArgumentValue(kernel, 1, bytes, nullptr)) << bytes;
        EXPECT_EQ(launch(), ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY) << bytes;
        EXPECT_EQ(zeKernelSuggestGroupSize(kernel, 8, 1, 1, &x, &y, &z), ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY);
        EXPECT_OK(zeKernelSuggestMaxCooperativeGroupCount(kernel, &x));
        EXPECT_EQ(x, 0u);
    }
    ASSERT_OK(zeKernelSetArgumentValue(kernel, 1, properties.maxSharedLocalMemory, nullptr));
    EXPECT_OK(launch());
}
TEST(Argument, LocalMemoryBeyondTheDeviceIsFoundAtTheLaunch) {
    EXPECT_RUNS(emulated("localMemoryBeyondTheDeviceIsFoundAtTheLaunch"));
}

SCENARIO(mutableListsRefuseWhatALaunchWouldRefuse) {
    const Gpu gpu;
    auto* data = gpu.shared(8);
    const auto kernel = gpu.kernel("reverse", 8);
    Gpu::arguments(kernel, data);
    ASSERT_OK(zeKernelSetArgumentValue(kernel, 1, 32, nullptr));
    const ze_mutable_command_list_exp_desc_t changes{ZE_STRUCTURE_TYPE_MUTABLE_COMMAND_LIST_EXP_DESC, nullptr, 0};
    const ze_command_list_desc_t description{ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC, &changes, 0, 0};
    ze_command_list_handle_t list = nullptr;
    ASSERT_OK(zeCommandListCreate(gpu.context(), gpu.device(), &description, &list));
    const ze_mutable_command_id_exp_desc_t wanted{ZE_STRUCTURE_TYPE_MUTABLE_COMMAND_ID_EXP_DESC, nullptr, 0};
    std::uint64_t id = 0;
    ASSERT_OK(EXTENSION(gpu, zeCommandListGetNextCommandIdExp)(list, &wanted, &id));
    ASSERT_OK(zeCommandListAppendLaunchKernel(list, kernel, &kOneGroup, nullptr, 0, nullptr));
    ASSERT_OK(zeCommandListClose(list));
    const auto update = [&](const void* change) {
        const ze_mutable_commands_exp_desc_t all{ZE_STRUCTURE_TYPE_MUTABLE_COMMANDS_EXP_DESC, change, 0};
        return EXTENSION(gpu, zeCommandListUpdateMutableCommandsExp)(list, &all);
    };
    const ze_mutable_group_count_exp_desc_t count{ZE_STRUCTURE_TYPE_MUTABLE_GROUP_COUNT_EXP_DESC, nullptr, id, &kHalf};
    EXPECT_EQ(update(&count), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    const ze_mutable_kernel_argument_exp_desc_t local{
        ZE_STRUCTURE_TYPE_MUTABLE_KERNEL_ARGUMENT_EXP_DESC, nullptr, id, 1, std::size_t{1} << 33, nullptr};
    EXPECT_EQ(update(&local), ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY);
    EXPECT_OK(gpu.run(list)) << "unchanged";
}
TEST(Argument, MutableListsRefuseWhatALaunchWouldRefuse) {
    EXPECT_RUNS(emulated("mutableListsRefuseWhatALaunchWouldRefuse"));
}

// By value sizes as Intel's drivers take them; what of several pieces is in the unit tests of the kernel's state.
SCENARIO(argumentsHaveTheirSizes) {
    const Gpu gpu;
    const std::vector<std::uint8_t> bytes(4096);
    void* pointer = gpu.device(8);
    const struct {
        const char* kernel;
        std::uint32_t argument;
        const void* value;
        std::vector<std::size_t> good;
        std::vector<std::size_t> bad;
    } cases[] = {{"store", 0, &pointer, {8}, {0, 1, 4, 7, 9, 16, ~0ul}},
                 {"store", 1, bytes.data(), {1, 4, 8, 16}, {0, 2049, 1ul << 32, ~0ul}},
                 {"reverse", 1, nullptr, {1, 64, 4096}, {0}}};
    for (const auto& each : cases) {
        const auto kernel = gpu.kernel(each.kernel);
        for (const std::size_t size : each.good)
            EXPECT_OK(zeKernelSetArgumentValue(kernel, each.argument, size, each.value))
                << each.argument << ' ' << size;
        for (const std::size_t size : each.bad)
            EXPECT_EQ(zeKernelSetArgumentValue(kernel, each.argument, size, each.value),
                      ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE)
                << each.argument << ' ' << size;
        EXPECT_EQ(zeKernelSetArgumentValue(kernel, 2, 8, &pointer), ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_INDEX);
    }
}
TEST(Argument, ArgumentsHaveTheirSizes) { EXPECT_RUNS(emulated("argumentsHaveTheirSizes")); }

SCENARIO(programsAreOfSpirv) {
    const Gpu gpu;
    const auto binary = readFile(inBuildTree("tests/emulated_gpu/kernels/driver_kernels.spv"));
    const std::size_t sizes[] = {binary.size(), binary.size()};
    const std::uint8_t* inputs[] = {binary.data(), binary.data()};
    ze_module_program_exp_desc_t program{
        ZE_STRUCTURE_TYPE_MODULE_PROGRAM_EXP_DESC, nullptr, 0, sizes, inputs, nullptr, nullptr};
    ze_module_desc_t description{ZE_STRUCTURE_TYPE_MODULE_DESC,
                                 &program,
                                 ZE_MODULE_FORMAT_NATIVE,
                                 binary.size(),
                                 binary.data(),
                                 nullptr,
                                 nullptr};
    ze_module_handle_t module = nullptr;
    for (program.count = 0; program.count < 3; ++program.count)
        EXPECT_EQ(zeModuleCreate(gpu.context(), gpu.device(), &description, &module, nullptr),
                  ZE_RESULT_ERROR_INVALID_ARGUMENT)
            << program.count;
    ze_module_build_log_handle_t log = nullptr;
    EXPECT_EQ(zeModuleCreate(gpu.context(), gpu.device(), &description, &module, &log),
              ZE_RESULT_ERROR_INVALID_ARGUMENT);
    const auto words = takeBuildLog(log);
    EXPECT_NE(words.find("INVALID_ARGUMENT: programs are of SPIR-V"), std::string::npos) << words;
    const ze_module_constants_t nowhere{5, nullptr, nullptr};
    description.pNext = nullptr;
    description.format = ZE_MODULE_FORMAT_IL_SPIRV;
    description.pConstants = &nowhere;
    EXPECT_EQ(zeModuleCreate(gpu.context(), gpu.device(), &description, &module, nullptr),
              ZE_RESULT_ERROR_INVALID_NULL_POINTER);
}
TEST(Argument, ProgramsAreOfSpirv) { EXPECT_RUNS(emulated("programsAreOfSpirv")); }

}  // namespace
}  // namespace zetl::test
