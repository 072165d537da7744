#include "statements.h"

#include <fmt/format.h>

#include <span>

namespace zetl::random_kernels {
namespace {

std::string indented(const std::string& text) {
    std::string result;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = text.find('\n', at);
        result += "    " + text.substr(at, end - at + 1);
        at = end + 1;
    }
    return result;
}
std::string braced(const std::string& text) { return "{\n" + indented(text) + "}"; }

struct AtomicOperation {
    const char* name;  ///< behind atomic_ and, of 64 bits, atom_
    int operands;
};
/// The order of these does not show in the result. Those behind them are the ones whose order does.
constexpr AtomicOperation kAtomics[] = {
    {"add", 1}, {"sub", 1}, {"and", 1}, {"or", 1},   {"xor", 1},     {"min", 1},
    {"max", 1}, {"inc", 0}, {"dec", 0}, {"xchg", 1}, {"cmpxchg", 2},
};
constexpr std::span<const AtomicOperation> kUnorderedAtomics = std::span(kAtomics).first(9);
constexpr Base kAtomicBases[] = {Base::int32, Base::uint32, Base::int64, Base::uint64};

/// `value` is computed anew for each operand.
std::string atomicCall(const AtomicOperation& operation, Type type, const std::string& place,
                       const std::function<std::string()>& value) {
    const bool isWide = type.bits() == 64;
    std::string text = fmt::format("{}_{}({}", isWide ? "atom" : "atomic", operation.name, place);
    // Half the value: of a sum with the sign bit alone the compiler makes an `or` in local memory.
    for (int i = 0; i < operation.operands; ++i) text += fmt::format(", {}{}", value(), isWide ? " >> 1" : "");
    return text + ")";
}

/// How many elements of a type the work-item's part of scratch memory for it has, and where it is.
constexpr int elementsOf(std::uint32_t bits) { return kScratchBytes / static_cast<int>(bits / 8); }
std::string ownPart(Base base, const std::string& element) {
    return fmt::format("((__global {}*)(scratch + (item * {} + {}) * {}))", element, kBases, static_cast<int>(base),
                       kScratchBytes);
}

}  // namespace

std::string Statements::name(const char* stem) { return fmt::format("{}{}", stem, names_++); }

std::string Statements::block(int count, int depth, bool uniform) {
    std::string text;
    for (int i = 0; i < count; ++i) text += one(depth, uniform);
    return text;
}
std::string Statements::body(int depth, bool uniform, int most) {
    return braced(block(chance_.between(1, most), depth - 1, uniform));
}
std::string Statements::looped(int depth, bool uniform) {
    ++loops_;
    std::string text = body(depth, uniform);
    --loops_;
    return text;
}

std::string Statements::one(int depth, bool uniform) {
    static constexpr Writer kPlain[] = {&Statements::assignment, &Statements::assignment, &Statements::component,
                                        &Statements::arrayStore, &Statements::packChange, &Statements::parts};
    static constexpr Writer kNested[] = {&Statements::branch,      &Statements::branch,      &Statements::choice,
                                         &Statements::counted,     &Statements::conditional, &Statements::forwardJump,
                                         &Statements::backwardJump};
    static constexpr Writer kOfKernels[] = {&Statements::scratch, &Statements::halves, &Statements::globalAtomics,
                                            &Statements::ownAtomics};
    static constexpr Writer kOfGroups[] = {&Statements::exchange, &Statements::localAtomics,
                                           &Statements::uniformBranch};
    const bool omitted = numbering_.omitsStatement();
    Writer writer = chance_.of(kPlain);
    if (depth > 0 && chance_.oneIn(2)) writer = chance_.of(kNested);
    if (groupItems_ != 0 && chance_.oneIn(6)) writer = chance_.of(kOfKernels);
    if (groupItems_ != 0 && uniform && chance_.oneIn(4)) writer = chance_.of(kOfGroups);
    std::string text = (this->*writer)(depth, uniform);
    return omitted ? "" : text;
}

std::string Statements::assignment(int, bool) {
    const Variable& variable = chance_.of(scope_.variables);
    return fmt::format("{} = {};\n", variable.name, expressions_.make(variable.type, 4));
}

