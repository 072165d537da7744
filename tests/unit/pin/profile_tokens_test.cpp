// Free registers as tokens: the compiler's, the analysis's, and the room for them.
#include <gtest/gtest.h>
#include <ze_tools_layer/instrumentation.h>
#include <ze_tools_layer/profile_tokens.h>

#include <algorithm>
#include <cstring>

#include "module/compiled.h"
#include "module/emptied.h"
#include "pin/free_registers.h"
#include "pin/pin.h"
#include "support/fake_core.h"

namespace zetl::pin {
namespace {

namespace fake = test::fake;
namespace module = emulator::module;
using instrumentation::ByteRange;

struct Tokens {
    zet_profile_properties_t properties{};
    zetl_profile_tokens_t room{};
    std::vector<ByteRange> ranges;
    ze_result_t result = ZE_RESULT_SUCCESS;
};

class ProfileTokens : public testing::Test {
  protected:
    ProfileTokens() { fake::addTo(devices_); }

    zet_kernel_handle_t kernel(const std::string& flags, bool zebin = true, const char* source = module::kVectorAdd) {
        const auto& binary = module::compiled(source, flags, zebin);
        return fake::kernelHandle(fake::load(std::string(binary.begin(), binary.end()), 0x10000, 64, 0, flags.c_str()));
    }

    Tokens ask(zet_kernel_handle_t kernel, std::size_t room) {
        Tokens tokens;
        std::vector<std::uint32_t> memory(room / sizeof(std::uint32_t) + 1, 0xdeadbeef);
        tokens.room = {ZETL_STRUCTURE_TYPE_PROFILE_TOKENS, nullptr, room, room ? memory.data() : nullptr,
                       ZETL_TOKENS_NONE};
        tokens.properties = {ZET_STRUCTURE_TYPE_PROFILE_PROPERTIES, &tokens.room, 0, 77};
        tokens.result = pin_.kernelGetProfileInfo(kernel, &tokens.properties);
        EXPECT_EQ(memory.back(), 0xdeadbeef) << "nothing is written behind the room";
        if (tokens.properties.numTokens != 1) return tokens;
        zet_profile_free_register_token_t head;
        std::memcpy(&head, memory.data(), sizeof head);
        EXPECT_EQ(head.type, ZET_PROFILE_TOKEN_TYPE_FREE_REGISTER);
        EXPECT_EQ(head.size, tokens.room.size);
        tokens.ranges.resize(head.count);
        std::memcpy(static_cast<void*>(tokens.ranges.data()), memory.data() + 3, head.count * sizeof(ByteRange));
        return tokens;
    }

