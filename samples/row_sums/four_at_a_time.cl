// Each work-item adds up a row and reads four values at a time.
kernel void row_sums(global const float* in, global float* sums, int columns) {
    int row = get_global_id(0);
    float4 sum = 0;
    for (int i = 0; i < columns; i += 4)
        sum += *(global const float4*)(in + row * columns + i);
    sums[row] = sum.x + sum.y + sum.z + sum.w;
}
