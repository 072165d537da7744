#include "core/condition_code.h"

#include <algorithm>
#include <bit>
#include <string>

#include "core/address.h"
#include "core/failure.h"
#include "core/location_code.h"
#include "core/scanner.h"
#include "isa/xe/architecture.h"

namespace zetl::debugger {
namespace {

using Operation = Code::Operation;

constexpr int kMostNested = 50;
const std::string kAxisNames = "xyz";

enum class Sort { integer, natural, real };

/// An operand: a number, or a place with a type.
struct Term {
    enum class Where { number, memory, local, registers } where = Where::number;
    Code code = Code::number(0);  ///< the number, the address or the first bit
    Sort sort = Sort::integer;    ///< of a number
    std::uint32_t bits = 0;       ///< registers: how many; 0: as many as the type has
    const Type* type = nullptr;   ///< null: a number that has none
    bool leadsToLocal = false;    ///< a pointer that is known to
};

bool isPointer(const Term& term) { return term.type && term.type->kind == Type::Kind::pointer; }

Term numberTerm(Code code, Sort sort) {
    Term term;
    term.code = std::move(code);
    term.sort = sort;
    return term;
}

class Compiler : Scanner {
  public:
    Compiler(std::string_view text, Inspector& inspector, const Frame& frame, const KernelInfo* kernel,
             const Memory& memory)
        : Scanner(text, kMostNested), inspector_(inspector), frame_(frame), kernel_(kernel), memory_(memory) {}

    Code all() {
        Code code = truth(binary(0));
        skip();
        if (!rest_.empty()) fail("'{}' cannot be coded", rest_);
        return code;
    }

  private:
    // Numbers.
    static std::uint32_t bytesOf(const Type& type) {
        if (type.size != 1 && type.size != 2 && type.size != 4 && type.size != 8)
            fail("a number of {} bytes cannot be coded", type.size);
        return static_cast<std::uint32_t>(type.size);
    }
    static Code loaded(const Term& term) {
        const std::uint32_t bytes = bytesOf(*term.type);
        if (term.where == Term::Where::memory) return Code::memory(term.code, bytes);
        if (term.where == Term::Where::local) return Code::local(term.code, bytes);
        const std::uint32_t bits = term.bits == 0 ? bytes * 8 : std::min(term.bits, bytes * 8);
        return Code::registerBits(term.code, bits);
    }
    static Sort sortOf(const Type& type) {
        switch (type.kind) {
            case Type::Kind::integer:
            case Type::Kind::enumeration:
                return Sort::integer;
            case Type::Kind::natural:
            case Type::Kind::boolean:
            case Type::Kind::pointer:
                return Sort::natural;
            case Type::Kind::floating:
                return Sort::real;
            default:
                fail("{} is not a number", nameOf(&type));
        }
    }
    static Term numberOf(const Term& term) {
        if (term.where == Term::Where::number) return term;
        const Sort sort = sortOf(*term.type);
        const Code code = loaded(term);
        const std::uint32_t bits = bytesOf(*term.type) * 8;
        Term number = numberTerm(code, sort);
        if (sort == Sort::integer) number.code = code.then(Operation::extend, bits);
        if (sort == Sort::real) number.code = code.then(Operation::real, bits);
        return number;
    }
    static Code integer(const Term& term) {
        const Term number = numberOf(term);
        return number.sort == Sort::real ? number.code.then(Operation::integerOfReal) : number.code;
    }
    static Code real(const Term& term) {
        const Term number = numberOf(term);
        if (number.sort == Sort::real) return number.code;
        return number.code.then(number.sort == Sort::integer ? Operation::realOfSigned : Operation::realOfUnsigned);
    }
    /// Not zero if it is true.
    static Code truth(const Term& term) {
        const Term number = numberOf(term);
        if (number.sort != Sort::real) return number.code;
        return number.code.with(Operation::equalReal, Code::number(0)).then(Operation::isZero);
    }
    static Term isTrue(Code code) { return numberTerm(std::move(code), Sort::integer); }

