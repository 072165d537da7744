// What Intel's compilers are known to get wrong, each reduced from a random program to an expression
// (docs/compiler-mistakes.md). PoCL has the right results.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF

// A selection between a converted integer and zero becomes a conjunction of bits, whatever the zero's sign.
kernel void selected_zero(global float* result, global const short* value, global const float* limit) {
    size_t i = get_global_id(0);
    float real = convert_float(value[i]);
    result[i] = limit[i] < 1.0f ? real : -0.0f;
}

// The comparison behind a saturated conversion takes 2^31 for a number that fits: of a constant nothing is left.
kernel void saturated_constant(global int* result) { result[get_global_id(0)] = convert_int_sat(2147483648.0f); }

// A difference becomes a negation.
kernel void zero_minus(global double* result, global const double* value) {
    size_t i = get_global_id(0);
    result[i] = 0.0 - value[i];
}

// The square of a root becomes its argument.
kernel void squared_root(global double* result, global const double* value) {
    size_t i = get_global_id(0);
    result[i] = sqrt(value[i]) * sqrt(value[i]);
}

// The range of a count of 8 bits is kept where the count is of 32.
kernel void halved_count(global char* result, global const char* value) {
    size_t i = get_global_id(0);
    result[i] = hadd((char)23, clz(value[i]));
}

// What two variables begin with is the same, and what one branch gives them: one takes the place of both. Compiler 22.43.
kernel void kept_apart(global ulong* result, global const ulong* value, uint kind) {
    size_t i = get_global_id(0);
    ulong4 changed = value[i];
    ulong kept = changed.s2;
    int rounds = (int)(get_group_id(0) & 3) + 1;
    #pragma unroll 1
    for (int round = 0; round < rounds; ++round) {
        if (kind > 7) {
            changed = hadd(changed, changed);
            kept = changed.s0;
        } else {
            changed = changed >> 1;
        }
    }
    result[i] = kept;
}
