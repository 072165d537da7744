// Computes the mean of each row of a matrix that is stored row by row. It has a bug, which
// docs/tutorials/find-a-wrong-result.md finds.
kernel void row_mean(global const float* matrix, global float* mean, int rows, int columns) {
    int row = get_global_id(0);
    float sum = 0;
    for (int column = 0; column < columns; ++column) {
        int index = row * rows + column;
        sum += matrix[index];
    }
    mean[row] = sum / columns;
}
