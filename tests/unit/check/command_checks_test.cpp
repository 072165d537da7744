// Programs with a mistake in the order of their commands or in their calls, each beside a twin without it: the mistake
// is reported, by name, and of the twin nothing is said.
#include <gtest/gtest.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <ostream>
#include <thread>

#include "checked_program.h"
#include "module/compiled.h"
#include "planted.h"

namespace zetl::emulator::driver::test {
namespace {

using zetl::check::Finding;
using zetl::check::Kind;
using Program = CheckedProgramTest;

struct PlantedProgram {
    const char* name;
    Kind kind;
    void (*run)(Program& p, bool wrong);
};

/// Does both, the second one first if that is the mistake.
template <class First, class Second>
void inTurn(bool wrong, First&& first, Second&& second) {
    if (wrong) second();
    first();
    if (!wrong) second();
}

std::ostream& operator<<(std::ostream& out, const PlantedProgram& one) { return out << one.name; }

const PlantedProgram kPrograms[] = {
    // Commands of one list.
    {"copy_after_copy", Kind::raceCommand,
     [](Program& p, bool wrong) {
         p.fill(p.list(), p.device("a"));
         p.finish(p.list());
         p.copy(p.list(), p.device("b"), p.device("a"));
         if (!wrong) p.barrier(p.list());
         p.copy(p.list(), p.device("c"), p.device("b"));
     }},
    {"fill_after_read", Kind::raceCommand,
     [](Program& p, bool wrong) {
         p.copy(p.list(), p.device("b"), p.device("a"));
         if (!wrong) p.barrier(p.list());
         p.fill(p.list(), p.device("a"));
     }},
    {"fills_overlap", Kind::raceCommand,
     [](Program& p, bool wrong) {
         p.fill(p.list(), p.device("a"), wrong ? 129 : 128);
         p.fill(p.list(), p.device("a") + 128, 128);
     }},
    {"list_is_not_in_order", Kind::raceCommand,
     [](Program& p, bool wrong) {
         const auto list = p.list(0, wrong ? Program::Order::free : Program::Order::inOrder);
         p.fill(list, p.device("a"));
         p.copy(list, p.device("b"), p.device("a"));
     }},
    {"barrier_is_too_early", Kind::raceCommand,
     [](Program& p, bool wrong) {
         if (wrong) p.barrier(p.list());
         p.fill(p.list(), p.device("a"));
         if (!wrong) p.barrier(p.list());
         p.copy(p.list(), p.device("b"), p.device("a"));
     }},
    {"waits_for_the_command_before", Kind::raceCommand,
     [](Program& p, bool wrong) {
         p.fill(p.list(), p.device("c"), 256, wrong ? p.event("e") : nullptr);
         p.fill(p.list(), p.device("a"), 256, wrong ? nullptr : p.event("e"));
         p.copy(p.list(), p.device("b"), p.device("a"), 256, nullptr, {p.event("e")});
     }},
    {"one_of_two_events", Kind::raceCommand,
     [](Program& p, bool wrong) {
         p.fill(p.list(), p.device("a"), 128, p.event("e"));
         p.fill(p.list(), p.device("a") + 128, 128, p.event("f"));
         std::vector<ze_event_handle_t> waits{p.event("e")};
         if (!wrong) waits.push_back(p.event("f"));
         p.copy(p.list(), p.device("b"), p.device("a"), 256, nullptr, waits);
     }},
    {"kernel_reads_after_kernel", Kind::raceCommand,
     [](Program& p, bool wrong) {
         p.launch(p.list(), "writes", {p.device("a")});
         if (!wrong) p.barrier(p.list());
         p.launch(p.list(), "reads", {p.device("b"), p.device("a")});
     }},
    {"copy_after_kernel", Kind::raceCommand,
     [](Program& p, bool wrong) {
         p.launch(p.list(), "writes", {p.device("a")});
         if (!wrong) p.barrier(p.list());
         p.copy(p.list(), p.device("b"), p.device("a"));
     }},
    // The kernel reads what it writes, and only what it writes is in the way of the copy.
    {"kernel_changes_what_is_copied", Kind::raceCommand,
     [](Program& p, bool wrong) {
         p.fill(p.list(), p.device("a"));
         p.barrier(p.list());
         p.copy(p.list(), p.device("b"), p.device("a"));
         if (!wrong) p.barrier(p.list());
         p.launch(p.list(), "changes", {p.device("a")});
     }},
    {"kernel_after_copy", Kind::raceCommand,
     [](Program& p, bool wrong) {
         p.fill(p.list(), p.device("a"));
         if (!wrong) p.barrier(p.list());
         p.launch(p.list(), "reads", {p.device("b"), p.device("a")});
     }},
    {"atomics_and_a_copy", Kind::raceCommand,
     [](Program& p, bool wrong) {
         p.fill(p.list(), p.device("a"));
         p.barrier(p.list());
         p.launch(p.list(), "adds", {p.device("a")});
         p.launch(p.list(), "adds", {p.device("a")});
         if (!wrong) p.barrier(p.list());
         p.copy(p.list(), p.device("b"), p.device("a"), 4);
     }},
    // Lists, queues and the host.
    {"lists_without_event", Kind::raceCommand,
     [](Program& p, bool wrong) {
         p.fill(p.list(0), p.device("a"));
         if (!wrong) p.signal(p.list(0), "e");
         if (!wrong) p.wait(p.list(1), "e");
         p.copy(p.list(1), p.device("b"), p.device("a"));
     }},
    {"event_is_not_reset", Kind::raceCommand,
     [](Program& p, bool wrong) {
         p.signal(p.list(0), "e");
         p.hostWait("e");
         if (!wrong) p.hostReset("e");
         p.fill(p.list(0), p.device("a"));
         p.signal(p.list(0), "e");
         p.wait(p.list(1), "e");
         p.copy(p.list(1), p.device("b"), p.device("a"));
     }},
    {"event_is_reset_on_the_device", Kind::raceCommand,
     [](Program& p, bool wrong) {
         p.signal(p.list(0), "e");
         p.hostWait("e");
         if (!wrong) {
             EXPECT_OK(CALL(zeCommandListAppendEventReset)(p.list(0), p.event("e")));
         }
         p.finish(p.list(0));
         p.fill(p.list(0), p.device("a"));
         p.signal(p.list(0), "e");
         p.wait(p.list(1), "e");
         p.copy(p.list(1), p.device("b"), p.device("a"));
     }},
    {"host_does_not_wait_between_lists", Kind::raceCommand,
     [](Program& p, bool wrong) {
         p.fill(p.list(0), p.device("a"));
         if (!wrong) p.finish(p.list(0));
         p.copy(p.list(1), p.device("b"), p.device("a"));
     }},
    {"host_waits_for_another_event", Kind::raceCommand,
     [](Program& p, bool wrong) {
         p.fill(p.list(0), p.device("a"), 256, p.event("e"));
         p.fill(p.list(0), p.device("c"), 256, p.event("f"));
         p.hostWait(wrong ? "f" : "e");
         p.copy(p.list(1), p.device("b"), p.device("a"));
     }},
    {"host_asks_for_the_event", Kind::raceCommand,
     [](Program& p, bool wrong) {
         p.fill(p.list(0), p.device("a"), 256, p.event("e"));
         while (!wrong && CALL(zeEventQueryStatus)(p.event("e")) != ZE_RESULT_SUCCESS) continue;
         p.copy(p.list(1), p.device("b"), p.device("a"));
     }},
    {"host_signals_too_early", Kind::raceCommand,
     [](Program& p, bool wrong) {
         p.fill(p.list(0), p.device("a"));
         if (!wrong) p.finish(p.list(0));
         EXPECT_OK(CALL(zeEventHostSignal)(p.event("e")));
         p.wait(p.list(1), "e");
         p.copy(p.list(1), p.device("b"), p.device("a"));
     }},
    {"closed_list_without_barrier", Kind::raceCommand,
     [](Program& p, bool wrong) {
         const auto list = p.closed([&](ze_command_list_handle_t open) {
             p.fill(open, p.device("a"));
             if (!wrong) p.barrier(open);
             p.copy(open, p.device("b"), p.device("a"));
         });
         p.execute(p.queue(), list);
     }},
    {"lists_on_two_queues", Kind::raceCommand,
     [](Program& p, bool wrong) {
         const auto first = p.closed([&](ze_command_list_handle_t open) { p.fill(open, p.device("a")); });
         const auto second =
             p.closed([&](ze_command_list_handle_t open) { p.copy(open, p.device("b"), p.device("a")); });
         p.execute(p.queue(0), first);
         p.execute(p.queue(wrong ? 1 : 0), second);
     }},
    {"fence_is_not_waited_for", Kind::raceCommand,
     [](Program& p, bool wrong) {
         const auto first = p.closed([&](ze_command_list_handle_t open) { p.fill(open, p.device("a")); });
         const ze_fence_desc_t description{ZE_STRUCTURE_TYPE_FENCE_DESC, nullptr, 0};
         ze_fence_handle_t fence = nullptr;
         EXPECT_OK(CALL(zeFenceCreate)(p.queue(), &description, &fence));
         p.execute(p.queue(), first, fence);
         if (!wrong) {
             EXPECT_OK(CALL(zeFenceHostSynchronize)(fence, UINT64_MAX));
         }
         p.copy(p.list(), p.device("b"), p.device("a"));
         EXPECT_OK(CALL(zeFenceHostSynchronize)(fence, UINT64_MAX));
         EXPECT_OK(CALL(zeFenceDestroy)(fence));
     }},
    {"device_is_not_waited_for", Kind::raceCommand,
     [](Program& p, bool wrong) {
         p.fill(p.list(0), p.device("a"));
         if (!wrong) {
             EXPECT_OK(CALL(zeDeviceSynchronize)(p.itsDevice()));
         }
         p.copy(p.list(1), p.device("b"), p.device("a"));
     }},
    {"host_reads_too_early", Kind::raceHost,
     [](Program& p, bool wrong) {
         volatile char* const memory = p.shared("a");
         p.fill(p.list(), p.shared("a"));
         if (!wrong) p.finish(p.list());
         EXPECT_GE(memory[5], 0);
     }},
    {"host_writes_too_early", Kind::raceHost,
     [](Program& p, bool wrong) {
         volatile char* const memory = p.shared("a");
         p.copy(p.list(), p.device("b"), p.shared("a"));
         if (!wrong) p.finish(p.list());
         memory[7] = 1;
     }},
    {"host_writes_beside", Kind::raceHost,
     [](Program& p, bool wrong) {
         volatile char* const memory = p.shared("a");
         p.fill(p.list(), p.shared("a"), 128);
         memory[wrong ? 127 : 128] = 1;
     }},
    // The kernel, which mostly begins later, reads itself what the host has read.
    {"host_reads_what_a_kernel_changes", Kind::raceHost,
     [](Program& p, bool wrong) {
         volatile char* const memory = p.shared("a");
         p.launch(p.list(), "changes", {p.shared("a")});
         if (!wrong) p.finish(p.list());
         EXPECT_GE(memory[5], 0);
     }},
    // Memory.
    {"freed_twice", Kind::doubleFree,
     [](Program& p, bool wrong) {
         void* const memory = p.device("a");
         p.forget("a");
         EXPECT_OK(CALL(zeMemFree)(p.itsContext(), memory));
         if (wrong) {
             EXPECT_NE(CALL(zeMemFree)(p.itsContext(), memory), ZE_RESULT_SUCCESS);
         }
     }},
    {"freed_inside", Kind::badFree,
     [](Program& p, bool wrong) {
         char* const memory = p.device("a");
         if (wrong) {
             EXPECT_NE(CALL(zeMemFree)(p.itsContext(), memory + 64), ZE_RESULT_SUCCESS);
         }
         p.forget("a");
         EXPECT_OK(CALL(zeMemFree)(p.itsContext(), memory));
     }},
    {"freed_stack", Kind::badFree,
     [](Program& p, bool wrong) {
         int here = 0;
         if (wrong) {
             EXPECT_NE(CALL(zeMemFree)(p.itsContext(), &here), ZE_RESULT_SUCCESS);
         }
     }},
    {"freed_while_copied", Kind::freedInUse,
     [](Program& p, bool wrong) {
         void* const memory = p.device("a");
         p.copy(p.list(), p.device("b"), memory);
         p.finish(p.list());
         p.copy(p.list(), memory, p.device("b"));
         if (!wrong) p.finish(p.list());
         p.forget("a");
         EXPECT_OK(CALL(zeMemFree)(p.itsContext(), memory));
     }},
    {"freed_with_a_policy", Kind::freedInUse,
     [](Program& p, bool wrong) {
         void* const memory = p.device("a");
         p.copy(p.list(), p.device("b"), memory);
         p.forget("a");
         ze_memory_free_ext_desc_t description{ZE_STRUCTURE_TYPE_MEMORY_FREE_EXT_DESC, nullptr, 0};
         description.freePolicy = wrong ? 0 : ZE_DRIVER_MEMORY_FREE_POLICY_EXT_FLAG_DEFER_FREE;
         EXPECT_OK(CALL(zeMemFreeExt)(p.itsContext(), &description, memory));
     }},
    {"memory_is_left", Kind::leakedMemory,
     [](Program& p, bool wrong) {
         const ze_context_desc_t description{ZE_STRUCTURE_TYPE_CONTEXT_DESC, nullptr, 0};
         ze_context_handle_t other = nullptr;
         EXPECT_OK(CALL(zeContextCreate)(p.driver, &description, &other));
         const ze_host_mem_alloc_desc_t onHost{ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC, nullptr, 0};
         void* memory = nullptr;
         EXPECT_OK(CALL(zeMemAllocHost)(other, &onHost, 100, 64, &memory));
         if (!wrong) {
             EXPECT_OK(CALL(zeMemFree)(other, memory));
         }
         EXPECT_OK(CALL(zeContextDestroy)(other));
     }},
    {"a_pool_is_left", Kind::leakedObject,
     [](Program& p, bool wrong) {
         const ze_context_desc_t description{ZE_STRUCTURE_TYPE_CONTEXT_DESC, nullptr, 0};
         ze_context_handle_t other = nullptr;
         EXPECT_OK(CALL(zeContextCreate)(p.driver, &description, &other));
         const ze_event_pool_desc_t poolOf{ZE_STRUCTURE_TYPE_EVENT_POOL_DESC, nullptr, 0, 1};
         ze_event_pool_handle_t pool = nullptr;
         EXPECT_OK(CALL(zeEventPoolCreate)(other, &poolOf, 0, nullptr, &pool));
         if (!wrong) {
             EXPECT_OK(CALL(zeEventPoolDestroy)(pool));
         }
         EXPECT_OK(CALL(zeContextDestroy)(other));
         if (wrong) {
             EXPECT_OK(CALL(zeEventPoolDestroy)(pool));
         }
     }},
    {"memory_of_another_context", Kind::wrongContext,
     [](Program& p, bool wrong) {
         const ze_context_desc_t description{ZE_STRUCTURE_TYPE_CONTEXT_DESC, nullptr, 0};
         ze_context_handle_t other = nullptr;
         EXPECT_OK(CALL(zeContextCreate)(p.driver, &description, &other));
         const ze_host_mem_alloc_desc_t onHost{ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC, nullptr, 0};
         void* memory = nullptr;
         EXPECT_OK(CALL(zeMemAllocHost)(other, &onHost, 256, 64, &memory));
         p.launch(p.list(), "writes", {wrong ? memory : p.device("a")});
         p.finish(p.list());
         EXPECT_OK(CALL(zeMemFree)(other, memory));
         EXPECT_OK(CALL(zeContextDestroy)(other));
     }},
    // Life times.
    {"pool_before_event", Kind::lifetime,
     [](Program& p, bool wrong) {
         const auto pool = p.pool();
         const auto event = p.event("e");
         p.forgetEvents();
         p.forgetPool();
         inTurn(
             wrong, [&] { EXPECT_OK(CALL(zeEventDestroy)(event)); },
             [&] { EXPECT_OK(CALL(zeEventPoolDestroy)(pool)); });
     }},
    {"module_before_kernel", Kind::lifetime,
     [](Program& p, bool wrong) {
         const auto module = p.module();
         const auto kernel = p.kernel("writes");
         p.forgetKernels();
         p.forgetModule();
         inTurn(
             wrong, [&] { EXPECT_OK(CALL(zeKernelDestroy)(kernel)); },
             [&] { EXPECT_OK(CALL(zeModuleDestroy)(module)); });
     }},
    {"kernel_in_use", Kind::lifetime,
     [](Program& p, bool wrong) {
         p.launch(p.list(), "writes", {p.device("a")});
         if (!wrong) p.finish(p.list());
         EXPECT_OK(CALL(zeKernelDestroy)(p.kernel("writes")));
         p.forgetKernels();
     }},
    {"event_that_is_awaited", Kind::lifetime,
     [](Program& p, bool wrong) {
         const auto event = p.event("e");
         p.wait(p.list(), "f");
         p.signal(p.list(), "e");
         if (!wrong) {
             EXPECT_OK(CALL(zeEventHostSignal)(p.event("f")));
             p.hostWait("e");
         }
         const auto other = p.event("f");
         p.forgetEvents();
         EXPECT_OK(CALL(zeEventDestroy)(event));
         if (wrong) {
             EXPECT_OK(CALL(zeEventHostSignal)(other));
         }
         p.finish(p.list());
         EXPECT_OK(CALL(zeEventDestroy)(other));
     }},
    {"queue_in_use", Kind::lifetime,
     [](Program& p, bool wrong) {
         const auto list =
             p.closed([&](ze_command_list_handle_t open) { p.fill(open, p.device("a"), 256, p.event("e")); });
         const auto queue = p.queue();
         p.execute(queue, list);
         if (!wrong) {
             EXPECT_OK(CALL(zeCommandQueueSynchronize)(queue, UINT64_MAX));
         }
         p.forgetQueue(0);
         EXPECT_OK(CALL(zeCommandQueueDestroy)(queue));
         p.hostWait("e");
     }},
    {"list_is_reset_in_use", Kind::lifetime,
     [](Program& p, bool wrong) {
         const auto list = p.closed([&](ze_command_list_handle_t open) { p.fill(open, p.device("a")); });
         p.execute(p.queue(), list);
         if (!wrong) {
             EXPECT_OK(CALL(zeCommandQueueSynchronize)(p.queue(), UINT64_MAX));
         }
         EXPECT_OK(CALL(zeCommandListReset)(list));
     }},
    {"list_is_destroyed_in_use", Kind::lifetime,
     [](Program& p, bool wrong) {
         const auto list = p.closed([&](ze_command_list_handle_t open) { p.fill(open, p.device("a")); });
         p.execute(p.queue(), list);
         if (!wrong) {
             EXPECT_OK(CALL(zeCommandQueueSynchronize)(p.queue(), UINT64_MAX));
         }
         p.forgetList(list);
         EXPECT_OK(CALL(zeCommandListDestroy)(list));
     }},
    // Copies and fills that reach out of memory.
    {"copy_to_behind_the_end", Kind::global,
     [](Program& p, bool wrong) { p.copy(p.list(), p.device("b") + (wrong ? 128 : 0), p.device("a")); }},
    {"copy_from_behind_the_end", Kind::global,
     [](Program& p, bool wrong) { p.copy(p.list(), p.device("b"), p.device("a") + (wrong ? 4 : 0), 256); }},
    {"copy_in_the_last_page", Kind::global,
     [](Program& p, bool wrong) { p.copy(p.list(), p.device("b"), p.device("a") + (wrong ? 256 : 252), 4); }},
    {"fill_over_the_end", Kind::global,
     [](Program& p, bool wrong) { p.fill(p.list(), p.device("a") + (wrong ? 16 : 0)); }},
    // States.
    {"open_list_is_executed", Kind::listState,
     [](Program& p, bool wrong) {
         auto list = p.closed([&](ze_command_list_handle_t open) { p.fill(open, p.device("a")); });
         if (wrong) {
             EXPECT_OK(CALL(zeCommandListReset)(list));
         }
         const auto expected = wrong ? ZE_RESULT_ERROR_INVALID_ARGUMENT : ZE_RESULT_SUCCESS;
         EXPECT_EQ(CALL(zeCommandQueueExecuteCommandLists)(p.queue(), 1, &list, nullptr), expected);
     }},
    {"closed_list_takes_a_command", Kind::listState,
     [](Program& p, bool wrong) {
         const auto list = p.closed([&](ze_command_list_handle_t open) { p.fill(open, p.device("a")); });
         if (!wrong) {
             EXPECT_OK(CALL(zeCommandListReset)(list));
         }
         const auto expected = wrong ? ZE_RESULT_ERROR_INVALID_ARGUMENT : ZE_RESULT_SUCCESS;
         EXPECT_EQ(CALL(zeCommandListAppendBarrier)(list, nullptr, 0, nullptr), expected);
     }},
    {"argument_is_not_set", Kind::argument,
     [](Program& p, bool wrong) {
         void* const memory = p.device("a");
         const auto kernel = p.kernel("reads");
         EXPECT_OK(CALL(zeKernelSetArgumentValue)(kernel, 0, sizeof memory, &memory));
         if (!wrong) {
             EXPECT_OK(CALL(zeKernelSetArgumentValue)(kernel, 1, sizeof memory, &memory));
         }
         const ze_group_count_t none{0, 1, 1};
         EXPECT_OK(CALL(zeCommandListAppendLaunchKernel)(p.list(), kernel, &none, nullptr, 0, nullptr));
         p.finish(p.list());
     }},
    // Waits.
    {"nobody_signals", Kind::waitsForEver,
     [](Program& p, bool wrong) {
         p.wait(p.list(), "e");
         if (!wrong) {
             EXPECT_OK(CALL(zeEventHostSignal)(p.event("e")));
         }
         const auto expected = wrong ? ZE_RESULT_ERROR_DEVICE_LOST : ZE_RESULT_SUCCESS;
         EXPECT_EQ(CALL(zeCommandListHostSynchronize)(p.list(), UINT64_MAX), expected);
     }},
    {"host_waits_for_nothing", Kind::waitsForEver,
     [](Program& p, bool wrong) {
         if (!wrong) p.signal(p.list(), "e");
         const auto expected = wrong ? ZE_RESULT_ERROR_DEVICE_LOST : ZE_RESULT_SUCCESS;
         EXPECT_EQ(CALL(zeEventHostSynchronize)(p.event("e"), UINT64_MAX), expected);
     }},
    {"lists_wait_for_each_other", Kind::waitsForEver,
     [](Program& p, bool wrong) {
         p.wait(p.list(0), "e");
         p.signal(p.list(0), "f");
         if (wrong) p.wait(p.list(1), "f");
         p.signal(p.list(1), "e");
         const auto expected = wrong ? ZE_RESULT_ERROR_DEVICE_LOST : ZE_RESULT_SUCCESS;
         EXPECT_EQ(CALL(zeEventHostSynchronize)(p.event("f"), UINT64_MAX), expected);
     }},
};

bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

/// Both places are in this program, which has no symbols that the linker could name.
void expectPlaces(const Finding& finding, const char* function) {
    ASSERT_TRUE(finding.object && finding.object->freed) << zetl::check::toJson(finding);
    EXPECT_TRUE(has(finding.object->made, "driver_check_test+0x")) << finding.object->made;
    EXPECT_EQ(finding.object->freed->function, function);
    EXPECT_TRUE(has(finding.object->freed->from, "driver_check_test+0x")) << finding.object->freed->from;
    EXPECT_NE(finding.object->freed->from, finding.object->made);
    EXPECT_NE(finding.object->freed->thread, static_cast<std::uint64_t>(gettid()));
    EXPECT_EQ(finding.object->freed->threadName, "frees");
    const auto again = zetl::check::fromJson(zetl::check::toJson(finding));
    ASSERT_TRUE(again && again->object && again->object->freed);
    EXPECT_EQ(again->object->freed->from, finding.object->freed->from);
    EXPECT_EQ(again->object->freed->thread, finding.object->freed->thread);
    EXPECT_EQ(again->object->freed->threadName, "frees");
}

class FreedMemory : public CheckedProgramTest {
  protected:
    template <class Free>
    static void onAnotherThread(Free&& free) {
        std::thread([&] {
            pthread_setname_np(pthread_self(), "frees");
            free();
        }).join();
    }
    static Finding the(Kind kind, const std::vector<Finding>& all) {
        const auto found = std::ranges::find(all, kind, &Finding::kind);
        EXPECT_NE(found, all.end()) << check::told(all);
        return found == all.end() ? Finding() : *found;
    }
};

TEST_F(FreedMemory, IsNamedWithTheCallThatFreedIt) {
    char* const memory = device("a");
    forget("a");
    onAnotherThread([&] { EXPECT_OK(CALL(zeMemFree)(context, memory)); });
    EXPECT_NE(CALL(zeMemFree)(context, memory), ZE_RESULT_SUCCESS);
    const Finding twice = the(Kind::doubleFree, findings());
    expectPlaces(twice, "zeMemFree");
    ASSERT_TRUE(twice.object);
    EXPECT_EQ(twice.object->bytes, 256u);
    EXPECT_EQ(twice.object->offset, 0);
}

TEST_F(FreedMemory, IsTheObjectOfAKernelThatUsesIt) {
    char* const memory = device("a");
    device("b");
    forget("a");
    onAnotherThread([&] { EXPECT_OK(CALL(zeMemFree)(context, memory)); });
    launch(list(), "reads", {device("b"), memory});
    CALL(zeCommandListHostSynchronize)(list(), UINT64_MAX);
    const Finding late = the(Kind::useAfterFree, findings());
    expectPlaces(late, "zeMemFree");
    ASSERT_TRUE(late.object);
    EXPECT_EQ(late.object->begin, reinterpret_cast<std::uint64_t>(memory));
    EXPECT_EQ(late.object->bytes, 256u);
    EXPECT_EQ(late.object->argument, "argument 1 (a)");
}

TEST_F(FreedMemory, OfAContextWasFreedByItsEnd) {
    const ze_context_desc_t description{ZE_STRUCTURE_TYPE_CONTEXT_DESC, nullptr, 0};
    ze_context_handle_t other = nullptr;
    EXPECT_OK(CALL(zeContextCreate)(driver, &description, &other));
    const ze_host_mem_alloc_desc_t onHost{ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC, nullptr, 0};
    void* memory = nullptr;
    EXPECT_OK(CALL(zeMemAllocHost)(other, &onHost, 100, 64, &memory));
    onAnotherThread([&] { EXPECT_OK(CALL(zeContextDestroy)(other)); });
    findings();
    EXPECT_NE(CALL(zeMemFree)(context, memory), ZE_RESULT_SUCCESS);
    expectPlaces(the(Kind::doubleFree, findings()), "zeContextDestroy");
}

using LostQueue = CheckedProgramTest;

/// Once the host sees that a queue is lost, it may end what all its commands would have used. Here it sees the first of
/// many signals that are lost, and ends at once what the last command would have used.
TEST_F(LostQueue, UsesNothingAnyMore) {
    constexpr int kCommands = 20'000;
    char* const freed = device("freed");
    char* const memory = device("a");
    forget("freed");
    EXPECT_OK(CALL(zeMemFree)(context, freed));
    const ze_event_handle_t first = event("first");
    const ze_event_handle_t last = event("last");
    const ze_command_list_handle_t commands = closed([&](ze_command_list_handle_t open) {
        launch(open, "reads", {memory, freed});
        fill(open, memory, 256, first);
        for (int i = 0; i < kCommands; ++i) fill(open, memory);
        fill(open, memory, 256, last);
    });
    execute(queue(), commands);
    EXPECT_EQ(CALL(zeEventHostSynchronize)(first, UINT64_MAX), ZE_RESULT_ERROR_DEVICE_LOST);
    forgetEvents();
    EXPECT_OK(CALL(zeEventDestroy)(last));
    EXPECT_OK(CALL(zeEventDestroy)(first));
    const auto all = findings();
    EXPECT_TRUE(std::ranges::none_of(all, [](const Finding& one) { return one.kind == Kind::lifetime; }))
        << check::told(all);
}

/// What is found in a kernel of a native binary, which is given memory of 256 zeros.
std::vector<Finding> ofNative(CheckedProgramTest& p, const char* name, const std::string& source,
                              const std::string& flags, std::uint32_t groups) {
    const auto& binary = emulator::module::compiled(source, "-cl-std=CL2.0 " + flags, true);
    const ze_module_desc_t description{
        ZE_STRUCTURE_TYPE_MODULE_DESC, nullptr, ZE_MODULE_FORMAT_NATIVE, binary.size(), binary.data(), "", nullptr};
    const ze_kernel_desc_t named{ZE_STRUCTURE_TYPE_KERNEL_DESC, nullptr, 0, name};
    const ze_group_count_t all{groups, 1, 1};
    void* memory = p.device("a");
    ze_module_handle_t module = nullptr;
    ze_kernel_handle_t kernel = nullptr;
    p.fill(p.list(), memory);
    p.finish(p.list());
    EXPECT_OK(CALL(zeModuleCreate)(p.itsContext(), p.itsDevice(), &description, &module, nullptr));
    EXPECT_OK(CALL(zeKernelCreate)(module, &named, &kernel));
    EXPECT_OK(CALL(zeKernelSetGroupSize)(kernel, 64, 1, 1));
    EXPECT_OK(CALL(zeKernelSetArgumentValue)(kernel, 0, sizeof memory, &memory));
    EXPECT_OK(CALL(zeCommandListAppendLaunchKernel)(p.list(), kernel, &all, nullptr, 0, nullptr));
    p.finish(p.list());
    EXPECT_OK(CALL(zeKernelDestroy)(kernel));
    EXPECT_OK(CALL(zeModuleDestroy)(module));
    return CheckedProgramTest::findings();
}

/// Threads meet at two barriers of one line.
std::vector<Finding> ofHalves(CheckedProgramTest& p, const std::string& flags) {
    return ofNative(p, "halves",
                    "kernel void halves(global int* o) { local int t[64]; int l = get_local_id(0); t[l] = o[l];\n"
                    "if (l < 32) { barrier(CLK_LOCAL_MEM_FENCE); o[l] = t[l + 32]; } "
                    "else { barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); o[l] = t[l - 32] + 1; } }\n",
                    flags, 1);
}

/// Each group adds to a number, by an atomic of this scope.
std::vector<Finding> ofScope(CheckedProgramTest& p, const std::string& scope, std::uint32_t groups) {
    return ofNative(p, "counts",
                    "kernel void counts(global atomic_int* a) { if (get_local_id(0) == 0)\n"
                    "atomic_fetch_add_explicit(a, 1, memory_order_acq_rel, " +
                        scope + "); }\n",
                    "-g", groups);
}

using GroupAtomics = CheckedProgramTest;

TEST_F(GroupAtomics, OfSeveralGroupsRace) {
    const auto all = ofScope(*this, "memory_scope_work_group", 4);
    EXPECT_TRUE(std::ranges::any_of(all, [](const Finding& one) { return one.kind == Kind::raceGlobal; }))
        << check::told(all);
}
TEST_F(GroupAtomics, OfOneGroupAreRight) { EXPECT_EQ(check::told(ofScope(*this, "memory_scope_work_group", 1)), ""); }
TEST_F(GroupAtomics, OfTheDeviceAreNone) { EXPECT_EQ(check::told(ofScope(*this, "memory_scope_device", 4)), ""); }

using DifferentBarriers = CheckedProgramTest;

TEST_F(DifferentBarriers, AreNamedWithTheirLines) {
    const auto all = ofHalves(*this, "-g");
    EXPECT_TRUE(std::ranges::any_of(all, [](const Finding& one) { return one.kind == Kind::different; }))
        << check::told(all);
}

/// It may have been written by hand, with two instructions for one barrier.
TEST_F(DifferentBarriers, OfABinaryWithoutLinesAreNoMistake) { EXPECT_EQ(check::told(ofHalves(*this, "")), ""); }

class CommandChecks : public CheckedProgramTest, public testing::WithParamInterface<PlantedProgram> {
  protected:
    /// What is found while the program runs, but not when it is over.
    std::vector<Finding> found(bool wrong) {
        GetParam().run(*this, wrong);
        for (int number = 0; number < 2; ++number) {
            CALL(zeCommandListHostSynchronize)(list(number), UINT64_MAX);
            CALL(zeCommandQueueSynchronize)(queue(number), UINT64_MAX);
        }
        return findings();
    }
    static bool areOfItsKind(const std::vector<Finding>& all) {
        return std::ranges::any_of(all, [](const Finding& one) { return one.kind == GetParam().kind; });
    }
    /// Without protection keys, what the host does while a command is executed is not seen. So on a busy host it may
    /// take more than one run.
    static int mostRuns() { return GetParam().kind == Kind::raceHost ? 50 : 1; }
};

TEST_P(CommandChecks, FindIt) {
    if (GetParam().kind == Kind::waitsForEver && !isAlone())
        GTEST_SKIP() << "a thread of a sanitizer might end the wait";
    std::vector<Finding> all;
    for (int run = 0; run < mostRuns() && !areOfItsKind(all); ++run) all = found(true);
    EXPECT_TRUE(areOfItsKind(all)) << check::told(all);
    for (const Finding& one : all) EXPECT_FALSE(one.sides.empty()) << one.message;
}

TEST_P(CommandChecks, AreSilentAboutItsTwin) { EXPECT_EQ(check::told(found(false)), ""); }

INSTANTIATE_TEST_SUITE_P(Programs, CommandChecks, testing::ValuesIn(kPrograms),
                         [](const auto& one) { return one.param.name; });

}  // namespace
}  // namespace zetl::emulator::driver::test
