// The mathematical library in float and double. OpenCL bounds the error of each function in units of the last place; the
// expectation allows that bound for both sides.
#define UNARY(F)                                                                          \
    kernel void F##_float(global const float* a, global float* o) { size_t i = get_global_id(0); o[i] = F(a[i]); } \
    kernel void F##_double(global const double* a, global double* o) { size_t i = get_global_id(0); o[i] = F(a[i]); }
#define BINARY(F)                                                                         \
    kernel void F##_float(global const float* a, global const float* b, global float* o) { \
        size_t i = get_global_id(0); o[i] = F(a[i], b[i]); }                              \
    kernel void F##_double(global const double* a, global const double* b, global double* o) { \
        size_t i = get_global_id(0); o[i] = F(a[i], b[i]); }
UNARY(exp)
UNARY(exp2)
UNARY(exp10)
UNARY(expm1)
UNARY(log)
UNARY(log2)
UNARY(log10)
UNARY(log1p)
UNARY(cbrt)
UNARY(rsqrt)
BINARY(pow)
BINARY(hypot)
