// Functions that the definitions of builtins.h call: a thread's place in its group, exchange within a warp or a group.
#pragma once

namespace zetl::compiler {

/// {generic}, {slot} and {slots} stand for the types of pointers to anything, to a word of local memory and to all such
/// words; {offset} and {offsets} for those of pointers to a part of the global offset and to all three.
inline constexpr const char* kPrelude = R"(
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.z()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.z()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.z()
declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.z()
declare i32 @llvm.nvvm.shfl.sync.idx.i32(i32, i32, i32, i32) #9000
declare i1 @llvm.nvvm.vote.all.sync(i32, i1) #9000
declare i1 @llvm.nvvm.vote.any.sync(i32, i1) #9000
declare i32 @llvm.nvvm.vote.ballot.sync(i32, i1) #9000
declare void @llvm.nvvm.bar.warp.sync(i32) #9000
declare void @llvm.nvvm.barrier0() #9000
declare i32 @llvm.nvvm.barrier0.and(i32) #9000
declare i32 @llvm.nvvm.barrier0.or(i32) #9000
declare void @llvm.nvvm.membar.cta()
declare void @llvm.nvvm.membar.gl()
declare void @llvm.nvvm.membar.sys()
declare float @llvm.nvvm.sin.approx.f(float)
declare float @llvm.nvvm.cos.approx.f(float)
declare float @llvm.nvvm.ex2.approx.f(float)
declare float @llvm.nvvm.lg2.approx.f(float)
declare float @llvm.nvvm.sqrt.approx.f(float)
declare float @llvm.nvvm.rsqrt.approx.f(float)
declare i1 @llvm.nvvm.isspacep.global({generic})
declare i1 @llvm.nvvm.isspacep.shared({generic})

@zetl.scratch = internal addrspace(3) global [32 x i64] undef

define internal i32 @zetl.linear() #9001 {
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %z = call i32 @llvm.nvvm.read.ptx.sreg.tid.z()
  %sx = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %sy = call i32 @llvm.nvvm.read.ptx.sreg.ntid.y()
  %plane = mul i32 %z, %sy
  %row = add i32 %plane, %y
  %before = mul i32 %row, %sx
  %linear = add i32 %before, %x
  ret i32 %linear
}
define internal i32 @zetl.threads() #9001 {
  %sx = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %sy = call i32 @llvm.nvvm.read.ptx.sreg.ntid.y()
  %sz = call i32 @llvm.nvvm.read.ptx.sreg.ntid.z()
  %plane = mul i32 %sx, %sy
  %all = mul i32 %plane, %sz
  ret i32 %all
}
define internal i32 @zetl.dimensions() #9001 {
  %sy = call i32 @llvm.nvvm.read.ptx.sreg.ntid.y()
  %sz = call i32 @llvm.nvvm.read.ptx.sreg.ntid.z()
  %ny = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.y()
  %nz = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.z()
  %y = mul i32 %sy, %ny
  %z = mul i32 %sz, %nz
  %flat = icmp eq i32 %y, 1
  %low = select i1 %flat, i32 1, i32 2
  %thin = icmp eq i32 %z, 1
  %dimensions = select i1 %thin, i32 %low, i32 3
  ret i32 %dimensions
}
define internal i32 @zetl.lane() #9001 {
  %linear = call i32 @zetl.linear()
  %lane = and i32 %linear, 31
  ret i32 %lane
}
define internal i32 @zetl.warp() #9001 {
  %linear = call i32 @zetl.linear()
  %warp = lshr i32 %linear, 5
  ret i32 %warp
}
define internal i32 @zetl.warps() #9001 {
  %threads = call i32 @zetl.threads()
  %more = add i32 %threads, 31
  %warps = lshr i32 %more, 5
  ret i32 %warps
}
define internal i32 @zetl.lanes() #9001 {
  %linear = call i32 @zetl.linear()
  %first = and i32 %linear, -32
  %threads = call i32 @zetl.threads()
  %rest = sub i32 %threads, %first
  %partial = icmp ult i32 %rest, 32
  %lanes = select i1 %partial, i32 %rest, i32 32
  ret i32 %lanes
}
define internal i64 @zetl.global(i32 %group, i32 %size, i32 %local) #9001 {
  %g = zext i32 %group to i64
  %s = zext i32 %size to i64
  %l = zext i32 %local to i64
  %before = mul i64 %g, %s
  %id = add i64 %before, %l
  ret i64 %id
}
define internal i64 @zetl.global.linear() #9001 {
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %z = call i32 @llvm.nvvm.read.ptx.sreg.tid.z()
  %sx = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %sy = call i32 @llvm.nvvm.read.ptx.sreg.ntid.y()
  %sz = call i32 @llvm.nvvm.read.ptx.sreg.ntid.z()
  %cx = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %cy = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %cz = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.z()
  %nx = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %ny = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.y()
  %gx = call i64 @zetl.global(i32 %cx, i32 %sx, i32 %x)
  %gy = call i64 @zetl.global(i32 %cy, i32 %sy, i32 %y)
  %gz = call i64 @zetl.global(i32 %cz, i32 %sz, i32 %z)
  %wx = call i64 @zetl.global(i32 %nx, i32 %sx, i32 0)
  %wy = call i64 @zetl.global(i32 %ny, i32 %sy, i32 0)
  %plane = mul i64 %gz, %wy
  %row = add i64 %plane, %gy
  %before = mul i64 %row, %wx
  %linear = add i64 %before, %gx
  ret i64 %linear
}
define internal i32 @zetl.shuffle.i32(i32 %value, i32 %lane) #9002 {
  %got = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %value, i32 %lane, i32 31)
  ret i32 %got
}
define internal i64 @zetl.shuffle.i64(i64 %value, i32 %lane) #9002 {
  %low = trunc i64 %value to i32
  %upper = lshr i64 %value, 32
  %high = trunc i64 %upper to i32
  %a = call i32 @zetl.shuffle.i32(i32 %low, i32 %lane)
  %b = call i32 @zetl.shuffle.i32(i32 %high, i32 %lane)
  %x = zext i32 %a to i64
  %y = zext i32 %b to i64
  %z = shl i64 %y, 32
  %got = or i64 %x, %z
  ret i64 %got
}
define internal void @zetl.put(i32 %slot, i64 %value) #9001 {
  %place = getelementptr [32 x i64], {slots} @zetl.scratch, i32 0, i32 %slot
  store volatile i64 %value, {slot} %place
  ret void
}
define internal i64 @zetl.get(i32 %slot) #9001 {
  %place = getelementptr [32 x i64], {slots} @zetl.scratch, i32 0, i32 %slot
  %value = load volatile i64, {slot} %place
  ret i64 %value
}
define internal void @zetl.fence(i32 %order, i32 %scope) #9001 {
  %relaxed = icmp eq i32 %order, 0
  br i1 %relaxed, label %end, label %ordered
