// A program for `zetl check`: its kernel has the mistake that the argument names.
//
//     mistaken_program none|beyond|race|order|killed
//
// beyond: an inlined function writes behind the end of a buffer. race: work-groups add to one number. order:
// beyond, if the second work-group is the first to come to an atomic. killed: as
// beyond, then the program kills itself.
#include <signal.h>

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

#include "session/check.h"
#include "session/session.h"

namespace {

// A module each: Intel's compiler 22.43 writes no line table for one with several kernels.
constexpr const char* kBeyond = R"(
inline void put(global int* to, int at, int value) { to[at] = value; }
kernel void beyond(global int* numbers, int shift) {
    put(numbers, get_global_id(0) + shift, 1);
}
)";
constexpr const char* kRace = R"(
kernel void race(global int* numbers, int shift) {
    numbers[shift] += get_global_id(0);
}
)";
constexpr const char* kOrder = R"(
kernel void order(global int* numbers, int shift) {
    int ticket = get_local_id(0) == 0 ? atomic_inc(numbers) : 1;
    if (ticket == 0 && get_group_id(0) == 1) numbers[64 + shift] = 1;
}
)";
constexpr std::uint32_t kItems = 64;

}  // namespace

int main(int count, char** arguments) {
    const std::string_view mistake = count > 1 ? arguments[1] : "none";
    const session::Session session;
    const bool isKnown = mistake == "race" || mistake == "order";
    const std::string name(isKnown ? mistake : "beyond");
    const char* const source = name == "race" ? kRace : name == "order" ? kOrder : kBeyond;
    const session::Kernel kernel(session, source, name.c_str(), "-g", "/src/mistaken.cl");
    session::Commands commands(session);
    const session::Buffer numbers(session, kItems * sizeof(std::int32_t));
    const std::int32_t zero = 0;
    const std::int32_t shift = mistake == "beyond" || mistake == "killed" ? 1 : 0;
    const ze_group_count_t groups{2, 1, 1};
    CHECK(zeKernelSetGroupSize(kernel.kernel, kItems / 2, 1, 1));
    CHECK(zeKernelSetArgumentValue(kernel.kernel, 0, sizeof numbers.pointer, &numbers.pointer));
    CHECK(zeKernelSetArgumentValue(kernel.kernel, 1, sizeof shift, &shift));
    CHECK(zeCommandListAppendMemoryFill(commands.list, numbers.pointer, &zero, sizeof zero,
                                        kItems * sizeof(std::int32_t), nullptr, 0, nullptr));
    CHECK(zeCommandListAppendBarrier(commands.list, nullptr, 0, nullptr));
    CHECK(zeCommandListAppendLaunchKernel(commands.list, kernel.kernel, &groups, nullptr, 0, nullptr));
    commands.run();
    if (mistake == "killed") raise(SIGKILL);
    std::printf("mistaken_program: done\n");
    return 0;
}
