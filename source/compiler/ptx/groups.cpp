// Functions of sub-groups, which are warps, and of work-groups.
#include "compiler/ptx/builtins.h"

namespace zetl::compiler {
namespace {

/// The value of another lane.
std::string shuffled(Body& body, const ValueType& type, const std::string& value, const std::string& lane) {
    if (type.bits <= 64)
        return body.fromWord(type,
                             body.value("call i64 @zetl.shuffle.i64(i64 {}, i32 {})", body.toWord(type, value), lane));
    const unsigned words = (type.bits + 63) / 64;
    const std::string all = "i" + std::to_string(words * 64);
    const std::string pieces = fmt::format("<{} x i64>", words);
    auto bits = body.toInteger(type, value);
    if (type.bits < words * 64) bits = body.value("zext {} {} to {}", type.integer(), bits, all);
    const auto given = body.value("bitcast {} {} to {}", all, bits, pieces);
    std::string got = "undef";
    for (unsigned i = 0; i < words; ++i) {
        const auto word = body.value("extractelement {} {}, i32 {}", pieces, given, i);
        const auto other = body.value("call i64 @zetl.shuffle.i64(i64 {}, i32 {})", word, lane);
        got = body.value("insertelement {} {}, i64 {}, i32 {}", pieces, got, other, i);
    }
    auto back = body.value("bitcast {} {} to {}", pieces, got, all);
    if (type.bits < words * 64) back = body.value("trunc {} {} to {}", all, back, type.integer());
    return body.fromInteger(type, back);
}

std::string call(Body& body, std::string_view function) { return body.value("call i32 @zetl.{}()", function); }

/// A number of the thread, for any type.
template <const char* F>
bool number(Body& body, const Declaration&) {
    body.line("  ret i32 {}", call(body, F));
    return true;
}
constexpr char kLane[] = "lane";
constexpr char kLanes[] = "lanes";
constexpr char kWarp[] = "warp";
constexpr char kWarps[] = "warps";
constexpr char kDimensions[] = "dimensions";

bool warpSize(Body& body, const Declaration&) {
    body.line("  ret i32 32");
    return true;
}

bool broadcast(Body& body, const Declaration& declaration) {
    const auto type = ValueType::of(declaration.result);
    if (type.bits == 0 || declaration.parameters.size() != 2) return false;
    body.give(type, shuffled(body, type, "%a0", "%a1"));
    return true;
}

bool shuffleXor(Body& body, const Declaration& declaration) {
    const auto type = ValueType::of(declaration.result);
    if (type.bits == 0 || declaration.parameters.size() != 2) return false;
    const auto lane = body.value("xor i32 {}, %a1", call(body, kLane));
    body.give(type, shuffled(body, type, "%a0", lane));
    return true;
}

/// Intel's functions take two values, one behind the other.
bool shuffleAcross(Body& body, const Declaration& declaration, bool down) {
    const auto type = ValueType::of(declaration.result);
    if (type.bits == 0 || declaration.parameters.size() != 3) return false;
    const auto lanes = call(body, kLanes);
    const auto at = body.value("{} i32 {}, %a2", down ? "add" : "sub", call(body, kLane));
    const auto beyond = body.value("{} i32 {}, {}", down ? "icmp uge" : "icmp slt", at, down ? lanes : "0");
    const auto there = body.value("{} i32 {}, {}", down ? "sub" : "add", at, lanes);
    const std::string near = down ? "%a0" : "%a1";
    const std::string far = down ? "%a1" : "%a0";
    const auto one = shuffled(body, type, near, at);
    const auto other = shuffled(body, type, far, there);
    body.give(type, body.value("select i1 {}, {} {}, {} {}", beyond, type.text, other, type.text, one));
    return true;
}
bool shuffleDown(Body& body, const Declaration& declaration) { return shuffleAcross(body, declaration, true); }
bool shuffleUp(Body& body, const Declaration& declaration) { return shuffleAcross(body, declaration, false); }

template <const char* F>
bool vote(Body& body, const Declaration& declaration) {
    if (declaration.parameters.size() != 1) return false;
    const auto set = body.value("icmp ne {} %a0, 0", declaration.parameters[0]);
    const auto all = body.value("call i1 @llvm.nvvm.vote.{}.sync(i32 -1, i1 {})", F, set);
    body.line("  ret i32 {}", body.value("zext i1 {} to i32", all));
    return true;
}
constexpr char kAll[] = "all";
constexpr char kAny[] = "any";

bool ballot(Body& body, const Declaration& declaration) {
    if (declaration.parameters.size() != 1 || declaration.result != "<4 x i32>") return false;
    const auto set = body.value("icmp ne {} %a0, 0", declaration.parameters[0]);
    const auto bits = body.value("call i32 @llvm.nvvm.vote.ballot.sync(i32 -1, i1 {})", set);
    body.line("  ret <4 x i32> {}", body.value("insertelement <4 x i32> zeroinitializer, i32 {}, i32 0", bits));
    return true;
}

/// Combines all threads' values.
struct Reduction {
    const Combination* how;
    ValueType type;
    bool isSigned;

