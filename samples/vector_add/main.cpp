// Adds two vectors on the GPU and checks the sum: compiles OpenCL C to SPIR-V, lets the driver compile that to machine
// code, copies, and launches. Exit code 0: the sum is right. 1: it is wrong, or an error. 2: the device accepts work
// but does not execute it, as Intel's driver does in its capture mode, which needs no GPU.
#include <cstdint>
#include <cstdio>
#include <vector>

#include "session/check.h"
#include "session/session.h"

namespace {

const char* const kSource = R"(
kernel void vector_add(global const float* a, global const float* b, global float* sum) {
    const size_t i = get_global_id(0);
    sum[i] = a[i] + b[i];
})";

constexpr std::uint32_t kElements = 4096;
constexpr std::uint32_t kGroupSize = 64;
constexpr float kUntouched = -1.0f;

void appendWork(const session::Commands& commands, const session::Kernel& add, const std::vector<float>& input,
                const session::Buffer& a, const session::Buffer& b, const session::Buffer& sum,
                std::vector<float>& output) {
    const auto bytes = input.size() * sizeof(float);
    CHECK(zeCommandListAppendMemoryCopy(commands.list, a.pointer, input.data(), bytes, nullptr, 0, nullptr));
    CHECK(zeCommandListAppendMemoryCopy(commands.list, b.pointer, input.data(), bytes, nullptr, 0, nullptr));
    CHECK(zeCommandListAppendBarrier(commands.list, nullptr, 0, nullptr));
    const ze_group_count_t groups{kElements / kGroupSize, 1, 1};
    CHECK(zeCommandListAppendLaunchKernel(commands.list, add.kernel, &groups, nullptr, 0, nullptr));
    CHECK(zeCommandListAppendBarrier(commands.list, nullptr, 0, nullptr));
    CHECK(zeCommandListAppendMemoryCopy(commands.list, output.data(), sum.pointer, bytes, nullptr, 0, nullptr));
}

int judge(const std::vector<float>& input, const std::vector<float>& output) {
    std::uint32_t untouched = 0;
    std::uint32_t right = 0;
    for (std::uint32_t i = 0; i < kElements; ++i) {
        untouched += output[i] == kUntouched ? 1 : 0;
        right += output[i] == 2 * input[i] ? 1 : 0;
    }
    if (untouched == kElements) {
        std::printf(
            "vector_add: nothing came back: this device accepts work but does not execute it; result unchecked\n");
        return 2;
    }
    std::printf("vector_add: %u of %u sums are right\n", right, kElements);
    return right == kElements ? 0 : 1;
}

}  // namespace

int main() {
    const session::Session session;
    const session::Kernel add(session, kSource, "vector_add");
    session::Commands commands(session);

    std::vector<float> input(kElements);
    std::vector<float> output(kElements, kUntouched);
    for (std::uint32_t i = 0; i < kElements; ++i) input[i] = static_cast<float>(i) * 0.5f;
    const session::Buffer a(session, kElements * sizeof(float));
    const session::Buffer b(session, kElements * sizeof(float));
    const session::Buffer sum(session, kElements * sizeof(float));

    CHECK(zeKernelSetGroupSize(add.kernel, kGroupSize, 1, 1));
    const void* const arguments[] = {a.pointer, b.pointer, sum.pointer};
    for (std::uint32_t i = 0; i < 3; ++i) CHECK(zeKernelSetArgumentValue(add.kernel, i, sizeof(void*), &arguments[i]));
    appendWork(commands, add, input, a, b, sum, output);
    commands.run();
    return judge(input, output);
}