std::string Statements::component(int depth, bool uniform) {
    const Variable& variable = chance_.of(scope_.variables);
    if (!variable.type.isVector()) return assignment(depth, uniform);
    if (variable.type.width == 4 && chance_.oneIn(2)) {
        constexpr const char* kPairs[] = {"s31", "s02", "lo", "hi", "even", "odd", "s10"};
        return fmt::format("{}.{} = {};\n", variable.name, chance_.of(kPairs),
                           expressions_.make({variable.type.base, 2}, 3));
    }
    return fmt::format("{}.s{} = {};\n", variable.name, chance_.below(std::min(variable.type.width, 10)),
                       expressions_.make(variable.type.scalar(), 3));
}

std::string Statements::arrayStore(int depth, bool uniform) {
    if (scope_.arrays.empty()) return assignment(depth, uniform);
    const Array& array = chance_.of(scope_.arrays);
    return fmt::format("{}[{} & {}] = {};\n", array.name, expressions_.make(kInt, 2), array.count - 1,
                       expressions_.make(array.type, 3));
}

std::string Statements::packChange(int, bool) {
    switch (chance_.below(6)) {
        case 0:
            return fmt::format("pack.a = {};\n", expressions_.make(kInt, 3));
        case 1:
            return fmt::format("pack.b = {};\n", expressions_.make({Base::int16, 4}, 3));
        case 2:
            return fmt::format("pack.c = {};\n", expressions_.make({Base::float64, 1}, 3));
        case 3:
            return fmt::format("pack.e[{} % 3u] = {};\n", expressions_.make(kUint, 2), expressions_.make(kUint, 3));
        case 4:
            return fmt::format("pack.d ^= {};\n", expressions_.make({Base::uint8, 1}, 3));
        default:
            return "other = pack;\npack.a = (int)(other.e[1] >> 1);\npack.e[0] = as_uint(other.a);\n";
    }
}

/// Built-in functions with a second result.
std::string Statements::parts(int depth, bool uniform) {
    const Variable& variable = chance_.of(scope_.variables);
    if (!variable.type.isReal()) return assignment(depth, uniform);
    const std::string value = expressions_.operand(variable.type, 3);
    if (chance_.oneIn(2)) {
        const std::string whole = name("whole");
        return fmt::format("{{\n    {} {};\n    {} = modf({}, &{}) + ({})0;\n    {} += {};\n}}\n", variable.type.name(),
                           whole, variable.name, value, whole, variable.type.name(), variable.name, whole);
    }
    const std::string exponent = name("exponent");
    const Type type{Base::int32, variable.type.width};
    // Of infinities and NaN the exponent is nobody's, of a vector with a zero PoCL has others wrong.
    const char* least = variable.type.isVector() ? "1e-30f" : "-1e30f";
    return fmt::format(
        "{{\n    {0} {1};\n    {2} = frexp(fmin(fmax(number({3}), ({4}){5}), ({4})1e30f), &{1});\n"
        "    {2} += convert_{4}({1});\n}}\n",
        type.name(), exponent, variable.name, value, variable.type.name(), least);
}

/// Global memory of the work-item's own, where each scalar type has a part.
std::string Statements::scratch(int, bool) {
    const Variable& variable = chance_.of(scope_.variables);
    const Type scalar = variable.type.scalar();
    const int elements = elementsOf(scalar.bits());
    const std::string part = ownPart(scalar.base, scalar.name());
    // Memory is compared as it is: a NaN becomes a number.
    const char* shown = scalar.isReal() ? "number" : "";
    const std::string at = fmt::format("({} & {})", expressions_.make(kInt, 2), elements - 1);
    if (!variable.type.isVector())
        return fmt::format("{}[{}] = {}({});\n{} = {}[{} & {}];\n", part, at, shown, expressions_.make(scalar, 3),
                           variable.name, part, expressions_.make(kInt, 2), elements - 1);
    // Sixteen elements fit from any multiple of their width on, three from the multiples of three but the last.
    const int width = variable.type.width;
    const int places = elements / width;
    return fmt::format("vstore{0}({6}({1}), (uint){2} % {3}, {4});\n{5} = vload{0}((uint){7} % {3}, {4});\n", width,
                       expressions_.make(variable.type, 3), at, places, part, variable.name, shown,
                       expressions_.make(kInt, 2));
}

