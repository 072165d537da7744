#include "emulator/machine/code/issue_plan.h"

#include <bit>

#include "emulator/machine/code/schedule.h"

namespace zetl::emulator::machine {
namespace {

using Distance = isa::Scoreboard::Distance;
using TokenUse = isa::Scoreboard::Token;

std::uint8_t placeOf(std::uint8_t first, int number) noexcept { return static_cast<std::uint8_t>(first + number); }

/// The places of up to two watched registers. False: there are more.
bool findWatched(std::uint32_t registers, std::uint8_t (&places)[2]) noexcept {
    for (std::uint8_t& place : places) {
        if (registers == 0) return true;
        place = placeOf(result_place::kWatched, std::countr_zero(registers));
        registers &= registers - 1;
    }
    return registers == 0;
}

bool waitsForAllPipes(const LineSchedule& line) noexcept {
    const bool arithmetic = line.kind == LineKind::arithmetic;
    return line.waits.in == Distance::all || (line.waits.in == Distance::own && !arithmetic);
}

void findDistance(const LineSchedule& line, IssuePlan& plan) noexcept {
    if (line.waits.in == Distance::none || waitsForAllPipes(line)) return;
    plan.distancePipe = static_cast<std::uint8_t>(line.waits.in == Distance::own ? line.pipe : line.waits.pipe);
    plan.distance = line.waits.distance;
}

void findNeighbours(IssuePlan& plan) noexcept {
    if (plan.port == Port::real) {
        plan.besideInteger = Port::integer;
        plan.besideMatrix = Port::matrix;
    }
    if (plan.port == Port::integer) plan.besideInteger = Port::real;
    if (plan.port == Port::matrix) plan.besideMatrix = Port::real;
}

void findToken(const LineSchedule& line, IssuePlan& plan) noexcept {
    const std::uint8_t read = placeOf(result_place::kSourceRead, line.waits.number);
    const std::uint8_t written = placeOf(result_place::kWritten, line.waits.number);
    switch (line.waits.token) {
        case TokenUse::read:
            plan.token = read;
            break;
        case TokenUse::written:
            plan.token = written;
            break;
        case TokenUse::set:
            plan.token = written;  // a token that is taken is waited for, and compilers rely on it
            plan.sourceRead = read;
            plan.written = written;
            break;
        case TokenUse::none:
            break;
    }
}

}  // namespace

IssuePlan planOf(const LineSchedule& line, const LineSchedule* next) noexcept {
    IssuePlan plan;
    plan.kind = line.kind;
    plan.port = line.port;
    plan.gate = line.kind == LineKind::memory ? kQueue : line.port;
    plan.slots = line.slots;
    plan.lastOfBlock = line.leaves || next == nullptr || next->leader;
    plan.wide = line.wide;
    plan.latency = line.latency;
    if (line.inOrder) plan.pipe = static_cast<std::uint8_t>(line.pipe);
    plan.alone = line.port != Port::message && line.kind != LineKind::barrierWait;
    findNeighbours(plan);
    findDistance(line, plan);
    findToken(line, plan);
    const bool few = findWatched(line.reads, plan.registers);
    const bool allTokens = line.kind == LineKind::awaitRead || line.kind == LineKind::awaitWritten;
    plan.waitsForMore = !few || allTokens || waitsForAllPipes(line);
    findWatched(line.writes, plan.changes);  // a destination and a flag at most
    return plan;
}

}  // namespace zetl::emulator::machine
