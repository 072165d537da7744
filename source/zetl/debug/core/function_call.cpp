#include "core/function_call.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <set>

#include "core/architecture.h"
#include "core/failure.h"
#include "core/location.h"
#include "isa/xe/architecture.h"

namespace zetl::debugger {
namespace {

constexpr std::size_t kLargestFunction = std::size_t{1} << 20;
constexpr std::size_t kMostCalled = 100;  ///< functions that one calls, or that these call
const Type kNoResult{Type::Kind::nothing, "void", 0, 0, nullptr, {}, {}};

/// Calls visit(address, instruction) for the code, until it returns false.
void eachInstruction(const Memory& memory, const Architecture& architecture, std::uint64_t begin, std::uint64_t end,
                     const std::function<bool(std::uint64_t, const Instruction&)>& visit) {
    const auto code = end > begin && end - begin <= kLargestFunction ? memory.read(begin, end - begin) : std::nullopt;
    if (!code) fail("the code at {:#x} cannot be read; was its module destroyed?", begin);
    for (std::size_t at = 0; code->size() - at >= sizeof(std::uint64_t);) {
        std::array<std::uint64_t, 2> words{};
        std::memcpy(words.data(), code->data() + at, std::min(code->size() - at, sizeof words));
        const auto instruction = architecture.decode(words);
        if (!visit(begin + at, instruction)) return;
        at += instruction.bytes;
        if (at >= code->size()) return;
    }
}

const Function& functionNamed(const Module& module, const std::string& name) {
    const auto& all = module.debug().functions();
    const auto found = std::ranges::find(all, name, &Function::name);
    if (found == all.end() && module.debug().isInlined(name))
        fail(
            "{} has no code of its own: the compiler built it into its callers. It has with __attribute__((noinline)) "
            "and -cl-opt-disable",
            name);
    if (found == all.end())
        fail("the program has no function {} of its own here; the language's functions are not called", name);
    if (module.entryOf(name) == found->begin)
        fail("{} is a kernel, and kernels are not called; call a function that it calls", name);
    return *found;
}

/// A barrier, also in a function that this one calls, would wait for threads that stand.
class BarrierSearch {
  public:
    BarrierSearch(const Module& module, const Memory& memory, const Architecture& architecture)
        : module_(module), memory_(memory), architecture_(architecture) {}

    /// The function that has one; null: none.
    const Function* in(const Function& function) {
        if (!seen_.insert(function.begin).second) return nullptr;
        if (seen_.size() > kMostCalled) fail("{} calls too many functions to look through", function.name);
        const Function* found = nullptr;
        std::vector<const Function*> called;
        eachInstruction(memory_, architecture_, function.begin, function.end,
                        [&](std::uint64_t at, const Instruction& each) {
                            if (each.signalsBarrier) found = &function;
                            if (each.isCall) collect(at, each, called);
                            return !found;
                        });
        for (const auto* each : called)
            if (!found) found = in(*each);
        return found;
    }

  private:
    /// Of a call by a register, any function.
    void collect(std::uint64_t at, const Instruction& call, std::vector<const Function*>& called) const {
        if (call.distance != 0) {
            const auto* const one = module_.debug().functionAt(at + static_cast<std::uint64_t>(call.distance));
            if (one) called.push_back(one);
            return;
        }
        for (const auto& each : module_.debug().functions())
            if (module_.entryOf(each.name) != each.begin) called.push_back(&each);
    }

    const Module& module_;
    const Memory& memory_;
    const Architecture& architecture_;
    std::set<std::uint64_t> seen_;
};

/// Places numbers one after the other.
class Arrangement {
  public:
    Arrangement(const CallConvention& convention, unsigned lane, unsigned width)
        : next_(convention.firstRegister),
          end_(convention.firstRegister + convention.argumentRegisters),
          lane_(lane),
          width_(width) {}

    static unsigned registersFor(std::uint64_t bytes, unsigned width) {
        return static_cast<unsigned>((bytes * width + isa::xe::kRegisterBytes - 1) / isa::xe::kRegisterBytes);
    }
    /// One number.
    void add(std::span<const std::uint8_t> bytes) {
        const unsigned count = registersFor(bytes.size(), width_);
        if (next_ + count > end_)
            fail("its arguments need more than {} registers; call a function with fewer", end_ - next_);
        const std::size_t place = bytes.size() * lane_;
        placed_.push_back({next_ + static_cast<unsigned>(place / isa::xe::kRegisterBytes),
                           place % isa::xe::kRegisterBytes,
                           {bytes.begin(), bytes.end()}});
        next_ += count;
    }
    std::vector<PlacedNumber> placed() && { return std::move(placed_); }

