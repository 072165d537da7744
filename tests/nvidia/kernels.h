// The kernels of the tests, which a GPU executes from this text and the stand-in knows by their names.
#pragma once

namespace zetl::test {

inline constexpr const char kKernels[] = R"(.version 7.0
.target sm_70
.address_size 64

.visible .global .align 4 .u32 lucky = 7;

// data[i] += value
.visible .entry add(.param .u64 data, .param .u32 value)
{
    .reg .b32 %r<8>;
    .reg .b64 %rd<5>;
    ld.param.u64 %rd1, [data];
    ld.param.u32 %r1, [value];
    cvta.to.global.u64 %rd2, %rd1;
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %ntid.x;
    mov.u32 %r4, %tid.x;
    mad.lo.u32 %r5, %r2, %r3, %r4;
    mul.wide.u32 %rd3, %r5, 4;
    add.u64 %rd4, %rd2, %rd3;
    ld.global.u32 %r6, [%rd4];
    add.u32 %r7, %r6, %r1;
    st.global.u32 [%rd4], %r7;
    ret;
}

// runs for that many nanoseconds
.visible .entry spin(.param .u64 nanoseconds)
{
    .reg .pred %p<2>;
    .reg .b64 %rd<5>;
    ld.param.u64 %rd1, [nanoseconds];
    mov.u64 %rd2, %globaltimer;
again:
    mov.u64 %rd3, %globaltimer;
    sub.u64 %rd4, %rd3, %rd2;
    setp.lt.u64 %p1, %rd4, %rd1;
    @%p1 bra again;
    ret;
}

// writes where nothing is
.visible .entry fault()
{
    .reg .b64 %rd<2>;
    mov.u64 %rd1, 8;
    st.global.u32 [%rd1], 1;
    ret;
}

// out[i] = words[n - 1 - i] with words[i] = i, by way of local memory
.visible .entry reverse(.param .u64 out, .param .u64 words)
{
    .reg .b32 %r<6>;
    .reg .b64 %rd<9>;
    ld.param.u64 %rd1, [out];
    ld.param.u64 %rd2, [words];
    cvta.to.global.u64 %rd3, %rd1;
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, %ntid.x;
    mul.wide.u32 %rd4, %r1, 4;
    add.u64 %rd5, %rd2, %rd4;
    st.shared.u32 [%rd5], %r1;
    bar.sync 0;
    sub.u32 %r3, %r2, %r1;
    sub.u32 %r4, %r3, 1;
    mul.wide.u32 %rd6, %r4, 4;
    add.u64 %rd7, %rd2, %rd6;
    ld.shared.u32 %r5, [%rd7];
    add.u64 %rd8, %rd3, %rd4;
    st.global.u32 [%rd8], %r5;
    ret;
}
)";

inline constexpr const char kFunctions[] = R"(.version 7.0
.target sm_70
.address_size 64

.visible .func (.reg .u32 %r1) twice(.reg .u32 %r2)
{
    add.u32 %r1, %r2, %r2;
    ret;
}

.visible .func (.reg .u32 %r1) thrice(.reg .u32 %r2)
{
    mul.lo.u32 %r1, %r2, 3;
    ret;
}

.func (.reg .u32 %r1) hidden(.reg .u32 %r2)
{
    mov.u32 %r1, %r2;
    ret;
}

// *out = function(value)
.visible .entry apply(.param .u64 function, .param .u32 value, .param .u64 out)
{
    .reg .b64 %rd<4>;
    .reg .b32 %r<4>;
    ld.param.u64 %rd1, [function];
    ld.param.u32 %r1, [value];
    ld.param.u64 %rd2, [out];
    cvta.to.global.u64 %rd3, %rd2;
prototype: .callprototype (.reg .u32 _) _ (.reg .u32 _);
    call (%r2), %rd1, (%r1), prototype;
    st.global.u32 [%rd3], %r2;
    ret;
}
)";

/// A module that lacks a function and a variable, which kScaling has.
inline constexpr const char kScaled[] = R"(.version 7.0
.target sm_70
.address_size 64

.extern .func (.param .b32 result) scaled(.param .b32 value);
.extern .global .align 4 .u32 added;

// data[0] = scaled(data[0]) + added
.visible .entry callScaled(.param .u64 data)
{
    .reg .b32 %r<5>;
    .reg .b64 %rd<3>;
    .param .b32 value;
    .param .b32 result;
    ld.param.u64 %rd1, [data];
    cvta.to.global.u64 %rd2, %rd1;
    ld.global.u32 %r1, [%rd2];
    st.param.b32 [value], %r1;
    call (result), scaled, (value);
    ld.param.b32 %r2, [result];
    ld.global.u32 %r3, [added];
    add.u32 %r4, %r2, %r3;
    st.global.u32 [%rd2], %r4;
    ret;
}
)";

inline constexpr const char kScaling[] = R"(.version 7.0
.target sm_70
.address_size 64

.visible .global .align 4 .u32 added = 5;

.visible .func (.param .b32 result) scaled(.param .b32 value)
{
    .reg .b32 %r<3>;
    ld.param.b32 %r1, [value];
    mul.lo.u32 %r2, %r1, 3;
    st.param.b32 [result], %r2;
    ret;
}
)";

}  // namespace zetl::test
