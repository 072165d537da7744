// The samples' way to check a result code: print the call that failed and its code, and stop.
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
