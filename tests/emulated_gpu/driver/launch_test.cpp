// Launches that carry their arguments, and commands that change after they were recorded. The functions are newer than
// most loaders: they come from zeDriverGetExtensionFunctionAddress.
#include <vector>

#include "emulated_gpu/gpu.h"
#include "support/scenario.h"
#include "ze_tools_layer/level_zero.h"

namespace zetl::test {
namespace {

#define EXTENSION(gpu, name) (gpu).function<decltype(::name)>(#name)

SCENARIO(launchesCarryTheirArguments) {
    const Gpu gpu;
    auto* out = gpu.shared<std::uint32_t>(64);
    std::uint32_t factor = 5;
    const auto kernel = gpu.kernel("writeIds");
    const auto list = gpu.immediate(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    const auto launch = EXTENSION(gpu, zeCommandListAppendLaunchKernelWithArguments);
    void* arguments[] = {&out, &factor};
    ASSERT_OK(launch(list, kernel, {4, 1, 1}, {16, 1, 1}, arguments, nullptr, nullptr, 0, nullptr));
    for (std::uint32_t i = 0; i < 64; ++i) ASSERT_EQ(out[i], 5 * i);
    EXPECT_EQ(launch(list, kernel, {4, 1, 1}, {0, 1, 1}, arguments, nullptr, nullptr, 0, nullptr),
              ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION);
    EXPECT_EQ(launch(list, kernel, {4, 1, 1}, {16, 1, 1}, nullptr, nullptr, nullptr, 0, nullptr),
              ZE_RESULT_ERROR_INVALID_NULL_POINTER);

    // The kernel keeps what the launch set.
    std::uint32_t count = 1;
    ze_kernel_allocation_exp_properties_t used{};
    ASSERT_OK(EXTENSION(gpu, zeKernelGetAllocationPropertiesExp)(kernel, &count, &used));
    ASSERT_EQ(count, 1u);
    EXPECT_EQ(used.base, reinterpret_cast<std::uint64_t>(out));
    EXPECT_EQ(used.size, 64 * sizeof *out);
    EXPECT_EQ(used.type, ZE_MEMORY_TYPE_SHARED);
    EXPECT_EQ(used.argIndex, 0u);
}
TEST(Launch, CarriesItsArguments) { EXPECT_RUNS(emulated("launchesCarryTheirArguments")); }

SCENARIO(localMemoryIsASize) {
    const Gpu gpu;
    auto* data = gpu.shared(8);
    for (int i = 0; i < 8; ++i) data[i] = i;
    const auto kernel = gpu.kernel("reverse");
    const auto list = gpu.immediate(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    std::size_t bytes = 8 * sizeof *data;
    void* arguments[] = {&data, &bytes};
    ASSERT_OK(EXTENSION(gpu, zeCommandListAppendLaunchKernelWithArguments)(list, kernel, {1, 1, 1}, {8, 1, 1},
                                                                           arguments, nullptr, nullptr, 0, nullptr));
    for (int i = 0; i < 8; ++i) EXPECT_EQ(data[i], 7 - i);
}
TEST(Launch, LocalMemoryIsASize) { EXPECT_RUNS(emulated("localMemoryIsASize")); }

SCENARIO(launchesTakeParameters) {
    const Gpu gpu;
    auto* counter = gpu.shared(1);
    *counter = 0;
    const auto kernel = gpu.kernel("count");
    Gpu::arguments(kernel, counter);
    const auto list = gpu.immediate(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    const auto launch = EXTENSION(gpu, zeCommandListAppendLaunchKernelWithParameters);
    ze_command_list_append_launch_kernel_param_cooperative_desc_t cooperative{
        ZE_STRUCTURE_TYPE_COMMAND_LIST_APPEND_PARAM_COOPERATIVE_DESC, nullptr, true};
    const ze_group_count_t few{3, 1, 1};
    const ze_group_count_t many{1 << 20, 1, 1};
    EXPECT_OK(launch(list, kernel, &few, &cooperative, nullptr, 0, nullptr));
    EXPECT_EQ(*counter, 3);
    EXPECT_EQ(launch(list, kernel, &many, &cooperative, nullptr, 0, nullptr), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    cooperative.stype = static_cast<ze_structure_type_t>(0x7fff0001);
    EXPECT_EQ(launch(list, kernel, &few, &cooperative, nullptr, 0, nullptr), ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    EXPECT_EQ(launch(list, kernel, nullptr, nullptr, nullptr, 0, nullptr), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    EXPECT_EQ(*counter, 3);
}
TEST(Launch, TakesParameters) { EXPECT_RUNS(emulated("launchesTakeParameters")); }

SCENARIO(requirementsNameTheDevice) {
    const Gpu gpu;
    struct {
        ze_structure_type_t stype = static_cast<ze_structure_type_t>(0x00020044);
        const void* pNext = nullptr;
        ze_module_handle_t module = nullptr;
    } source;
    source.module = gpu.module();
    const auto get = EXTENSION(gpu, zeDeviceGetRuntimeRequirements);
    std::size_t size = 0;
    ASSERT_OK(get(gpu.device(), &source, &size, nullptr));
    std::vector<char> text(size);
    ASSERT_OK(get(gpu.device(), &source, &size, text.data()));
    size = 1;
    EXPECT_EQ(get(gpu.device(), &source, &size, text.data()), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    ze_validate_runtime_requirements_output_t out{ZE_STRUCTURE_TYPE_RUNTIME_REQUIREMENTS_OUTPUT, nullptr, {}};
    ASSERT_OK(EXTENSION(gpu, zeDeviceValidateRuntimeRequirements)(gpu.device(), text.data(), &out));
    EXPECT_EQ(out.result, ZE_VALIDATE_RUNTIME_REQUIREMENTS_RESULT_REQUIREMENTS_MET);
}
TEST(Launch, RequirementsNameTheDevice) { EXPECT_RUNS(emulated("requirementsNameTheDevice")); }

/// A mutable list with one launch of `writeIds`, closed.
class MutableList {
  public:
    explicit MutableList(ze_mutable_command_exp_flags_t flags) : flags_(flags) {
        const ze_mutable_command_list_exp_desc_t changes{ZE_STRUCTURE_TYPE_MUTABLE_COMMAND_LIST_EXP_DESC, nullptr, 0};
        const ze_command_list_desc_t description{ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC, &changes, 0, 0};
        EXPECT_OK(zeCommandListCreate(gpu.context(), gpu.device(), &description, &list));
        Gpu::arguments(kernel, first, std::uint32_t{1});
    }
    void record(ze_event_handle_t signal = nullptr, std::uint32_t waits = 0, ze_event_handle_t* events = nullptr) {
        const ze_mutable_command_id_exp_desc_t description{ZE_STRUCTURE_TYPE_MUTABLE_COMMAND_ID_EXP_DESC, nullptr,
                                                           flags_};
        ze_kernel_handle_t choice[] = {kernel, other};
        ASSERT_OK(EXTENSION(gpu, zeCommandListGetNextCommandIdWithKernelsExp)(list, &description, 2, choice, &id));
        const ze_group_count_t groups{2, 1, 1};
        ASSERT_OK(zeCommandListAppendLaunchKernel(list, kernel, &groups, signal, waits, events));
        ASSERT_OK(zeCommandListClose(list));
    }
    ze_result_t update(const void* changes) const {
        const ze_mutable_commands_exp_desc_t description{ZE_STRUCTURE_TYPE_MUTABLE_COMMANDS_EXP_DESC, changes, 0};
        return EXTENSION(gpu, zeCommandListUpdateMutableCommandsExp)(list, &description);
    }

    const Gpu gpu;
    std::uint32_t* const first = gpu.shared<std::uint32_t>(64);
    std::uint32_t* const second = gpu.shared<std::uint32_t>(64);
    const ze_kernel_handle_t kernel = gpu.kernel("writeIds", 8);
    const ze_kernel_handle_t other = gpu.kernel("count", 8);
    ze_command_list_handle_t list = nullptr;
    std::uint64_t id = 0;

  private:
    ze_mutable_command_exp_flags_t flags_;
};

SCENARIO(recordedLaunchesChange) {
    MutableList m(0);
    m.record();
    ASSERT_OK(m.gpu.run(m.list));
    EXPECT_EQ(m.first[15], 15u);
    EXPECT_EQ(m.first[16], 0u);

    const std::uint32_t factor = 10;
    const ze_group_count_t groups{1, 1, 1};
    const ze_mutable_kernel_argument_exp_desc_t scalar{
        ZE_STRUCTURE_TYPE_MUTABLE_KERNEL_ARGUMENT_EXP_DESC, nullptr, m.id, 1, sizeof factor, &factor};
    const ze_mutable_kernel_argument_exp_desc_t pointer{
        ZE_STRUCTURE_TYPE_MUTABLE_KERNEL_ARGUMENT_EXP_DESC, &scalar, m.id, 0, sizeof m.second, &m.second};
    const ze_mutable_global_offset_exp_desc_t offset{
        ZE_STRUCTURE_TYPE_MUTABLE_GLOBAL_OFFSET_EXP_DESC, &pointer, m.id, 2, 0, 0};
    const ze_mutable_group_size_exp_desc_t size{ZE_STRUCTURE_TYPE_MUTABLE_GROUP_SIZE_EXP_DESC, &offset, m.id, 4, 1, 1};
    const ze_mutable_group_count_exp_desc_t count{ZE_STRUCTURE_TYPE_MUTABLE_GROUP_COUNT_EXP_DESC, &size, m.id, &groups};
    ASSERT_OK(m.update(&count));
    auto* open = m.list;
    EXPECT_EQ(zeCommandQueueExecuteCommandLists(m.gpu.queue(), 1, &open, nullptr), ZE_RESULT_ERROR_INVALID_ARGUMENT)
        << "to be closed again first";
    ASSERT_OK(m.gpu.run(m.list));
    for (std::uint32_t i = 0; i < 10; ++i) EXPECT_EQ(m.second[i], i >= 2 && i < 6 ? 10 * i : 0) << i;
}
TEST(Mutation, RecordedLaunchesChange) { EXPECT_RUNS(emulated("recordedLaunchesChange")); }

SCENARIO(badChangesChangeNothing) {
    MutableList m(ZE_MUTABLE_COMMAND_EXP_FLAG_KERNEL_ARGUMENTS);
    m.record();
    const std::uint32_t factor = 10;
    const ze_group_count_t groups{1, 1, 1};
    ze_mutable_kernel_argument_exp_desc_t argument{
        ZE_STRUCTURE_TYPE_MUTABLE_KERNEL_ARGUMENT_EXP_DESC, nullptr, m.id, 9, sizeof factor, &factor};
    const ze_mutable_kernel_argument_exp_desc_t good{
        ZE_STRUCTURE_TYPE_MUTABLE_KERNEL_ARGUMENT_EXP_DESC, &argument, m.id, 1, sizeof factor, &factor};
    EXPECT_EQ(m.update(&good), ZE_RESULT_ERROR_INVALID_ARGUMENT) << "argument 9";
    argument.argIndex = 1;
    argument.commandId = m.id + 1;
    EXPECT_EQ(m.update(&good), ZE_RESULT_ERROR_INVALID_ARGUMENT) << "no such command";
    argument.commandId = m.id;
    argument.stype = static_cast<ze_structure_type_t>(0x7fff0001);
    EXPECT_EQ(m.update(&good), ZE_RESULT_ERROR_INVALID_ARGUMENT) << "no such change";
    const ze_mutable_group_count_exp_desc_t count{ZE_STRUCTURE_TYPE_MUTABLE_GROUP_COUNT_EXP_DESC, nullptr, m.id,
                                                  &groups};
    EXPECT_EQ(m.update(&count), ZE_RESULT_ERROR_INVALID_ARGUMENT) << "not asked for with the id";
    EXPECT_EQ(EXTENSION(m.gpu, zeCommandListUpdateMutableCommandKernelsExp)(m.list, 1, &m.id,
                                                                            const_cast<ze_kernel_handle_t*>(&m.other)),
              ZE_RESULT_ERROR_INVALID_ARGUMENT);
    ASSERT_OK(m.gpu.run(m.list));
    EXPECT_EQ(m.first[15], 15u);

    const auto plain = m.gpu.list();
    const ze_mutable_command_id_exp_desc_t description{ZE_STRUCTURE_TYPE_MUTABLE_COMMAND_ID_EXP_DESC, nullptr, 0};
    EXPECT_EQ(EXTENSION(m.gpu, zeCommandListGetNextCommandIdExp)(plain, &description, &m.id),
              ZE_RESULT_ERROR_INVALID_ARGUMENT);
    ze_bool_t changes = true;
    EXPECT_OK(EXTENSION(m.gpu, zeCommandListIsMutableExp)(plain, &changes));
    EXPECT_FALSE(changes);
    EXPECT_OK(EXTENSION(m.gpu, zeCommandListIsMutableExp)(m.list, &changes));
    EXPECT_TRUE(changes);
}
TEST(Mutation, BadChangesChangeNothing) { EXPECT_RUNS(emulated("badChangesChangeNothing")); }

SCENARIO(kernelsAndEventsChange) {
    MutableList m(ZE_BIT(6) | ZE_MUTABLE_COMMAND_EXP_FLAG_KERNEL_ARGUMENTS | ZE_MUTABLE_COMMAND_EXP_FLAG_SIGNAL_EVENT |
                  ZE_MUTABLE_COMMAND_EXP_FLAG_WAIT_EVENTS);
    const auto pool = m.gpu.pool(3);
    ze_event_handle_t signal = Gpu::event(pool, 0);
    ze_event_handle_t another = Gpu::event(pool, 1);
    ze_event_handle_t never = Gpu::event(pool, 2);
    m.record(signal, 1, &never);
    EXPECT_EQ(EXTENSION(m.gpu, zeCommandListUpdateMutableCommandWaitEventsExp)(m.list, m.id, 2, &never),
              ZE_RESULT_ERROR_INVALID_SIZE);
    ze_event_handle_t none = nullptr;
    ASSERT_OK(EXTENSION(m.gpu, zeCommandListUpdateMutableCommandWaitEventsExp)(m.list, m.id, 1, &none));
    ASSERT_OK(EXTENSION(m.gpu, zeCommandListUpdateMutableCommandSignalEventExp)(m.list, m.id, another));
    ze_kernel_handle_t stranger = m.gpu.kernel("say");
    ze_kernel_handle_t chosen = m.other;
    const auto replace = EXTENSION(m.gpu, zeCommandListUpdateMutableCommandKernelsExp);
    EXPECT_EQ(replace(m.list, 1, &m.id, &stranger), static_cast<ze_result_t>(0x7800001c)) << "INVALID_KERNEL_HANDLE";
    ASSERT_OK(replace(m.list, 1, &m.id, &chosen));
    const ze_mutable_kernel_argument_exp_desc_t counter{
        ZE_STRUCTURE_TYPE_MUTABLE_KERNEL_ARGUMENT_EXP_DESC, nullptr, m.id, 0, sizeof m.second, &m.second};
    ASSERT_OK(m.update(&counter));
    ASSERT_OK(m.gpu.run(m.list));
    EXPECT_EQ(m.second[0], 16u) << "two groups of eight have counted";
    EXPECT_EQ(m.first[15], 0u);
    EXPECT_OK(zeEventQueryStatus(another));
    EXPECT_EQ(zeEventQueryStatus(signal), ZE_RESULT_NOT_READY);
}
TEST(Mutation, KernelsAndEventsChange) { EXPECT_RUNS(emulated("kernelsAndEventsChange")); }

}  // namespace
}  // namespace zetl::test
