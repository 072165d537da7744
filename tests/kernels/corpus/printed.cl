// printf: every conversion, strings, vectors; one work item prints, so that the order is certain.
kernel void conversions(global const int* a, global const float* f) {
    if (get_global_id(0) != 3) return;
    printf("%d %i %u %x %X %o %c|\n", a[0], a[1], (uint)a[1], a[2], a[2], a[2], 'z');
    printf("%5d|%-5d|%05d|%+d|%ld %lu %hd|\n", a[0], a[0], a[0], a[0], (long)a[2] << 20, (ulong)a[1], (short)a[1]);
    printf("%f %.2f %e %g %8.3f|%a|\n", f[0], f[0], f[0], f[0], f[0], 1.0f);
    printf("%s and %s, 100%%\n", "one", "another");
    printf("%v4d %v2f\n", (int4)(a[0], 2, 3, a[1]), (float2)(f[0], 0.5f));
    printf("no values\n");
}

kernel void counted(global const int* a) {
    for (int i = 0; i < 3; ++i)
        if (get_global_id(0) == 0) printf("round %d of %d\n", i, a[0]);
}
