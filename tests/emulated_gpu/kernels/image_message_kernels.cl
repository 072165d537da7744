// Accesses to images for which the compiler emits other messages than for plain reads and writes.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_mipmap_image : enable

#define ITEM const size_t i = get_global_id(0)

// A level, from 0 to 3.
#define LEVEL(name, image, read, result, place)                                                           \
    kernel void name(read_only image from, sampler_t s, global const float4* at, global result* to) {     \
        ITEM;                                                                                             \
        const float4 c = at[i];                                                                           \
        to[i] = read(from, s, place, (float)(i & 3));                                                     \
    }
LEVEL(level_f_1d, image1d_t, read_imagef, float4, c.x)
LEVEL(level_f_1da, image1d_array_t, read_imagef, float4, c.xy)
LEVEL(level_f_2d, image2d_t, read_imagef, float4, c.xy)
LEVEL(level_f_2da, image2d_array_t, read_imagef, float4, c)
LEVEL(level_f_3d, image3d_t, read_imagef, float4, c)
LEVEL(level_i_2d, image2d_t, read_imagei, int4, c.xy)

// Not of image2d_array_t, at which the compiler (26.27) crashes.
#define GRADIENT(name, image, place, gradient)                                                            \
    kernel void name(read_only image from, sampler_t s, global const float4* at, global float4* to) {     \
        ITEM;                                                                                             \
        const float4 c = at[i];                                                                           \
        const float4 g = c * 0.25f;                                                                       \
        to[i] = read_imagef(from, s, place, gradient, gradient);                                          \
    }
GRADIENT(gradient_f_1d, image1d_t, c.x, g.x)
GRADIENT(gradient_f_1da, image1d_array_t, c.xy, g.x)
GRADIENT(gradient_f_2d, image2d_t, c.xy, g.xy)
GRADIENT(gradient_f_3d, image3d_t, c, g)

kernel void levels(read_only image2d_t from, global int* to) { to[0] = get_image_num_mip_levels(from); }

// Some channels alone.
kernel void channels(read_only image2d_t from, sampler_t s, global const float4* at, global float4* to) {
    ITEM;
    const float2 sampled = read_imagef(from, s, at[i].xy).yw;
    to[i] = (float4)(read_imagef(from, convert_int2(at[i].xy)).z, sampled, 1);
}

kernel void halves(read_only image2d_t from, sampler_t s, global const float4* at, global float4* to) {
    ITEM;
    const half4 texel = read_imageh(from, s, at[i].xy);
    to[i] = convert_float4(texel);
}

kernel void whole_coordinates(read_only image2d_t from, sampler_t s, global const float4* at, global int4* to) {
    ITEM;
    to[i] = read_imagei(from, s, convert_int2(at[i].xy));
}

// As Intel's extensions name them; not every compiler's header has them.
uint4 __attribute__((overloadable)) intel_sub_group_block_read4(read_only image2d_t, int2);
void __attribute__((overloadable)) intel_sub_group_block_write2(write_only image2d_t, int2, uint2);
ushort2 __attribute__((overloadable)) intel_sub_group_block_read_us2(read_only image2d_t, int2);

// Four rows of a sub-group to `out`, and two others to an image.
__attribute__((intel_reqd_sub_group_size(16))) kernel void move_blocks(read_only image2d_t from, write_only image2d_t to,
                                                                       global uint4* out, int2 at) {
    out[get_local_id(0)] = intel_sub_group_block_read4(from, at);
    const uint lane = (uint)get_local_id(0);
    intel_sub_group_block_write2(to, at, (uint2)(lane, 100 + lane));
}
__attribute__((intel_reqd_sub_group_size(16))) kernel void read_narrow_blocks(read_only image2d_t from,
                                                                              global ushort2* out, int2 at) {
    out[get_local_id(0)] = intel_sub_group_block_read_us2(from, at);
}
