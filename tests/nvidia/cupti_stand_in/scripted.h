// Errors that a test asks for: STAND_IN_CUPTI=cuptiPmSamplingSetConfig=41,... makes functions answer with them.
#pragma once

#include <cupti_result.h>

#include <cstdlib>
#include <cstring>
#include <string>

namespace stand_in {

inline CUptiResult answerOf(const char* function) {
    const char* script = std::getenv("STAND_IN_CUPTI");
    const std::string wanted = std::string(function) + "=";
    const char* found = script ? std::strstr(script, wanted.c_str()) : nullptr;
    return found ? static_cast<CUptiResult>(std::atoi(found + wanted.size())) : CUPTI_SUCCESS;
}
#define ANSWER_AS_SCRIPTED \
    if (const CUptiResult scripted = stand_in::answerOf(__func__); scripted != CUPTI_SUCCESS) return scripted

}  // namespace stand_in
