// A program of two modules: a kernel in one calls a function in the other, which is linked on the device.
//
// Exit code 0: the numbers come from the program's own function. 1: other numbers, or an error. 2: the device accepts
// work but does not execute it.
#include <level_zero/ze_api.h>

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "session/check.h"
#include "session/session.h"
#include "session/spirv.h"

namespace {

const char* const kCaller = R"(
int price(int amount);
kernel void order(global int* data) { data[get_global_id(0)] = price(data[get_global_id(0)]); })";
const char* const kCallee = R"(
int price(int amount) { return 3 * amount; })";

constexpr std::uint32_t kOrders = 8;

ze_module_handle_t build(const session::Session& session, const char* source) {
    const auto spirv = session::compileToSpirv(source, "");
    const ze_module_desc_t description{
        ZE_STRUCTURE_TYPE_MODULE_DESC, nullptr, ZE_MODULE_FORMAT_IL_SPIRV, spirv.size(), spirv.data(),
        "-ze-library-compilation",     nullptr};
    ze_module_handle_t module = nullptr;
    CHECK(zeModuleCreate(session.context, session.device, &description, &module, nullptr));
    return module;
}

/// Amounts in, prices out.
void order(const session::Session& session, ze_module_handle_t module, std::vector<int>& data) {
    const ze_kernel_desc_t description{ZE_STRUCTURE_TYPE_KERNEL_DESC, nullptr, 0, "order"};
    ze_kernel_handle_t kernel = nullptr;
    CHECK(zeKernelCreate(module, &description, &kernel));
    const auto bytes = data.size() * sizeof(int);
    const session::Buffer buffer(session, bytes);
    session::Commands commands(session);
    const ze_group_count_t groups{1, 1, 1};
    CHECK(zeKernelSetGroupSize(kernel, kOrders, 1, 1));
    CHECK(zeKernelSetArgumentValue(kernel, 0, sizeof(void*), &buffer.pointer));
    CHECK(zeCommandListAppendMemoryCopy(commands.list, buffer.pointer, data.data(), bytes, nullptr, 0, nullptr));
    CHECK(zeCommandListAppendBarrier(commands.list, nullptr, 0, nullptr));
    CHECK(zeCommandListAppendLaunchKernel(commands.list, kernel, &groups, nullptr, 0, nullptr));
    CHECK(zeCommandListAppendBarrier(commands.list, nullptr, 0, nullptr));
    CHECK(zeCommandListAppendMemoryCopy(commands.list, data.data(), buffer.pointer, bytes, nullptr, 0, nullptr));
    commands.run();
    CHECK(zeKernelDestroy(kernel));
}

int judge(const std::vector<int>& prices) {
    std::uint32_t own = 0;
    std::uint32_t untouched = 0;
    std::printf("linked_modules:");
    for (std::uint32_t i = 0; i < kOrders; ++i) {
        const int amount = static_cast<int>(i) + 1;
        own += prices[i] == 3 * amount;
        untouched += prices[i] == amount;
        std::printf(" %d", prices[i]);
    }
    std::printf("%s\n", untouched == kOrders ? ": nothing came back: this device does not execute" : "");
    return untouched == kOrders ? 2 : own == kOrders ? 0 : 1;
}

}  // namespace

int main() {
    const session::Session session;
    ze_module_handle_t modules[] = {build(session, kCaller), build(session, kCallee)};
    CHECK(zeModuleDynamicLink(2, modules, nullptr));
    std::vector<int> data(kOrders);
    for (std::uint32_t i = 0; i < kOrders; ++i) data[i] = static_cast<int>(i) + 1;
    order(session, modules[0], data);
    for (auto* module : modules) CHECK(zeModuleDestroy(module));
    return judge(data);
}
