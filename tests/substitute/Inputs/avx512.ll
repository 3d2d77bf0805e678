; A kernel of AVX-512 instructions.
declare <16 x float> @llvm.x86.avx512.rsqrt14.ps.512(<16 x float>, <16 x float>, i16)
define void @triple(ptr %x, ptr %o, ptr %w) {
  %v = load <16 x float>, ptr %x
  %r = call <16 x float> @llvm.x86.avx512.rsqrt14.ps.512(<16 x float> %v, <16 x float> %v, i16 -1)
  store <16 x float> %r, ptr %o
  ret void
}
