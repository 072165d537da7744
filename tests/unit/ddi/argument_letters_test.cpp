#include "ddi/argument_letters.h"

#include <gtest/gtest.h>

#include "ze_tools_layer/level_zero.h"

namespace zetl::ddi {
namespace {

using Create = ze_result_t(ze_command_queue_handle_t, const ze_fence_desc_t*, ze_fence_handle_t*);
using Suggest = ze_result_t(ze_kernel_handle_t, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t*);

template <class Prototype>
constexpr LettersFault faultOf(std::string_view letters) {
    return ArgumentCheck<Prototype>::fault(letters);
}

static_assert(isHandle<ze_fence_handle_t>());
static_assert(!isHandle<ze_fence_handle_t*>());
static_assert(!isHandle<ze_fence_desc_t*>());
static_assert(!isHandle<void*>());
static_assert(!isHandle<ze_host_function_callback_t>());
static_assert(!isHandle<ze_ipc_mem_handle_t>(), "its bytes are passed by value");

static_assert(lettersFit<Create, faultOf<Create>("hpp")>());

TEST(ArgumentLetters, FitThePrototype) {
    EXPECT_EQ(faultOf<Create>("hpp"), LettersFault::none);
    EXPECT_EQ(faultOf<Create>("a.p"), LettersFault::none);
    EXPECT_EQ(faultOf<Create>("o.."), LettersFault::none);
    EXPECT_EQ(faultOf<Suggest>("h(...)p"), LettersFault::none);
    EXPECT_EQ(faultOf<ze_result_t()>(""), LettersFault::none);
}

TEST(ArgumentLetters, AreOnePerParameter) {
    EXPECT_EQ(faultOf<Create>("hp"), LettersFault::notOnePerParameter);
    EXPECT_EQ(faultOf<Create>("hpp."), LettersFault::notOnePerParameter);
    EXPECT_EQ(faultOf<Create>(""), LettersFault::notOnePerParameter);
    EXPECT_EQ(faultOf<Create>("hpp..............................."), LettersFault::notOnePerParameter);
}

TEST(ArgumentLetters, OfHandlesStandForHandles) {
    for (const char* letters : {"hhp", "hop", "hph", "hpa"})
        EXPECT_EQ(faultOf<Create>(letters), LettersFault::notAHandle) << letters;
    EXPECT_EQ(faultOf<Suggest>("hh..p"), LettersFault::notAHandle);
}

TEST(ArgumentLetters, OfPointersStandForPointersThatAreNoHandles) {
    EXPECT_EQ(faultOf<Create>("ppp"), LettersFault::notAPointer);
    EXPECT_EQ(faultOf<Suggest>("hp..p"), LettersFault::notAPointer);
}

TEST(ArgumentLetters, AreKnown) {
    for (const char* letters : {"hpx", "Hpp", "h p"})
        EXPECT_EQ(faultOf<Create>(letters), LettersFault::unknownLetter) << letters;
}

TEST(ArgumentLetters, HaveParenthesesThatMatch) {
    for (const char* letters : {"h(...p", "h...)p", "h((..).)p", "h)...(p"})
        EXPECT_EQ(faultOf<Suggest>(letters), LettersFault::openGroup) << letters;
}

TEST(ArgumentLetters, KnowWhatIsMissing) {
    EXPECT_TRUE(isNull(ze_fence_handle_t{}));
    EXPECT_TRUE(isNull(static_cast<void*>(nullptr)));
    EXPECT_FALSE(isNull(0));
}

}  // namespace
}  // namespace zetl::ddi
