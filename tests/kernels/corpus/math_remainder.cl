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
UNARY(erf)
UNARY(erfc)
UNARY(tgamma)
BINARY(fmod)
BINARY(remainder)
BINARY(fdim)
BINARY(nextafter)
BINARY(maxmag)
BINARY(minmag)