    device::Devices devices_{[] {
        auto core = fake::coreCalls();
        core.kernelGetName = [](ze_kernel_handle_t, std::size_t* size, char* name) {
            *size = sizeof "add";
            if (name) std::memcpy(name, "add", sizeof "add");
            return ZE_RESULT_SUCCESS;
        };
        return core;
    }()};
    Pin pin_{devices_};
};

TEST_F(ProfileTokens, TheCompilersWhereItGivesThem) {
    const auto handle = kernel("-zet-profile-flags 3");
    const auto size = ask(handle, 0);
    EXPECT_EQ(size.properties.flags, 3u);
    EXPECT_EQ(size.properties.numTokens, 0u) << "only the size was asked for";
    ASSERT_GT(size.room.size, sizeof(zet_profile_free_register_token_t));
    const auto tokens = ask(handle, size.room.size);
    ASSERT_EQ(tokens.result, ZE_RESULT_SUCCESS);
    EXPECT_EQ(tokens.room.source, ZETL_TOKENS_OF_COMPILER);
    EXPECT_GT(tokens.ranges.size(), 0u);
}

TEST_F(ProfileTokens, NoFreeRegisterIsUsed) {
    for (const char* flags : {"-zet-profile-flags 3", "-zet-profile-flags 2"})
        for (const bool zebin : {true, false}) {
            const auto handle = kernel(flags, zebin);
            const auto tokens = ask(handle, ask(handle, 0).room.size);
            std::string failure;
            const auto program =
                instrumentation::Program::read(module::compiled(module::kVectorAdd, flags, zebin), failure);
            ASSERT_TRUE(program) << failure;
            const auto& section = program->sections().front();
            for (const ByteRange range : tokens.ranges)
                for (const auto& block : section.blocks()) {
                    const auto free = section.freeBefore(block.begin);
                    EXPECT_TRUE(std::ranges::any_of(free,
                                                    [&](ByteRange f) {
                                                        return f.start <= range.start &&
                                                               range.start + range.count <= f.start + f.count;
                                                    }))
                        << range.start << " at " << block.begin;
                }
        }
}

TEST_F(ProfileTokens, TheAnalysisWhereTheCompilerGivesNone) {
    const auto handle = kernel("-zet-profile-flags 2");
    const auto tokens = ask(handle, ask(handle, 0).room.size);
    EXPECT_EQ(tokens.properties.flags, 2u);
    EXPECT_EQ(tokens.room.source, ZETL_TOKENS_OF_ANALYSIS);
    EXPECT_GT(tokens.ranges.size(), 0u);
}

TEST_F(ProfileTokens, WhatTheCompilerDidNotDoIsNotReported) {
    EXPECT_EQ(ask(kernel("-zet-profile-flags 1"), 0).properties.flags, 1u);
    constexpr const char* kCalls =
        "int helper(int x) { return x * 3 + 1; }\n"
        "kernel void add(global int* a) { int i = get_global_id(0); a[i] = helper(a[i]); }\n";
    EXPECT_EQ(ask(kernel("-zet-profile-flags 3 -cl-opt-disable", true, kCalls), 0).properties.flags, 2u)
        << "it does not reallocate the registers of code with calls";
}

TEST_F(ProfileTokens, OnlyWhoAskedAtTheBuildGetsThem) {
    EXPECT_EQ(ask(kernel(""), 0).room.size, 0u);
    EXPECT_EQ(ask(kernel("-zet-profile-flags 1"), 0).room.size, 0u);
}

TEST_F(ProfileTokens, TooLittleRoomIsRefused) {
    const auto handle = kernel("-zet-profile-flags 3");
    const auto size = ask(handle, 0).room.size;
    const auto tokens = ask(handle, size - 4);
    EXPECT_EQ(tokens.result, ZE_RESULT_ERROR_INVALID_SIZE);
    EXPECT_EQ(tokens.properties.numTokens, 0u);
    EXPECT_EQ(tokens.room.size, size);
}

TEST_F(ProfileTokens, PlainCallsAreAsTheyWere) {
    const auto handle = kernel("-zet-profile-flags 3");
    struct {
        zet_profile_properties_t properties;
        std::uint64_t behind;
    } plain{{ZET_STRUCTURE_TYPE_PROFILE_PROPERTIES, nullptr, 0, 77}, ~0ull};
    ASSERT_EQ(pin_.kernelGetProfileInfo(handle, &plain.properties), ZE_RESULT_SUCCESS);
    EXPECT_EQ(plain.properties.flags, 3u);
    EXPECT_EQ(plain.properties.numTokens, 0u);
    EXPECT_EQ(plain.behind, ~0ull);
    // Callers that set nothing are not followed anywhere.
    plain.properties.stype = {};
    plain.properties.pNext = reinterpret_cast<void*>(8);
    EXPECT_EQ(pin_.kernelGetProfileInfo(handle, &plain.properties), ZE_RESULT_SUCCESS);
}

TEST(RegistersOf, DamagedImagesGiveNothing) {
    const auto& whole = module::compiled(module::kVectorAdd, "-zet-profile-flags 3");
    for (std::size_t size = 0; size < whole.size(); size += 1 + size / 11)
        EXPECT_FALSE(registersOf(std::span(whole).first(size), "add").readable) << size;
    EXPECT_FALSE(registersOf(whole, "other").readable);
    for (std::size_t at = 0; at < whole.size(); at += 1 + whole.size() / 997) {
        auto damaged = whole;
        damaged[at] ^= 0xff;
        (void)tokensOf(registersOf(damaged, "add"));
    }
    for (const auto& damaged : module::emptied(whole)) (void)tokensOf(registersOf(damaged, "add"));
}

}  // namespace
}  // namespace zetl::pin
