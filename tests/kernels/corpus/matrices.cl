// Multiplication of matrices by sub-groups of 16 (dpas): every kind of factor, sums and row count. D = C + A * B, where A is
// row by row and a work item holds a column of B. The reference takes the same bits apart and multiplies in loops.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#define COLUMNS 16
#define GROUP __attribute__((intel_reqd_sub_group_size(16)))

int element(global const uint* words, int stride, int k, int bits, int is_signed) {
    uint word = words[k * bits / 32 * stride] << (32 - bits - k * bits % 32);
    return is_signed ? (int)word >> (32 - bits) : (int)(word >> (32 - bits));
}

// KIND names the product, ROWS of A are VA each, a column of B is a VB; bits and signs of their elements; DEPTH of the sum.
#ifdef REFERENCE
#define INTEGERS(KIND, NAME, VA, VB, VC, ROWS, DEPTH, BITSA, SIGNEDA, BITSB, SIGNEDB)                                    \
    kernel void NAME(global const uint* a, global const uint* b, global int* c) {                                       \
        int n = get_global_id(0);                                                                                       \
        for (int r = 0; r < ROWS; ++r)                                                                                  \
            for (int k = 0; k < DEPTH; ++k)                                                                             \
                c[r * COLUMNS + n] += element(a, 1, r * DEPTH + k, BITSA, SIGNEDA) * element(b + n, COLUMNS, k, BITSB, SIGNEDB); \
    }
#else
#define INTEGERS(KIND, NAME, VA, VB, VC, ROWS, DEPTH, BITSA, SIGNEDA, BITSB, SIGNEDB)                                    \
    VC __attribute__((overloadable)) intel_sub_group_##KIND##_matrix_mad_k##DEPTH(VA a, VB b, VC c);                     \
    kernel GROUP void NAME(global const void* a, global const uint* b, global int* c) {                                 \
        int n = get_global_id(0);                                                                                       \
        VA va;                                                                                                          \
        VB vb;                                                                                                          \
        VC vc;                                                                                                          \
        for (int r = 0; r < ROWS; ++r) {                                                                                \
            for (int k = 0; k < sizeof(VA) / ROWS; ++k)                                                                 \
                ((uchar*)&va)[r * sizeof(VA) / ROWS + k] =                                                              \
                    ((global const uchar*)a)[(r * COLUMNS + n) * sizeof(VA) / ROWS + k];                                \
            ((int*)&vc)[r] = c[r * COLUMNS + n];                                                                        \
        }                                                                                                               \
        for (int j = 0; j < sizeof(VB) / 4; ++j) ((uint*)&vb)[j] = b[j * COLUMNS + n];                                  \
        vc = intel_sub_group_##KIND##_matrix_mad_k##DEPTH(va, vb, vc);                                                  \
        for (int r = 0; r < ROWS; ++r) c[r * COLUMNS + n] = ((int*)&vc)[r];                                             \
    }
#endif
INTEGERS(i8_i8, s8s8, short8, int8, int8, 8, 32, 8, 1, 8, 1)
INTEGERS(u8_u8, u8u8, ushort8, uint8, int8, 8, 32, 8, 0, 8, 0)
INTEGERS(i8_u8, s8u8, short4, uint8, int4, 4, 32, 8, 1, 8, 0)
INTEGERS(u8_i8, u8s8, ushort2, int8, int2, 2, 32, 8, 0, 8, 1)
INTEGERS(i8_i8, one_row, short, int8, int, 1, 32, 8, 1, 8, 1)
INTEGERS(i8_i4, s8s4, short8, int4, int8, 8, 32, 8, 1, 4, 1)
INTEGERS(u8_u2, u8u2, ushort8, uint2, int8, 8, 32, 8, 0, 2, 0)
INTEGERS(i4_u8, s4u8, char8, uint8, int8, 8, 32, 4, 1, 8, 0)
INTEGERS(i4_i4, s4s4, short8, int8, int8, 8, 64, 4, 1, 4, 1)
INTEGERS(u4_i4, u4s4, ushort4, int8, int4, 4, 64, 4, 0, 4, 1)
INTEGERS(i4_i2, s4s2, short8, int4, int8, 8, 64, 4, 1, 2, 1)
INTEGERS(u2_u4, u2u4, uchar8, uint8, int8, 8, 64, 2, 0, 4, 0)
INTEGERS(i2_i2, s2s2, char8, int4, int8, 8, 64, 2, 1, 2, 1)

