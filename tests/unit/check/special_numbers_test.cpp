// The quick search for special numbers, beside the classification of each.
#include "emulator/check/special_numbers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>

namespace zetl::emulator::check {
namespace {

using zetl::isa::xe::DataType;

template <class Element>
bool isOneSpecial(Element bits, const Format& format) {
    return hasSpecials<Element>(reinterpret_cast<const std::byte*>(&bits), 1, format);
}

bool isClassified(std::uint64_t bits, const Format& format) {
    SpecialLanes special{};
    classify(bits, format, 0, special);
    return std::ranges::any_of(special, [](std::uint32_t lanes) { return lanes != 0; });
}

/// Both signs of the numbers around each end of what is special.
template <class Element>
void compareAtEnds(const Format& format) {
    const std::uint64_t sign = format.exponent + format.fraction + 1;
    for (const std::uint64_t end : {std::uint64_t{0}, format.fraction + 1, format.exponent, sign - 1})
        for (std::uint64_t bits = end - 2; bits != end + 3; ++bits)
            for (const std::uint64_t signs : {std::uint64_t{0}, sign}) {
                const std::uint64_t number = (bits & (sign - 1)) | signs;
                EXPECT_EQ(isOneSpecial(static_cast<Element>(number), format), isClassified(number, format))
                    << std::hex << number;
            }
}

TEST(SpecialNumbers, OfHalvesAreFoundAndNoOthers) {
    const Format format = formatOf(DataType::hf);
    for (std::uint32_t bits = 0; bits <= 0xffff; ++bits)
        ASSERT_EQ(isOneSpecial(static_cast<std::uint16_t>(bits), format), isClassified(bits, format)) << bits;
}

TEST(SpecialNumbers, AreFoundWhereTheirRangesEnd) {
    compareAtEnds<std::uint32_t>(formatOf(DataType::f));
    compareAtEnds<std::uint64_t>(formatOf(DataType::df));
}

TEST(SpecialNumbers, AreFoundInEachLane) {
    const Format format = formatOf(DataType::df);
    std::array<double, 32> numbers{};
    const auto hasOne = [&] {
        return hasSpecials<std::uint64_t>(reinterpret_cast<const std::byte*>(numbers.data()), numbers.size(), format);
    };
    numbers.fill(-1.5);
    EXPECT_FALSE(hasOne());
    for (double& number : numbers) {
        number = 1e-310;
        EXPECT_TRUE(hasOne());
        number = 0;
    }
    EXPECT_FALSE(hasOne());
}

}  // namespace
}  // namespace zetl::emulator::check