    // Operators.
    Term binary(int weakest) {
        deeper();
        Term left = unary();
        while (const Operator* const found = takeOperator(weakest)) {
            const Term right = binary(found->strength);
            left = combined(found->text, left, right);
        }
        shallower();
        return left;
    }
    Term combined(std::string_view op, const Term& whole, const Term& right) {
        if (op == "&&") return isTrue(truth(whole).with(Operation::both, truth(right)));
        if (op == "||") return isTrue(truth(whole).with(Operation::either, truth(right)));
        if (op == "@") fail("@ cannot be coded");
        const Term left = decayed(whole);
        if (isPointer(left) && !isPointer(right) && (op == "+" || op == "-")) return moved(op, left, right);
        const Term first = numberOf(left);
        const Term second = numberOf(right);
        if (first.sort == Sort::real || second.sort == Sort::real) return ofReals(op, real(first), real(second));
        const bool isSigned = first.sort == Sort::integer && second.sort == Sort::integer;
        return ofIntegers(op, first.code, second.code, isSigned);
    }
    static Term moved(std::string_view op, const Term& pointer, const Term& right) {
        const Code bytes = integer(right).times(pointer.type->element ? pointer.type->element->size : 1);
        Term result = numberTerm(numberOf(pointer).code.with(op == "+" ? Operation::add : Operation::subtract, bytes),
                                 Sort::natural);
        result.type = pointer.type;
        result.leadsToLocal = pointer.leadsToLocal;
        return result;
    }
    static Term ofReals(std::string_view op, const Code& left, const Code& right) {
        if (op == "==") return isTrue(left.with(Operation::equalReal, right));
        if (op == "!=") return isTrue(left.with(Operation::equalReal, right).then(Operation::isZero));
        if (op == "<") return isTrue(left.with(Operation::lessReal, right));
        if (op == ">") return isTrue(right.with(Operation::lessReal, left));
        // Neither holds for what is no number.
        if (op == "<=") return either(left, Operation::lessReal, right, Operation::equalReal);
        if (op == ">=") return either(right, Operation::lessReal, left, Operation::equalReal);
        if (op == "+") return numberTerm(left.with(Operation::addReal, right), Sort::real);
        if (op == "-") return numberTerm(left.with(Operation::subtractReal, right), Sort::real);
        if (op == "*") return numberTerm(left.with(Operation::multiplyReal, right), Sort::real);
        if (op == "/") return numberTerm(left.with(Operation::divideReal, right), Sort::real);
        fail("{} cannot be applied to these values", op);
    }
    static Term either(const Code& left, Operation first, const Code& right, Operation second) {
        return isTrue(left.with(first, right).with(Operation::either, left.with(second, right)));
    }
    static Term ofIntegers(std::string_view op, const Code& left, const Code& right, bool isSigned) {
        const auto pick = [isSigned](Operation ofSigned, Operation ofUnsigned) {
            return isSigned ? ofSigned : ofUnsigned;
        };
        const Operation less = pick(Operation::lessSigned, Operation::lessUnsigned);
        if (op == "==") return isTrue(left.with(Operation::equal, right));
        if (op == "!=") return isTrue(left.with(Operation::equal, right).then(Operation::isZero));
        if (op == "<") return isTrue(left.with(less, right));
        if (op == ">") return isTrue(right.with(less, left));
        if (op == "<=") return isTrue(right.with(less, left).then(Operation::isZero));
        if (op == ">=") return isTrue(left.with(less, right).then(Operation::isZero));
        const std::pair<std::string_view, Operation> arithmetic[] = {
            {"+", Operation::add},
            {"-", Operation::subtract},
            {"*", Operation::multiply},
            {"/", pick(Operation::divideSigned, Operation::divideUnsigned)},
            {"%", pick(Operation::remainderSigned, Operation::remainderUnsigned)},
            {"&", Operation::bitAnd},
            {"|", Operation::bitOr},
            {"^", Operation::bitXor},
            {"<<", Operation::shiftLeft},
            {">>", pick(Operation::shiftRightSigned, Operation::shiftRightUnsigned)}};
        for (const auto& [text, operation] : arithmetic)
            if (text == op) return numberTerm(left.with(operation, right), isSigned ? Sort::integer : Sort::natural);
        fail("{} cannot be applied to these values", op);
    }