  private:
    unsigned next_;
    const unsigned end_;
    const unsigned lane_;
    const unsigned width_;
    std::vector<PlacedNumber> placed_;
};

/// The numbers that make up a value of the type: one, or the components of a vector.
std::vector<const Type*> numbersOf(const Type& type, const std::string& whose) {
    if (type.isVector && type.element) return std::vector<const Type*>(type.count, type.element);
    const bool isNumber = type.kind == Type::Kind::integer || type.kind == Type::Kind::natural ||
                          type.kind == Type::Kind::floating || type.kind == Type::Kind::pointer ||
                          type.kind == Type::Kind::enumeration;
    if (!isNumber) fail("{} is of type {}, which a call by the debugger cannot pass", whose, nameOf(&type));
    return {&type};
}

void place(Arrangement& arrangement, const Variable& parameter, const Value& argument) {
    if (!parameter.type) fail("parameter {} has no type", parameter.name);
    if (parameter.inLocalMemory || argument.leadsToLocal)
        fail("parameter {} leads to local memory, which a call by the debugger cannot pass; print what it points to",
             parameter.name);
    const auto numbers = numbersOf(*parameter.type, "parameter " + parameter.name);
    const auto data = bytesAs(*parameter.type, argument);
    std::size_t at = 0;
    for (const auto* each : numbers) {
        if (data.size() < at + each->size) fail("parameter {} has a strange size", parameter.name);
        arrangement.add(std::span(data).subspan(at, each->size));
        at += each->size;
    }
}

}  // namespace

PreparedCall preparedCall(const Module& module, const Memory& memory, const Architecture& architecture,
                          const std::string& name, const std::vector<Value>& arguments, unsigned lane) {
    const auto* const convention = architecture.callConvention();
    if (!convention) fail("functions are called only on Intel's GPUs; print the expression that the function computes");
    const auto& function = functionNamed(module, name);
    PreparedCall call;
    call.name = name;
    call.function = function.begin;
    call.lane = lane;
    bool isRight = true;
    eachInstruction(memory, architecture, function.begin, function.end, [&](std::uint64_t, const Instruction& each) {
        if (!each.isReturn) return true;
        call.width = each.width;
        isRight &= each.link == static_cast<int>(convention->linkRegister);
        return true;
    });
    if (call.width == 0) fail("{} does not return", name);
    if (!isRight)
        fail(
            "{} is a subroutine of its kernel: the compiler chose registers for it that no table names. With "
            "-cl-opt-disable it is a function with a stack",
            name);
    if (const auto* const waits = BarrierSearch(module, memory, architecture).in(function))
        fail("{} would wait for threads that are stopped, at a barrier in {}", name, waits->name);
    auto parameters = module.debug().variablesAt(function.begin);
    std::erase_if(parameters, [](const Variable& each) { return !each.isParameter || each.scope != 0; });
    if (parameters.size() != arguments.size())
        fail("{} takes {} argument{}; give as many", name, parameters.size(), parameters.size() == 1 ? "" : "s");
    Arrangement arrangement(*convention, lane, call.width);
    for (std::size_t i = 0; i < arguments.size(); ++i) place(arrangement, parameters[i], arguments[i]);
    call.arguments = std::move(arrangement).placed();
    call.type = module.debug().resultOf(function);
    if (call.type && call.type->kind == Type::Kind::nothing) call.type = nullptr;
    if (call.type)
        for (const auto* each : numbersOf(*call.type, "the result"))
            call.results += Arrangement::registersFor(each->size, call.width);
    if (call.results > convention->resultRegisters) fail("the result of {} lies in memory", name);
    return call;
}

Value resultOf(const PreparedCall& call, const Bytes& registers) {
    if (!call.type) return {&kNoResult, {}, std::nullopt, false, ""};
    Value value{call.type, {}, std::nullopt, false, ""};
    std::size_t at = 0;
    for (const auto* each : numbersOf(*call.type, "the result")) {
        const auto from = at + call.lane * each->size;
        if (from + each->size > registers.size()) fail("the result of {} cannot be read", call.name);
        const auto begin = registers.begin() + static_cast<std::ptrdiff_t>(from);
        value.data.insert(value.data.end(), begin, begin + static_cast<std::ptrdiff_t>(each->size));
        at += std::size_t{Arrangement::registersFor(each->size, call.width)} * isa::xe::kRegisterBytes;
    }
    value.data.resize(std::max<std::size_t>(value.data.size(), call.type->size));
    return value;
}

void requireStack(const Module& module, const Memory& memory, const Architecture& architecture, std::uint64_t address) {
    const auto* const convention = architecture.callConvention();
    const auto* const function = module.debug().functionAt(address);
    if (!convention || !function) fail("functions are called where a line of the program stands; step to one");
    if (module.entryOf(function->name) != function->begin) return;  // it was called, with a stack
    const int link = static_cast<int>(convention->linkRegister);
    bool makes = false;
    bool calls = false;
    bool waits = false;
    eachInstruction(memory, architecture, function->begin, function->end,
                    [&](std::uint64_t at, const Instruction& each) {
                        makes |= at < address && each.written == link && !each.isCall;
                        calls |= each.isCall && each.link == link;
                        if (at + each.bytes == address) waits = each.waitsAtBarrier;
                        return true;
                    });
    if (!calls) fail("the kernel {} calls no function that has a stack, so it makes none", function->name);
    if (!makes) fail("the kernel {} makes its stack at a later line; try again there", function->name);
    if (waits) fail("the thread stands at a barrier, where a call would wait for others; step over the barrier first");
}

}  // namespace zetl::debugger
