// A program for `zetl check`: its kernel has the mistake that the argument names.
//
//     mistaken_program none|beyond|race|named|order|killed|forks|twice
//
// beyond: an inlined function writes behind the end of a buffer. race: work-groups add to one number. named: the same
// in a kernel of C++. order: beyond, if the second work-group is the first to come to an atomic. killed: as beyond,
// then the program kills itself. forks: none, then a child calls the driver, which is its parent's, and ends. twice:
// beyond, in the program and in a child that was forked first.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
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
constexpr const char* kNamed = "_ZTSN6solver4raceE";
constexpr const char* kOrder = R"(
kernel void order(global int* numbers, int shift) {
    int ticket = get_local_id(0) == 0 ? atomic_inc(numbers) : 1;
    if (ticket == 0 && get_group_id(0) == 1) numbers[64 + shift] = 1;
}
)";
constexpr std::uint32_t kItems = 64;

/// Waits for the child, if this is not the child.
void await(pid_t child) {
    int status = 0;
    if (child > 0) waitpid(child, &status, 0);
}

/// All of it is refused, because the machine is the parent's.
void callAsAChild(const session::Session& session, const session::Commands& commands, void* memory) {
    const ze_device_mem_alloc_desc_t description{ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC, nullptr, 0, 0};
    void* made = nullptr;
    zeMemAllocDevice(session.context, &description, 256, 64, session.device, &made);
    zeCommandListAppendMemoryFill(commands.list, memory, "", 1, 256, nullptr, 0, nullptr);
    zeMemFree(session.context, memory);
    std::exit(0);
}

}  // namespace

int main(int count, char** arguments) {
    const std::string_view mistake = count > 1 ? arguments[1] : "none";
    const pid_t other = mistake == "twice" ? fork() : 0;
    const session::Session session;
    const bool isKnown = mistake == "race" || mistake == "order";
    const std::string name(isKnown ? mistake : mistake == "named" ? kNamed : "beyond");
    std::string source = name == "order" ? kOrder : isKnown || name == kNamed ? kRace : kBeyond;
    if (name == kNamed) source.replace(source.find("race"), 4, kNamed);
    const session::Kernel kernel(session, source, name.c_str(), "-g", "/src/mistaken.cl");
    session::Commands commands(session);
    const session::Buffer numbers(session, kItems * sizeof(std::int32_t));
    const std::int32_t zero = 0;
    const std::int32_t shift = mistake == "beyond" || mistake == "killed" || mistake == "twice" ? 1 : 0;
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
    if (mistake == "forks") {
        const pid_t child = fork();
        if (child == 0) callAsAChild(session, commands, numbers.pointer);
        await(child);
    }
    await(other);
    std::printf("mistaken_program: done\n");
    return 0;
}