    bool possible() const { return how && type.bits != 0 && type.bits <= 64 && !type.vector; }
    static Reduction of(const Declaration& declaration) {
        const auto types = declaration.mangledTypes();
        return {combinationAtEnd(declaration.name()), ValueType::of(declaration.result),
                !types.empty() && zetl::compiler::isSigned(types[0])};
    }
    std::string both(Body& body, const std::string& one, const std::string& other) const {
        return combine(body, *how, type, isSigned, one, other);
    }
    std::string identity() const { return how->identity(type, isSigned); }
    std::string choose(Body& body, const std::string& which, const std::string& one, const std::string& other) const {
        return body.value("select i1 {}, {} {}, {} {}", which, type.text, one, type.text, other);
    }
    /// For the lanes up to this one.
    std::string inclusive(Body& body) const {
        std::string sum = "%a0";
        const auto lane = call(body, kLane);
        for (int step = 1; step < 32; step *= 2) {
            const auto from = body.value("sub i32 {}, {}", lane, step);
            const auto before = shuffled(body, type, sum, from);
            const auto there = body.value("icmp sge i32 {}, 0", from);
            const auto both = this->both(body, before, sum);
            if (both.empty()) return {};
            sum = choose(body, there, both, sum);
        }
        return sum;
    }
    /// For the lanes before this one.
    std::string exclusive(Body& body, const std::string& inclusive) const {
        const auto lane = call(body, kLane);
        const auto before = shuffled(body, type, inclusive, body.value("sub i32 {}, 1", lane));
        return choose(body, body.value("icmp eq i32 {}, 0", lane), identity(), before);
    }
    std::string total(Body& body, const std::string& inclusive) const {
        return shuffled(body, type, inclusive, body.value("sub i32 {}, 1", call(body, kLanes)));
    }
};

enum class Part { all, upToHere, beforeHere };

Part partOf(std::string_view name) {
    if (name.find("_exclusive_") != std::string_view::npos) return Part::beforeHere;
    return name.find("_inclusive_") != std::string_view::npos ? Part::upToHere : Part::all;
}

bool reduceSubGroup(Body& body, const Declaration& declaration) {
    const auto reduction = Reduction::of(declaration);
    if (!reduction.possible() || declaration.parameters.size() != 1) return false;
    const auto sum = reduction.inclusive(body);
    if (sum.empty()) return false;
    const auto part = partOf(declaration.name());
    body.give(reduction.type, part == Part::upToHere     ? sum
                              : part == Part::beforeHere ? reduction.exclusive(body, sum)
                                                         : reduction.total(body, sum));
    return true;
}

/// Each warp leaves its sum in local memory, and every thread adds them up.
bool reduceWorkGroup(Body& body, const Declaration& declaration) {
    const auto reduction = Reduction::of(declaration);
    if (!reduction.possible() || declaration.parameters.size() != 1) return false;
    const auto& type = reduction.type;
    const auto sum = reduction.inclusive(body);
    if (sum.empty()) return false;
    const auto part = partOf(declaration.name());
    const auto own = part == Part::beforeHere ? reduction.exclusive(body, sum) : sum;
    const auto total = body.toWord(type, reduction.total(body, sum));
    const auto warp = call(body, kWarp);
    const auto warps = call(body, kWarps);
    body.line("  call void @zetl.put(i32 {}, i64 {})", warp, total);
    body.line("  call void @llvm.nvvm.barrier0()");
    body.line("  br label %again\nagain:");
    body.line("  %i = phi i32 [0, %entry], [%next, %again]");
    body.line("  %sum = phi {} [{}, %entry], [%more, %again]", type.text, reduction.identity());
    body.line("  %before = phi {} [{}, %entry], [%up, %again]", type.text, reduction.identity());
    const auto here = body.value("icmp eq i32 %i, {}", warp);
    body.line("  %up = select i1 {}, {} %sum, {} %before", here, type.text, type.text);
    const auto word = body.fromWord(type, body.value("call i64 @zetl.get(i32 %i)"));
    const auto both = reduction.both(body, "%sum", word);
    body.line("  %more = select i1 true, {} {}, {} {}", type.text, both, type.text, both);
    body.line("  %next = add i32 %i, 1");
    const auto left = body.value("icmp ult i32 %next, {}", warps);
    body.line("  br i1 {}, label %again, label %done\ndone:", left);
    body.line("  call void @llvm.nvvm.barrier0()");
    body.give(type, part == Part::all ? "%more" : reduction.both(body, "%up", own));
    return true;
}

/// The value of the thread with these local ids, of which the first counts fastest.
bool broadcastInWorkGroup(Body& body, const Declaration& declaration) {
    const auto type = ValueType::of(declaration.result);
    const auto dimensions = declaration.parameters.size() - 1;
    if (type.bits == 0 || type.bits > 64 || dimensions < 1 || dimensions > 3) return false;
    constexpr const char* kAxes[] = {"x", "y", "z"};
    std::string linear = "0";
    for (auto axis = dimensions; axis-- > 0;) {
        const auto size = body.value("call i32 @llvm.nvvm.read.ptx.sreg.ntid.{}()", kAxes[axis]);
        const auto id = body.value("trunc i64 %a{} to i32", axis + 1);
        linear = body.value("add i32 {}, {}", body.value("mul i32 {}, {}", linear, size), id);
    }
    const auto mine = body.value("icmp eq i32 {}, {}", call(body, "linear"), linear);
    body.line("  br i1 {}, label %mine, label %all\nmine:", mine);
    body.line("  call void @zetl.put(i32 0, i64 {})", body.toWord(type, "%a0"));
    body.line("  br label %all\nall:\n  call void @llvm.nvvm.barrier0()");
    const auto got = body.value("call i64 @zetl.get(i32 0)");
    body.line("  call void @llvm.nvvm.barrier0()");
    body.give(type, body.fromWord(type, got));
    return true;
}

template <const char* F>
bool voteOfWorkGroup(Body& body, const Declaration&) {
    body.line("  ret i32 {}", body.value("call i32 @llvm.nvvm.barrier0.{}(i32 %a0)", F));
    return true;
}
constexpr char kAnd[] = "and";
constexpr char kOr[] = "or";

/// For all memory: the hardware's barrier orders the accesses of the group's threads.
bool barrier(Body& body, const Declaration&) {
    body.line("  call void @llvm.nvvm.barrier0()\n  ret void");
    return true;
}

bool subGroupBarrier(Body& body, const Declaration&) {
    body.line("  call void @llvm.nvvm.bar.warp.sync(i32 -1)\n  ret void");
    return true;
}

bool globalLinearId(Body& body, const Declaration&) {
    body.line("  ret i64 {}", body.value("call i64 @zetl.global.linear()"));
    return true;
}

bool localLinearId(Body& body, const Declaration&) {
    body.line("  ret i64 {}", body.value("zext i32 {} to i64", call(body, "linear")));
    return true;
}

/// The pointer if it points into that space, else null.
template <const char* F>
bool toSpace(Body& body, const Declaration& declaration) {
    if (declaration.parameters.size() != 1) return false;
    const auto there = body.value("call i1 @llvm.nvvm.isspacep.{}({} %a0)", F, declaration.parameters[0]);
    const auto cast = body.value("addrspacecast {} %a0 to {}", declaration.parameters[0], declaration.result);
    const auto given = body.value("select i1 {}, {} {}, {} null", there, declaration.result, cast, declaration.result);
    body.line("  ret {} {}", declaration.result, given);
    return true;
}
constexpr char kGlobal[] = "global";
constexpr char kShared[] = "shared";

/// The driver does not offer global offsets.
constexpr char kId[] = "id";
constexpr char kOffset[] = "offset";

/// Of the axis that the parameter names.
template <const char* function>
bool ofAxis(Body& body, const Declaration& declaration) {
    if (declaration.parameters != std::vector<std::string>{"i32"}) return false;
    body.line("  ret i64 {}", body.value("call i64 @zetl.global.{}(i32 %a0)", function));
    return true;
}

constexpr Builtin kGroups[] = {
    {"get_sub_group_local_id", number<kLane>},
    {"get_sub_group_size", number<kLanes>},
    {"get_max_sub_group_size", warpSize},
    {"get_sub_group_id", number<kWarp>},
    {"get_num_sub_groups", number<kWarps>},
    {"get_enqueued_num_sub_groups", number<kWarps>},
    {"get_work_dim", number<kDimensions>},
    {"get_global_linear_id", globalLinearId},
    {"get_local_linear_id", localLinearId},
    {"get_global_id", ofAxis<kId>},
    {"get_global_offset", ofAxis<kOffset>},
    {"__to_global", toSpace<kGlobal>},
    {"__to_local", toSpace<kShared>},
    {"sub_group_broadcast", broadcast},
    {"sub_group_shuffle", broadcast},
    {"intel_sub_group_shuffle", broadcast},
    {"sub_group_shuffle_xor", shuffleXor},
    {"intel_sub_group_shuffle_xor", shuffleXor},
    {"intel_sub_group_shuffle_down", shuffleDown},
    {"intel_sub_group_shuffle_up", shuffleUp},
    {"sub_group_all", vote<kAll>},
    {"sub_group_any", vote<kAny>},
    {"sub_group_ballot", ballot},
    {"sub_group_barrier", subGroupBarrier},
    {"sub_group_reduce_", reduceSubGroup, true},
    {"sub_group_scan_", reduceSubGroup, true},
    {"work_group_barrier", barrier},
    {"barrier", barrier},
    {"work_group_all", voteOfWorkGroup<kAnd>},
    {"work_group_any", voteOfWorkGroup<kOr>},
    {"work_group_broadcast", broadcastInWorkGroup},
    {"work_group_reduce_", reduceWorkGroup, true},
    {"work_group_scan_", reduceWorkGroup, true},
};

}  // namespace

std::span<const Builtin> groupBuiltins() { return kGroups; }

}  // namespace zetl::compiler
