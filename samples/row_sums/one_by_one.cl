// Each work-item adds up a row and reads one value at a time.
kernel void row_sums(global const float* in, global float* sums, int columns) {
    int row = get_global_id(0);
    float sum = 0;
    for (int i = 0; i < columns; ++i)
        sum += in[row * columns + i];
    sums[row] = sum;
}
