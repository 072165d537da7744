// tidy: without the analyzer, which follows asmjit into shifts that its callers exclude
#include "emulator/translate/flow/families.h"

#include <algorithm>
#include <cstddef>

namespace zetl::emulator::translate {
namespace {

using Emit = bool (*)(Families&, const Step&, const Meaning&);
struct Row {
    Family family;
    Emit emit;
};
using F = Families;
using M = Meaning;

constexpr Row kRows[] = {
    {Family::compute, [](F& f, const Step& m, const M& what) { return f.arithmetic.compute(m, what); }},
    {Family::convert, [](F& f, const Step& m, const M& what) { return f.conversions.convert(m, what); }},
    {Family::modify, [](F& f, const Step& m, const M& what) { return f.arithmetic.modify(m, what); }},
    {Family::clamp, [](F& f, const Step& m, const M& what) { return f.arithmetic.clamp(m, what); }},
    {Family::retire, [](F& f, const Step& m, const M& what) { return f.stores.retire(m, what); }},
    {Family::compare, [](F& f, const Step& m, const M& what) { return f.comparisons.compare(m, what); }},
    {Family::pick, [](F& f, const Step& m, const M& what) { return f.arithmetic.pick(m, what); }},
    {Family::spread, [](F& f, const Step& m, const M&) { return f.comparisons.spread(m); }},
    {Family::narrow, [](F& f, const Step& m, const M& what) { return f.stores.narrow(m, what); }},
    {Family::laneAccess, [](F& f, const Step& m, const M& what) { return f.lanes.access(m, what); }},
    {Family::block, [](F& f, const Step& m, const M&) { return f.blocks.access(m); }},
    {Family::atomic, [](F& f, const Step& m, const M& what) { return f.atomics.access(m, what); }},
    {Family::gather, [](F& f, const Step& m, const M&) { return f.regions.gather(m); }},
    {Family::scatter, [](F& f, const Step& m, const M&) { return f.regions.scatter(m); }},
    {Family::latch, [](F& f, const Step& m, const M&) { return f.regions.latch(m); }},
};
static_assert([] {
    for (std::size_t i = 0; i < std::size(kRows); ++i)
        if (static_cast<std::size_t>(kRows[i].family) != i) return false;
    return std::size(kRows) == static_cast<std::size_t>(Family::jump);
}());

}  // namespace

bool Families::emit(const Step& m, const Meaning& what) {
    return kRows[static_cast<std::size_t>(what.family)].emit(*this, m, what);
}

}  // namespace zetl::emulator::translate