    Term unary() {
        deeper();
        Term term = unaryBody();
        shallower();
        return term;
    }
    Term unaryBody() {
        if (take("-")) return negated(numberOf(unary()));
        if (take("!")) return isTrue(truth(unary()).then(Operation::isZero));
        if (take("~")) return numberTerm(integer(unary()).then(Operation::complement), Sort::natural);
        if (take("*")) return target(decayed(unary()), Code::number(0));
        if (take("&")) fail("an address cannot be coded");
        skip();
        if (rest_.starts_with('('))
            if (const auto type = typeInParentheses()) return converted(*type, unary());
        return postfix(primary());
    }
    static Term negated(const Term& number) {
        const bool isReal = number.sort == Sort::real;
        return numberTerm(number.code.then(isReal ? Operation::negateReal : Operation::negate),
                          isReal ? Sort::real : Sort::integer);
    }
    /// Nothing, and nothing is consumed, if there is no type.
    std::shared_ptr<const Type> typeInParentheses() {
        const auto end = rest_.find(')');
        if (end == std::string_view::npos) return nullptr;
        const auto text = rest_.substr(1, end - 1);
        auto type = typeFrom(text, inspector_);
        if (!type) return nullptr;
        if (text.find("local") != std::string_view::npos) fail("a cast to local memory cannot be coded");
        rest_.remove_prefix(end + 1);
        made_.push_back(type);
        return type;
    }
    static Term converted(const Type& type, const Term& from) {
        const Sort sort = sortOf(type);
        const std::uint32_t bits = bytesOf(type) * 8;
        if (type.kind == Type::Kind::boolean || (sort == Sort::real && bits == 16))
            fail("a cast to {} cannot be coded", nameOf(&type));
        const Code code = sort == Sort::real ? real(from) : integer(from);
        Term result = numberTerm(code, sort);
        if (sort == Sort::real && bits == 32) result.code = code.then(Operation::narrow, bits);
        if (sort == Sort::integer) result.code = code.then(Operation::extend, bits);
        if (sort == Sort::natural && bits < 64)
            result.code = code.with(Operation::bitAnd, Code::number((std::uint64_t{1} << bits) - 1));
        if (type.kind == Type::Kind::pointer) result.type = &type;
        result.leadsToLocal = from.leadsToLocal && type.kind == Type::Kind::pointer;
        return result;
    }

    // Members and elements.
    Term postfix(Term term) {
        for (;;) {
            if (take("[")) {
                const Code index = integer(binary(0));
                need("]");
                term = element(term, index);
            } else if (take("->")) {
                term = member(target(term, Code::number(0)), word());
            } else if (take(".")) {
                term = member(term, word());
            } else {
                return term;
            }
        }
    }
    /// An array in memory as a pointer to its first element.
    static Term decayed(const Term& term) {
        const bool isArray = term.type && term.type->kind == Type::Kind::array && !term.type->isVector;
        if (isArray) fail("arrays by their address cannot be coded");
        return term;
    }
    static Term target(const Term& pointer, const Code& index) {
        if (!isPointer(pointer) || !pointer.type->element) fail("{} is not a pointer", nameOf(pointer.type));
        Term part;
        part.type = pointer.type->element;
        part.where = pointer.leadsToLocal ? Term::Where::local : Term::Where::memory;
        part.code = numberOf(pointer).code.plus(index.times(part.type->size));
        return part;
    }
    static Term element(const Term& whole, const Code& index) {
        const auto* const type = whole.type;
        if (isPointer(whole)) return target(whole, index);
        if (!type || type->kind != Type::Kind::array || !type->element) fail("{} has no elements", nameOf(type));
        return part(whole, *type->element, index.then(Operation::below, 0, type->count).times(type->element->size));
    }
    static Term part(const Term& whole, const Type& type, const Code& offset) {
        if (whole.where == Term::Where::number) fail("a part of a computed value cannot be coded");
        Term result = whole;
        result.type = &type;
        result.bits = 0;
        result.code = whole.code.plus(whole.where == Term::Where::registers ? offset.times(8) : offset);
        result.leadsToLocal = false;
        return result;
    }
    static Term member(const Term& whole, const std::string& name) {
        const auto* const type = whole.type;
        if (type && type->isVector && type->element) {
            const auto chosen = componentsNamed(name, type->count);
            if (chosen.size() != 1) fail("{} cannot be coded", name);
            return part(whole, *type->element, Code::number(chosen.front() * type->element->size));
        }
        if (!type || type->kind != Type::Kind::structure) fail("{} has no members", nameOf(type));
        const auto found = std::ranges::find(type->members, name, &Member::name);
        if (found == type->members.end() || !found->type) fail("{} has no member {}", nameOf(type), name);
        return part(whole, *found->type, Code::number(found->offset));
    }

