/*
 * One row describes one function:
 *
 *   ROW(prefix, result, Name, snake_name, (type, argument), ...)
 *
 * as in ROW(ze, ze_result_t, DeviceSynchronize, device_synchronize, (ze_device_handle_t, hDevice)). A row holds what
 * the function's prototype, its API-tracing parameter block, its callback type and its registration call have in
 * common. Row lists (ZETL_CORE_CALLS and the like) take the macro to apply; users may give their own.
 */
#pragma once

#define ZETL_COUNT(...) ZETL_COUNT_AT(__VA_ARGS__, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define ZETL_COUNT_AT(a, b, c, d, e, f, g, h, i, j, n, ...) n

#define ZETL_JOIN(a, b) ZETL_JOIN_NOW(a, b)
#define ZETL_JOIN_NOW(a, b) a##b

/* M applied to each (type, name), with commas between or with nothing between. */
#define ZETL_LIST(M, ...) ZETL_JOIN(ZETL_LIST_, ZETL_COUNT(__VA_ARGS__))(M, __VA_ARGS__)
#define ZETL_LIST_1(M, a) M a
#define ZETL_LIST_2(M, a, ...) M a, ZETL_LIST_1(M, __VA_ARGS__)
#define ZETL_LIST_3(M, a, ...) M a, ZETL_LIST_2(M, __VA_ARGS__)
#define ZETL_LIST_4(M, a, ...) M a, ZETL_LIST_3(M, __VA_ARGS__)
#define ZETL_LIST_5(M, a, ...) M a, ZETL_LIST_4(M, __VA_ARGS__)
#define ZETL_LIST_6(M, a, ...) M a, ZETL_LIST_5(M, __VA_ARGS__)
#define ZETL_LIST_7(M, a, ...) M a, ZETL_LIST_6(M, __VA_ARGS__)
#define ZETL_LIST_8(M, a, ...) M a, ZETL_LIST_7(M, __VA_ARGS__)
#define ZETL_LIST_9(M, a, ...) M a, ZETL_LIST_8(M, __VA_ARGS__)
#define ZETL_LIST_10(M, a, ...) M a, ZETL_LIST_9(M, __VA_ARGS__)

#define ZETL_EACH(M, ...) ZETL_JOIN(ZETL_EACH_, ZETL_COUNT(__VA_ARGS__))(M, __VA_ARGS__)
#define ZETL_EACH_1(M, a) M a
#define ZETL_EACH_2(M, a, ...) M a ZETL_EACH_1(M, __VA_ARGS__)
#define ZETL_EACH_3(M, a, ...) M a ZETL_EACH_2(M, __VA_ARGS__)
#define ZETL_EACH_4(M, a, ...) M a ZETL_EACH_3(M, __VA_ARGS__)
#define ZETL_EACH_5(M, a, ...) M a ZETL_EACH_4(M, __VA_ARGS__)
#define ZETL_EACH_6(M, a, ...) M a ZETL_EACH_5(M, __VA_ARGS__)
#define ZETL_EACH_7(M, a, ...) M a ZETL_EACH_6(M, __VA_ARGS__)
#define ZETL_EACH_8(M, a, ...) M a ZETL_EACH_7(M, __VA_ARGS__)
#define ZETL_EACH_9(M, a, ...) M a ZETL_EACH_8(M, __VA_ARGS__)
#define ZETL_EACH_10(M, a, ...) M a ZETL_EACH_9(M, __VA_ARGS__)

#define ZETL_PARAMETER(type, name) type name
#define ZETL_TYPE(type, name) type
/* The parameter block points at the call's own arguments, so that a callback can change them. */
#define ZETL_PARAMETER_ADDRESS(type, name) type* p##name;

#define ZETL_DECLARE_FUNCTION(prefix, result, Name, snake, ...) \
    ZE_APIEXPORT result ZE_APICALL prefix##Name(ZETL_LIST(ZETL_PARAMETER, __VA_ARGS__));

#define ZETL_DECLARE_CALLBACK(prefix, result_type, Name, snake)                                                   \
    typedef void(ZE_APICALL * prefix##_pfn##Name##Cb_t)(prefix##_##snake##_params_t * params, result_type result, \
                                                        void* pTracerUserData, void** ppTracerInstanceUserData);  \
    ZE_APIEXPORT ze_result_t ZE_APICALL zelTracer##Name##RegisterCallback(                                        \
        zel_tracer_handle_t hTracer, zel_tracer_reg_t callback_type, prefix##_pfn##Name##Cb_t pfn##Name##Cb);

/* A core or runtime function with everything that API tracing knows of it. */
#define ZETL_DECLARE_TRACED(prefix, result, Name, snake, ...)       \
    ZETL_DECLARE_FUNCTION(prefix, result, Name, snake, __VA_ARGS__) \
    typedef struct _##prefix##_##snake##_params_t {                 \
        ZETL_EACH(ZETL_PARAMETER_ADDRESS, __VA_ARGS__)              \
    } prefix##_##snake##_params_t;                                  \
    ZETL_DECLARE_CALLBACK(prefix, result, Name, snake)
