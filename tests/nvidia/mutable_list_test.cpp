// Recorded commands that change, on NVIDIA's GPU or what stands in for it.
#include <ze_tools_layer/level_zero.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "kernels.h"
#include "nvidia_gpu.h"

namespace zetl::test {
namespace {

constexpr std::uint64_t kUntilDone = UINT64_MAX;
constexpr auto kKernelFlag = static_cast<ze_mutable_command_exp_flag_t>(ZE_BIT(6));

/// A list whose commands may change, and what it changes: the first word of `data`, from a kernel that adds.
struct MutableList {
    explicit MutableList(const Gpu& given)
        : gpu(given), kernel(ptxKernel(gpu, "add", 4)), data(gpu.device(64)), other(gpu.device(64)) {
        ze_mutable_command_list_exp_desc_t changes{ZE_STRUCTURE_TYPE_MUTABLE_COMMAND_LIST_EXP_DESC, nullptr, 0};
        const ze_command_list_desc_t description{ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC, &changes, 0, 0};
        EXPECT_OK(zeCommandListCreate(gpu.context(), gpu.device(), &description, &list));
        Gpu::arguments(kernel, data, 1u);
        clear(data);
        clear(other);
    }

    template <class F>
    F* function(const char* name) const {
        return gpu.function<F>(name);
    }
    std::uint64_t nextId(ze_mutable_command_exp_flags_t flags = 0, std::vector<ze_kernel_handle_t> kernels = {}) const {
        const ze_mutable_command_id_exp_desc_t description{ZE_STRUCTURE_TYPE_MUTABLE_COMMAND_ID_EXP_DESC, nullptr,
                                                           flags};
        std::uint64_t id = 0;
        if (kernels.empty()) {
            EXPECT_OK(function<decltype(zeCommandListGetNextCommandIdExp)>("zeCommandListGetNextCommandIdExp")(
                list, &description, &id));
        } else {
            EXPECT_OK(function<decltype(zeCommandListGetNextCommandIdWithKernelsExp)>(
                "zeCommandListGetNextCommandIdWithKernelsExp")(
                list, &description, static_cast<std::uint32_t>(kernels.size()), kernels.data(), &id));
        }
        return id;
    }
    ze_result_t update(const void* change) const {
        const ze_mutable_commands_exp_desc_t all{ZE_STRUCTURE_TYPE_MUTABLE_COMMANDS_EXP_DESC, change, 0};
        return function<decltype(zeCommandListUpdateMutableCommandsExp)>("zeCommandListUpdateMutableCommandsExp")(list,
                                                                                                                  &all);
    }
    template <class T>
    ze_result_t setArgument(std::uint64_t id, std::uint32_t index, T value) const {
        const ze_mutable_kernel_argument_exp_desc_t change{
            ZE_STRUCTURE_TYPE_MUTABLE_KERNEL_ARGUMENT_EXP_DESC, nullptr, id, index, sizeof value, &value};
        return update(&change);
    }
    ze_result_t setGroups(std::uint64_t id, ze_group_count_t count) const {
        const ze_mutable_group_count_exp_desc_t change{ZE_STRUCTURE_TYPE_MUTABLE_GROUP_COUNT_EXP_DESC, nullptr, id,
                                                       &count};
        return update(&change);
    }
    ze_result_t setGroupSize(std::uint64_t id, std::uint32_t x) const {
        const ze_mutable_group_size_exp_desc_t change{
            ZE_STRUCTURE_TYPE_MUTABLE_GROUP_SIZE_EXP_DESC, nullptr, id, x, 1, 1};
        return update(&change);
    }
    void launch(ze_event_handle_t signal = nullptr, std::vector<ze_event_handle_t> waits = {}) const {
        ASSERT_OK(zeCommandListAppendLaunchKernel(list, kernel, &kOneGroup, signal,
                                                  static_cast<std::uint32_t>(waits.size()), waits.data()));
    }
    void run() const {
        ASSERT_OK(zeCommandListClose(list));
        ASSERT_OK(gpu.run(list));
    }
    void clear(int* words) const {
        const int zero = 0;
        const auto immediate = gpu.immediate(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
        EXPECT_OK(zeCommandListAppendMemoryFill(immediate, words, &zero, sizeof zero, 256, nullptr, 0, nullptr));
    }
    std::vector<int> wordsOf(const int* words, std::size_t count) const {
        std::vector<int> copy(count, -1);
        const auto immediate = gpu.immediate(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
        EXPECT_OK(
            zeCommandListAppendMemoryCopy(immediate, copy.data(), words, count * sizeof(int), nullptr, 0, nullptr));
        return copy;
    }

    const Gpu& gpu;
    const ze_kernel_handle_t kernel;
    int* const data;
    int* const other;
    ze_command_list_handle_t list = nullptr;
};

SCENARIO(changesArgumentsAndGroups) {
    const Gpu gpu;
    const MutableList changed(gpu);
    const auto id = changed.nextId();
    changed.launch();
    changed.launch();  // of which nothing changes
    changed.run();
    EXPECT_EQ(changed.wordsOf(changed.data, 5), (std::vector{2, 2, 2, 2, 0}));
    EXPECT_OK(changed.setArgument(id, 1, 10u));
    EXPECT_OK(changed.setGroups(id, {2, 1, 1}));
    EXPECT_OK(changed.setGroupSize(id, 3));
    ze_command_list_handle_t list = changed.list;
    EXPECT_EQ(zeCommandQueueExecuteCommandLists(gpu.queue(), 1, &list, nullptr), ZE_RESULT_ERROR_INVALID_ARGUMENT)
        << "it has to be closed again";
    changed.run();
    EXPECT_EQ(changed.wordsOf(changed.data, 7), (std::vector{13, 13, 13, 13, 10, 10, 0}));
    EXPECT_OK(changed.setArgument(id, 0, changed.other));
    changed.run();
    EXPECT_EQ(changed.wordsOf(changed.data, 2), (std::vector{14, 14}));
    EXPECT_EQ(changed.wordsOf(changed.other, 7), (std::vector{10, 10, 10, 10, 10, 10, 0}));
}
TEST(NvidiaMutableList, ChangesArgumentsAndGroups) { EXPECT_RUNS(onNvidia("changesArgumentsAndGroups")); }

/// What was executed before the change stays as it was, even if it has not begun.
SCENARIO(changesNothingUnderWay) {
    const Gpu gpu;
    const MutableList changed(gpu);
    auto gate = Gpu::event(gpu.pool(1));
    const auto id = changed.nextId();
    changed.launch(nullptr, {gate});
    ASSERT_OK(zeCommandListClose(changed.list));
    const auto queue = gpu.queue();
    ze_command_list_handle_t list = changed.list;
    ASSERT_OK(zeCommandQueueExecuteCommandLists(queue, 1, &list, nullptr));
    EXPECT_OK(changed.setArgument(id, 1, 10u));
    ASSERT_OK(zeEventHostSignal(gate));
    ASSERT_OK(zeCommandQueueSynchronize(queue, kUntilDone));
    EXPECT_EQ(changed.wordsOf(changed.data, 1), std::vector{1});
    changed.run();
    EXPECT_EQ(changed.wordsOf(changed.data, 1), std::vector{11});
}
TEST(NvidiaMutableList, ChangesNothingUnderWay) { EXPECT_RUNS(onNvidia("changesNothingUnderWay")); }

SCENARIO(changesKernels) {
    const Gpu gpu;
    const MutableList changed(gpu);
    const auto spin = ptxKernel(gpu, "spin");
    Gpu::arguments(spin, std::uint64_t{1000});
    const auto stranger = ptxKernel(gpu, "add");
    auto id = changed.nextId(kKernelFlag | ZE_MUTABLE_COMMAND_EXP_FLAG_KERNEL_ARGUMENTS, {changed.kernel, spin});
    changed.launch();
    ASSERT_OK(zeCommandListClose(changed.list));
    const auto setKernel = [&](ze_kernel_handle_t kernel) {
        return changed.function<decltype(zeCommandListUpdateMutableCommandKernelsExp)>(
            "zeCommandListUpdateMutableCommandKernelsExp")(changed.list, 1, &id, &kernel);
    };
    EXPECT_OK(setKernel(spin));
    changed.run();
    EXPECT_EQ(changed.wordsOf(changed.data, 1), std::vector{0});
    EXPECT_EQ(setKernel(stranger), ZE_RESULT_ERROR_INVALID_KERNEL_HANDLE);
    Gpu::arguments(changed.kernel, changed.data, 3u);
    EXPECT_OK(setKernel(changed.kernel));
    EXPECT_OK(changed.setArgument(id, 1, 7u)) << "of the kernel that it has now";
    changed.run();
    EXPECT_EQ(changed.wordsOf(changed.data, 1), std::vector{7});
}
TEST(NvidiaMutableList, ChangesKernels) { EXPECT_RUNS(onNvidia("changesKernels")); }

SCENARIO(changesEvents) {
    const Gpu gpu;
    const MutableList changed(gpu);
    const auto pool = gpu.pool(3);
    auto former = Gpu::event(pool, 0);
    auto later = Gpu::event(pool, 1);
    auto start = Gpu::event(pool, 2);
    const auto id = changed.nextId();
    changed.launch(former, {start});
    ASSERT_OK(zeCommandListClose(changed.list));
    const auto setSignal = changed.function<decltype(zeCommandListUpdateMutableCommandSignalEventExp)>(
        "zeCommandListUpdateMutableCommandSignalEventExp");
    const auto setWaits = changed.function<decltype(zeCommandListUpdateMutableCommandWaitEventsExp)>(
        "zeCommandListUpdateMutableCommandWaitEventsExp");
    EXPECT_OK(setSignal(changed.list, id, later));
    ze_event_handle_t none = nullptr;
    EXPECT_OK(setWaits(changed.list, id, 1, &none)) << "it waits for nothing";
    changed.run();
    EXPECT_OK(zeEventQueryStatus(later));
    EXPECT_EQ(zeEventQueryStatus(former), ZE_RESULT_NOT_READY);
    ze_event_handle_t two[] = {start, start};
    EXPECT_EQ(setWaits(changed.list, id, 2, two), ZE_RESULT_ERROR_INVALID_SIZE);
    EXPECT_OK(setWaits(changed.list, id, 1, &start));
    ASSERT_OK(zeEventHostReset(later));
    ASSERT_OK(zeCommandListClose(changed.list));
    const auto queue = gpu.queue();
    ze_command_list_handle_t list = changed.list;
    ASSERT_OK(zeCommandQueueExecuteCommandLists(queue, 1, &list, nullptr));
    EXPECT_EQ(zeEventQueryStatus(later), ZE_RESULT_NOT_READY) << "it waits again";
    ASSERT_OK(zeEventHostSignal(start));
    EXPECT_OK(zeEventHostSynchronize(later, kUntilDone));
    EXPECT_OK(setWaits(changed.list, id, 0, nullptr));
    EXPECT_OK(setSignal(changed.list, id, nullptr));
    ASSERT_OK(zeEventHostReset(start));
    changed.run();
    ASSERT_OK(zeCommandQueueSynchronize(queue, kUntilDone));
    EXPECT_EQ(changed.wordsOf(changed.data, 1), std::vector{3});
}
TEST(NvidiaMutableList, ChangesEvents) { EXPECT_RUNS(onNvidia("changesEvents")); }

SCENARIO(refusesWrongChanges) {
    const Gpu gpu;
    const MutableList changed(gpu);
    const auto idOf = changed.function<decltype(zeCommandListGetNextCommandIdExp)>("zeCommandListGetNextCommandIdExp");
    ze_mutable_command_id_exp_desc_t wanted{ZE_STRUCTURE_TYPE_MUTABLE_COMMAND_ID_EXP_DESC, nullptr, 0};
    std::uint64_t id = 0;
    EXPECT_EQ(idOf(gpu.list(), &wanted, &id), ZE_RESULT_ERROR_INVALID_ARGUMENT) << "not mutable";
    wanted.flags = ZE_MUTABLE_COMMAND_EXP_FLAG_GLOBAL_OFFSET;
    EXPECT_OK(idOf(changed.list, &wanted, &id));
    wanted.flags = 0x100;
    EXPECT_EQ(idOf(changed.list, &wanted, &id), ZE_RESULT_ERROR_INVALID_ENUMERATION);
    id = changed.nextId(ZE_MUTABLE_COMMAND_EXP_FLAG_KERNEL_ARGUMENTS);
    changed.launch();
    const auto barrier = changed.nextId();
    ASSERT_OK(zeCommandListAppendBarrier(changed.list, nullptr, 0, nullptr));
    ASSERT_OK(zeCommandListClose(changed.list));
    EXPECT_EQ(changed.setArgument(id, 9, 1u), ZE_RESULT_ERROR_INVALID_ARGUMENT) << "no such argument";
    EXPECT_EQ(changed.setArgument(id + 9, 1, 1u), ZE_RESULT_ERROR_INVALID_ARGUMENT) << "no such command";
    EXPECT_EQ(changed.setArgument(barrier, 1, 1u), ZE_RESULT_ERROR_INVALID_ARGUMENT) << "no kernel";
    EXPECT_EQ(changed.setGroups(id, {1, 1, 1}), ZE_RESULT_ERROR_INVALID_ARGUMENT) << "not with this id";
    const ze_mutable_global_offset_exp_desc_t offset{
        ZE_STRUCTURE_TYPE_MUTABLE_GLOBAL_OFFSET_EXP_DESC, nullptr, id, 1, 0, 0};
    EXPECT_EQ(changed.update(&offset), ZE_RESULT_ERROR_INVALID_ARGUMENT) << "not with this id";
    ASSERT_OK(gpu.run(changed.list)) << "it is still closed";
    EXPECT_EQ(changed.wordsOf(changed.data, 1), std::vector{1});
    ze_mutable_command_list_exp_properties_t parts{ZE_STRUCTURE_TYPE_MUTABLE_COMMAND_LIST_EXP_PROPERTIES, nullptr, 0,
                                                   0};
    ze_device_properties_t device{};
    device.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES;
    device.pNext = &parts;
    ASSERT_OK(zeDeviceGetProperties(gpu.device(), &device));
    EXPECT_TRUE(parts.mutableCommandFlags & ZE_MUTABLE_COMMAND_EXP_FLAG_GROUP_COUNT);
    EXPECT_TRUE(parts.mutableCommandFlags & ZE_MUTABLE_COMMAND_EXP_FLAG_GLOBAL_OFFSET);
    ze_bool_t isMutable = false;
    EXPECT_OK(
        changed.function<decltype(zeCommandListIsMutableExp)>("zeCommandListIsMutableExp")(changed.list, &isMutable));
    EXPECT_TRUE(isMutable);
}
TEST(NvidiaMutableList, RefusesWrongChanges) { EXPECT_RUNS(onNvidia("refusesWrongChanges")); }

}  // namespace
}  // namespace zetl::test
