// Moves of 32 bytes and words to bytes and words: from either byte of a word, extended or cut, with lanes off.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "lone_thread.h"

namespace zetl::test {
namespace {

constexpr std::uint32_t kMovedLanes = 32;
constexpr std::uint32_t kSourceRegister = 10;
constexpr std::uint32_t kMostSourceBytes = 128;  // two registers
constexpr std::uint32_t kResultRegister = 20;

struct Element {
    const char* type;
    std::uint32_t bytes;
    bool isSigned;
};
constexpr Element kElements[] = {{"b", 1, true}, {"ub", 1, false}, {"w", 2, true}, {"uw", 2, false}};

struct NarrowMove {
    Element from;
    std::uint32_t stride;  ///< in elements
    std::uint32_t first;   ///< element of the register
    Element to;

    std::string text() const {
        return fmt::format("mov (32|M0) r{}.0<1>:{} r{}.{}<{};1,0>:{}", kResultRegister, to.type, kSourceRegister,
                           first, stride, from.type);
    }
};

/// From the first and the second element, one further on, and the register's upper half.
std::vector<NarrowMove> narrowMoves() {
    std::vector<NarrowMove> list;
    for (const Element& from : kElements)
        for (const Element& to : kElements)
            for (const std::uint32_t stride : {1u, 2u})
                for (const std::uint32_t first : {0u, 1u, 2u, 32 / from.bytes})
                    if ((first + kMovedLanes * stride) * from.bytes <= kMostSourceBytes)
                        list.push_back({from, stride, first, to});
    return list;
}

class NarrowMoves : public testing::Test {
  protected:
    NarrowMoves() : bytes(192) {
        for (std::uint32_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(i * 73 + (i >> 4) + 0x70);
    }
    /// What a lane's element is, extended.
    std::int32_t elementOf(const NarrowMove& move, std::uint32_t lane) const {
        const std::uint32_t at = (move.first + lane * move.stride) * move.from.bytes;
        if (move.from.bytes == 1) return move.from.isSigned ? static_cast<std::int8_t>(bytes[at]) : bytes[at];
        const auto word = static_cast<std::uint16_t>(bytes[at] | bytes[at + 1] << 8);
        return move.from.isSigned ? static_cast<std::int16_t>(word) : word;
    }

    LoneThread t;
    std::vector<std::uint8_t> bytes;
};

TEST_F(NarrowMoves, ExtendOrCutEachElementOfALaneThatIsOn) {
    const std::vector<std::uint8_t> kept(64, 0xc3);
    for (const NarrowMove& move : narrowMoves())
        for (const std::uint32_t lanes : {~0u, 0x8001ff36u})
            for (const char* mask : {"", "(W) "}) {
                t.load(assembleProgram(mask + move.text()), lanes);
                t.set(kSourceRegister, bytes);
                t.set(kResultRegister, kept);
                ASSERT_EQ(t.resume(), isa::Status::done) << move.text() << ": " << describe(t.thread().fault);
                const auto got = t.get<std::uint8_t>(kResultRegister, kept.size());
                const std::uint32_t on = *mask == 0 ? lanes : ~0u;
                for (std::uint32_t lane = 0; lane < kMovedLanes; ++lane)
                    for (std::uint32_t k = 0; k < move.to.bytes; ++k) {
                        const std::int32_t byte = elementOf(move, lane) >> 8 * k & 0xff;
                        ASSERT_EQ(got[lane * move.to.bytes + k], (on >> lane & 1) != 0 ? byte : 0xc3)
                            << mask << move.text() << ", lanes " << lanes << ", lane " << lane;
                    }
                for (std::size_t at = std::size_t{kMovedLanes} * move.to.bytes; at < got.size(); ++at)
                    ASSERT_EQ(got[at], 0xc3) << move.text() << " wrote byte " << at;
            }
}

// Where the register is the source too, and read again at once.
TEST_F(NarrowMoves, MayReplaceWhatTheyRead) {
    t.load(assembleProgram("mov (32|M0) r10.0<1>:b r10.0<2;1,0>:b\n"
                           "mov (32|M0) r10.0<1>:w r10.0<1;1,0>:ub\n"
                           "mov (32|M0) r20.0<1>:d r10.0<1;1,0>:w"),
           ~0u);
    t.set(kSourceRegister, bytes);
    ASSERT_EQ(t.resume(), isa::Status::done);
    for (std::uint32_t lane = 0; lane < kMovedLanes; ++lane)
        EXPECT_EQ(t.scalar<std::int32_t>(kResultRegister, lane), bytes[2 * lane]);
}

}  // namespace
}  // namespace zetl::test