ordered:
  switch i32 %scope, label %device [i32 0, label %end
    i32 1, label %group
    i32 3, label %system
    i32 4, label %group]
group:
  call void @llvm.nvvm.membar.cta()
  br label %end
device:
  call void @llvm.nvvm.membar.gl()
  br label %end
system:
  call void @llvm.nvvm.membar.sys()
  br label %end
end:
  ret void
}
define internal i64 @zetl.global.id(i32 %axis) #9001 {
  switch i32 %axis, label %none [i32 0, label %x
    i32 1, label %y
    i32 2, label %z]
x:
  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %sx = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %cx = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  br label %some
y:
  %ty = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %sy = call i32 @llvm.nvvm.read.ptx.sreg.ntid.y()
  %cy = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  br label %some
z:
  %tz = call i32 @llvm.nvvm.read.ptx.sreg.tid.z()
  %sz = call i32 @llvm.nvvm.read.ptx.sreg.ntid.z()
  %cz = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.z()
  br label %some
some:
  %t = phi i32 [%tx, %x], [%ty, %y], [%tz, %z]
  %s = phi i32 [%sx, %x], [%sy, %y], [%sz, %z]
  %c = phi i32 [%cx, %x], [%cy, %y], [%cz, %z]
  %place = call i64 @zetl.global(i32 %c, i32 %s, i32 %t)
  %offset = call i64 @zetl.global.offset(i32 %axis)
  %id = add i64 %place, %offset
  ret i64 %id
none:
  ret i64 0
}
attributes #9000 = { convergent nounwind }
attributes #9001 = { alwaysinline nounwind }
attributes #9002 = { alwaysinline convergent nounwind }
)";

/// The global offset of modules whose kernels have parameters for it (global_offset.h).
inline constexpr const char* kOffsetPrelude = R"(
@zetl.offset = internal addrspace(3) global [3 x i32] undef
define internal void @zetl.offset.set(i32 %x, i32 %y, i32 %z) #9001 {
  %first = getelementptr [3 x i32], {offsets} @zetl.offset, i32 0, i32 0
  store i32 %x, {offset} %first
  %second = getelementptr [3 x i32], {offsets} @zetl.offset, i32 0, i32 1
  store i32 %y, {offset} %second
  %third = getelementptr [3 x i32], {offsets} @zetl.offset, i32 0, i32 2
  store i32 %z, {offset} %third
  ret void
}
define internal i64 @zetl.global.offset(i32 %axis) #9001 {
  %known = icmp ult i32 %axis, 3
  br i1 %known, label %some, label %none
some:
  %place = getelementptr [3 x i32], {offsets} @zetl.offset, i32 0, i32 %axis
  %word = load i32, {offset} %place
  %value = zext i32 %word to i64
  ret i64 %value
none:
  ret i64 0
}
)";
/// The same for modules that have none.
inline constexpr const char* kZeroOffsetPrelude = R"(
define internal i64 @zetl.global.offset(i32 %axis) #9001 {
  ret i64 0
}
)";

}  // namespace zetl::compiler