/// Numbers of 16 bits, which are in memory only. Their NaN, and what other statements left there, become numbers.
std::string Statements::halves(int depth, bool uniform) {
    const Variable& variable = chance_.of(scope_.variables);
    if (!variable.type.isReal()) return scratch(depth, uniform);
    constexpr const char* kRoundings[] = {"", "_rte", "_rtz", "_rtp", "_rtn"};
    const std::string width = variable.type.isVector() ? std::to_string(variable.type.width) : "";
    const int places = elementsOf(16) / variable.type.width;
    const std::string part = ownPart(Base::uint16, "half");
    return fmt::format(
        "vstore_half{0}{1}(number({2}), (uint){3} % {4}, {5});\n"
        "{6} = convert_{7}(number(vload_half{0}((uint){8} % {4}, {5})));\n",
        width, chance_.of(kRoundings), expressions_.make(variable.type, 3), expressions_.make(kInt, 2), places, part,
        variable.name, variable.type.name(), expressions_.make(kInt, 2));
}

/// What atomics return, in memory that no other work-item changes: global, or an element of local memory.
std::string Statements::ownAtomics(int, bool) {
    const Type type{chance_.of(kAtomicBases), 1};
    std::string text;
    std::string place;
    if (chance_.oneIn(2)) {
        place = fmt::format("{} + ({} & {})", ownPart(type.base, "volatile " + type.name()), expressions_.make(kInt, 2),
                            elementsOf(type.bits()) - 1);
    } else {
        const std::string memory = name("own");
        declarations_ += fmt::format("__local {} {}[{}];\n", type.name(), memory, groupItems_);
        place = fmt::format("&{}[local_item]", memory);
        text = fmt::format("{}[local_item] = {};\n", memory, expressions_.make(type, 2));
    }
    const Variable& variable = chance_.of(scope_.variables);
    const std::string call = atomicCall(chance_.of(kAtomics), type, place, [&] { return expressions_.make(type, 3); });
    return text + fmt::format("{} = ({})(convert_{}({}));\n", variable.name, variable.type.name(),
                              variable.type.scalar().name(), call);
}

std::string Statements::branch(int depth, bool) {
    std::string text = fmt::format("if ({}) {}", expressions_.condition(3), body(depth, false));
    if (chance_.oneIn(2)) text += " else " + body(depth, false);
    return text + "\n";
}

/// What groups do differently, and work-items of a group alike.
std::string Statements::uniformBranch(int depth, bool uniform) {
    if (depth <= 0) return assignment(depth, uniform);
    constexpr const char* kSame[] = {"get_group_id(0) & 1", "(group ^ given) & 1", "given > 7 && group != 1",
                                     "get_group_id(1) == 0"};
    std::string text = fmt::format("if ({}) {}", chance_.of(kSame), body(depth, true));
    if (chance_.oneIn(2)) text += " else " + body(depth, true);
    return text + "\n";
}

std::string Statements::choice(int depth, bool) {
    const int cases = chance_.between(2, 6);
    std::string text = fmt::format("switch ({} & 7) {{\n", expressions_.make(kInt, 3));
    for (int i = 0; i < cases; ++i) {
        text += fmt::format("    case {}:\n", i);
        text += indented(indented(block(chance_.between(1, 2), depth - 1, false)));
        if (!chance_.oneIn(4)) text += "        break;\n";
    }
    if (chance_.oneIn(2)) text += "    default:\n" + indented(indented(one(depth - 1, false)));
    return text + "        break;\n}\n";
}

/// A loop with a count: the same for the whole group where it holds barriers.
std::string Statements::counted(int depth, bool uniform) {
    if (loops_ >= 2) return branch(depth, uniform);
    const std::string counter = name("i");
    const bool stays = uniform && chance_.oneIn(2);
    const std::string bound = stays ? fmt::format("(int)({} & 3) + 1", chance_.oneIn(2) ? "group" : "given")
                                    : fmt::format("({} & {})", expressions_.make(kInt, 3), chance_.oneIn(2) ? 7 : 3);
    const std::string limit = name("limit");
    std::string inner = looped(depth, stays);
    if (!stays && chance_.oneIn(2)) {
        const char* leave = chance_.oneIn(2) ? "break" : "continue";
        inner = fmt::format("{{\n    if ({}) {};\n{}}}", expressions_.condition(2), leave, indented(inner + "\n"));
    }
    return braced(
               fmt::format("int {0} = {1};\nfor (int {2} = 0; {2} < {0}; ++{2}) {3}\n", limit, bound, counter, inner)) +
           "\n";
}

