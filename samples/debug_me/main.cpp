// A program with a bug in its kernel, to practise on with `zetl debug` (docs/tutorials/find-a-wrong-result.md): it
// computes the mean of each row of a matrix and checks the result.
//
//     debug_me [FILE]
//
// FILE has the kernel in OpenCL C; without it the program takes row_mean.cl of this directory. The kernel is compiled
// when the program runs, with debug information and without optimization. Exit code 0: all means are right; 1: some are
// wrong, or an error.
#include <cstdint>
#include <cstdio>
#include <vector>

#include "session/check.h"
#include "session/session.h"
#include "session/source_file.h"

namespace {

constexpr std::int32_t kRows = 8;
constexpr std::int32_t kColumns = 16;

/// Row r has the values 100 r, 100 r + 1, and so on.
std::vector<float> matrix() {
    std::vector<float> values;
    for (std::int32_t row = 0; row < kRows; ++row)
        for (std::int32_t column = 0; column < kColumns; ++column)
            values.push_back(static_cast<float>(100 * row + column));
    return values;
}

std::vector<float> meansOf(const std::vector<float>& values, const session::Session& session,
                           const session::Kernel& rowMean) {
    session::Commands commands(session);
    const session::Buffer input(session, values.size() * sizeof(float));
    const session::Buffer output(session, kRows * sizeof(float));
    std::vector<float> means(kRows);
    const ze_group_count_t groups{1, 1, 1};
    CHECK(zeKernelSetGroupSize(rowMean.kernel, kRows, 1, 1));
    CHECK(zeKernelSetArgumentValue(rowMean.kernel, 0, sizeof input.pointer, &input.pointer));
    CHECK(zeKernelSetArgumentValue(rowMean.kernel, 1, sizeof output.pointer, &output.pointer));
    CHECK(zeKernelSetArgumentValue(rowMean.kernel, 2, sizeof kRows, &kRows));
    CHECK(zeKernelSetArgumentValue(rowMean.kernel, 3, sizeof kColumns, &kColumns));
    CHECK(zeCommandListAppendMemoryCopy(commands.list, input.pointer, values.data(), values.size() * sizeof(float),
                                        nullptr, 0, nullptr));
    CHECK(zeCommandListAppendBarrier(commands.list, nullptr, 0, nullptr));
    CHECK(zeCommandListAppendLaunchKernel(commands.list, rowMean.kernel, &groups, nullptr, 0, nullptr));
    CHECK(zeCommandListAppendBarrier(commands.list, nullptr, 0, nullptr));
    CHECK(zeCommandListAppendMemoryCopy(commands.list, means.data(), output.pointer, kRows * sizeof(float), nullptr, 0,
                                        nullptr));
    commands.run();
    return means;
}

int judge(const std::vector<float>& means) {
    std::int32_t right = 0;
    for (std::int32_t row = 0; row < kRows; ++row) {
        const double mean = static_cast<double>(means[static_cast<std::size_t>(row)]);
        const double expected = 100.0 * row + (kColumns - 1) / 2.0;
        right += mean == expected ? 1 : 0;
        if (mean != expected) std::printf("debug_me: row %d: got %g, expected %g\n", row, mean, expected);
    }
    std::printf("debug_me: %d of %d means are right\n", right, kRows);
    return right == kRows ? 0 : 1;
}

}  // namespace

int main(int count, char** arguments) {
    const auto file = session::sourceFile(count > 1 ? arguments[1] : DEBUG_ME_KERNEL);
    const session::Session session;
    const session::Kernel rowMean(session, file.text, "row_mean", "-g -cl-opt-disable", file.path.c_str());
    return judge(meansOf(matrix(), session, rowMean));
}
