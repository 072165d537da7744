// Kernels that leave their images, each beside a twin that does not: `e` is 1 in name_wrong and 0 in name_right. A
// group has 32 work-items, one for each texel of 8 x 4.
#define PLANTED(name, image, statement)                                 \
    kernel void name##_wrong(image, global float4* o) {                 \
        const int e = 1, i = (int)get_global_id(0), x = i % 8, y = i / 8; \
        statement;                                                      \
    }                                                                   \
    kernel void name##_right(image, global float4* o) {                 \
        const int e = 0, i = (int)get_global_id(0), x = i % 8, y = i / 8; \
        statement;                                                      \
    }

PLANTED(column_behind, write_only image2d_t t, write_imagef(t, (int2)(x + e, y), (float4)(1)))
PLANTED(row_behind, write_only image2d_t t, write_imagef(t, (int2)(x, y + e), o[i]))
PLANTED(column_before, read_only image2d_t t, o[i] = read_imagef(t, (int2)(x - e, y)))
PLANTED(guard_of_a_write, write_only image2d_t t, if (x + 1 < 8 + e) write_imagef(t, (int2)(x + 1, y), (float4)(2)))
PLANTED(guard_of_a_read, read_only image2d_t t, if (y < 3 + e) o[i] = read_imagef(t, (int2)(x, y + 1)))
PLANTED(read_in_place, read_write image2d_t t, write_imagef(t, (int2)(x, y), read_imagef(t, (int2)((x + e) & 15, y))))
PLANTED(layer_behind, write_only image1d_array_t t, write_imagef(t, (int2)(x, y < 2 + e ? y : 0), (float4)(3)))
PLANTED(layer_of_planes, read_only image2d_array_t t, o[i] = read_imagef(t, (int4)(x, y, 1 + e, 0)))
PLANTED(slice_behind, read_only image3d_t t, o[i] = read_imagef(t, (int4)(x, y, x / 4 + e, 0)))
PLANTED(element_behind, read_only image1d_buffer_t t, o[i] = read_imagef(t, i + e))

// What lies outside is defined for samplers.
constant sampler_t border = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
kernel void sampled_outside(read_only image2d_t t, global float4* o) {
    const int i = (int)get_global_id(0);
    o[i] = read_imagef(t, border, (int2)(i - 4, i / 4));
}
kernel void whole_sampled_outside(read_only image2d_t t, global int4* o) {
    const int i = (int)get_global_id(0);
    o[i] = read_imagei(t, border, (int2)(i - 4, i / 4));
}
