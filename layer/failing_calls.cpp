// tidy: without the analyzer, which needs minutes for some hundred instances of one template
#include "failing_calls.h"

#include <pthread.h>

#include <new>
#include <string>
#include <type_traits>
#include <vector>

#include "base/log.h"
#include "base/settings.h"
#include "failure/injector.h"
#include "log_channel.h"
#include "next_function.h"

namespace zetl::layer {
namespace {

/// The injector for ZETL_FAIL; null without a rule. Never destroyed.
failure::Injector* readInjector() noexcept {
    try {
        const auto list = settings::text(settings::kFail);
        std::vector<failure::Rule> rules;
        for (auto& each : failure::rulesOf(list.value_or(std::string())))
            if (each)
                rules.push_back(*std::move(each));
            else
                log::error(kLog, "{}: {}; the rule is ignored. zetl run --fail lists what is known", settings::kFail,
                           each.refusal().reason);
        return rules.empty() ? nullptr : new failure::Injector(std::move(rules));
    } catch (const std::bad_alloc&) {
        log::error(kLog, "{}: no memory for the rules; nothing fails on purpose", settings::kFail);
        return nullptr;
    }
}

void lockBeforeFork() noexcept;
void unlockAfterFork() noexcept;

failure::Injector* injector() noexcept {
    static failure::Injector* const made = [] {
        auto* const read = readInjector();
        if (read != nullptr) pthread_atfork(lockBeforeFork, unlockAfterFork, unlockAfterFork);
        return read;
    }();
    return made;
}

void lockBeforeFork() noexcept { injector()->memory().beforeFork(); }
void unlockAfterFork() noexcept { injector()->memory().afterFork(); }

/// A driver gives a failed build a log, which the program reads and destroys. So the module is built, and destroyed.
void buildForTheLog(ze_result_t(ZE_APICALL* next)(ze_context_handle_t, ze_device_handle_t, const ze_module_desc_t*,
                                                  ze_module_handle_t*, ze_module_build_log_handle_t*),
                    ze_context_handle_t context, ze_device_handle_t device, const ze_module_desc_t* description,
                    ze_module_handle_t* module, ze_module_build_log_handle_t* log) {
    if (log == nullptr || module == nullptr) return;
    const auto destroy = ZETL_NEXT(zeModuleDestroy);
    if (next(context, device, description, module, log) == ZE_RESULT_SUCCESS && destroy != nullptr) destroy(*module);
    *module = nullptr;
}

template <ddi::Function F, class... A>
ze_result_t passRules(ze_result_t(ZE_APICALL* next)(A...), A... arguments) {
    failure::Injector& rules = *injector();
    void* addresses[sizeof...(A) + 1] = {&arguments...};
    const failure::Verdict verdict = rules.before(F, addresses);
    if (!verdict.made) {
        if constexpr (F == ddi::Function::zeModuleCreate) buildForTheLog(next, arguments...);
        return static_cast<ze_result_t>(verdict.code);
    }
    const ze_result_t result = next(arguments...);
    rules.after(F, addresses, verdict, static_cast<std::uint32_t>(result));
    return result;
}

/// Without an entry for a function that returns no code.
template <ddi::Function F, class Signature>
struct Failing {};

template <ddi::Function F, class... A>
struct Failing<F, ze_result_t(A...)> {
    static ze_result_t ZE_APICALL call(A... arguments) {
        const auto next = reinterpret_cast<ze_result_t(ZE_APICALL*)(A...)>(ddi::route(F).next());
        return passRules<F>(next, arguments...);
    }
    static ddi::Address entry() noexcept { return reinterpret_cast<ddi::Address>(&call); }
};

template <ddi::Function F, class Signature>
ddi::Address failingEntry() noexcept {
    if constexpr (requires { Failing<F, Signature>::entry(); })
        return Failing<F, Signature>::entry();
    else
        return nullptr;
}

ddi::Address (*const kFailingEntries[ddi::kTraced])() noexcept = {
#define TABLE(api, table, c_name)
#define SLOT(api, table, index, object, member, minor) \
    &failingEntry<ddi::Function::api##object##member, decltype(api##object##member)>,
#include "ddi/core_api.def"
#undef TABLE
#undef SLOT
};

}  // namespace

void letFail(ddi::Function function) noexcept {
    failure::Injector* const rules = injector();
    if (rules == nullptr || !ddi::isTraced(function) || !rules->watches(function)) return;
    ddi::route(function).setGate(kFailingEntries[ddi::index(function)]());
}

ze_result_t failingInit(ze_result_t(ZE_APICALL* next)(ze_init_flags_t), ze_init_flags_t flags) {
    const failure::Injector* const rules = injector();
    if (rules == nullptr || !rules->watches(ddi::Function::zeInit)) return next(flags);
    return passRules<ddi::Function::zeInit>(next, flags);
}

}  // namespace zetl::layer