std::string Statements::conditional(int depth, bool uniform) {
    if (loops_ >= 2) return branch(depth, uniform);
    const std::string counter = name("n");
    const std::string condition =
        fmt::format("{}++ < {} && {}", counter, chance_.between(1, 6), expressions_.condition(2));
    const std::string inner = looped(depth, false);
    const std::string loop =
        fmt::format(fmt::runtime(chance_.oneIn(2) ? "while ({0}) {1}" : "do {1} while ({0});"), condition, inner);
    return braced(fmt::format("int {} = 0;\n{}\n", counter, loop)) + "\n";
}

std::string Statements::forwardJump(int depth, bool) {
    const std::string label = name("over");
    return fmt::format("if ({}) goto {};\n{}\n{}:;\n", expressions_.condition(3), label, body(depth, false), label);
}

std::string Statements::backwardJump(int depth, bool uniform) {
    if (loops_ >= 2) return branch(depth, uniform);
    const std::string label = name("again");
    const std::string counter = name("n");
    const std::string inner = looped(depth, false);
    return braced(fmt::format("int {0} = 0;\n{1}:;\n{2}\nif ({0}++ < {3} && {4}) goto {1};\n", counter, label, inner,
                              chance_.between(1, 4), expressions_.condition(2))) +
           "\n";
}

/// Each work-item writes its element of local memory and reads that of another.
std::string Statements::exchange(int, bool) {
    const Variable& variable = chance_.of(scope_.variables);
    const std::string memory = name("shared");
    declarations_ += fmt::format("__local {} {}[{}];\n", variable.type.name(), memory, groupItems_);
    const std::string value = expressions_.make(variable.type, 3);
    const std::string other = chance_.oneIn(2)
                                  ? fmt::format("(local_item + {}) % {}", chance_.between(1, 40), groupItems_)
                                  : fmt::format("{} - 1 - local_item", groupItems_);
    return fmt::format(
        "{0}[local_item] = {1};\nbarrier(CLK_LOCAL_MEM_FENCE);\n{2} = {0}[{3}];\nbarrier(CLK_LOCAL_MEM_FENCE);\n",
        memory, value, variable.name, other);
}

/// All work-items change counters of local memory by one operation, whose order does not show, and read them
/// afterwards.
std::string Statements::localAtomics(int, bool) {
    const Type type{chance_.of(kAtomicBases), 1};
    const std::string memory = name("counters");
    declarations_ += fmt::format("__local {} {}[16];\n", type.name(), memory);
    std::string call =
        atomicCall(chance_.of(kUnorderedAtomics), type, fmt::format("&{}[{} & 15]", memory, expressions_.make(kInt, 2)),
                   [&] { return expressions_.make(type, 3); }) +
        ";\n";
    if (chance_.oneIn(3)) call = fmt::format("if ({}) {}", expressions_.condition(2), call);
    const Variable& variable = chance_.of(scope_.variables);
    // Of an element that all work-items read alike in a loop the compiler loses the register.
    const std::string read = fmt::format("{}[(local_item ^ (uint){}) & 15]", memory, expressions_.make(kInt, 2));
    const Type target = variable.type;
    return fmt::format(
        "for (int slot = (int)local_item; slot < 16; slot += {0}) {1}[slot] = ({2})(slot * 77 - 5);\n"
        "barrier(CLK_LOCAL_MEM_FENCE);\n{3}barrier(CLK_LOCAL_MEM_FENCE);\n{4} = ({5})(convert_{6}({7}));\n"
        "barrier(CLK_LOCAL_MEM_FENCE);\n",
        groupItems_, memory, type.name(), call, variable.name, target.name(), target.scalar().name(), read);
}

/// Counters of the whole launch, which the kernel does not read.
std::string Statements::globalAtomics(int depth, bool uniform) {
    if (atomics_ == kMaxAtomics) return assignment(depth, uniform);
    const Type type{chance_.of(kAtomicBases), 1};
    const std::string place = fmt::format("((volatile __global {}*)(counters + {})) + ({} & {})", type.name(),
                                          atomics_++ * kAccumulators, expressions_.make(kInt, 2), kAccumulators - 1);
    return atomicCall(chance_.of(kUnorderedAtomics), type, place, [&] { return expressions_.make(type, 3); }) + ";\n";
}

}  // namespace zetl::random_kernels
