// Reads and writes of images of all types. Each work-item has one coordinate, of four numbers, and one result.
#pragma OPENCL EXTENSION cl_khr_3d_image_writes : enable

#define ITEM const size_t i = get_global_id(0)
#define WHOLE(c) (convert_int4_rtn(c))

// With a sampler.
#define SAMPLED(name, image, read, result, place)                                                            \
    kernel void name(read_only image from, sampler_t s, global const float4* at, global result* to) {        \
        ITEM;                                                                                                \
        const float4 c = at[i];                                                                              \
        to[i] = read(from, s, place);                                                                        \
    }
#define SAMPLED_ALL(type, image, place)                           \
    SAMPLED(sample_f_##type, image, read_imagef, float4, place)   \
    SAMPLED(sample_i_##type, image, read_imagei, int4, place)     \
    SAMPLED(sample_u_##type, image, read_imageui, uint4, place)
SAMPLED_ALL(1d, image1d_t, c.x)
SAMPLED_ALL(1da, image1d_array_t, c.xy)
SAMPLED_ALL(2d, image2d_t, c.xy)
SAMPLED_ALL(2da, image2d_array_t, c)
SAMPLED_ALL(3d, image3d_t, c)

// Without one.
#define LOADED(name, image, read, result, place)                                                             \
    kernel void name(read_only image from, global const float4* at, global result* to) {                     \
        ITEM;                                                                                                \
        const int4 c = WHOLE(at[i]);                                                                         \
        to[i] = read(from, place);                                                                           \
    }
#define LOADED_ALL(type, image, place)                       \
    LOADED(load_f_##type, image, read_imagef, float4, place) \
    LOADED(load_i_##type, image, read_imagei, int4, place)   \
    LOADED(load_u_##type, image, read_imageui, uint4, place)
LOADED_ALL(1d, image1d_t, c.x)
LOADED_ALL(1da, image1d_array_t, c.xy)
LOADED_ALL(2d, image2d_t, c.xy)
LOADED_ALL(2da, image2d_array_t, c)
LOADED_ALL(3d, image3d_t, c)
LOADED_ALL(buffer, image1d_buffer_t, c.x)

#define WRITTEN(name, image, write, value, place)                                                            \
    kernel void name(write_only image to, global const float4* at, global const value* from) {               \
        ITEM;                                                                                                \
        const int4 c = WHOLE(at[i]);                                                                         \
        write(to, place, from[i]);                                                                           \
    }
#define WRITTEN_ALL(type, image, place)                         \
    WRITTEN(write_f_##type, image, write_imagef, float4, place) \
    WRITTEN(write_i_##type, image, write_imagei, int4, place)   \
    WRITTEN(write_u_##type, image, write_imageui, uint4, place)
WRITTEN_ALL(1d, image1d_t, c.x)
WRITTEN_ALL(1da, image1d_array_t, c.xy)
WRITTEN_ALL(2d, image2d_t, c.xy)
WRITTEN_ALL(2da, image2d_array_t, c)
WRITTEN_ALL(3d, image3d_t, c)

// Adds to texels in place.
kernel void increment(read_write image2d_t image) {
    const int2 c = (int2)((int)get_global_id(0), (int)get_global_id(1));
    write_imageui(image, c, read_imageui(image, c) + (uint4)(1, 2, 3, 4));
}

// What kernels are told of images.
kernel void sizes(read_only image1d_t a, read_only image1d_array_t b, read_only image2d_t c, read_only image2d_array_t d,
                  read_only image3d_t e, global int* out) {
    out[0] = get_image_width(a);
    out[1] = get_image_width(b);
    out[2] = (int)get_image_array_size(b);
    out[3] = get_image_width(c);
    out[4] = get_image_height(c);
    out[5] = get_image_width(d);
    out[6] = get_image_height(d);
    out[7] = (int)get_image_array_size(d);
    out[8] = get_image_width(e);
    out[9] = get_image_height(e);
    out[10] = get_image_depth(e);
    out[11] = get_image_channel_data_type(c);
    out[12] = get_image_channel_order(c);
    out[13] = get_image_channel_data_type(e);
}

// Samplers that the program declares; two images, and lanes that go apart.
constant sampler_t edge = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;
constant sampler_t around = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_REPEAT | CLK_FILTER_NEAREST;
kernel void declared(read_only image2d_t first, read_only image2d_t second, global const float4* at,
                     global float4* to) {
    ITEM;
    if (i % 3 == 0)
        to[i] = read_imagef(first, edge, at[i].xy);
    else
        to[i] = read_imagef(second, around, at[i].xy).yxwz;
}
