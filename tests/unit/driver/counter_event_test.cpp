#include <cstring>

#include "unit/driver/direct.h"

namespace zetl::emulator::driver::test {
namespace {

class CounterEventTest : public DriverTest {
  protected:
    ze_result_t make(ze_event_counter_based_flags_t flags, ze_event_handle_t* event, const void* chained = nullptr) {
        const ze_event_counter_based_desc_t description{ZE_STRUCTURE_TYPE_EVENT_COUNTER_BASED_DESC, chained, flags, 0,
                                                        ZE_EVENT_SCOPE_FLAG_HOST};
        return CALL(zeEventCounterBasedCreate)(context, device, &description, event);
    }
    ze_event_handle_t event(ze_event_counter_based_flags_t flags) {
        ze_event_handle_t created = nullptr;
        EXPECT_OK(make(flags, &created));
        return created;
    }
};

TEST_F(CounterEventTest, CountsAsSignalledUntilItIsToBeSignalled) {
    auto* counter = event(ZE_EVENT_COUNTER_BASED_FLAG_IMMEDIATE | ZE_EVENT_COUNTER_BASED_FLAG_HOST_VISIBLE);
    EXPECT_OK(CALL(zeEventQueryStatus)(counter));
    ze_command_queue_desc_t description{};
    description.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC;
    description.mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS;
    description.flags = ZE_COMMAND_QUEUE_FLAG_IN_ORDER;
    ze_command_list_handle_t list = nullptr;
    ASSERT_OK(CALL(zeCommandListCreateImmediate)(context, device, &description, &list));
    const ze_event_pool_desc_t poolDescription{ZE_STRUCTURE_TYPE_EVENT_POOL_DESC, nullptr, 0, 1};
    ze_event_pool_handle_t pool = nullptr;
    ze_event_handle_t gate = nullptr;
    ASSERT_OK(CALL(zeEventPoolCreate)(context, &poolDescription, 0, nullptr, &pool));
    const ze_event_desc_t gateDescription{ZE_STRUCTURE_TYPE_EVENT_DESC, nullptr, 0, 0, 0};
    ASSERT_OK(CALL(zeEventCreate)(pool, &gateDescription, &gate));
    ASSERT_OK(CALL(zeCommandListAppendBarrier)(list, counter, 1, &gate));
    EXPECT_EQ(CALL(zeEventQueryStatus)(counter), ZE_RESULT_NOT_READY);
    EXPECT_EQ(CALL(zeEventHostSignal)(counter), ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    EXPECT_EQ(CALL(zeEventHostReset)(counter), ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    EXPECT_OK(CALL(zeEventHostSignal)(gate));
    EXPECT_OK(CALL(zeEventHostSynchronize)(counter, UINT64_MAX));
    ze_event_pool_handle_t none = nullptr;
    EXPECT_EQ(CALL(zeEventGetEventPool)(counter, &none), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    EXPECT_OK(CALL(zeEventDestroy)(counter));
    EXPECT_OK(CALL(zeCommandListDestroy)(list));
}

TEST_F(CounterEventTest, IsNotPendingForWhatWasRefused) {
    auto* counter = event(ZE_EVENT_COUNTER_BASED_FLAG_NON_IMMEDIATE | ZE_EVENT_COUNTER_BASED_FLAG_IMMEDIATE);
    const ze_command_list_desc_t description{ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC, nullptr, 0,
                                             ZE_COMMAND_LIST_FLAG_IN_ORDER};
    ze_command_list_handle_t closed = nullptr;
    ASSERT_OK(CALL(zeCommandListCreate)(context, device, &description, &closed));
    ASSERT_OK(CALL(zeCommandListClose)(closed));
    EXPECT_EQ(CALL(zeCommandListAppendBarrier)(closed, counter, 0, nullptr), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    EXPECT_OK(CALL(zeEventQueryStatus)(counter));
    const auto list = immediate(ZE_COMMAND_QUEUE_FLAG_IN_ORDER);
    ze_event_handle_t none = nullptr;
    EXPECT_NE(CALL(zeCommandListImmediateAppendCommandListsExp)(list, 1, &closed, counter, 1, &none),
              ZE_RESULT_SUCCESS);
    EXPECT_OK(CALL(zeEventQueryStatus)(counter));
    ASSERT_OK(CALL(zeCommandListReset)(closed));
    EXPECT_OK(CALL(zeCommandListAppendBarrier)(closed, counter, 0, nullptr));
    EXPECT_EQ(CALL(zeEventQueryStatus)(counter), ZE_RESULT_NOT_READY);
    EXPECT_OK(CALL(zeEventDestroy)(counter));
    for (const auto each : {list, closed}) EXPECT_OK(CALL(zeCommandListDestroy)(each));
}

TEST_F(CounterEventTest, FlagsSayWhatItCanDo) {
    auto* timed = event(ZE_EVENT_COUNTER_BASED_FLAG_DEVICE_TIMESTAMP);
    ze_event_counter_based_flags_t flags = 0;
    EXPECT_OK(CALL(zeEventGetCounterBasedFlags)(timed, &flags));
    EXPECT_EQ(flags, ZE_EVENT_COUNTER_BASED_FLAG_DEVICE_TIMESTAMP | ZE_EVENT_COUNTER_BASED_FLAG_IMMEDIATE);
    const auto list = immediate(ZE_COMMAND_QUEUE_FLAG_IN_ORDER);
    ASSERT_OK(CALL(zeCommandListAppendBarrier)(list, timed, 0, nullptr));
    ze_kernel_timestamp_result_t times;
    ASSERT_OK(CALL(zeEventQueryKernelTimestamp)(timed, &times));
    EXPECT_LT(times.global.kernelStart, times.global.kernelEnd);
    EXPECT_OK(CALL(zeCommandListDestroy)(list));
}

/// Each kind of event with each kind of list: what is refused is not pending.
TEST_F(CounterEventTest, ListsMustBeInOrderAndOfTheEventsKind) {
    const auto regular = [&](ze_command_list_flags_t flags) {
        const ze_command_list_desc_t description{ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC, nullptr, 0, flags};
        ze_command_list_handle_t created = nullptr;
        EXPECT_OK(CALL(zeCommandListCreate)(context, device, &description, &created));
        return created;
    };
    const auto pooled = [&](ze_event_pool_counter_based_exp_flags_t kinds) {
        const ze_event_pool_counter_based_exp_desc_t counted{ZE_STRUCTURE_TYPE_COUNTER_BASED_EVENT_POOL_EXP_DESC,
                                                             nullptr, kinds};
        const ze_event_pool_desc_t description{ZE_STRUCTURE_TYPE_EVENT_POOL_DESC, &counted, 0, 1};
        ze_event_pool_handle_t pool = nullptr;
        EXPECT_OK(CALL(zeEventPoolCreate)(context, &description, 0, nullptr, &pool));
        const ze_event_desc_t one{ZE_STRUCTURE_TYPE_EVENT_DESC, nullptr, 0, 0, 0};
        ze_event_handle_t created = nullptr;
        EXPECT_OK(CALL(zeEventCreate)(pool, &one, &created));
        return created;
    };
    constexpr auto kImmediate = ZE_EVENT_COUNTER_BASED_FLAG_IMMEDIATE;
    constexpr auto kRegular = ZE_EVENT_COUNTER_BASED_FLAG_NON_IMMEDIATE;
    const struct {
        ze_command_list_handle_t list;
        std::uint32_t taken;  // the kinds of events that it may signal
    } lists[] = {{immediate(), 0},
                 {regular(0), 0},
                 {immediate(ZE_COMMAND_QUEUE_FLAG_IN_ORDER), kImmediate},
                 {regular(ZE_COMMAND_LIST_FLAG_IN_ORDER), kRegular}};
    for (const auto& each : lists) {
        for (const std::uint32_t kinds : {std::uint32_t{0}, std::uint32_t{kImmediate}, std::uint32_t{kRegular},
                                          std::uint32_t{kImmediate | kRegular}}) {
            for (auto* const counter : {event(kinds), pooled(kinds)}) {
                const bool taken = each.taken & (kinds ? kinds : std::uint32_t{kImmediate});
                EXPECT_EQ(CALL(zeCommandListAppendSignalEvent)(each.list, counter),
                          taken ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_INVALID_ARGUMENT)
                    << each.taken << " " << kinds;
                EXPECT_TRUE(taken || CALL(zeEventQueryStatus)(counter) == ZE_RESULT_SUCCESS);
                EXPECT_OK(
                    CALL(zeCommandListAppendWaitOnEvents)(regular(0), 1, const_cast<ze_event_handle_t*>(&counter)))
                    << "any list may wait for it";
            }
        }
    }
}

TEST_F(CounterEventTest, PoolsForNoListOrForOtherProcessesAreRefused) {
    ze_event_pool_counter_based_exp_desc_t counted{ZE_STRUCTURE_TYPE_COUNTER_BASED_EVENT_POOL_EXP_DESC, nullptr, 0x4};
    ze_event_pool_desc_t description{ZE_STRUCTURE_TYPE_EVENT_POOL_DESC, &counted, 0, 1};
    ze_event_pool_handle_t pool = nullptr;
    EXPECT_EQ(CALL(zeEventPoolCreate)(context, &description, 0, nullptr, &pool), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    counted.flags = ZE_EVENT_POOL_COUNTER_BASED_EXP_FLAG_IMMEDIATE;
    description.flags = ZE_EVENT_POOL_FLAG_IPC;
    EXPECT_EQ(CALL(zeEventPoolCreate)(context, &description, 0, nullptr, &pool), ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
}

TEST_F(CounterEventTest, BadDescriptionsAreRefused) {
    ze_event_handle_t created = nullptr;
    EXPECT_EQ(make(0x80, &created), ZE_RESULT_ERROR_INVALID_ENUMERATION);
    EXPECT_EQ(make(ZE_EVENT_COUNTER_BASED_FLAG_DEVICE_TIMESTAMP | ZE_EVENT_COUNTER_BASED_FLAG_HOST_TIMESTAMP, &created),
              ZE_RESULT_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(make(ZE_EVENT_COUNTER_BASED_FLAG_IPC | ZE_EVENT_COUNTER_BASED_FLAG_HOST_TIMESTAMP, &created),
              ZE_RESULT_ERROR_INVALID_ARGUMENT);
    struct {
        ze_structure_type_t stype = static_cast<ze_structure_type_t>(0x0002003b);
        const void* pNext = nullptr;
        std::uint64_t* device = nullptr;
        std::uint64_t* host = nullptr;
        std::uint64_t value = 1;
    } external;
    EXPECT_EQ(make(0, &created, &external), ZE_RESULT_ERROR_INVALID_ARGUMENT) << "the counter is nowhere";
    EXPECT_EQ(CALL(zeEventCounterBasedCreate)(context, device, nullptr, &created),
              ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    EXPECT_EQ(CALL(zeEventCounterBasedCreate)(context, nullptr, nullptr, &created),
              ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    EXPECT_EQ(created, nullptr);
}

TEST_F(CounterEventTest, AHandleStandsForOneSignal) {
    auto* shared = event(ZE_EVENT_COUNTER_BASED_FLAG_IPC);
    const auto list = immediate(ZE_COMMAND_QUEUE_FLAG_IN_ORDER);
    ASSERT_OK(CALL(zeCommandListAppendBarrier)(list, shared, 0, nullptr));
    ze_ipc_event_counter_based_handle_t handle;
    ASSERT_OK(CALL(zeEventCounterBasedGetIpcHandle)(shared, &handle));
    ze_event_handle_t opened = nullptr;
    ASSERT_OK(CALL(zeEventCounterBasedOpenIpcHandle)(context, handle, &opened));
    EXPECT_OK(CALL(zeEventHostSynchronize)(opened, UINT64_MAX));
    EXPECT_EQ(CALL(zeEventCounterBasedCloseIpcHandle)(shared), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    EXPECT_OK(CALL(zeEventCounterBasedCloseIpcHandle)(opened));
    EXPECT_EQ(CALL(zeEventCounterBasedCloseIpcHandle)(opened), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    std::memset(&handle, 0x11, sizeof handle);
    EXPECT_EQ(CALL(zeEventCounterBasedOpenIpcHandle)(context, handle, &opened), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(CALL(zeEventCounterBasedGetIpcHandle)(event(0), &handle), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    EXPECT_OK(CALL(zeCommandListDestroy)(list));
}

TEST_F(CounterEventTest, TheNumberOfTimestampsIsKnownBeforeTheSignal) {
    std::uint32_t count = 0;
    EXPECT_OK(CALL(zeEventQueryTimestampsExp)(event(0), device, &count, nullptr));
    EXPECT_EQ(count, 1u);
}

}  // namespace
}  // namespace zetl::emulator::driver::test
