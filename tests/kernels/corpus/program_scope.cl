// Program-scope constants and variables, constant arguments, structs as arguments, initialised pointers.
constant int table[10] = {1, 2, 3, 4, 5, 9, 8, 7, 100, 200};
constant float reals[4] = {1.0f, 2.5f, 3.5f, 4.0f};
constant char text[] = "emulated";
constant struct { short a; long b; } records[3] = {{1, 2000000000000}, {-3, 4}, {5, -6}};

kernel void constants(global const int* a, constant int* c, global float* o) {
    int i = get_global_id(0);
    o[i] = table[a[i]] + reals[i & 3] + c[i] + text[i & 7] + records[i % 3].a + (int)(records[i % 3].b >> 20);
}

#ifndef REFERENCE
global int counter = 5;
global int numbers[64] = {9, 8, 7};
global int* pointer = &numbers[2];
kernel void variables(global int* o) {
    int i = get_global_id(0);
    if (i < 32) numbers[32 + i] = numbers[i] + i;
    barrier(CLK_GLOBAL_MEM_FENCE);
    atomic_add(&counter, i);
    o[i] = *pointer * 100 + numbers[32 + (i & 31)];
}
kernel void variables_later(global int* o) { o[0] = counter, o[1] = numbers[33], o[2] = pointer - numbers; }
#endif

typedef struct {
    int a;
    float b;
    char c[12];
    double d;
} Record;
kernel void arguments(Record s, global const Record* p, global int* o, float f, char c, short h, long l, double d, int4 v, uchar2 w) {
    int i = get_global_id(0);
    o[i] = s.a + (int)s.b + s.c[3] + s.c[i & 7] + (int)(s.d * 2) + p[i & 1].a + p[i & 1].c[11] + (int)f + c + h + (int)l + (int)d +
           v.x + v.y * 10 + v.z * 100 + v.w * 1000 + w.x + w.y * 3;
}
