// Rules as users write them: what is understood, what is refused, and which calls they choose.
#include "failure/rule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace zetl::failure {
namespace {

std::vector<std::uint64_t> chosen(std::string_view text, std::uint64_t calls) {
    const auto rule = ruleOf(text);
    std::vector<std::uint64_t> numbers;
    if (!rule) {
        ADD_FAILURE() << text << ": " << rule.refusal().reason;
        return numbers;
    }
    for (std::uint64_t i = 1; i <= calls; ++i)
        if (rule->wants(i)) numbers.push_back(i);
    return numbers;
}

using Numbers = std::vector<std::uint64_t>;

TEST(FailureRule, CallsAreChosenByNumber) {
    EXPECT_EQ(chosen("zeMemFree=NOT_READY", 3), (Numbers{1, 2, 3}));
    EXPECT_EQ(chosen("zeMemFree:3=NOT_READY", 9), (Numbers{3}));
    EXPECT_EQ(chosen("zeMemFree:3-=NOT_READY", 5), (Numbers{3, 4, 5}));
    EXPECT_EQ(chosen("zeMemFree:3-4=NOT_READY", 9), (Numbers{3, 4}));
    EXPECT_EQ(chosen("zeMemFree:every=3=NOT_READY", 9), (Numbers{3, 6, 9}));
    EXPECT_EQ(chosen("zeMemFree:2-:every=3=NOT_READY", 9), (Numbers{2, 5, 8}));
}

TEST(FailureRule, ChanceIsTheSameInEveryRunAndAnotherForAnotherSeed) {
    const auto half = chosen("zeMemFree:chance=0.5:seed=1=NOT_READY", 1000);
    EXPECT_EQ(half, chosen("zeMemFree:chance=0.5=NOT_READY", 1000));
    EXPECT_NE(half, chosen("zeMemFree:chance=0.5:seed=2=NOT_READY", 1000));
    EXPECT_GT(half.size(), 400u);
    EXPECT_LT(half.size(), 600u);
    EXPECT_TRUE(chosen("zeMemFree:chance=0=NOT_READY", 100).empty());
    EXPECT_EQ(chosen("zeMemFree:chance=1=NOT_READY", 100).size(), 100u);
}

TEST(FailureRule, FunctionsAreNamesPatternsAndGroups) {
    EXPECT_EQ(functionsNamed("zeMemAllocDevice").count(), 1u);
    EXPECT_EQ(functionsNamed("memory").count(), 3u);
    EXPECT_EQ(functionsNamed("launch"), functionsNamed("zeCommandListAppendLaunch*"));
    EXPECT_TRUE(functionsNamed("zerGetDefaultContext").none()) << "it returns no code";
    EXPECT_FALSE(functionsNamed("any").test(ddi::index(ddi::Function::zeDriverGetDefaultContext)));
    for (const std::string& name : functionNames()) EXPECT_TRUE(functionsNamed(name).any()) << name;
}

TEST(FailureRule, CodesHaveTheirNamesInEveryForm) {
    for (const char* const name :
         {"OUT_OF_DEVICE_MEMORY", "ERROR_OUT_OF_DEVICE_MEMORY", "ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY"})
        EXPECT_EQ(codeNamed(name), 0x70000003u) << name;
    EXPECT_FALSE(codeNamed("SUCCESS"));
    EXPECT_FALSE(codeNamed("unlisted"));
    for (const std::string& name : codeNames()) EXPECT_TRUE(codeNamed(name)) << name;
}

TEST(FailureRule, EffectsHaveAmounts) {
    const auto delay = ruleOf("wait=delay:20ms");
    ASSERT_TRUE(delay);
    EXPECT_EQ(delay->effect, Effect::delay);
    EXPECT_EQ(delay->amount, 20'000'000u);
    const auto limit = ruleOf("memory=limit:512M");
    ASSERT_TRUE(limit);
    EXPECT_EQ(limit->amount, 512ull << 20);
    const auto size = ruleOf("zeMemAllocDevice:size=1K:thread=2=device-lost");
    ASSERT_TRUE(size);
    EXPECT_EQ(size->leastSize, 1024u);
    EXPECT_EQ(size->thread, 2u);
    EXPECT_EQ(size->effect, Effect::lost);
}

TEST(FailureRule, WhatIsWrongIsRefusedWithWhatIsKnown) {
    struct Wrong {
        const char* text;
        const char* word;
        const char* known;  // one of the words that may stand there; null if there are none
    };
    for (const Wrong& wrong :
         {Wrong{"zeMemAlocDevice=NOT_READY", "zeMemAlocDevice", "zeMemAllocDevice"},
          Wrong{"zeMemFree=OUT_OF_MEMORY", "OUT_OF_MEMORY", "OUT_OF_HOST_MEMORY"},
          Wrong{"zeMemFree=SUCCESS", "SUCCESS", "hang"}, Wrong{"zeMemFree:evry=2=NOT_READY", "evry", "every"},
          Wrong{"zeMemFree:third=NOT_READY", "third", "every"}, Wrong{"zeMemFree:0=NOT_READY", "0", "every"},
          Wrong{"zeMemFree:4-3=NOT_READY", "4-3", "every"}, Wrong{"zeMemFree:every=0=NOT_READY", "every=0", nullptr},
          Wrong{"zeMemFree:chance=1.5=NOT_READY", "chance=1.5", nullptr},
          Wrong{"zeMemFree:chance=nan=NOT_READY", "chance=nan", nullptr},
          Wrong{"zeMemFree:99999999999999999999=NOT_READY", "99999999999999999999", "every"},
          Wrong{"zeMemFree:size=1M=NOT_READY", "", "zeMemAllocDevice"}, Wrong{"zeMemFree=limit:1M", "", "memory"},
          Wrong{"wait=delay", "delay", nullptr}, Wrong{"wait=delay:5", "delay:5", nullptr},
          Wrong{"wait=hang:5", "hang:5", nullptr}, Wrong{"memory=limit:99999999999T", "limit:99999999999T", nullptr},
          Wrong{"zeMemFree", "zeMemFree", nullptr}, Wrong{"=NOT_READY", "=NOT_READY", nullptr}}) {
        const auto rule = ruleOf(wrong.text);
        ASSERT_FALSE(rule) << wrong.text;
        const Refusal& refusal = rule.refusal();
        EXPECT_FALSE(refusal.reason.empty()) << wrong.text;
        EXPECT_EQ(refusal.word, wrong.word) << wrong.text;
        if (wrong.known != nullptr) {
            EXPECT_NE(std::ranges::find(refusal.known, wrong.known), refusal.known.end()) << wrong.text;
        }
    }
}

TEST(FailureRule, AListHasRulesBetweenSemicolons) {
    const auto rules = rulesOf(";zeMemFree=NOT_READY;;bogus=NOT_READY;");
    ASSERT_EQ(rules.size(), 2u);
    EXPECT_TRUE(rules[0]);
    EXPECT_FALSE(rules[1]);
    EXPECT_TRUE(rulesOf("").empty());
}

}  // namespace
}  // namespace zetl::failure
