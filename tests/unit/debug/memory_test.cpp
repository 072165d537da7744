// Which memory an address means.
#include <ze_tools_layer/breakpoints.h>

#include "session_fixture.h"

namespace zetl::debug {
namespace {

namespace fake = test::fake;

class Memory : public SessionTest {
  protected:
    static constexpr std::uint64_t kCode = 0x10000;
    static constexpr std::uint64_t kData = 0x500000;
    Memory() {
        fake::map(kCode, std::string(64, 'c'));
        fake::map(kData, "some data");
        attach();
        fake::enterProcess();
        fake::load("the debug image", kCode, 64);
        next();
        load_ = next();
    }
    zet_debug_event_t load_{};
};

TEST_F(Memory, CodeIsFoundByItsRange) {
    EXPECT_EQ(readMemory(kAll, at(kCode + 15), 16), std::string(16, 'c'));
    EXPECT_EQ(fake::calls("read_code"), 1);
    const std::string patch = "P";
    auto desc = at(kCode + 15);
    ASSERT_EQ(debug_.writeMemory(session_, kAll, &desc, 1, patch.data()), ZE_RESULT_SUCCESS);
    EXPECT_EQ(fake::memory(kCode + 14, 3), "cPc");
}

TEST_F(Memory, AccessThatRunsOutOfCodeOrImageIsInvalid) {
    readMemory(kAll, at(kCode + 60), 8, ZE_RESULT_ERROR_INVALID_ARGUMENT);
    readMemory(kAll, at(load_.info.module.moduleEnd - 1), 2, ZE_RESULT_ERROR_INVALID_ARGUMENT);
}

TEST_F(Memory, ImageIsServedInBothSpacesAndReadOnly) {
    const auto begin = load_.info.module.moduleBegin;
    EXPECT_EQ(readMemory(kAll, at(begin), 15), "the debug image");
    EXPECT_EQ(readMemory(kAll, at(begin + 4, ZET_DEBUG_MEMORY_SPACE_TYPE_ELF), 5), "debug");
    auto desc = at(begin);
    EXPECT_EQ(debug_.writeMemory(session_, kAll, &desc, 1, "x"), ZE_RESULT_ERROR_INVALID_ARGUMENT);
}

TEST_F(Memory, DataAreReadAndWritten) {
    EXPECT_EQ(readMemory(kAll, at(kData + 5), 4), "data");
    auto desc = at(kData);
    ASSERT_EQ(debug_.writeMemory(session_, kAll, &desc, 4, "more"), ZE_RESULT_SUCCESS);
    EXPECT_EQ(fake::memory(kData, 9), "more data");
}

TEST_F(Memory, UnmappedIsNotAvailableAndNonCanonicalInvalid) {
    readMemory(kAll, at(0x900000), 1, ZE_RESULT_ERROR_NOT_AVAILABLE);
    readMemory(kAll, at(kData + 8), 2, ZE_RESULT_ERROR_NOT_AVAILABLE);
    readMemory(kAll, at(0x0001'0000'0000'0000), 1, ZE_RESULT_ERROR_INVALID_ARGUMENT);
    readMemory(kAll, at(UINT64_MAX), 2, ZE_RESULT_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(readMemory(kAll, at(kData), 0), "");
}

TEST_F(Memory, ThreadDecidesWhatIsAllowed) {
    const ze_device_thread_t partial{0, UINT32_MAX, UINT32_MAX, UINT32_MAX};
    const ze_device_thread_t zero{0, 0, 0, 0};
    readMemory(partial, at(kData), 1, ZE_RESULT_ERROR_INVALID_ARGUMENT);
    readMemory(zero, at(kData), 1, ZE_RESULT_ERROR_NOT_AVAILABLE);
    stopAndRead(0);
    EXPECT_EQ(readMemory(zero, at(kData), 4), "some");
}

TEST_F(Memory, LocalMemoryNeedsAStoppedThreadAndItsTag) {
    constexpr std::uint64_t kTag = 0x1000'0000;
    fake::map((std::uint64_t{ZETL_SPACE_SHARED} << 40) + 16, "local");
    const ze_device_thread_t zero{0, 0, 0, 0};
    const auto slm = ZET_DEBUG_MEMORY_SPACE_TYPE_SLM;
    readMemory(zero, at(kTag + 16, slm), 5, ZE_RESULT_ERROR_NOT_AVAILABLE);
    stopAndRead(0);
    EXPECT_EQ(readMemory(zero, at(kTag + 16, slm), 5), "local");
    readMemory(zero, at(16, slm), 5, ZE_RESULT_ERROR_INVALID_ARGUMENT);
    readMemory(kAll, at(kTag + 16, slm), 5, ZE_RESULT_ERROR_INVALID_ARGUMENT);
    readMemory(zero, at(kTag + 4000, slm), 5, ZE_RESULT_ERROR_NOT_AVAILABLE);
}

TEST_F(Memory, BarriersAreUnsupportedAndOtherSpacesNone) {
    readMemory(kAll, at(kData, ZET_DEBUG_MEMORY_SPACE_TYPE_BARRIER), 1, ZE_RESULT_ERROR_UNSUPPORTED_ENUMERATION);
    for (const auto none : {4u, UINT32_MAX})
        readMemory(kAll, at(kData, static_cast<zet_debug_memory_space_type_t>(none)), 1,
                   ZE_RESULT_ERROR_INVALID_ENUMERATION);
}

TEST_F(Memory, BreakpointsAreSetByAddress) {
    auto place = at(kCode, ZETL_DEBUG_MEMORY_SPACE_BREAKPOINTS);
    const ze_bool_t on = 1;
    const ze_bool_t off = 0;
    EXPECT_EQ(debug_.writeMemory(session_, kAll, &place, sizeof on, &on), ZE_RESULT_SUCCESS);
    EXPECT_EQ(fake::calls("set_breakpoint"), 1);
    EXPECT_EQ(debug_.writeMemory(session_, kAll, &place, sizeof off, &off), ZE_RESULT_SUCCESS);
    EXPECT_EQ(fake::calls("remove_breakpoint"), 1);
    EXPECT_EQ(debug_.writeMemory(session_, kAll, &place, 2, "xy"), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(debug_.writeMemory(session_, {0, 0, 0, 0}, &place, sizeof on, &on), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    readMemory(kAll, place, 1, ZE_RESULT_ERROR_INVALID_ENUMERATION);
    place.address = 0x900000;
    EXPECT_EQ(debug_.writeMemory(session_, kAll, &place, sizeof on, &on), ZE_RESULT_ERROR_NOT_AVAILABLE);
}

}  // namespace
}  // namespace zetl::debug
