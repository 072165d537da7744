// The driver's entry points, called without a loader.
#pragma once

#include <gtest/gtest.h>

#include "emulator/driver/entry/tables.h"

namespace zetl::emulator::driver::test {

/// The served function of that name with the type the headers give it: CALL(zeInit)(0).
#define CALL(name) reinterpret_cast<decltype(&::name)>(::zetl::emulator::driver::servedFunction(#name))
#define ASSERT_OK(call) ASSERT_EQ(call, ZE_RESULT_SUCCESS)
#define EXPECT_OK(call) EXPECT_EQ(call, ZE_RESULT_SUCCESS)

/// Driver, device and a context of its own for each test.
class DriverTest : public testing::Test {
  protected:
    void SetUp() override {
        ASSERT_OK(CALL(zeInit)(0));
        std::uint32_t one = 1;
        ASSERT_OK(CALL(zeDriverGet)(&one, &driver));
        ASSERT_OK(CALL(zeDeviceGet)(driver, &one, &device));
        const ze_context_desc_t description{ZE_STRUCTURE_TYPE_CONTEXT_DESC, nullptr, 0};
        ASSERT_OK(CALL(zeContextCreate)(driver, &description, &context));
    }
    void TearDown() override { EXPECT_OK(CALL(zeContextDestroy)(context)); }

    ze_command_list_handle_t immediate(ze_command_queue_flags_t flags = 0) const {
        ze_command_queue_desc_t description{};
        description.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC;
        description.flags = flags;
        description.mode = ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS;
        ze_command_list_handle_t list = nullptr;
        EXPECT_OK(CALL(zeCommandListCreateImmediate)(context, device, &description, &list));
        return list;
    }

    ze_driver_handle_t driver = nullptr;
    ze_device_handle_t device = nullptr;
    ze_context_handle_t context = nullptr;
};

}  // namespace zetl::emulator::driver::test
