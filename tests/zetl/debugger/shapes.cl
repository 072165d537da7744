// Vectors, structures and local memory. The debugger's tests name lines of this file by what is written there.
typedef struct {
    float4 pos;
    int id;
} body;
typedef struct inner {
    char tag[4];
    body parts[2];
    global float* link;
} whole;
float corner(body* which, float4 shift, local float* shared) {
    which->pos += shift;
    float first = which->pos.x + shared[1];
    return first;
}
kernel void shapes(global float* out, local float* scratch, global char* text) {
    local int counts[16];
    local float4 rows[4];
    int i = get_global_id(0);
    int l = get_local_id(0);
    float4 v = (float4)(i, i + 1, i + 2, i + 3);
    uchar3 narrow = (uchar3)(1, 2, 255);
    double2 wide = (double2)(0.5, -0.25);
    short8 eight = (short8)(0, 1, 2, 3, 4, 5, 6, -7);
    int grid[2][3];
    for (int k = 0; k < 6; ++k) grid[k / 3][k % 3] = k + 1;
    whole w;  // set member by member: with constants of the program, this compiler leaves debug information out
    for (int k = 0; k < 4; ++k) w.tag[k] = k < 3 ? 'a' + k : 0;
    w.parts[0].pos = v;
    w.parts[0].id = 7;
    w.parts[1].pos = v.wzyx;
    w.parts[1].id = 8;
    w.link = out;
    global float4* pairs = (global float4*)out;
    counts[l & 15] = 16 + (l & 15);  // the same from both threads of a group
    scratch[l] = l * 2;
    rows[l & 3] = (float4)(l & 3, 1, 2, 3);
    barrier(CLK_LOCAL_MEM_FENCE);
    float got = corner(&w.parts[1], v, scratch);
    out[i] = got + counts[3] + wide.x + narrow.z + eight.s7 + grid[1][2] + rows[1].x + pairs[0].x;
}
