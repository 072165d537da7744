#include "reference/flow_program.h"

#include <fmt/format.h>

namespace zetl::test::reference {
namespace {

constexpr unsigned kFirstVariable = 20;
constexpr unsigned kVariables = 8;
constexpr unsigned kFirstCounter = 60;
constexpr unsigned kDeepest = 4;
constexpr unsigned kLoops = 2;  // one in the other; each has a flag

/// Where lanes go that find themselves alone off: to the next place at which others may wait.
struct Place {
    std::string next;
    std::string loop;       ///< the while around it, if there is one
    unsigned loops = 0;     ///< how many are around it
    unsigned function = 0;  ///< 0: none
};

class Writer {
  public:
    Writer(Dice& dice, unsigned width, std::uint64_t number)
        : dice_(dice), lanes_(fmt::format("({}|M0)", width)), name_(fmt::format("P{}_", number)) {}

    std::string program() {
        statements({halt(), "", 0, 0}, 0);
        const std::string last = fresh();
        label(halt());
        line("join {} {}", lanes_, last);
        label(last);
        end();
        for (unsigned f = 1; f <= kFunctions; ++f) {
            const std::string meeting = fresh();
            const std::string back = fresh();
            label(function(f));
            statements({meeting, "", kLoops, f}, kDeepest - 1);
            label(meeting);
            line("join {} {}", lanes_, back);
            label(back);
            line("ret {} r{}.0", lanes_, kReturnRegister + f);
        }
        return text_;
    }

    std::size_t instructions() const { return instructions_; }

  private:
    template <class... T>
    void line(fmt::format_string<T...> format, T&&... values) {
        text_ += fmt::format(format, std::forward<T>(values)...) + "\n";
        ++instructions_;
    }
    void label(const std::string& name) { text_ += name + ":\n"; }
    std::string fresh() { return fmt::format("{}{}", name_, labels_++); }
    std::string function(unsigned n) const { return fmt::format("{}FUNCTION{}", name_, n); }
    std::string halt() const { return name_ + "HALT"; }
    std::string variable() { return fmt::format("r{}.0", kFirstVariable + 2 * dice_.below(kVariables)); }
    std::string source() {
        if (dice_.oneIn(4)) return fmt::format("{}:w", static_cast<int>(dice_.below(200)) - 100);
        return variable() + "<1;1,0>:d";
    }
    void end() {
        line("(W) mov (16|M0) r112.0<1>:ud r0.0<1;1,0>:ud");
        line("(W) send.gtwy (8|M0) null r112 null:0 0x0 0x02000010 {{EOT}}");
    }

    void statements(const Place& place, unsigned depth) {
        for (unsigned n = 1 + dice_.below(4); n > 0; --n) statement(place, depth);
    }
    void statement(const Place& place, unsigned depth);
    void arithmetic();
    void compare();
    void structuredIf(const Place& place, unsigned depth);
    void jumpingIf(const Place& place, unsigned depth);
    void sharedJump(const Place& place, unsigned depth);
    void loop(const Place& place, unsigned depth, bool jumps);
    void leave(const Place& place);
    void call(const Place& place);

