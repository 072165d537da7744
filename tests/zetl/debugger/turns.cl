// A loop on one line, of many turns.
kernel void turns(global int* data) {
    int i = get_global_id(0);
    int x = data[i];
    for (int k = 0; k < 50000; ++k) x = x * 3 + k;
    data[i] = x;
}
