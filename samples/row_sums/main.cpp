// Adds up the rows of a matrix with the kernel of a file and checks the result. Two kernels that do the same wait in
// different places: docs/tutorials/where-a-kernel-waits.md compares them.
//
//     row_sums [FILE]
//
// FILE has the kernel `row_sums` in OpenCL C; without it the program takes one_by_one.cl of this directory. The kernel
// is compiled when the program runs, optimized and with source lines. Exit code 0: all sums are right; 1: some are
// wrong, or an error.
#include <cstdint>
#include <cstdio>
#include <vector>

#include "session/check.h"
#include "session/session.h"
#include "session/source_file.h"

namespace {

constexpr std::uint32_t kRows = 1024;
constexpr std::int32_t kColumns = 256;
constexpr std::uint32_t kGroupSize = 64;

std::vector<float> sumsOf(const std::vector<float>& values, const session::Session& session,
                          const session::Kernel& rowSums) {
    session::Commands commands(session);
    const auto bytes = values.size() * sizeof(float);
    const session::Buffer in(session, bytes);
    const session::Buffer out(session, kRows * sizeof(float));
    std::vector<float> sums(kRows);
    const ze_group_count_t groups{kRows / kGroupSize, 1, 1};
    CHECK(zeKernelSetGroupSize(rowSums.kernel, kGroupSize, 1, 1));
    CHECK(zeKernelSetArgumentValue(rowSums.kernel, 0, sizeof in.pointer, &in.pointer));
    CHECK(zeKernelSetArgumentValue(rowSums.kernel, 1, sizeof out.pointer, &out.pointer));
    CHECK(zeKernelSetArgumentValue(rowSums.kernel, 2, sizeof kColumns, &kColumns));
    CHECK(zeCommandListAppendMemoryCopy(commands.list, in.pointer, values.data(), bytes, nullptr, 0, nullptr));
    CHECK(zeCommandListAppendBarrier(commands.list, nullptr, 0, nullptr));
    CHECK(zeCommandListAppendLaunchKernel(commands.list, rowSums.kernel, &groups, nullptr, 0, nullptr));
    CHECK(zeCommandListAppendBarrier(commands.list, nullptr, 0, nullptr));
    CHECK(zeCommandListAppendMemoryCopy(commands.list, sums.data(), out.pointer, kRows * sizeof(float), nullptr, 0,
                                        nullptr));
    commands.run();
    return sums;
}

/// Every value of a row is its number, so that sums are exact in any order.
std::vector<float> matrix() {
    std::vector<float> values;
    for (std::uint32_t row = 0; row < kRows; ++row) values.insert(values.end(), kColumns, static_cast<float>(row));
    return values;
}

}  // namespace

int main(int count, char** arguments) {
    const auto file = session::sourceFile(count > 1 ? arguments[1] : ROW_SUMS_KERNEL);
    const session::Session session;
    const session::Kernel rowSums(session, file.text, "row_sums", "-g", file.path.c_str());
    const auto sums = sumsOf(matrix(), session, rowSums);
    std::uint32_t right = 0;
    for (std::uint32_t row = 0; row < kRows; ++row) right += sums[row] == static_cast<float>(kColumns * row) ? 1 : 0;
    std::printf("row_sums: %u of %u sums are right\n", right, kRows);
    return right == kRows ? 0 : 1;
}