    Dice& dice_;
    std::string lanes_;
    std::string name_;  ///< of the program, before its labels
    std::string text_;
    unsigned labels_ = 0;
    std::size_t instructions_ = 0;
};

void Writer::statement(const Place& place, unsigned depth) {
    const std::uint32_t kind = dice_.below(depth < kDeepest ? 9 : 3);
    switch (kind) {
        case 3:
        case 4:
            return structuredIf(place, depth + 1);
        case 5:
            return jumpingIf(place, depth + 1);
        case 6:
            return place.loops < kLoops ? loop(place, depth + 1, dice_.oneIn(2)) : arithmetic();
        case 7:
            return sharedJump(place, depth + 1);
        case 8:
            return call(place);
        default:
            return kind == 2 ? leave(place) : arithmetic();
    }
}
void Writer::arithmetic() {
    constexpr const char* operations[] = {"add", "mul", "xor", "and", "or", "avg", "asr"};
    constexpr const char* predicates[] = {"", "", "", "(f0.0) ", "(~f0.0) "};
    line("{}{} {} {}<1>:d {}<1;1,0>:d {}", dice_.of(predicates), dice_.of(operations), lanes_, variable(), variable(),
         source());
}
void Writer::compare() {
    constexpr const char* conditions[] = {"eq", "ne", "gt", "ge", "lt", "le"};
    line("cmp {} ({})f0.0 null<1>:d {}<1;1,0>:d {}", lanes_, dice_.of(conditions), variable(), source());
}
void Writer::structuredIf(const Place& place, unsigned depth) {
    const std::string otherwise = fresh();
    const std::string end = fresh();
    const std::string behind = fresh();
    Place inside = place;
    compare();
    if (dice_.oneIn(3)) {
        line("({}f0.0) if {} {} {}", dice_.oneIn(2) ? "~" : "", lanes_, end, end);
    } else {
        const std::string separation = fresh();
        line("({}f0.0) if {} {} {}", dice_.oneIn(2) ? "~" : "", lanes_, otherwise, end);
        inside.next = separation;
        statements(inside, depth);
        label(separation);
        line("else {} {} {}", lanes_, end, end);
        label(otherwise);
    }
    inside.next = end;
    statements(inside, depth);
    label(end);
    line("endif {} {}", lanes_, place.next);
    label(behind);
}
void Writer::jumpingIf(const Place& place, unsigned depth) {
    const std::string end = fresh();
    Place inside = place;
    inside.next = end;
    compare();
    const char* predicate = dice_.oneIn(2) ? "(f0.0)" : "(~f0.0)";
    switch (dice_.below(4)) {
        case 0:
            line("{} brd {} {}", predicate, lanes_, end);
            break;
        case 1:
            line("{} brc {} {} {}", predicate, lanes_, end, end);
            break;
        default:
            line("{} goto {} {} {}", predicate, lanes_, end, end);
    }
    statements(inside, depth);
    label(end);
    line("join {} {}", lanes_, place.next);
}
void Writer::sharedJump(const Place& place, unsigned depth) {
    const std::string end = fresh();
    Place inside = place;
    line("(W) mov (1|M0) f{}.0<1>:ud 0x{:X}:ud", kSharedFlag, dice_.bits() & 0xffffffff);
    line("({}f{}.0) jmpi {}", dice_.oneIn(2) ? "~" : "", kSharedFlag, end);
    statements(inside, depth);
    label(end);
}
void Writer::loop(const Place& place, unsigned depth, bool jumps) {
    const std::string begin = fresh();
    const std::string test = fresh();
    const unsigned counter = kFirstCounter + 2 * place.loops;
    const unsigned flag = 2 + place.loops;
    Place inside = place;
    inside.next = test;
    if (!jumps) inside.loop = test;
    ++inside.loops;
    line("mov {} r{}.0<1>:d 0:w", lanes_, counter);
    label(begin);
    line("add {} r{}.0<1>:d r{}.0<1;1,0>:d 1:w", lanes_, counter, counter);
    line("cmp {} (lt)f{}.0 null<1>:d r{}.0<1;1,0>:d {}:w", lanes_, flag, counter, 1 + dice_.below(4));
    statements(inside, depth);
    label(test);
    if (!jumps) {
        line("(f{}.0) while {} {}", flag, lanes_, begin);
        return;
    }
    const std::string out = fresh();
    line("(f{}.0) goto.b {} {} {}", flag, lanes_, out, begin);
    label(out);
    line("join {} {}", lanes_, place.next);
}
/// Out of the loop, to its test, or to the program's end.
void Writer::leave(const Place& place) {
    if (place.loop.empty()) {
        if (place.function != 0 || !dice_.oneIn(4)) return arithmetic();
        compare();
        line("(f0.0) halt {} {} {}", lanes_, place.next, halt());
        return;
    }
    compare();
    line("(f0.0) {} {} {} {}", dice_.oneIn(2) ? "break" : "cont", lanes_, place.next, place.loop);
}
void Writer::call(const Place& place) {
    if (place.function >= kFunctions) return arithmetic();
    const unsigned called = place.function + 1;
    line("call {} r{}.0 {}", lanes_, kReturnRegister + called, function(called));
}

}  // namespace

FlowProgram flowProgram(std::uint64_t number) {
    constexpr std::uint32_t lanes[] = {0xffff, 0xffff, 0xa5c3, 0x8001, 0x0ff0};
    constexpr std::uint32_t wide[] = {~0u, ~0u, 0xa5c3f00f, 0x80000001, 0x7fffffff};
    Dice dice(number * 0x9e3779b97f4a7c15ull + 2);
    FlowProgram p;
    p.number = number;
    p.width = dice.oneIn(2) ? 16 : 32;
    p.lanes = p.width == 16 ? dice.of(lanes) : dice.of(wide);
    Writer writer(dice, p.width, number);
    p.text = writer.program();
    p.instructions = writer.instructions();
    return p;
}

}  // namespace zetl::test::reference
