// Atomics of OpenCL 2.0: order and scope come last. The hardware's atomics are relaxed; fences give them an order.
#include <algorithm>
#include <utility>

#include "compiler/ptx/builtins.h"

namespace zetl::compiler {
namespace {

/// Whether the value behind the pointer is signed: in a mangled name its type follows _Atomic.
bool isSignedAtomic(const Declaration& declaration) {
    constexpr std::string_view kAtomic = "_Atomic";
    const auto types = declaration.mangledTypes();
    const auto at = types.find(kAtomic);
    return at != std::string_view::npos && isSigned(types[at + kAtomic.size()]);
}

void fence(Body& body, std::size_t order, std::size_t scope) {
    body.line("  call void @zetl.fence(i32 %a{}, i32 %a{})", order, scope);
}

/// The pointer as a pointer to integers of the value's size.
std::pair<std::string, std::string> asIntegers(Body& body, const std::string& pointer, const ValueType& type) {
    if (!type.real || pointer.find('*') == std::string::npos) return {pointer, "%a0"};
    const std::string cast = type.integer() + pointer.substr(type.text.size());
    return {cast, body.value("bitcast {} %a0 to {}", pointer, cast)};
}

/// Repeats until no other thread has changed the value meanwhile.
bool exchangeInLoop(Body& body, const Declaration& declaration, const Combination& how, const ValueType& type) {
    if (type.bits < 32) return false;
    const auto [pointer, place] = asIntegers(body, declaration.parameters[0], type);
    const auto first = body.value("load volatile {}, {} {}", type.integer(), pointer, place);
    body.line("  br label %again\nagain:");
    body.line("  %old = phi {} [{}, %entry], [%seen, %again]", type.integer(), first);
    const auto value = body.fromInteger(type, "%old");
    const auto wanted = combine(body, how, type, false, value, "%a1");
    if (wanted.empty()) return false;
    const auto bits = body.toInteger(type, wanted);
    const auto pair = body.value("cmpxchg {} {}, {} %old, {} {} monotonic monotonic", pointer, place, type.integer(),
                                 type.integer(), bits);
    body.line("  %seen = extractvalue {{ {}, i1 }} {}, 0", type.integer(), pair);
    const auto done = body.value("extractvalue {{ {}, i1 }} {}, 1", type.integer(), pair);
    body.line("  br i1 {}, label %done, label %again\ndone:", done);
    fence(body, 2, 3);
    body.give(type, value);
    return true;
}

struct Operation {
    std::string_view name;
    std::string_view instruction;
    std::string_view ofUnsigned;
    std::string_view ofReal;  ///< empty: a loop
};
constexpr Operation kOperations[] = {
    {"atomic_fetch_add_explicit", "add", "add", "fadd"}, {"atomic_fetch_sub_explicit", "sub", "sub", "fsub"},
    {"atomic_fetch_and_explicit", "and", "and", ""},     {"atomic_fetch_or_explicit", "or", "or", ""},
    {"atomic_fetch_xor_explicit", "xor", "xor", ""},     {"atomic_fetch_min_explicit", "min", "umin", ""},
    {"atomic_fetch_max_explicit", "max", "umax", ""},
};

bool fetch(Body& body, const Declaration& declaration) {
    if (declaration.parameters.size() != 4) return false;
    const auto type = ValueType::of(declaration.result);
    const auto name = declaration.name();
    const auto* const found = std::find_if(std::begin(kOperations), std::end(kOperations),
                                           [name](const Operation& one) { return one.name == name; });
    if (found == std::end(kOperations) || type.bits < 32) return false;
    fence(body, 2, 3);
    if (type.real && found->ofReal != "fadd") {
        constexpr std::string_view kEnd = "_explicit";
        const auto* const how = combinationAtEnd(name.substr(0, name.size() - kEnd.size()));
        return how && exchangeInLoop(body, declaration, *how, type);
    }
    const auto instruction = type.real                     ? found->ofReal
                             : isSignedAtomic(declaration) ? found->instruction
                                                           : found->ofUnsigned;
    const auto old =
        body.value("atomicrmw {} {} %a0, {} %a1 monotonic", instruction, declaration.parameters[0], type.text);
    fence(body, 2, 3);
    body.give(type, old);
    return true;
}

bool exchange(Body& body, const Declaration& declaration) {
    const auto type = ValueType::of(declaration.result);
    if (declaration.parameters.size() != 4 || type.bits < 32) return false;
    fence(body, 2, 3);
    const auto [pointer, place] = asIntegers(body, declaration.parameters[0], type);
    const auto bits = body.toInteger(type, "%a1");
    const auto old = body.value("atomicrmw xchg {} {}, {} {} monotonic", pointer, place, type.integer(), bits);
    fence(body, 2, 3);
    body.give(type, body.fromInteger(type, old));
    return true;
}

bool load(Body& body, const Declaration& declaration) {
    const auto type = ValueType::of(declaration.result);
    if (declaration.parameters.size() != 3 || type.bits < 32) return false;
    fence(body, 1, 2);
    const auto value = body.value("load volatile {}, {} %a0", type.text, declaration.parameters[0]);
    fence(body, 1, 2);
    body.give(type, value);
    return true;
}

bool store(Body& body, const Declaration& declaration) {
    if (declaration.parameters.size() != 4 || ValueType::of(declaration.parameters[1]).bits < 32) return false;
    fence(body, 2, 3);
    body.line("  store volatile {} %a1, {} %a0", declaration.parameters[1], declaration.parameters[0]);
    fence(body, 2, 3);
    body.line("  ret void");
    return true;
}

/// (object, expected, desired, order of success, order of failure, scope)
bool compareAndExchange(Body& body, const Declaration& declaration) {
    if (declaration.parameters.size() != 6) return false;
    const auto& parameters = declaration.parameters;
    const auto type = ValueType::of(parameters[2]);
    if (type.real || type.bits < 32) return false;
    fence(body, 3, 5);
    const auto expected = body.value("load {}, {} %a1", type.text, parameters[1]);
    const auto pair =
        body.value("cmpxchg {} %a0, {} {}, {} %a2 monotonic monotonic", parameters[0], type.text, expected, type.text);
    const auto old = body.value("extractvalue {{ {}, i1 }} {}, 0", type.text, pair);
    const auto done = body.value("extractvalue {{ {}, i1 }} {}, 1", type.text, pair);
    body.line("  store {} {}, {} %a1", type.text, old, parameters[1]);
    fence(body, 3, 5);
    body.line("  ret i1 {}", done);
    return declaration.result == "i1";
}

bool fenceOfWorkItem(Body& body, const Declaration& declaration) {
    if (declaration.parameters.size() != 3) return false;
    fence(body, 1, 2);
    body.line("  ret void");
    return true;
}

constexpr Builtin kAtomics[] = {
    {"atomic_fetch_", fetch, true},
    {"atomic_exchange_explicit", exchange},
    {"atomic_load_explicit", load},
    {"atomic_store_explicit", store},
    {"atomic_compare_exchange_", compareAndExchange, true},
    {"atomic_work_item_fence", fenceOfWorkItem},
};

}  // namespace

std::span<const Builtin> atomicBuiltins() { return kAtomics; }

}  // namespace zetl::compiler
