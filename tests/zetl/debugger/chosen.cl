// In optimised code, values of these variables come from copies, from both sides of a condition and from turns of a
// loop. The tests know which values are right.
kernel void chosen(global int* data) {
    int i = get_global_id(0);
    int first = data[i];
    int best = first;
    int where = -1;
    for (int k = 0; k < 4; ++k) {
        int got = data[(i + k * 3) & 63];
        if (got % 7 > best % 7) {
            best = got;
            where = k;
        }
    }
    int sum = best + where;
    data[i] = sum - first;
}
