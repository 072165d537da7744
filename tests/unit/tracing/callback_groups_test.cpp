#include "tracing/callback_groups.h"

#include <gtest/gtest.h>

#include <cstring>
#include <set>

namespace zetl::tracing {
namespace {

/// The setting that stands for one member of the table.
template <class Member>
ddi::Function functionOf(Member ze_callbacks_t::*group, std::size_t member) {
    ze_callbacks_t table{};
    const auto mark = reinterpret_cast<void*>(0x77);
    std::memcpy(reinterpret_cast<std::byte*>(&(table.*group)) + member * sizeof mark, &mark, sizeof mark);
    for (const auto& each : settingsOf(table, Phase::prologue))
        if (each.callback) return each.function;
    return ddi::Function(ddi::kFunctions);
}

TEST(CallbackGroups, NameTheFunctionsTheirMembersAreNamedAfter) {
    EXPECT_EQ(functionOf(&ze_callbacks_t::Global, 0), ddi::Function::zeInit);
    EXPECT_EQ(functionOf(&ze_callbacks_t::Fence, offsetof(ze_fence_callbacks_t, pfnResetCb) / sizeof(void*)),
              ddi::Function::zeFenceReset);
    EXPECT_EQ(functionOf(&ze_callbacks_t::CommandList,
                         offsetof(ze_command_list_callbacks_t, pfnAppendLaunchKernelCb) / sizeof(void*)),
              ddi::Function::zeCommandListAppendLaunchKernel);
    EXPECT_EQ(functionOf(&ze_callbacks_t::VirtualMem,
                         offsetof(ze_virtual_mem_callbacks_t, pfnGetAccessAttributeCb) / sizeof(void*)),
              ddi::Function::zeVirtualMemGetAccessAttribute);
    EXPECT_EQ(functionOf(&ze_callbacks_t::ModuleBuildLog, 1), ddi::Function::zeModuleBuildLogGetString);
}

TEST(CallbackGroups, CoverEachOf120FunctionsOnce) {
    std::set<ddi::Function> functions;
    for (const auto& each : settingsOf({}, Phase::epilogue)) {
        EXPECT_TRUE(functions.insert(each.function).second) << ddi::row(each.function).name;
        EXPECT_EQ(ddi::row(each.function).minor, 0) << ddi::row(each.function).name;
    }
    EXPECT_EQ(functions.size(), 120u);
}

}  // namespace
}  // namespace zetl::tracing