    // Names and numbers.
    Term primary() {
        skip();
        if (take("(")) {
            Term term = binary(0);
            need(")");
            return term;
        }
        if (take("$")) return special(word());
        if (isAtNumber()) return literal(number());
        return named(word());
    }
    Term named(const std::string& name) {
        const auto all = inspector_.variables();
        const auto found = std::ranges::find(all, name, &Variable::name);
        if (found == all.end() || !found->type || found->location.empty()) fail("{} cannot be coded", name);
        if (const auto doubt = inspector_.doubtOf(*found); !doubt.empty()) fail("{}: {}", name, doubt);
        const auto frameBase = frame_.module ? frame_.module->debug().frameBaseAt(frame_.address) : Bytes();
        const CodedPlace place = codedLocation(found->location, frameBase);
        const bool isLocalPointer = found->inLocalMemory && found->type->kind == Type::Kind::pointer;
        Term term;
        term.type = found->type;
        term.code = place.where;
        term.bits = place.bits;
        term.leadsToLocal = isLocalPointer;
        switch (place.kind) {
            case CodedPlace::Kind::memory:
                term.where = found->inLocalMemory && !isLocalPointer ? Term::Where::local : Term::Where::memory;
                break;
            case CodedPlace::Kind::registerBits:
                term.where = Term::Where::registers;
                break;
            default:
                return ofValue(*found->type, place.where, isLocalPointer);
        }
        return term;
    }
    /// What the location computes is the variable's bytes.
    static Term ofValue(const Type& type, const Code& bits, bool leadsToLocal) {
        const Sort sort = sortOf(type);
        Term term = numberTerm(bits, sort);
        if (sort == Sort::real) term.code = bits.then(Operation::real, bytesOf(type) * 8);
        if (sort == Sort::integer) term.code = bits.then(Operation::extend, bytesOf(type) * 8);
        if (sort == Sort::natural && type.size < 8)
            term.code = bits.with(Operation::bitAnd, Code::number((std::uint64_t{1} << (type.size * 8)) - 1));
        if (type.kind == Type::Kind::pointer) term.type = &type;
        term.leadsToLocal = leadsToLocal;
        return term;
    }
    Term special(const std::string& name) {
        if (name == "pc") return numberTerm(Code::number(frame_.address), Sort::natural);
        if (name == "lane") return numberTerm(Code::lane(), Sort::natural);
        const auto line = name.find('_');
        const auto axis =
            line != std::string::npos && line + 2 == name.size() ? kAxisNames.find(name.back()) : std::string::npos;
        if (axis != std::string::npos) {
            const auto which = name.substr(0, line);
            auto code = inspector_.thread().architecture().idCode(which, axis, inspector_.thread(), kernel_, memory_);
            if (code) return numberTerm(*std::move(code), Sort::natural);
        }
        const auto index = name.starts_with("r") ? numberFrom(name.substr(1)) : std::nullopt;
        if (!index || *index >= isa::xe::kXeHpc.registerCounts.back()) fail("${} cannot be coded", name);
        Term term;
        term.where = Term::Where::registers;
        term.code = Code::number(*index * isa::xe::kRegisterBytes * 8);
        term.type = &types::kRegister;
        return term;
    }
    static Term literal(const Scalar& number) {
        if (const auto* const real = std::get_if<double>(&number))
            return numberTerm(Code::number(std::bit_cast<std::uint64_t>(*real)), Sort::real);
        const bool isSigned = std::holds_alternative<std::int64_t>(number);
        return numberTerm(Code::number(asBits(number)), isSigned ? Sort::integer : Sort::natural);
    }

    Inspector& inspector_;
    const Frame& frame_;
    const KernelInfo* const kernel_;
    const Memory& memory_;
    std::vector<std::shared_ptr<const Type>> made_;  ///< types of casts
};

}  // namespace

Code conditionCode(std::string_view condition, Inspector& inspector, const Frame& frame, const KernelInfo* kernel,
                   const Memory& memory) {
    return Compiler(condition, inspector, frame, kernel, memory).all();
}

}  // namespace zetl::debugger
