#include "core/location_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "core/module.h"
#include "core/register_check.h"

namespace zetl::debugger {
namespace {

using instrumentation::ByteRange;
constexpr std::uint32_t kNoPitch = UINT32_MAX;
constexpr std::size_t kMostKnown = 10'000;
constexpr std::uint64_t kRegisterBits = std::uint64_t{isa::xe::kRegisterBytes} * 8;

/// The bytes of general registers that a piece names; nothing for other pieces.
std::optional<ByteRange> bytesOf(const Piece& piece, std::uint64_t size) {
    if (piece.kind != Piece::Kind::registerBits || piece.number < kFirstGeneralRegister) return std::nullopt;
    const std::uint64_t begin = (piece.number - kFirstGeneralRegister) * kRegisterBits + piece.firstBit;
    const std::uint64_t bits = piece.bits != 0 ? piece.bits : size * 8;
    constexpr std::uint64_t kAll = std::uint64_t{instrumentation::place::kGeneralBytes} * 8;
    if (bits == 0 || bits > kAll || begin > kAll - bits) return std::nullopt;
    return ByteRange{static_cast<std::uint32_t>(begin / 8), static_cast<std::uint32_t>((bits + 7) / 8)};
}

/// What holds the value, or what it is computed from. Addresses come from registers that the whole kernel keeps.
std::vector<Piece> registersOf(const Location& location) {
    std::vector<Piece> all;
    for (const auto& each : location.pieces) {
        if (each.kind == Piece::Kind::registerBits) all.push_back(each);
        if (each.kind == Piece::Kind::value) all.insert(all.end(), location.used.begin(), location.used.end());
    }
    return all;
}

ByteRange localIdsOf(const KernelInfo* kernel) {
    constexpr std::uint32_t kFirst = 1;
    return {kFirst * isa::xe::kRegisterBytes, kernel ? kernel->localIdBytes : 0};
}

/// The end of the thread's header, its local ids, and the inline part of the cross-thread data.
std::uint32_t givenTo(const KernelInfo* kernel) {
    const auto ids = localIdsOf(kernel);
    const auto inlined = kernel ? kernel->inlineBytes : 0;
    const auto end = ids.start + ids.count + inlined + isa::xe::kRegisterBytes - 1;
    return end / isa::xe::kRegisterBytes * isa::xe::kRegisterBytes;
}

/// Debug information may have lost which parts of the variable are where.
std::string partsDoubt(const std::vector<Piece>& pieces, const Type& type) {
    const auto wanted = (type.isVector && type.element ? type.count * type.element->size : type.size) * 8;
    std::uint64_t bits = 0;
    std::set<std::pair<unsigned, std::uint64_t>> places;
    for (const auto& each : pieces) {
        bits += each.bits != 0 ? each.bits : wanted;
        const bool isRegister = each.kind == Piece::Kind::registerBits;
        if (isRegister && !places.emplace(each.number, each.firstBit).second)
            return "two parts are said to be in one place";
    }
    return bits < wanted ? fmt::format("{} of its {} bytes are described", bits / 8, wanted / 8) : "";
}

bool isConstant(const Location& location) {
    const auto isValue = [](const Piece& each) { return each.kind == Piece::Kind::value; };
    return location.used.empty() && !location.pieces.empty() && std::ranges::all_of(location.pieces, isValue);
}

/// No line of the source gives it another value than it begins with.
bool isNeverSet(const AssigningLines& lines) {
    return lines.hasText && lines.lines.size() == 1 && !lines.isInitialised;
}

/// Debug information gives a number for a range of addresses, to which other code leads, too.
std::string constantDoubt(const LocationQuestion& about, const Location& location) {
    if (!isConstant(location) || about.first <= about.body || isNeverSet(about.lines)) return "";
    const auto first = about.flow.numberAt(about.first);
    if (!first) return "";
    if (!about.isRunning && !about.flow.isConvergent(*first)) return "this lane may not have come to where it is set";
    return about.flow.isEnteredAtFirst(about.now, about.first, about.end)
               ? ""
               : "it is said to be a number, in code that is also reached where it has another value";
}

/// From lane to lane; 0: they share it.
std::optional<std::uint32_t> pitchOf(const Piece& one, const Piece& other, unsigned lanesApart) {
    if (one.kind != other.kind || one.kind != Piece::Kind::registerBits || lanesApart == 0) return std::nullopt;
    const auto bitOf = [](const Piece& piece) {
        return static_cast<std::int64_t>(piece.number * kRegisterBits + piece.firstBit);
    };
    const auto bits = static_cast<std::uint64_t>(std::abs(bitOf(one) - bitOf(other)));
    return static_cast<std::uint32_t>(bits / 8 / lanesApart);
}

}  // namespace

/// Its own, and those of variables that it is a copy of, whose values it shares.
const AssigningLines& LocationCheck::linesOf(const Variable& variable, const Frame& frame) {
    const auto& file = frame.line.file;
    const auto [entry, isNew] =
        lines_.try_emplace({file, variable.declared, variable.name, source_.directories().size()});
    auto& lines = entry->second;
    if (!isNew) return lines;
    lines = assigningLines(source_, file, variable.declared, variable.name);
    for (const auto& name : lines.copies)
        for (const auto declared : frame.module->debug().declarationsOf(name, frame.address))
            lines.copied.merge(assigningLines(source_, file, declared, name).lines);
    return lines;
}

std::string LocationCheck::doubtOf(const Variable& variable, const Frame& frame,
                                   const isa::xe::Architecture& architecture, const Location& here,
                                   const Location& beside, bool isRunning, const std::vector<Variable>& sharing) {
    // In a caller, what unwinding restored holds.
    if (trusts_ || !frame.module || !frame.saved.empty() || !variable.type) return "";
    const auto& module = *frame.module;
    const auto* const code = module.isOptimised() ? module.codeAt(frame.address) : nullptr;
    const auto* const flow = code ? module.flowOf(*code, architecture) : nullptr;
    const auto* const function = module.debug().functionAt(frame.address);
    const auto now = flow && flow->isKnown() ? flow->numberAt(frame.address - code->begin) : std::nullopt;
    if (!now || !function) return "";
    if (!isRunning && variable.isInBlock && !flow->isConvergent(*now))
        return "this lane is not in the block that has it";
    if (auto doubt = partsDoubt(here.pieces, *variable.type); !doubt.empty()) return doubt;
    const auto chain = module.debug().scopesAt(frame.address);
    const auto scopes = frame.isInlined ? chain : std::vector<Scope>();
    const auto outwards = std::min(frame.scope, chain.size());
    std::set<int> linesOfOthers;
    for (const auto& each : sharing) {
        const auto& lines = linesOf(each, frame).lines;
        linesOfOthers.insert(lines.begin(), lines.end());
    }
    const LocationQuestion question{
        .flow = *flow,
        .debug = module.debug(),
        .begin = code->begin,
        .body = function->body - code->begin,
        .now = *now,
        .isRunning = isRunning,
        .first = std::max(variable.liveFrom, function->begin) - code->begin,
        .end = std::min({variable.liveTo, function->end, code->end}) - code->begin,
        .isArgument = variable.isParameter && !frame.isInlined,
        .localIds = localIdsOf(module.kernelAt(frame.address)),
        .given = givenTo(module.kernelAt(frame.address)),
        .scopes = {chain.begin() + static_cast<std::ptrdiff_t>(outwards), chain.end()},
        .callLine = variable.isParameter && frame.scope < scopes.size() ? scopes[frame.scope].calledFrom.line : 0,
        .linesOfOthers = linesOfOthers,
        .type = variable.type,
        .lines = linesOf(variable, frame)};
    if (auto doubt = constantDoubt(question, here); !doubt.empty()) return doubt;
    const auto pieces = registersOf(here);
    const auto others = registersOf(beside);
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        const auto bytes = bytesOf(pieces[i], variable.type->size);
        if (!bytes) continue;
        const auto pitch = others.size() == pieces.size() ? pitchOf(pieces[i], others[i], 1) : std::nullopt;
        const bool mayKnowMore =
            std::exchange(directories_, source_.directories().size()) != source_.directories().size();
        if (mayKnowMore || known_.size() > kMostKnown) known_.clear();
        const auto [entry, isNew] =
            known_.try_emplace({frame.address, frame.scope, variable.name, variable.declared, bytes->start,
                                bytes->count, pitch.value_or(kNoPitch), isRunning});
        if (isNew) entry->second = RegisterCheck(question, *bytes, pitch).doubt();
        if (!entry->second.empty()) return entry->second;
    }
    return "";
}

}  // namespace zetl::debugger
