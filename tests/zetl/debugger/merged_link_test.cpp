// The sessions on several devices as one.
#include "core/merged_link.h"

#include <gtest/gtest.h>

#include "core/cuda.h"
#include "core/failure.h"
#include "scripted_link.h"

namespace zetl::debugger {
namespace {

using test::kFirst;
using test::kSecond;
using test::ScriptedLink;

class MergedLinkTest : public testing::Test {
  protected:
    MergedLinkTest() {
        std::vector<std::unique_ptr<Link>> parts;
        for (auto*& each : devices) {
            auto part = std::make_unique<ScriptedLink>();
            each = part.get();
            parts.push_back(std::move(part));
        }
        link = std::make_unique<MergedLink>(std::move(parts));
    }
    static ThreadId onSecondDevice(ThreadId thread, const ThreadShape& shape) {
        thread.slice += shape.slices;
        return thread;
    }

    std::array<ScriptedLink*, 2> devices{};
    std::unique_ptr<Link> link;
};

TEST_F(MergedLinkTest, SlicesAreNumberedOn) {
    const auto& shape = devices[1]->shape();
    EXPECT_EQ(link->shape().slices, 2 * shape.slices);
    devices[1]->stop(kSecond, 1);
    zet_debug_event_t event{};
    ASSERT_EQ(link->readEvent(0, event), ZE_RESULT_SUCCESS);
    const auto id = ThreadId::of(event.info.thread.thread);
    EXPECT_EQ(id, onSecondDevice(kSecond, shape));
    EXPECT_EQ(link->readEvent(5, event), ZE_RESULT_NOT_READY);
    link->resume(id);
    EXPECT_EQ(devices[0]->resumes, 0);
    EXPECT_EQ(devices[1]->resumes, 1);
    std::uint32_t none = 0;
    EXPECT_EQ(link->readRegisters({9, 0, 0, 0}, registers::kControl, 0, 1, &none), ZE_RESULT_ERROR_INVALID_ARGUMENT);
}

TEST_F(MergedLinkTest, AnInterruptHasOneAnswer) {
    devices[0]->running.clear();  // that one has no threads
    ASSERT_EQ(link->interrupt(kEveryThread), ZE_RESULT_SUCCESS);
    zet_debug_event_t event{};
    ASSERT_EQ(link->readEvent(0, event), ZE_RESULT_SUCCESS);
    EXPECT_EQ(event.type, ZET_DEBUG_EVENT_TYPE_THREAD_STOPPED);
    EXPECT_EQ(link->readEvent(0, event), ZE_RESULT_NOT_READY);
}

TEST_F(MergedLinkTest, CodeBelongsToTheDeviceWhoseModuleHasIt) {
    devices[1]->mapped[0x9000'0000] = std::vector<std::uint8_t>(64);
    devices[1]->mapped[0xa000'0000] = std::vector<std::uint8_t>(64);
    devices[1]->sayLoaded(0x9000'0000, 0xa000'0000);
    zet_debug_event_t event{};
    ASSERT_EQ(link->readEvent(0, event), ZE_RESULT_SUCCESS);
    EXPECT_EQ(link->acknowledge(event), ZE_RESULT_SUCCESS);
    EXPECT_EQ(devices[0]->acknowledged, 0);
    EXPECT_EQ(devices[1]->acknowledged, 1);
    std::uint32_t word = 7;
    EXPECT_EQ(link->writeMemory(kEveryThread, ZET_DEBUG_MEMORY_SPACE_TYPE_DEFAULT, 0xa000'0010, sizeof word, &word),
              ZE_RESULT_SUCCESS);
    EXPECT_EQ(devices[1]->mapped[0xa000'0000][16], 7);
    EXPECT_EQ(link->setBreakpoint(0xa000'0000, true), ZE_RESULT_SUCCESS);
    EXPECT_TRUE(devices[1]->breakpoints.contains(0xa000'0000));
}

TEST_F(MergedLinkTest, DevicesOfDifferentKindsAreRefused) {
    std::vector<std::unique_ptr<Link>> parts;
    parts.push_back(std::make_unique<ScriptedLink>());
    auto other = std::make_unique<ScriptedLink>();
    other->device = &cuda();
    parts.push_back(std::move(other));
    EXPECT_THROW(MergedLink(std::move(parts)), Failure);
}

}  // namespace
}  // namespace zetl::debugger
