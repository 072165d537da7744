// One way to deal with a result code in the samples: say which call failed and how, and stop.
#pragma once

#include <level_zero/ze_api.h>

#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                              \
    do {                                                                                         \
        if (const ze_result_t result_ = (call); result_ != ZE_RESULT_SUCCESS) {                  \
            std::fprintf(stderr, "%s: result %#x\n", #call, static_cast<unsigned int>(result_)); \
            std::exit(EXIT_FAILURE);                                                             \
        }                                                                                        \
    } while (false)
