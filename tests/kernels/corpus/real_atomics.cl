// Native atomics on reals: sums, minima, maxima, exchange by comparison, on global and local memory. All values are
// whole numbers, so that the order does not matter. The reference is a loop of one work item.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#ifndef REFERENCE
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#define NATIVE __attribute__((overloadable))
#define DECLARED(SPACE, T)                                                 \
    T NATIVE __spirv_AtomicFAddEXT(volatile SPACE T*, int scope, int semantics, T);  \
    T NATIVE __spirv_AtomicFMinEXT(volatile SPACE T*, int scope, int semantics, T);  \
    T NATIVE __spirv_AtomicFMaxEXT(volatile SPACE T*, int scope, int semantics, T);
DECLARED(global, half)
DECLARED(global, float)
DECLARED(global, double)
DECLARED(local, half)
DECLARED(local, float)
#define DEVICE 1, 0
#define GROUP 2, 0
#endif

#ifdef REFERENCE
#define GATHERED(T)                                                                              \
    kernel void gathered_##T(global T* v, global const T* a, global int* seen) {                 \
        int n = get_global_size(0);                                                              \
        if (get_global_id(0) != 0) return;                                                       \
        for (int k = 0; k < n; ++k) {                                                            \
            v[0] += a[k], v[1] = min(v[1], a[k]), v[2] = max(v[2], a[k]), v[3] -= a[k];           \
            if (k & 1) v[4] += k;                                                                \
            seen[k] = 1;                                                                         \
        }                                                                                        \
        v[5] = n;                                                                                \
    }
#else
#define GATHERED(T)                                                          \
    kernel void gathered_##T(global T* v, global const T* a, global int* seen) { \
        int i = get_global_id(0);                                            \
        __spirv_AtomicFAddEXT(&v[0], DEVICE, a[i]);                          \
        __spirv_AtomicFMinEXT(&v[1], DEVICE, a[i]);                          \
        __spirv_AtomicFMaxEXT(&v[2], DEVICE, a[i]);                          \
        __spirv_AtomicFAddEXT(&v[3], DEVICE, -a[i]);                         \
        if (i & 1) __spirv_AtomicFAddEXT(&v[4], DEVICE, (T)i);               \
        seen[(int)__spirv_AtomicFAddEXT(&v[5], DEVICE, (T)1)] = 1;           \
    }
#endif
GATHERED(float)
GATHERED(double)

#ifdef REFERENCE
kernel void gathered_locally(global float* o, global const float* a) {
    int n = get_local_size(0), first = get_group_id(0) * n;
    if (get_local_id(0) != 0) return;
    float sum = 0, low = a[first], high = a[first];
    for (int k = first; k < first + n; ++k) sum += a[k], low = min(low, a[k]), high = max(high, a[k]);
    o[get_group_id(0) * 3] = sum, o[get_group_id(0) * 3 + 1] = low, o[get_group_id(0) * 3 + 2] = high;
}
#else
kernel void gathered_locally(global float* o, global const float* a) {
    local float v[3];
    int i = get_local_id(0);
    if (i == 0) v[0] = 0, v[1] = v[2] = a[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    __spirv_AtomicFAddEXT(&v[0], GROUP, a[get_global_id(0)]);
    __spirv_AtomicFMinEXT(&v[1], GROUP, a[get_global_id(0)]);
    __spirv_AtomicFMaxEXT(&v[2], GROUP, a[get_global_id(0)]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < 3) o[get_group_id(0) * 3 + i] = v[i];
}

float __builtin_IB_atomic_cmpxchg_global_f32(volatile global float*, float found, float wanted);
double __builtin_IB_atomic_cmpxchg_global_f64(volatile global double*, double found, double wanted);
// Exchange by comparison of values: -0 and 0 are equal, a NaN is equal to nothing.
kernel void exchanged_by_value(global float* v, global double* d) {
    int i = get_global_id(0);
    v[4 + i] = __builtin_IB_atomic_cmpxchg_global_f32(&v[i], i == 1 ? -0.0f : i == 2 ? NAN : 7.0f, 5.0f);
    d[2 + i] = __builtin_IB_atomic_cmpxchg_global_f64(&d[i & 1], 3.0, 9.0 + (i & 1));
}

kernel void half_extremes(global half* v, global const half* a) {
    int i = get_global_id(0);
    local half part[2];
    if (get_local_id(0) == 0) part[0] = part[1] = a[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    __spirv_AtomicFMinEXT(&part[0], GROUP, a[i]);
    __spirv_AtomicFMaxEXT(&part[1], GROUP, a[i]);
    __spirv_AtomicFMinEXT(&v[0], DEVICE, a[i]);
    __spirv_AtomicFMaxEXT(&v[1], DEVICE, a[i]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) < 2) v[2 + get_local_id(0)] = part[get_local_id(0)];
}
#endif
