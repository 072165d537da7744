// A failure on demand, as users write it: FUNCTION[:CONDITION...]=EFFECT.
//
//   zeMemAllocDevice:3=OUT_OF_DEVICE_MEMORY    the third call
//   zeMemAlloc*:size=1M:every=2=OUT_OF_DEVICE_MEMORY
//   launch:100=device-lost                     the device is lost at the hundredth launch
//
// FUNCTION is a name, a pattern, or a group (failure/functions.h). Conditions: N, N- and N-M are numbers of calls, from
// 1; every=N, chance=P (0 to 1) with seed=N, thread=N, size=BYTES (at least so many). A rule counts the calls of its
// functions that `thread` and `size` let through, and the other conditions choose among them. Effects: a result code,
// or one of the words of kEffects (rule.cpp).
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "base/expected.h"
#include "failure/functions.h"

namespace zetl::failure {

enum class Effect : std::uint8_t {
    code,       ///< the call returns the code and does nothing else
    lost,       ///< from this call on, the device is lost
    lostAfter,  ///< the call is made; the device is lost after it
    hang,       ///< the call never returns
    delay,      ///< the call is made later
    limit,      ///< allocations fail while more memory than that would be allocated
};

/// What the log says of a call that fails, between the function's name with a colon and the code.
inline constexpr std::string_view kOnPurpose = "fails on purpose";

struct Rule {
    std::string text = {};  ///< as it was written
    Functions functions = {};
    Effect effect = Effect::code;
    std::uint32_t code = 0;
    std::uint64_t amount = 0;  ///< delay: nanoseconds; limit: bytes
    std::uint64_t first = 1;
    std::uint64_t last = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t every = 1;
    double chance = 1;
    std::uint64_t seed = 1;
    std::uint64_t thread = 0;  ///< from 1, in the order of their first calls; 0: any
    std::uint64_t leastSize = 0;

    /// Whether the rule wants the call with this number, from 1. The same number gives the same answer in every run.
    bool wants(std::uint64_t number) const noexcept;
};

/// Why a text is no rule.
struct Refusal {
    std::string reason;              ///< such as "there is no function or group zeMemAlocDevice"
    std::string word;                ///< what is wrong
    std::vector<std::string> known;  ///< what may stand in its place; empty if that is no list
};

class RuleOrRefusal : public Expected<Rule, Refusal> {
  public:
    using Expected::Expected;
    const Refusal& refusal() const { return reason(); }
};

RuleOrRefusal ruleOf(std::string_view text);

/// The rules of a list, which are separated by semicolons.
std::vector<RuleOrRefusal> rulesOf(std::string_view list);

}  // namespace zetl::failure
