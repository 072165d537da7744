#include "unit/driver/direct.h"

namespace zetl::emulator::driver::test {
namespace {

class EventTest : public DriverTest {
  protected:
    ze_event_pool_handle_t pool(ze_event_pool_flags_t flags = 0, std::uint32_t count = 2) {
        const ze_event_pool_desc_t description{ZE_STRUCTURE_TYPE_EVENT_POOL_DESC, nullptr, flags, count};
        ze_event_pool_handle_t created = nullptr;
        EXPECT_OK(CALL(zeEventPoolCreate)(context, &description, 0, nullptr, &created));
        return created;
    }
    static ze_result_t create(ze_event_pool_handle_t pool, std::uint32_t index, ze_event_handle_t* event) {
        const ze_event_desc_t description{ZE_STRUCTURE_TYPE_EVENT_DESC, nullptr, index, 0, ZE_EVENT_SCOPE_FLAG_HOST};
        return CALL(zeEventCreate)(pool, &description, event);
    }
};

TEST_F(EventTest, HostSignalsAndResets) {
    ze_event_handle_t event = nullptr;
    ASSERT_OK(create(pool(), 1, &event));
    EXPECT_EQ(CALL(zeEventQueryStatus)(event), ZE_RESULT_NOT_READY);
    EXPECT_EQ(CALL(zeEventHostSynchronize)(event, 1000), ZE_RESULT_NOT_READY);
    EXPECT_OK(CALL(zeEventHostSignal)(event));
    EXPECT_OK(CALL(zeEventHostSynchronize)(event, UINT64_MAX));
    EXPECT_OK(CALL(zeEventHostReset)(event));
    EXPECT_EQ(CALL(zeEventQueryStatus)(event), ZE_RESULT_NOT_READY);
    EXPECT_OK(CALL(zeEventDestroy)(event));
}

TEST_F(EventTest, BadPoolsAndIndicesAreRefused) {
    ze_event_pool_desc_t description{ZE_STRUCTURE_TYPE_EVENT_POOL_DESC, nullptr, 0, 0};
    ze_event_pool_handle_t created = nullptr;
    EXPECT_EQ(CALL(zeEventPoolCreate)(context, &description, 0, nullptr, &created), ZE_RESULT_ERROR_INVALID_SIZE);
    description.count = 1;
    EXPECT_EQ(CALL(zeEventPoolCreate)(context, &description, 1, nullptr, &created), ZE_RESULT_ERROR_INVALID_SIZE);
    description.flags = ZE_BIT(30);
    EXPECT_EQ(CALL(zeEventPoolCreate)(context, &description, 0, nullptr, &created),
              ZE_RESULT_ERROR_INVALID_ENUMERATION);
    ze_event_handle_t event = nullptr;
    EXPECT_EQ(create(pool(), 2, &event), ZE_RESULT_ERROR_INVALID_ARGUMENT);
}

TEST_F(EventTest, TimestampsNeedAPoolThatHasThem) {
    ze_event_handle_t plain = nullptr;
    ze_event_handle_t timed = nullptr;
    ASSERT_OK(create(pool(), 0, &plain));
    ASSERT_OK(create(pool(ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP), 0, &timed));
    ze_kernel_timestamp_result_t result;
    EXPECT_EQ(CALL(zeEventQueryKernelTimestamp)(plain, &result), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(CALL(zeEventQueryKernelTimestamp)(timed, &result), ZE_RESULT_NOT_READY);
    const auto list = immediate();
    ASSERT_OK(CALL(zeCommandListAppendBarrier)(list, timed, 0, nullptr));
    ASSERT_OK(CALL(zeEventQueryKernelTimestamp)(timed, &result));
    EXPECT_LT(result.global.kernelStart, result.global.kernelEnd);
    EXPECT_OK(CALL(zeCommandListDestroy)(list));
}

TEST_F(EventTest, OnlySharedPoolsHaveIpcHandles) {
    ze_ipc_event_pool_handle_t handle;
    EXPECT_EQ(CALL(zeEventPoolGetIpcHandle)(pool(), &handle), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    const auto shared = pool(ZE_EVENT_POOL_FLAG_IPC);
    ASSERT_OK(CALL(zeEventPoolGetIpcHandle)(shared, &handle));
    ze_event_pool_handle_t opened = nullptr;
    ASSERT_OK(CALL(zeEventPoolOpenIpcHandle)(context, handle, &opened));
    ze_event_handle_t here = nullptr;
    ze_event_handle_t there = nullptr;
    ASSERT_OK(create(shared, 1, &here));
    ASSERT_OK(create(opened, 1, &there));
    EXPECT_OK(CALL(zeEventHostSignal)(here));
    EXPECT_OK(CALL(zeEventQueryStatus)(there));
    EXPECT_EQ(CALL(zeEventPoolCloseIpcHandle)(shared), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    EXPECT_OK(CALL(zeEventPoolCloseIpcHandle)(opened));
}

}  // namespace
}  // namespace zetl::emulator::driver::test
