// A program with mistakes in its kernel, to practise on with `zetl check` (docs/tutorials/find-a-race.md): it adds up
// blocks of numbers and checks the result.
//
//     check_me [FILE]
//
// FILE has the kernel in OpenCL C; without it the program takes block_sums.cl of this directory. The kernel is compiled
// when the program runs, with debug information. Exit code 0: all sums are right; 1: some are wrong, or an error.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "session/check.h"
#include "session/session.h"
#include "session/source_file.h"

namespace {

constexpr std::uint32_t kBlock = 64;
constexpr std::uint32_t kBlocks = 16;
constexpr std::int32_t kCount = 1000;  // the last block is not full

std::vector<float> sumsOf(const std::vector<float>& values, const session::Session& session,
                          const session::Kernel& blockSums) {
    session::Commands commands(session);
    const session::Buffer input(session, values.size() * sizeof(float));
    const session::Buffer output(session, kBlocks * sizeof(float));
    std::vector<float> sums(kBlocks);
    const ze_group_count_t groups{kBlocks, 1, 1};
    CHECK(zeKernelSetGroupSize(blockSums.kernel, kBlock, 1, 1));
    CHECK(zeKernelSetArgumentValue(blockSums.kernel, 0, sizeof input.pointer, &input.pointer));
    CHECK(zeKernelSetArgumentValue(blockSums.kernel, 1, sizeof output.pointer, &output.pointer));
    CHECK(zeKernelSetArgumentValue(blockSums.kernel, 2, sizeof kCount, &kCount));
    CHECK(zeCommandListAppendMemoryCopy(commands.list, input.pointer, values.data(), values.size() * sizeof(float),
                                        nullptr, 0, nullptr));
    CHECK(zeCommandListAppendBarrier(commands.list, nullptr, 0, nullptr));
    CHECK(zeCommandListAppendLaunchKernel(commands.list, blockSums.kernel, &groups, nullptr, 0, nullptr));
    CHECK(zeCommandListAppendBarrier(commands.list, nullptr, 0, nullptr));
    CHECK(zeCommandListAppendMemoryCopy(commands.list, sums.data(), output.pointer, kBlocks * sizeof(float), nullptr, 0,
                                        nullptr));
    commands.run();
    return sums;
}

/// Every value is 1, so a sum is the number of values in its block.
int judge(const std::vector<float>& sums) {
    std::uint32_t right = 0;
    for (std::uint32_t block = 0; block < kBlocks; ++block) {
        const std::uint32_t expected = std::min(kBlock, static_cast<std::uint32_t>(kCount) - block * kBlock);
        right += static_cast<double>(sums[block]) == expected ? 1 : 0;
    }
    std::printf("check_me: %u of %u sums are right\n", right, kBlocks);
    return right == kBlocks ? 0 : 1;
}

}  // namespace

int main(int count, char** arguments) {
    const auto file = session::sourceFile(count > 1 ? arguments[1] : CHECK_ME_KERNEL);
    const session::Session session;
    const session::Kernel blockSums(session, file.text, "block_sums", "-g", file.path.c_str());
    return judge(sumsOf(std::vector<float>(kCount, 1.0f), session, blockSums));
}
