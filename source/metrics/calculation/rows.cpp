#include "metrics/calculation/rows.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "metrics/calculation/operators.h"
#include "metrics/calculation/unrolled.h"

namespace zetl::metrics {
namespace {

std::uint64_t maskOf(std::uint32_t bits) { return bits >= 64 ? UINT64_MAX : (std::uint64_t{1} << bits) - 1; }

/// `word(report)` of `count` reports that lie one stride apart.
template <class F>
void gather(const std::byte* report, std::size_t stride, std::size_t count, std::uint64_t* __restrict values,
            F&& word) {
    inFours(count, [&](std::size_t i) { values[i] = word(report + i * stride); });
}

template <class T>
struct Word {
    std::uint64_t operator()(const std::byte* place) const {
        T value;
        std::memcpy(&value, place, sizeof value);
        return value;
    }
};

/// A word of that many bytes: calls `take(reader)` with what reads it.
template <class F>
void withReader(std::uint32_t bytes, F&& take) {
    switch (bytes) {
        case 1:
            return take(Word<std::uint8_t>());
        case 2:
            return take(Word<std::uint16_t>());
        case 4:
            return take(Word<std::uint32_t>());
        default:
            return take(Word<std::uint64_t>());
    }
}

/// The field as `count` reports hold it, the upper part put to the lower one.
void readWords(const Field& field, const std::byte* report, std::size_t stride, std::size_t count,
               std::uint64_t* values) {
    withReader(field.bytes, [&](auto&& low) {
        const auto lowPlace = field.offset;
        const auto highPlace = field.highOffset;
        const auto shift = 8 * field.bytes;
        if (field.highBytes == 0)
            return gather(report, stride, count, values, [=](const auto* each) { return low(each + lowPlace); });
        withReader(field.highBytes, [&](auto&& high) {
            gather(report, stride, count, values,
                   [=](const auto* each) { return low(each + lowPlace) | high(each + highPlace) << (shift & 63); });
        });
    });
}

void ticks(const std::uint64_t* __restrict begins, const std::uint64_t* __restrict ends, std::uint64_t mask,
           std::size_t count, std::uint64_t* __restrict values) {
    inGroups(count, [=](std::size_t i) { values[i] = (ends[i] - begins[i]) & mask; });
}

void differences(const std::uint64_t* __restrict states, std::uint64_t mask, std::size_t count,
                 std::uint64_t* __restrict values) {
    const Pair masks = {mask, mask};
    inGroups((count + 1) / kPair, [=](std::size_t i) {
        const auto pair = (together<Pair>(states + kPair * i + 1) - together<Pair>(states + kPair * i)) & masks;
        std::memcpy(values + kPair * i, &pair, sizeof pair);
    });
}

}  // namespace

Rows::Rows(const Descriptor& descriptor, const Program& program, std::size_t rows)
    : descriptor_(descriptor), program_(program), nanoseconds_(descriptor.clock) {
    std::size_t wholes = 0;
    std::size_t reals = 0;
    for (const auto& node : program.nodes()) {
        auto& used = node.real ? reals : wholes;
        places_.push_back(used);
        used += kBlockRows;
    }
    wholes_ = std::make_unique_for_overwrite<std::uint64_t[]>(wholes);
    reals_ = std::make_unique_for_overwrite<float[]>(reals);
    if (rows < kBlockRows) {  // otherwise the first block leaves nothing undefined behind the rows of the last one
        std::fill_n(wholes_.get(), wholes, 0);
        std::fill_n(reals_.get(), reals, 0.0f);
    }
    fillConstants();
}

void Rows::fillConstants() {
    for (std::uint32_t i = 0; i < program_.nodes().size(); ++i) {
        const auto& node = program_.nodes()[i];
        if (node.op != Operator::constant) continue;
        if (node.real)
            std::fill_n(reals(i), kBlockRows, std::bit_cast<float>(static_cast<std::uint32_t>(node.number)));
        else
            std::fill_n(wholes(i), kBlockRows, node.number);
    }
}

void Rows::compute(const std::byte* firstReport, std::size_t count) {
    report_ = descriptor_.cumulative ? firstReport + descriptor_.reportBytes : firstReport;
    count_ = count;
    readTimes();
    std::uint32_t self = 0;
    for (const auto& node : program_.nodes()) stepOf(node.op)(node, self++, *this);
}

void Rows::readTimes() {
    const auto stride = descriptor_.reportBytes;
    readWords(descriptor_.time, report_, stride, count_, ends_);
    if (descriptor_.cumulative)
        readWords(descriptor_.time, report_ - stride, stride, count_, begins_);
    else if (descriptor_.begin)
        readWords(*descriptor_.begin, report_, stride, count_, begins_);
    else
        std::copy_n(ends_, count_, begins_);
}

void Rows::readInput(std::uint32_t input, std::uint64_t* values) {
    const auto fields = descriptor_.fields.size();
    if (input < fields) return read(descriptor_.fields[input], values);
    switch (static_cast<Interval>(input - fields)) {
        case Interval::begin:
            std::copy_n(begins_, count_, values);
            break;
        case Interval::end:
            std::copy_n(ends_, count_, values);
            break;
        default:
            ticks(begins_, ends_, maskOf(descriptor_.clock.validBits), count_, values);
    }
}

void Rows::read(const Field& field, std::uint64_t* values) {
    const auto stride = descriptor_.reportBytes;
    const auto mask = maskOf(field.bits);
    if (field.kind == Kind::delta && descriptor_.cumulative) {
        readWords(field, report_ - stride, stride, count_ + 1, states_);
        return differences(states_, mask, count_, values);
    }
    readWords(field, report_, stride, count_, values);
    if (field.bits < 8 * (field.bytes + field.highBytes)) inGroups(count_, [=](std::size_t i) { values[i] &= mask; });
}

}  // namespace zetl::metrics