// Reals come as float and are rounded to small whole numbers: their products and sums are exact in every type.
#ifdef REFERENCE
#define REALS(NAME, ROWS, DEPTH)                                                              \
    kernel void NAME(global const float* a, global const float* b, global float* c) {        \
        int n = get_global_id(0);                                                             \
        for (int r = 0; r < ROWS; ++r)                                                        \
            for (int k = 0; k < DEPTH; ++k) c[r * COLUMNS + n] = rint(c[r * COLUMNS + n]) + rint(a[r * DEPTH + k]) * rint(b[k * COLUMNS + n]); \
    }
#define HALVES(NAME, KIND, PACKED, VS, ROWS, STORED, LOADED) REALS(NAME, ROWS, 16)
REALS(tensors, 8, 8)
#else
#define BRAIN(x) ((ushort)(as_uint(x) >> 16))
#define HALF(x) as_ushort((half)(x))
#define FROM_BRAIN(x) as_float((uint)as_ushort(x) << 16)
#define SAME(x) (x)
#define HALVES(NAME, KIND, PACKED, VS, ROWS, STORED, LOADED)                                             \
    VS __attribute__((overloadable)) intel_sub_group_##KIND##_matrix_mad_k16(short8 a, int8 b, VS c);    \
    kernel GROUP void NAME(global const float* a, global const float* b, global float* c) {             \
        int n = get_global_id(0);                                                                        \
        short8 va;                                                                                       \
        int8 vb;                                                                                         \
        VS vc;                                                                                           \
        for (int r = 0; r < 8; ++r) {                                                                    \
            ((ushort*)&va)[r] = PACKED(rint(a[r * 16 + n]));                                                   \
            ((uint*)&vb)[r] = PACKED(rint(b[r * 2 * COLUMNS + n])) | (uint)PACKED(rint(b[(r * 2 + 1) * COLUMNS + n])) << 16; \
            vc[r] = STORED(rint(c[r * COLUMNS + n]));                                                          \
        }                                                                                                \
        vc = intel_sub_group_##KIND##_matrix_mad_k16(va, vb, vc);                                        \
        for (int r = 0; r < 8; ++r) c[r * COLUMNS + n] = LOADED(vc[r]);                                  \
    }
#if __clang_major__ < 16  // Intel's compiler 22.43
float8 __attribute__((overloadable)) intel_sub_group_tf32_tf32_matrix_mad_k8_f32(short8 a, int8 b, float8 c);
float8 tensor_product(global const float* a, int n, float8 vb, float8 vc) {
    short8 va;
    for (int r = 0; r < 8; ++r) va[r] = (short)(as_uint(rint(a[r * 8 + n / 2])) >> (n & 1) * 16);
    return intel_sub_group_tf32_tf32_matrix_mad_k8_f32(va, as_int8(vb), vc);
}
#else
float8 __attribute__((overloadable)) intel_sub_group_tf32_tf32_matrix_mad_k8(float4 a, float8 b, float8 c);
float8 tensor_product(global const float* a, int n, float8 vb, float8 vc) {
    float4 va;
    for (int r = 0; r < 4; ++r) va[r] = rint(a[r * COLUMNS + n]);
    return intel_sub_group_tf32_tf32_matrix_mad_k8(va, vb, vc);
}
#endif
kernel GROUP void tensors(global const float* a, global const float* b, global float* c) {
    int n = get_global_id(0);
    float8 vb;
    float8 vc;
    for (int r = 0; r < 8; ++r) vb[r] = rint(b[r * COLUMNS + n]), vc[r] = rint(c[r * COLUMNS + n]);
    vc = tensor_product(a, n, vb, vc);
    for (int r = 0; r < 8; ++r) c[r * COLUMNS + n] = vc[r];
}
#endif
HALVES(brains, bf16_bf16, BRAIN, float8, 8, SAME, SAME)
HALVES(brains_stored, bf16_bf16, BRAIN, short8, 8, (short)BRAIN, FROM_BRAIN)
HALVES(halves, f16_f16, HALF, float8, 8, SAME, SAME)
HALVES(halves_stored, f16_f16, HALF, half8, 8, (half), (float))
