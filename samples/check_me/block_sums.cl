// Adds up blocks of 64 values, each in a work-group. It has two mistakes, which docs/tutorials/find-a-race.md finds.
kernel void block_sums(global const float* values, global float* sums, int count) {
    local float part[64];
    int item = get_local_id(0);
    int i = get_global_id(0);
    if (i < count) part[item] = values[i];
    for (int step = 32; step > 0; step /= 2) {
        if (item < step) part[item] += part[item + step];
    }
    if (item == 0) sums[get_group_id(0)] = part[0];
}
