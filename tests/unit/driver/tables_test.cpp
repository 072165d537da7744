#include "emulator/driver/entry/tables.h"

#include <gtest/gtest.h>

#include <vector>

#include "ddi/table_size.h"

namespace zetl::emulator::driver {
namespace {

TEST(Tables, AreFilledAsFarAsTheCallerHasRoom) {
    int marker = 0;
    void* const untouched = &marker;
    for (std::size_t i = 0; i < ddi::kTables; ++i) {
        const auto table = static_cast<ddi::Table>(i);
        for (const std::uint32_t minor : {0u, 4u, 9u, 12u, 17u}) {
            const auto version = static_cast<ze_api_version_t>(ZE_MAKE_VERSION(1, minor));
            std::vector<void*> slots(ddi::slots(table) + 1, untouched);
            ASSERT_EQ(fillTable(table, version, slots.data()), ZE_RESULT_SUCCESS);
            const std::size_t usable = ddi::usableSlots(table, version);
            for (std::size_t slot = 0; slot < slots.size(); ++slot) {
                EXPECT_EQ(slots[slot] == untouched, slot >= usable) << "table " << i << " slot " << slot;
                EXPECT_NE(slots[slot], nullptr);
            }
        }
    }
}

TEST(Tables, ANullTableIsRefused) {
    EXPECT_EQ(fillTable(ddi::Table::zeDevice, ZE_API_VERSION_1_9, nullptr), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
}

TEST(Tables, WhatIsNotServedSaysSo) {
    std::vector<void*> slots(ddi::slots(ddi::Table::zeRTASBuilderExp));
    ASSERT_EQ(fillTable(ddi::Table::zeRTASBuilderExp, ZE_API_VERSION_1_9, slots.data()), ZE_RESULT_SUCCESS);
    const auto create = reinterpret_cast<decltype(&::zeRTASBuilderCreateExp)>(slots[0]);
    EXPECT_EQ(create(nullptr, nullptr, nullptr), ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    EXPECT_EQ(servedFunction("zeRTASBuilderCreateExp"), nullptr);
    EXPECT_NE(servedFunction("zeMemFree"), nullptr);
}

TEST(Tables, AFunctionCanBeServedLater) {
    static const auto answer = [](zet_device_handle_t, zet_device_debug_properties_t*) { return ZE_RESULT_NOT_READY; };
    ze_result_t (*own)(zet_device_handle_t, zet_device_debug_properties_t*) = answer;
    serve(ddi::Function::zetDeviceGetDebugProperties, reinterpret_cast<void*>(own));
    std::vector<void*> slots(ddi::slots(ddi::Table::zetDevice));
    ASSERT_EQ(fillTable(ddi::Table::zetDevice, ZE_API_VERSION_1_9, slots.data()), ZE_RESULT_SUCCESS);
    EXPECT_EQ(slots[0], reinterpret_cast<void*>(own));
}

}  // namespace
}  // namespace zetl::emulator::driver
