; ModuleID = 'device.c'
source_filename = "device.c"
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@expm1_small.c = internal unnamed_addr constant [12 x double] [double 0x3DE6124613A86D09, double 0x3E21EED8EFF8D898, double 0x3E5AE64567F544E4, double 0x3E927E4FB7789F5C, double 0x3EC71DE3A556C734, double 0x3EFA01A01A01A01A, double 0x3F2A01A01A01A01A, double 0x3F56C16C16C16C17, double 0x3F81111111111111, double 0x3FA5555555555555, double 0x3FC5555555555555, double 5.000000e-01], align 8
@TWO_OVER_PI = internal unnamed_addr constant [20 x i64] [i64 -6703182060581546711, i64 -277156292786332224, i64 -2638381946312093631, i64 -121206125134887583, i64 -5249950069107600672, i64 452944820249399836, i64 -135693905287338178, i64 -1692731182770600828, i64 -1613291254968254911, i64 4148332274289687028, i64 -7168499653074671557, i64 2303758334597371919, i64 -1211730484530615009, i64 7869616827067468215, i64 5712322887342352941, i64 8441921394348257659, i64 4397547296490951402, i64 7780917995555872008, i64 6197850593633725355, i64 -1094449336203069923], align 8
@sin_small.c = internal unnamed_addr constant [8 x double] [double 0x3CE952C77030AD4A, double 0xBD6AE7F3E733B81F, double 0x3DE6124613A86D09, double 0xBE5AE64567F544E4, double 0x3EC71DE3A556C734, double 0xBF2A01A01A01A01A, double 0x3F81111111111111, double 0xBFC5555555555555], align 8
@cos_small.c = internal unnamed_addr constant [7 x double] [double 0x3D2AE7F3E733B81F, double 0xBDA93974A8C07C9D, double 0x3E21EED8EFF8D898, double 0xBE927E4FB7789F5C, double 0x3EFA01A01A01A01A, double 0xBF56C16C16C16C17, double 0x3FA5555555555555], align 8
@atan_ratio.hi = internal unnamed_addr constant [9 x double] [double 0.000000e+00, double 0x3FBFD5BA9AAC2F6E, double 0x3FCF5B75F92C80DD, double 0x3FD6F61941E4DEF1, double 0x3FDDAC670561BB4F, double 0x3FE1E00BABDEFEB4, double 0x3FE4978FA3269EE1, double 0x3FE700A7C5784634, double 0x3FE921FB54442D18], align 8
@atan_ratio.lo = internal unnamed_addr constant [9 x double] [double 0.000000e+00, double 0xBC4CD37686760C17, double 0x3C68AB6E3CF7AFBD, double 0xBC7C63AAE6F6E918, double 0x3C7A2B7F222F65E2, double 0xBC5928DF287A668F, double 0x3C72419A87F2A458, double 0xBC78C34D25AADEF6, double 0x3C81A62633145C07], align 8

; Function Attrs: nofree noinline norecurse nosync nounwind optsize memory(none)
define dso_local double @hal_ldexp(double noundef %0, i32 noundef %1) local_unnamed_addr #0 {
  br label %3

3:                                                ; preds = %2, %3
  %4 = phi i32 [ 0, %2 ], [ %12, %3 ]
  %5 = phi i32 [ %1, %2 ], [ %11, %3 ]
  %6 = phi double [ %0, %2 ], [ %10, %3 ]
  %7 = icmp sgt i32 %5, 1023
  %8 = fmul double %6, 0x7FE0000000000000
  %9 = add nsw i32 %5, -1023
  %10 = select i1 %7, double %8, double %6
  %11 = select i1 %7, i32 %9, i32 %5
  %12 = add nuw nsw i32 %4, 1
  %13 = icmp eq i32 %12, 3
  br i1 %13, label %22, label %3, !llvm.loop !6

14:                                               ; preds = %22
  %15 = tail call i32 @llvm.smax.i32(i32 %30, i32 -1022)
  %16 = tail call i32 @llvm.smin.i32(i32 %15, i32 1023)
  %17 = add nsw i32 %16, 1023
  %18 = zext nneg i32 %17 to i64
  %19 = shl nuw nsw i64 %18, 52
  %20 = bitcast i64 %19 to double
  %21 = fmul double %29, %20
  ret double %21

22:                                               ; preds = %3, %22
  %23 = phi i32 [ %31, %22 ], [ 0, %3 ]
  %24 = phi i32 [ %30, %22 ], [ %11, %3 ]
  %25 = phi double [ %29, %22 ], [ %10, %3 ]
  %26 = icmp slt i32 %24, -969
  %27 = fmul double %25, 0x360000000000000
  %28 = add nuw nsw i32 %24, 969
  %29 = select i1 %26, double %27, double %25
  %30 = select i1 %26, i32 %28, i32 %24
  %31 = add nuw nsw i32 %23, 1
  %32 = icmp eq i32 %31, 3
  br i1 %32, label %14, label %22, !llvm.loop !8
}

; Function Attrs: mustprogress nocallback nofree nosync nounwind willreturn memory(argmem: readwrite)
declare void @llvm.lifetime.start.p0(ptr captures(none)) #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind willreturn memory(argmem: readwrite)
declare void @llvm.lifetime.end.p0(ptr captures(none)) #1

; Function Attrs: nofree noinline norecurse nosync nounwind optsize memory(none)
define dso_local double @hal_exp(double noundef %0) local_unnamed_addr #0 {
  %2 = tail call fastcc double @exp_pair(double noundef %0, double noundef 0.000000e+00) #11
  ret double %2
}

; Function Attrs: nofree noinline norecurse nosync nounwind optsize memory(none)
define internal fastcc double @exp_pair(double noundef %0, double noundef %1) unnamed_addr #0 {
  %3 = fcmp ord double %0, 0.000000e+00
  br i1 %3, label %4, label %35

4:                                                ; preds = %2
  %5 = fcmp ogt double %0, 7.100000e+02
  br i1 %5, label %35, label %6

6:                                                ; preds = %4
  %7 = fcmp olt double %0, -7.460000e+02
  br i1 %7, label %35, label %8

8:                                                ; preds = %6
  %9 = fmul double %0, 0x3FF71547652B82FE
  %10 = fadd double %9, 0x4338000000000000
  %11 = fadd double %10, 0xC338000000000000
  %12 = fneg double %11
  %13 = tail call double @llvm.fma.f64(double %12, double 0x3FE62E42FEFA39EF, double %0)
  %14 = tail call double @llvm.fma.f64(double %12, double 0x3C7ABC9E3B39803F, double %1)
  %15 = fadd double %13, %14
  br label %16

16:                                               ; preds = %8, %16
  %17 = phi i32 [ 0, %8 ], [ %23, %16 ]
  %18 = phi double [ 0x3DA93974A8C07C9D, %8 ], [ %22, %16 ]
  %19 = zext nneg i32 %17 to i64
  %20 = getelementptr inbounds nuw double, ptr @expm1_small.c, i64 %19
  %21 = load double, ptr %20, align 8, !tbaa !9
  %22 = tail call double @llvm.fma.f64(double %18, double %15, double %21)
  %23 = add nuw nsw i32 %17, 1
  %24 = icmp eq i32 %23, 12
  br i1 %24, label %25, label %16, !llvm.loop !11

25:                                               ; preds = %16
  %26 = fsub double %15, %13
  %27 = fsub double %14, %26
  %28 = fmul double %15, %15
  %29 = tail call double @llvm.fma.f64(double %27, double %15, double %27)
  %30 = tail call double @llvm.fma.f64(double %28, double %22, double %29)
  %31 = fadd double %15, %30
  %32 = fadd double %31, 1.000000e+00
  %33 = fptosi double %11 to i32
  %34 = tail call double @hal_ldexp(double noundef %32, i32 noundef %33) #11
  br label %35

35:                                               ; preds = %6, %4, %2, %25
  %36 = phi double [ %34, %25 ], [ %0, %2 ], [ 0x7FF0000000000000, %4 ], [ 0.000000e+00, %6 ]
  ret double %36
}

; Function Attrs: nofree noinline norecurse nosync nounwind optsize memory(none)
define dso_local double @hal_exp2(double noundef %0) local_unnamed_addr #0 {
  %2 = fcmp ord double %0, 0.000000e+00
  br i1 %2, label %3, label %32

3:                                                ; preds = %1
  %4 = fcmp ogt double %0, 1.025000e+03
  br i1 %4, label %32, label %5

5:                                                ; preds = %3
  %6 = fcmp olt double %0, -1.080000e+03
  br i1 %6, label %32, label %7

7:                                                ; preds = %5
  %8 = fadd double %0, 0x4338000000000000
  %9 = fadd double %8, 0xC338000000000000
  %10 = fsub double %0, %9
  %11 = fmul double %10, 0x3FE62E42FEFA39EF
  br label %12

12:                                               ; preds = %7, %12
  %13 = phi i32 [ 0, %7 ], [ %19, %12 ]
  %14 = phi double [ 0x3DA93974A8C07C9D, %7 ], [ %18, %12 ]
  %15 = zext nneg i32 %13 to i64
  %16 = getelementptr inbounds nuw double, ptr @expm1_small.c, i64 %15
  %17 = load double, ptr %16, align 8, !tbaa !9
  %18 = tail call double @llvm.fma.f64(double %14, double %11, double %17)
  %19 = add nuw nsw i32 %13, 1
  %20 = icmp eq i32 %19, 12
  br i1 %20, label %21, label %12, !llvm.loop !11

21:                                               ; preds = %12
  %22 = fneg double %11
  %23 = tail call double @llvm.fma.f64(double %10, double 0x3FE62E42FEFA39EF, double %22)
  %24 = tail call double @llvm.fma.f64(double %10, double 0x3C7ABC9E3B39803F, double %23)
  %25 = fmul double %11, %11
  %26 = tail call double @llvm.fma.f64(double %24, double %11, double %24)
  %27 = tail call double @llvm.fma.f64(double %25, double %18, double %26)
  %28 = fadd double %11, %27
  %29 = fadd double %28, 1.000000e+00
  %30 = fptosi double %9 to i32
  %31 = tail call double @hal_ldexp(double noundef %29, i32 noundef %30) #11
  br label %32

32:                                               ; preds = %5, %3, %1, %21
  %33 = phi double [ %31, %21 ], [ %0, %1 ], [ 0x7FF0000000000000, %3 ], [ 0.000000e+00, %5 ]
  ret double %33
}

; Function Attrs: mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare double @llvm.fma.f64(double, double, double) #2

; Function Attrs: nofree noinline norecurse nosync nounwind optsize memory(none)
define dso_local double @hal_exp10(double noundef %0) local_unnamed_addr #0 {
  %2 = fcmp ord double %0, 0.000000e+00
  br i1 %2, label %3, label %35

3:                                                ; preds = %1
  %4 = fcmp ogt double %0, 3.100000e+02
  br i1 %4, label %35, label %5

5:                                                ; preds = %3
  %6 = fcmp olt double %0, -3.300000e+02
  br i1 %6, label %35, label %7

7:                                                ; preds = %5
  %8 = fmul double %0, 0x400A934F0979A371
  %9 = fadd double %8, 0x4338000000000000
  %10 = fadd double %9, 0xC338000000000000
  %11 = fneg double %10
  %12 = tail call double @llvm.fma.f64(double %11, double 0x3FD34413509F79FF, double %0)
  %13 = tail call double @llvm.fma.f64(double %11, double 0xBC49DC1DA994FD21, double %12)
  %14 = fmul double %13, 0x40026BB1BBB55516
  br label %15

15:                                               ; preds = %7, %15
  %16 = phi i32 [ 0, %7 ], [ %22, %15 ]
  %17 = phi double [ 0x3DA93974A8C07C9D, %7 ], [ %21, %15 ]
  %18 = zext nneg i32 %16 to i64
  %19 = getelementptr inbounds nuw double, ptr @expm1_small.c, i64 %18
  %20 = load double, ptr %19, align 8, !tbaa !9
  %21 = tail call double @llvm.fma.f64(double %17, double %14, double %20)
  %22 = add nuw nsw i32 %16, 1
  %23 = icmp eq i32 %22, 12
  br i1 %23, label %24, label %15, !llvm.loop !11

24:                                               ; preds = %15
  %25 = fneg double %14
  %26 = tail call double @llvm.fma.f64(double %13, double 0x40026BB1BBB55516, double %25)
  %27 = tail call double @llvm.fma.f64(double %13, double 0xBCAF48AD494EA3E9, double %26)
  %28 = fmul double %14, %14
  %29 = tail call double @llvm.fma.f64(double %27, double %14, double %27)
  %30 = tail call double @llvm.fma.f64(double %28, double %21, double %29)
  %31 = fadd double %14, %30
  %32 = fadd double %31, 1.000000e+00
  %33 = fptosi double %10 to i32
  %34 = tail call double @hal_ldexp(double noundef %32, i32 noundef %33) #11
  br label %35

35:                                               ; preds = %5, %3, %1, %24
  %36 = phi double [ %34, %24 ], [ %0, %1 ], [ 0x7FF0000000000000, %3 ], [ 0.000000e+00, %5 ]
  ret double %36
}

; Function Attrs: nofree noinline norecurse nosync nounwind optsize memory(none)
define dso_local double @hal_expm1(double noundef %0) local_unnamed_addr #0 {
  %2 = fcmp ueq double %0, 0.000000e+00
  br i1 %2, label %72, label %3

3:                                                ; preds = %1
  %4 = fcmp ogt double %0, 7.100000e+02
  br i1 %4, label %72, label %5

5:                                                ; preds = %3
  %6 = fcmp olt double %0, -4.000000e+01
  br i1 %6, label %72, label %7

7:                                                ; preds = %5
  %8 = fmul double %0, 0x3FF71547652B82FE
  %9 = fadd double %8, 0x4338000000000000
  %10 = fadd double %9, 0xC338000000000000
  %11 = fcmp oeq double %10, 0.000000e+00
  br i1 %11, label %12, label %26

12:                                               ; preds = %7, %12
  %13 = phi i32 [ %19, %12 ], [ 0, %7 ]
  %14 = phi double [ %18, %12 ], [ 0x3DA93974A8C07C9D, %7 ]
  %15 = zext nneg i32 %13 to i64
  %16 = getelementptr inbounds nuw double, ptr @expm1_small.c, i64 %15
  %17 = load double, ptr %16, align 8, !tbaa !9
  %18 = tail call double @llvm.fma.f64(double %14, double %0, double %17)
  %19 = add nuw nsw i32 %13, 1
  %20 = icmp eq i32 %19, 12
  br i1 %20, label %21, label %12, !llvm.loop !11

21:                                               ; preds = %12
  %22 = fmul double %0, %0
  %23 = tail call double @llvm.fma.f64(double %0, double 0.000000e+00, double 0.000000e+00)
  %24 = tail call double @llvm.fma.f64(double %22, double %18, double %23)
  %25 = fadd double %0, %24
  br label %72

26:                                               ; preds = %7
  %27 = fneg double %10
  %28 = tail call double @llvm.fma.f64(double %27, double 0x3FE62E42FEFA39EF, double %0)
  %29 = fmul double %10, 0xBC7ABC9E3B39803F
  %30 = fadd double %28, %29
  br label %31

31:                                               ; preds = %26, %31
  %32 = phi i32 [ 0, %26 ], [ %38, %31 ]
  %33 = phi double [ 0x3DA93974A8C07C9D, %26 ], [ %37, %31 ]
  %34 = zext nneg i32 %32 to i64
  %35 = getelementptr inbounds nuw double, ptr @expm1_small.c, i64 %34
  %36 = load double, ptr %35, align 8, !tbaa !9
  %37 = tail call double @llvm.fma.f64(double %33, double %30, double %36)
  %38 = add nuw nsw i32 %32, 1
  %39 = icmp eq i32 %38, 12
  br i1 %39, label %40, label %31, !llvm.loop !11

40:                                               ; preds = %31
  %41 = fsub double %30, %28
  %42 = fsub double %29, %41
  %43 = fmul double %30, %30
  %44 = tail call double @llvm.fma.f64(double %42, double %30, double %42)
  %45 = tail call double @llvm.fma.f64(double %43, double %37, double %44)
  %46 = fadd double %30, %45
  %47 = fcmp ogt double %10, 1.000000e+03
  br i1 %47, label %48, label %52

48:                                               ; preds = %40
  %49 = fadd double %46, 1.000000e+00
  %50 = fptosi double %10 to i32
  %51 = tail call double @hal_ldexp(double noundef %49, i32 noundef %50) #11
  br label %72

52:                                               ; preds = %40
  %53 = fptosi double %10 to i32
  %54 = tail call double @hal_ldexp(double noundef 1.000000e+00, i32 noundef %53) #11
  %55 = fcmp ogt double %10, 5.400000e+01
  br i1 %55, label %56, label %61

56:                                               ; preds = %52
  %57 = fadd double %46, 1.000000e+00
  %58 = fdiv double 1.000000e+00, %54
  %59 = fsub double %57, %58
  %60 = fmul double %54, %59
  br label %72

61:                                               ; preds = %52
  %62 = fcmp ogt double %10, 0.000000e+00
  %63 = fadd double %54, -1.000000e+00
  %64 = fsub double %54, %63
  %65 = fadd double %64, -1.000000e+00
  %66 = fadd double %63, 1.000000e+00
  %67 = fsub double %54, %66
  %68 = select i1 %62, double %65, double %67
  %69 = fmul double %46, %54
  %70 = fadd double %69, %68
  %71 = fadd double %63, %70
  br label %72

72:                                               ; preds = %21, %56, %61, %48, %5, %3, %1
  %73 = phi double [ -1.000000e+00, %5 ], [ %0, %1 ], [ 0x7FF0000000000000, %3 ], [ %25, %21 ], [ %51, %48 ], [ %60, %56 ], [ %71, %61 ]
  ret double %73
}

; Function Attrs: nofree noinline norecurse nosync nounwind optsize memory(none)
define dso_local double @hal_log(double noundef %0) local_unnamed_addr #0 {
  %2 = tail call i1 @llvm.is.fpclass.f64(double %0, i32 384)
  %3 = fcmp ueq double %0, 0x7FF0000000000000
  %4 = fcmp oeq double %0, 0.000000e+00
  %5 = select i1 %4, double 0xFFF0000000000000, double 0x7FF8000000000000
  %6 = select i1 %3, double %0, double %5
  br i1 %2, label %7, label %49

7:                                                ; preds = %1
  %8 = fcmp olt double %0, 0x10000000000000
  %9 = fmul double %0, 0x4350000000000000
  %10 = select i1 %8, double %9, double %0
  %11 = bitcast double %10 to i64
  %12 = and i64 %11, 4503599627370495
  %13 = or disjoint i64 %12, 4607182418800017408
  %14 = bitcast i64 %13 to double
  %15 = fcmp ogt double %14, 0x3FF6A09E667F3BCD
  %16 = fmul double %14, 5.000000e-01
  %17 = select i1 %15, double %16, double %14
  %18 = fadd double %17, -1.000000e+00
  %19 = fadd double %18, 2.000000e+00
  %20 = fdiv double %18, %19
  %21 = fmul double %20, %20
  br label %22

22:                                               ; preds = %7, %22
  %23 = phi double [ 8.000000e-02, %7 ], [ %27, %22 ]
  %24 = phi i32 [ 23, %7 ], [ %28, %22 ]
  %25 = uitofp nneg i32 %24 to double
  %26 = fdiv double 2.000000e+00, %25
  %27 = tail call double @llvm.fma.f64(double %23, double %21, double %26)
  %28 = add nsw i32 %24, -2
  %29 = icmp samesign ugt i32 %24, 4
  br i1 %29, label %22, label %30, !llvm.loop !12

30:                                               ; preds = %22
  %31 = lshr i64 %11, 52
  %32 = trunc nuw nsw i64 %31 to i32
  %33 = zext i1 %15 to i32
  %34 = select i1 %8, i32 -1077, i32 -1023
  %35 = add nsw i32 %34, %32
  %36 = add nsw i32 %35, %33
  %37 = fmul double %18, %18
  %38 = fmul double %37, 5.000000e-01
  %39 = fmul double %21, %27
  %40 = fadd double %38, %39
  %41 = fmul double %20, %40
  %42 = fsub double %38, %41
  %43 = sitofp i32 %36 to double
  %44 = fmul double %43, 0x3FE62E42FEE00000
  %45 = fmul double %43, 0x3DEA39EF35793C76
  %46 = fsub double %45, %42
  %47 = fadd double %18, %46
  %48 = fadd double %44, %47
  br label %49

49:                                               ; preds = %1, %30
  %50 = phi double [ %48, %30 ], [ %6, %1 ]
  ret double %50
}

; Function Attrs: nofree noinline norecurse nosync nounwind optsize memory(none)
define dso_local double @hal_log2(double noundef %0) local_unnamed_addr #0 {
  %2 = tail call i1 @llvm.is.fpclass.f64(double %0, i32 384)
  %3 = fcmp ueq double %0, 0x7FF0000000000000
  %4 = fcmp oeq double %0, 0.000000e+00
  %5 = select i1 %4, double 0xFFF0000000000000, double 0x7FF8000000000000
  %6 = select i1 %3, double %0, double %5
  br i1 %2, label %7, label %55

7:                                                ; preds = %1
  %8 = fcmp olt double %0, 0x10000000000000
  %9 = fmul double %0, 0x4350000000000000
  %10 = select i1 %8, double %9, double %0
  %11 = bitcast double %10 to i64
  %12 = and i64 %11, 4503599627370495
  %13 = or disjoint i64 %12, 4607182418800017408
  %14 = bitcast i64 %13 to double
  %15 = fcmp ogt double %14, 0x3FF6A09E667F3BCD
  %16 = fmul double %14, 5.000000e-01
  %17 = select i1 %15, double %16, double %14
  %18 = fadd double %17, -1.000000e+00
  %19 = fadd double %18, 2.000000e+00
  %20 = fdiv double %18, %19
  %21 = fmul double %20, %20
  br label %22

22:                                               ; preds = %7, %22
  %23 = phi double [ 8.000000e-02, %7 ], [ %27, %22 ]
  %24 = phi i32 [ 23, %7 ], [ %28, %22 ]
  %25 = uitofp nneg i32 %24 to double
  %26 = fdiv double 2.000000e+00, %25
  %27 = tail call double @llvm.fma.f64(double %23, double %21, double %26)
  %28 = add nsw i32 %24, -2
  %29 = icmp samesign ugt i32 %24, 4
  br i1 %29, label %22, label %30, !llvm.loop !12

30:                                               ; preds = %22
  %31 = lshr i64 %11, 52
  %32 = trunc nuw nsw i64 %31 to i32
  %33 = zext i1 %15 to i32
  %34 = select i1 %8, i32 -1077, i32 -1023
  %35 = add nsw i32 %34, %32
  %36 = add nsw i32 %35, %33
  %37 = fmul double %18, %18
  %38 = fmul double %37, 5.000000e-01
  %39 = fmul double %21, %27
  %40 = fadd double %38, %39
  %41 = fmul double %20, %40
  %42 = fsub double %38, %41
  %43 = fneg double %42
  %44 = fsub double %18, %42
  %45 = fsub double %44, %18
  %46 = fsub double %43, %45
  %47 = fmul double %44, 0x3FF71547652B82FE
  %48 = fneg double %47
  %49 = tail call double @llvm.fma.f64(double %44, double 0x3FF71547652B82FE, double %48)
  %50 = sitofp i32 %36 to double
  %51 = tail call double @llvm.fma.f64(double %46, double 0x3FF71547652B82FE, double %49)
  %52 = tail call double @llvm.fma.f64(double %44, double 0x3C7777D0FFDA0D24, double %51)
  %53 = fadd double %47, %52
  %54 = fadd double %53, %50
  br label %55

55:                                               ; preds = %1, %30
  %56 = phi double [ %54, %30 ], [ %6, %1 ]
  ret double %56
}

; Function Attrs: nofree noinline norecurse nosync nounwind optsize memory(none)
define dso_local double @hal_log10(double noundef %0) local_unnamed_addr #0 {
  %2 = tail call i1 @llvm.is.fpclass.f64(double %0, i32 384)
  %3 = fcmp ueq double %0, 0x7FF0000000000000
  %4 = fcmp oeq double %0, 0.000000e+00
  %5 = select i1 %4, double 0xFFF0000000000000, double 0x7FF8000000000000
  %6 = select i1 %3, double %0, double %5
  br i1 %2, label %7, label %58

7:                                                ; preds = %1
  %8 = fcmp olt double %0, 0x10000000000000
  %9 = fmul double %0, 0x4350000000000000
  %10 = select i1 %8, double %9, double %0
  %11 = bitcast double %10 to i64
  %12 = and i64 %11, 4503599627370495
  %13 = or disjoint i64 %12, 4607182418800017408
  %14 = bitcast i64 %13 to double
  %15 = fcmp ogt double %14, 0x3FF6A09E667F3BCD
  %16 = fmul double %14, 5.000000e-01
  %17 = select i1 %15, double %16, double %14
  %18 = fadd double %17, -1.000000e+00
  %19 = fadd double %18, 2.000000e+00
  %20 = fdiv double %18, %19
  %21 = fmul double %20, %20
  br label %22

22:                                               ; preds = %7, %22
  %23 = phi double [ 8.000000e-02, %7 ], [ %27, %22 ]
  %24 = phi i32 [ 23, %7 ], [ %28, %22 ]
  %25 = uitofp nneg i32 %24 to double
  %26 = fdiv double 2.000000e+00, %25
  %27 = tail call double @llvm.fma.f64(double %23, double %21, double %26)
  %28 = add nsw i32 %24, -2
  %29 = icmp samesign ugt i32 %24, 4
  br i1 %29, label %22, label %30, !llvm.loop !12

30:                                               ; preds = %22
  %31 = lshr i64 %11, 52
  %32 = trunc nuw nsw i64 %31 to i32
  %33 = zext i1 %15 to i32
  %34 = select i1 %8, i32 -1077, i32 -1023
  %35 = add nsw i32 %34, %32
  %36 = add nsw i32 %35, %33
  %37 = fmul double %18, %18
  %38 = fmul double %37, 5.000000e-01
  %39 = fmul double %21, %27
  %40 = fadd double %38, %39
  %41 = fmul double %20, %40
  %42 = fsub double %38, %41
  %43 = fneg double %42
  %44 = fsub double %18, %42
  %45 = fsub double %44, %18
  %46 = fsub double %43, %45
  %47 = fmul double %44, 0x3FDBCB7B1526E50E
  %48 = fneg double %47
  %49 = tail call double @llvm.fma.f64(double %44, double 0x3FDBCB7B1526E50E, double %48)
  %50 = tail call double @llvm.fma.f64(double %46, double 0x3FDBCB7B1526E50E, double %49)
  %51 = tail call double @llvm.fma.f64(double %44, double 0x3C695355BAAAFAD3, double %50)
  %52 = sitofp i32 %36 to double
  %53 = fmul double %52, 0x3FD3441350800000
  %54 = fmul double %52, 0x3DDF79FEF311F12B
  %55 = fadd double %54, %51
  %56 = fadd double %47, %55
  %57 = fadd double %53, %56
  br label %58

58:                                               ; preds = %1, %30
  %59 = phi double [ %57, %30 ], [ %6, %1 ]
  ret double %59
}

; Function Attrs: nofree noinline norecurse nosync nounwind optsize memory(none)
define dso_local double @hal_log1p(double noundef %0) local_unnamed_addr #0 {
  %2 = fcmp ueq double %0, 0x7FF0000000000000
  %3 = tail call double @llvm.fabs.f64(double %0)
  %4 = fcmp olt double %3, 0x3C90000000000000
  %5 = or i1 %2, %4
  br i1 %5, label %46, label %6

6:                                                ; preds = %1
  %7 = fcmp ugt double %0, -1.000000e+00
  br i1 %7, label %11, label %8

8:                                                ; preds = %6
  %9 = fcmp oeq double %0, -1.000000e+00
  %10 = select i1 %9, double 0xFFF0000000000000, double 0x7FF8000000000000
  br label %46

11:                                               ; preds = %6
  %12 = fcmp ogt double %0, -2.500000e-01
  %13 = fcmp olt double %0, 4.000000e-01
  %14 = and i1 %12, %13
  br i1 %14, label %15, label %35

15:                                               ; preds = %11
  %16 = fadd double %0, 2.000000e+00
  %17 = fdiv double %0, %16
  %18 = fmul double %17, %17
  br label %19

19:                                               ; preds = %15, %19
  %20 = phi double [ 8.000000e-02, %15 ], [ %24, %19 ]
  %21 = phi i32 [ 23, %15 ], [ %25, %19 ]
  %22 = uitofp nneg i32 %21 to double
  %23 = fdiv double 2.000000e+00, %22
  %24 = tail call double @llvm.fma.f64(double %20, double %18, double %23)
  %25 = add nsw i32 %21, -2
  %26 = icmp samesign ugt i32 %21, 4
  br i1 %26, label %19, label %27, !llvm.loop !12

27:                                               ; preds = %19
  %28 = fmul double %0, %0
  %29 = fmul double %28, 5.000000e-01
  %30 = fmul double %18, %24
  %31 = fadd double %29, %30
  %32 = fmul double %17, %31
  %33 = fsub double %32, %29
  %34 = fadd double %0, %33
  br label %46

35:                                               ; preds = %11
  %36 = fadd double %0, 1.000000e+00
  %37 = fcmp ogt double %0, 1.000000e+00
  %38 = fsub double %0, %36
  %39 = fadd double %38, 1.000000e+00
  %40 = fadd double %36, -1.000000e+00
  %41 = fsub double %0, %40
  %42 = select i1 %37, double %39, double %41
  %43 = tail call double @hal_log(double noundef %36) #11
  %44 = fdiv double %42, %36
  %45 = fadd double %44, %43
  br label %46

46:                                               ; preds = %1, %35, %27, %8
  %47 = phi double [ %45, %35 ], [ %10, %8 ], [ %34, %27 ], [ %0, %1 ]
  ret double %47
}

; Function Attrs: mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare double @llvm.fabs.f64(double) #2

; Function Attrs: nofree noinline norecurse nosync nounwind optsize memory(none)
define dso_local double @hal_pow(double noundef %0, double noundef %1) local_unnamed_addr #0 {
  %3 = tail call double @llvm.fabs.f64(double %0)
  %4 = tail call double @llvm.fabs.f64(double %1)
  %5 = fcmp ult double %4, 0x4340000000000000
  br i1 %5, label %6, label %16

6:                                                ; preds = %2
  %7 = fcmp olt double %4, 0x4340000000000000
  %8 = fptosi double %4 to i64
  %9 = select i1 %7, i64 %8, i64 0
  %10 = sitofp i64 %9 to double
  %11 = fcmp une double %4, %10
  br i1 %11, label %16, label %12

12:                                               ; preds = %6
  %13 = and i64 %9, 1
  %14 = icmp eq i64 %13, 0
  %15 = select i1 %14, i32 2, i32 1
  br label %16

16:                                               ; preds = %2, %6, %12
  %17 = phi i32 [ 2, %2 ], [ %15, %12 ], [ 0, %6 ]
  %18 = fcmp oeq double %4, 0x7FF0000000000000
  %19 = fcmp oeq double %1, 0.000000e+00
  %20 = fcmp oeq double %0, 1.000000e+00
  %21 = or i1 %20, %19
  %22 = fcmp oeq double %3, 1.000000e+00
  %23 = and i1 %22, %18
  %24 = or i1 %21, %23
  br i1 %24, label %41, label %25

25:                                               ; preds = %16
  %26 = fcmp ord double %0, %1
  br i1 %26, label %27, label %41

27:                                               ; preds = %25
  %28 = tail call i1 @llvm.is.fpclass.f64(double %0, i32 24)
  %29 = icmp eq i32 %17, 0
  %30 = and i1 %28, %29
  br i1 %30, label %41, label %31

31:                                               ; preds = %27
  %32 = tail call i1 @llvm.is.fpclass.f64(double %0, i32 612)
  %33 = or i1 %32, %18
  br i1 %33, label %34, label %39

34:                                               ; preds = %31
  %35 = fcmp olt double %3, 1.000000e+00
  %36 = fcmp ule double %1, 0.000000e+00
  %37 = xor i1 %35, %36
  %38 = select i1 %37, double 0.000000e+00, double 0x7FF0000000000000
  br label %41

39:                                               ; preds = %31
  %40 = tail call fastcc double @power(double noundef %3, double noundef %1) #11
  br label %41

41:                                               ; preds = %25, %27, %16, %39, %34
  %42 = phi double [ %40, %39 ], [ 1.000000e+00, %16 ], [ %38, %34 ], [ 0x7FF8000000000000, %27 ], [ 0x7FF8000000000000, %25 ]
  %43 = bitcast double %0 to i64
  %44 = icmp slt i64 %43, 0
  %45 = icmp eq i32 %17, 1
  %46 = and i1 %44, %45
  %47 = fneg double %42
  %48 = select i1 %46, double %47, double %42
  ret double %48
}

; Function Attrs: nofree noinline norecurse nosync nounwind optsize memory(none)
define internal fastcc double @power(double noundef %0, double noundef %1) unnamed_addr #0 {
  %3 = tail call fastcc { double, double } @log_pair(double noundef %0) #11
  %4 = extractvalue { double, double } %3, 0
  %5 = fmul double %1, %4
  %6 = tail call double @llvm.fabs.f64(double %5)
  %7 = fcmp ogt double %6, 8.000000e+02
  br i1 %7, label %8, label %11

8:                                                ; preds = %2
  %9 = fcmp ogt double %5, 0.000000e+00
  %10 = select i1 %9, double 0x7FF0000000000000, double 0.000000e+00
  br label %17

11:                                               ; preds = %2
  %12 = extractvalue { double, double } %3, 1
  %13 = fneg double %5
  %14 = tail call double @llvm.fma.f64(double %1, double %4, double %13)
  %15 = tail call double @llvm.fma.f64(double %1, double %12, double %14)
  %16 = tail call fastcc double @exp_pair(double noundef %5, double noundef %15) #11
  br label %17

17:                                               ; preds = %11, %8
  %18 = phi double [ %10, %8 ], [ %16, %11 ]
  ret double %18
}

; Function Attrs: nofree noinline norecurse nosync nounwind optsize memory(none)
define dso_local double @hal_powi(double noundef %0, i32 noundef %1) local_unnamed_addr #0 {
  %3 = icmp eq i32 %1, 0
  br i1 %3, label %6, label %4

4:                                                ; preds = %2
  %5 = tail call i32 @llvm.abs.i32(i32 %1, i1 false)
  br label %11

6:                                                ; preds = %11, %2
  %7 = phi double [ 1.000000e+00, %2 ], [ %18, %11 ]
  %8 = icmp slt i32 %1, 0
  %9 = fdiv double 1.000000e+00, %7
  %10 = select i1 %8, double %9, double %7
  ret double %10

11:                                               ; preds = %4, %11
  %12 = phi double [ %20, %11 ], [ %0, %4 ]
  %13 = phi double [ %18, %11 ], [ 1.000000e+00, %4 ]
  %14 = phi i32 [ %19, %11 ], [ %5, %4 ]
  %15 = and i32 %14, 1
  %16 = icmp eq i32 %15, 0
  %17 = fmul double %13, %12
  %18 = select i1 %16, double %13, double %17
  %19 = lshr i32 %14, 1
  %20 = fmul double %12, %12
  %21 = icmp eq i32 %19, 0
  br i1 %21, label %6, label %11, !llvm.loop !13
}

; Function Attrs: nofree noinline norecurse nosync nounwind optsize memory(none)
define dso_local double @hal_cbrt(double noundef %0) local_unnamed_addr #0 {
  %2 = fcmp ueq double %0, 0.000000e+00
  br i1 %2, label %28, label %3

3:                                                ; preds = %1
  %4 = tail call double @llvm.fabs.f64(double %0)
  %5 = fcmp oeq double %4, 0x7FF0000000000000
  br i1 %5, label %28, label %6

6:                                                ; preds = %3
  %7 = fcmp olt double %4, 0x7B0000000000000
  %8 = fmul double %4, 0x4770000000000000
  %9 = select i1 %7, double 0x3D70000000000000, double 1.000000e+00
  %10 = select i1 %7, double %8, double %4
  %11 = tail call double @hal_log(double noundef %10) #11
  %12 = fdiv double %11, 3.000000e+00
  %13 = tail call double @hal_exp(double noundef %12) #11
  %14 = fmul double %13, %13
  %15 = fneg double %14
  %16 = tail call double @llvm.fma.f64(double %13, double %13, double %15)
  %17 = fmul double %13, %14
  %18 = fneg double %17
  %19 = tail call double @llvm.fma.f64(double %14, double %13, double %18)
  %20 = fsub double %10, %17
  %21 = tail call double @llvm.fma.f64(double %16, double %13, double %19)
  %22 = fsub double %20, %21
  %23 = fmul double %14, 3.000000e+00
  %24 = fdiv double %22, %23
  %25 = fadd double %13, %24
  %26 = fmul double %9, %25
  %27 = tail call double @llvm.copysign.f64(double %26, double %0)
  br label %28

28:                                               ; preds = %1, %3, %6
  %29 = phi double [ %27, %6 ], [ %0, %3 ], [ %0, %1 ]
  ret double %29
}

; Function Attrs: nofree noinline norecurse nosync nounwind optsize memory(none)
define dso_local double @hal_sin(double noundef %0) local_unnamed_addr #0 {
  %2 = fcmp oeq double %0, 0.000000e+00
  br i1 %2, label %5, label %3

3:                                                ; preds = %1
  %4 = tail call fastcc double @turned(double noundef %0, i32 noundef 0) #11
  br label %5

5:                                                ; preds = %1, %3
  %6 = phi double [ %4, %3 ], [ %0, %1 ]
  ret double %6
}

; Function Attrs: nofree noinline norecurse nosync nounwind optsize memory(none)
define internal fastcc double @turned(double noundef %0, i32 noundef range(i32 0, 2) %1) unnamed_addr #0 {
  %3 = alloca i32, align 4
  %4 = tail call double @llvm.fabs.f64(double %0)
  %5 = fcmp ueq double %4, 0x7FF0000000000000
  br i1 %5, label %56, label %6

6:                                                ; preds = %2
  call void @llvm.lifetime.start.p0(ptr nonnull %3) #12
  %7 = call fastcc { double, double } @reduce(double noundef %0, ptr noundef %3) #11
  %8 = extractvalue { double, double } %7, 0
  %9 = extractvalue { double, double } %7, 1
  %10 = load i32, ptr %3, align 4, !tbaa !2
  %11 = add nsw i32 %10, %1
  %12 = and i32 %11, 1
  %13 = icmp eq i32 %12, 0
  %14 = fmul double %8, %8
  br i1 %13, label %35, label %15

15:                                               ; preds = %6, %15
  %16 = phi double [ %21, %15 ], [ 0xBCA6827863B97D97, %6 ]
  %17 = phi i32 [ %22, %15 ], [ 0, %6 ]
  %18 = zext nneg i32 %17 to i64
  %19 = getelementptr inbounds nuw double, ptr @cos_small.c, i64 %18
  %20 = load double, ptr %19, align 8, !tbaa !9
  %21 = tail call double @llvm.fma.f64(double %16, double %14, double %20)
  %22 = add nuw nsw i32 %17, 1
  %23 = icmp eq i32 %22, 7
  br i1 %23, label %24, label %15, !llvm.loop !14

24:                                               ; preds = %15
  %25 = fmul double %14, 5.000000e-01
  %26 = fsub double 1.000000e+00, %25
  %27 = fsub double 1.000000e+00, %26
  %28 = fsub double %27, %25
  %29 = fmul double %14, %14
  %30 = fneg double %8
  %31 = fmul double %9, %30
  %32 = tail call double @llvm.fma.f64(double %29, double %21, double %31)
  %33 = fadd double %28, %32
  %34 = fadd double %26, %33
  br label %50

35:                                               ; preds = %6, %35
  %36 = phi i32 [ %42, %35 ], [ 0, %6 ]
  %37 = phi double [ %41, %35 ], [ 0xBC62F49B46814157, %6 ]
  %38 = zext nneg i32 %36 to i64
  %39 = getelementptr inbounds nuw double, ptr @sin_small.c, i64 %38
  %40 = load double, ptr %39, align 8, !tbaa !9
  %41 = tail call double @llvm.fma.f64(double %37, double %14, double %40)
  %42 = add nuw nsw i32 %36, 1
  %43 = icmp eq i32 %42, 8
  br i1 %43, label %44, label %35, !llvm.loop !15

44:                                               ; preds = %35
  %45 = fmul double %8, %14
  %46 = tail call double @llvm.fma.f64(double %14, double -5.000000e-01, double 1.000000e+00)
  %47 = fmul double %9, %46
  %48 = tail call double @llvm.fma.f64(double %45, double %41, double %47)
  %49 = fadd double %8, %48
  br label %50

50:                                               ; preds = %44, %24
  %51 = phi double [ %34, %24 ], [ %49, %44 ]
  %52 = and i32 %11, 2
  %53 = icmp eq i32 %52, 0
  %54 = fneg double %51
  %55 = select i1 %53, double %51, double %54
  call void @llvm.lifetime.end.p0(ptr nonnull %3) #12
  br label %56

56:                                               ; preds = %2, %50
  %57 = phi double [ %55, %50 ], [ 0x7FF8000000000000, %2 ]
  ret double %57
}

; Function Attrs: nofree noinline norecurse nosync nounwind optsize memory(none)
define dso_local double @hal_cos(double noundef %0) local_unnamed_addr #0 {
  %2 = tail call fastcc double @turned(double noundef %0, i32 noundef 1) #11
  ret double %2
}

; Function Attrs: nofree noinline norecurse nosync nounwind optsize memory(none)
define dso_local double @hal_tan(double noundef %0) local_unnamed_addr #0 {
  %2 = alloca i32, align 4
  %3 = fcmp oeq double %0, 0.000000e+00
  br i1 %3, label %56, label %4

4:                                                ; preds = %1
  %5 = tail call double @llvm.fabs.f64(double %0)
  %6 = fcmp ueq double %5, 0x7FF0000000000000
  br i1 %6, label %56, label %7

7:                                                ; preds = %4
  call void @llvm.lifetime.start.p0(ptr nonnull %2) #12
  %8 = call fastcc { double, double } @reduce(double noundef %0, ptr noundef %2) #11
  %9 = extractvalue { double, double } %8, 0
  %10 = extractvalue { double, double } %8, 1
  %11 = fmul double %9, %9
  br label %12

12:                                               ; preds = %7, %12
  %13 = phi i32 [ 0, %7 ], [ %19, %12 ]
  %14 = phi double [ 0xBC62F49B46814157, %7 ], [ %18, %12 ]
  %15 = zext nneg i32 %13 to i64
  %16 = getelementptr inbounds nuw double, ptr @sin_small.c, i64 %15
  %17 = load double, ptr %16, align 8, !tbaa !9
  %18 = tail call double @llvm.fma.f64(double %14, double %11, double %17)
  %19 = add nuw nsw i32 %13, 1
  %20 = icmp eq i32 %19, 8
  br i1 %20, label %21, label %12, !llvm.loop !15

21:                                               ; preds = %12, %21
  %22 = phi double [ %27, %21 ], [ 0xBCA6827863B97D97, %12 ]
  %23 = phi i32 [ %28, %21 ], [ 0, %12 ]
  %24 = zext nneg i32 %23 to i64
  %25 = getelementptr inbounds nuw double, ptr @cos_small.c, i64 %24
  %26 = load double, ptr %25, align 8, !tbaa !9
  %27 = tail call double @llvm.fma.f64(double %22, double %11, double %26)
  %28 = add nuw nsw i32 %23, 1
  %29 = icmp eq i32 %28, 7
  br i1 %29, label %30, label %21, !llvm.loop !14

30:                                               ; preds = %21
  %31 = fmul double %9, %11
  %32 = tail call double @llvm.fma.f64(double %11, double -5.000000e-01, double 1.000000e+00)
  %33 = fmul double %10, %32
  %34 = tail call double @llvm.fma.f64(double %31, double %18, double %33)
  %35 = fadd double %9, %34
  %36 = fmul double %11, 5.000000e-01
  %37 = fsub double 1.000000e+00, %36
  %38 = fsub double 1.000000e+00, %37
  %39 = fsub double %38, %36
  %40 = fmul double %11, %11
  %41 = fneg double %9
  %42 = fmul double %10, %41
  %43 = tail call double @llvm.fma.f64(double %40, double %27, double %42)
  %44 = fadd double %39, %43
  %45 = fadd double %37, %44
  %46 = load i32, ptr %2, align 4, !tbaa !2
  %47 = and i32 %46, 1
  %48 = icmp eq i32 %47, 0
  br i1 %48, label %52, label %49

49:                                               ; preds = %30
  %50 = fneg double %45
  %51 = fdiv double %50, %35
  br label %54

52:                                               ; preds = %30
  %53 = fdiv double %35, %45
  br label %54

54:                                               ; preds = %52, %49
  %55 = phi double [ %51, %49 ], [ %53, %52 ]
  call void @llvm.lifetime.end.p0(ptr nonnull %2) #12
  br label %56

56:                                               ; preds = %4, %1, %54
  %57 = phi double [ %55, %54 ], [ %0, %1 ], [ 0x7FF8000000000000, %4 ]
  ret double %57
}

; Function Attrs: mustprogress nofree noinline norecurse nosync nounwind optsize willreturn memory(argmem: write)
define internal fastcc { double, double } @reduce(double noundef %0, ptr noundef nonnull writeonly captures(none) initializes((0, 4)) %1) unnamed_addr #3 {
  %3 = tail call double @llvm.fabs.f64(double %0)
  %4 = fcmp olt double %3, 0x4130000000000000
  br i1 %4, label %5, label %24

5:                                                ; preds = %2
  %6 = fmul double %0, 0x3FE45F306DC9C883
  %7 = fadd double %6, 0x4338000000000000
  %8 = fadd double %7, 0xC338000000000000
  %9 = fneg double %8
  %10 = tail call double @llvm.fma.f64(double %9, double 0x3FF921FB54442D18, double %0)
  %11 = fmul double %8, 0x3C91A62633145C07
  %12 = fneg double %11
  %13 = tail call double @llvm.fma.f64(double %8, double 0x3C91A62633145C07, double %12)
  %14 = fsub double %10, %11
  %15 = fsub double %10, %14
  %16 = fsub double %15, %11
  %17 = tail call double @llvm.fma.f64(double %8, double 0xB91F1976B7ED8FBC, double %13)
  %18 = fsub double %16, %17
  %19 = fptosi double %8 to i32
  %20 = and i32 %19, 3
  store i32 %20, ptr %1, align 4, !tbaa !2
  %21 = fadd double %14, %18
  %22 = fsub double %21, %14
  %23 = fsub double %18, %22
  br label %206

24:                                               ; preds = %2
  %25 = bitcast double %0 to i64
  %26 = and i64 %25, 4503599627370495
  %27 = or disjoint i64 %26, 4503599627370496
  %28 = lshr i64 %25, 52
  %29 = trunc nuw nsw i64 %28 to i32
  %30 = and i32 %29, 2047
  %31 = icmp samesign ult i32 %30, 1077
  br i1 %31, label %32, label %38

32:                                               ; preds = %24
  %33 = icmp samesign ult i32 %30, 1014
  %34 = sub nuw nsw i32 1077, %30
  %35 = zext nneg i32 %34 to i64
  %36 = lshr i64 -6703182060581546711, %35
  %37 = select i1 %33, i64 0, i64 %36
  br label %55

38:                                               ; preds = %24
  %39 = add nsw i32 %30, -1077
  %40 = lshr i32 %39, 6
  %41 = and i32 %39, 63
  %42 = zext nneg i32 %40 to i64
  %43 = getelementptr inbounds nuw i64, ptr @TWO_OVER_PI, i64 %42
  %44 = load i64, ptr %43, align 8, !tbaa !16
  %45 = icmp eq i32 %41, 0
  br i1 %45, label %55, label %46

46:                                               ; preds = %38
  %47 = sub nuw nsw i32 64, %41
  %48 = zext nneg i32 %47 to i64
  %49 = getelementptr inbounds nuw i8, ptr %43, i64 8
  %50 = zext nneg i32 %41 to i64
  %51 = shl i64 %44, %50
  %52 = load i64, ptr %49, align 8, !tbaa !16
  %53 = lshr i64 %52, %48
  %54 = or i64 %53, %51
  br label %55

55:                                               ; preds = %32, %38, %46
  %56 = phi i64 [ %37, %32 ], [ %54, %46 ], [ %44, %38 ]
  %57 = icmp samesign ult i32 %30, 1013
  br i1 %57, label %58, label %64

58:                                               ; preds = %55
  %59 = icmp samesign ult i32 %30, 950
  %60 = sub nuw nsw i32 1013, %30
  %61 = zext nneg i32 %60 to i64
  %62 = lshr i64 -6703182060581546711, %61
  %63 = select i1 %59, i64 0, i64 %62
  br label %81

64:                                               ; preds = %55
  %65 = add nsw i32 %30, -1013
  %66 = lshr i32 %65, 6
  %67 = and i32 %65, 63
  %68 = zext nneg i32 %66 to i64
  %69 = getelementptr inbounds nuw i64, ptr @TWO_OVER_PI, i64 %68
  %70 = load i64, ptr %69, align 8, !tbaa !16
  %71 = icmp eq i32 %67, 0
  br i1 %71, label %81, label %72

72:                                               ; preds = %64
  %73 = sub nuw nsw i32 64, %67
  %74 = zext nneg i32 %73 to i64
  %75 = getelementptr inbounds nuw i8, ptr %69, i64 8
  %76 = zext nneg i32 %67 to i64
  %77 = shl i64 %70, %76
  %78 = load i64, ptr %75, align 8, !tbaa !16
  %79 = lshr i64 %78, %74
  %80 = or i64 %79, %77
  br label %81

81:                                               ; preds = %58, %64, %72
  %82 = phi i64 [ %63, %58 ], [ %80, %72 ], [ %70, %64 ]
  %83 = icmp samesign ult i32 %30, 949
  br i1 %83, label %84, label %90

84:                                               ; preds = %81
  %85 = icmp samesign ult i32 %30, 886
  %86 = sub nuw nsw i32 949, %30
  %87 = zext nneg i32 %86 to i64
  %88 = lshr i64 -6703182060581546711, %87
  %89 = select i1 %85, i64 0, i64 %88
  br label %107

90:                                               ; preds = %81
  %91 = add nsw i32 %30, -949
  %92 = lshr i32 %91, 6
  %93 = and i32 %91, 63
  %94 = zext nneg i32 %92 to i64
  %95 = getelementptr inbounds nuw i64, ptr @TWO_OVER_PI, i64 %94
  %96 = load i64, ptr %95, align 8, !tbaa !16
  %97 = icmp eq i32 %93, 0
  br i1 %97, label %107, label %98

98:                                               ; preds = %90
  %99 = sub nuw nsw i32 64, %93
  %100 = zext nneg i32 %99 to i64
  %101 = getelementptr inbounds nuw i8, ptr %95, i64 8
  %102 = zext nneg i32 %93 to i64
  %103 = shl i64 %96, %102
  %104 = load i64, ptr %101, align 8, !tbaa !16
  %105 = lshr i64 %104, %100
  %106 = or i64 %105, %103
  br label %107

107:                                              ; preds = %84, %90, %98
  %108 = phi i64 [ %89, %84 ], [ %106, %98 ], [ %96, %90 ]
  %109 = mul i64 %108, %27
  %110 = mul i64 %82, %27
  %111 = zext nneg i64 %27 to i128
  %112 = zext i64 %108 to i128
  %113 = mul nuw nsw i128 %112, %111
  %114 = lshr i128 %113, 64
  %115 = trunc nuw nsw i128 %114 to i64
  %116 = add i64 %110, %115
  %117 = mul i64 %56, %27
  %118 = zext i64 %82 to i128
  %119 = mul nuw nsw i128 %118, %111
  %120 = lshr i128 %119, 64
  %121 = trunc nuw nsw i128 %120 to i64
  %122 = add i64 %117, %121
  %123 = icmp ult i64 %116, %110
  %124 = zext i1 %123 to i64
  %125 = add i64 %122, %124
  %126 = lshr i64 %125, 62
  %127 = trunc nuw nsw i64 %126 to i32
  %128 = tail call i64 @llvm.fshl.i64(i64 %125, i64 %116, i64 2)
  %129 = tail call i64 @llvm.fshl.i64(i64 %116, i64 %109, i64 2)
  %130 = lshr i64 %128, 63
  %131 = trunc nuw nsw i64 %130 to i32
  %132 = add nuw nsw i32 %131, %127
  %133 = icmp sgt i64 %128, -1
  %134 = xor i64 %128, -1
  %135 = icmp eq i64 %129, 0
  %136 = zext i1 %135 to i64
  %137 = add nuw i64 %134, %136
  %138 = sub i64 0, %129
  %139 = select i1 %133, i64 %128, i64 %137
  %140 = select i1 %133, i64 %129, i64 %138
  %141 = or i64 %139, %140
  %142 = icmp eq i64 %141, 0
  br i1 %142, label %184, label %143

143:                                              ; preds = %107
  %144 = icmp eq i64 %139, 0
  %145 = tail call range(i64 0, 65) i64 @llvm.ctlz.i64(i64 %139, i1 true)
  %146 = trunc nuw nsw i64 %145 to i32
  %147 = tail call range(i64 0, 65) i64 @llvm.ctlz.i64(i64 %140, i1 true)
  %148 = trunc nuw nsw i64 %147 to i32
  %149 = or disjoint i32 %148, 64
  %150 = select i1 %144, i32 %149, i32 %146
  %151 = icmp samesign ugt i32 %150, 63
  %152 = select i1 %151, i64 %140, i64 %139
  %153 = select i1 %151, i64 0, i64 %140
  %154 = and i32 %150, 63
  %155 = icmp eq i32 %154, 0
  br i1 %155, label %164, label %156

156:                                              ; preds = %143
  %157 = zext nneg i32 %154 to i64
  %158 = shl i64 %152, %157
  %159 = sub nuw nsw i32 64, %154
  %160 = zext nneg i32 %159 to i64
  %161 = lshr i64 %153, %160
  %162 = or i64 %161, %158
  %163 = shl i64 %153, %157
  br label %164

164:                                              ; preds = %156, %143
  %165 = phi i64 [ %162, %156 ], [ %152, %143 ]
  %166 = phi i64 [ %163, %156 ], [ %153, %143 ]
  %167 = xor i32 %150, 1023
  %168 = zext nneg i32 %167 to i64
  %169 = shl nuw nsw i64 %168, 52
  %170 = bitcast i64 %169 to double
  %171 = lshr i64 %165, 11
  %172 = uitofp nneg i64 %171 to double
  %173 = fmul double %172, 0x3CA0000000000000
  %174 = fmul double %173, %170
  %175 = shl i64 %165, 42
  %176 = and i64 %175, 9002801208229888
  %177 = lshr i64 %166, 22
  %178 = or disjoint i64 %176, %177
  %179 = uitofp nneg i64 %178 to double
  %180 = fmul double %179, 0x3950000000000000
  %181 = fmul double %180, %170
  %182 = fmul double %181, 0x3FF921FB54442D18
  %183 = tail call double @llvm.fma.f64(double %174, double 0x3C91A62633145C07, double %182)
  br label %184

184:                                              ; preds = %164, %107
  %185 = phi double [ %183, %164 ], [ 0.000000e+00, %107 ]
  %186 = phi double [ %174, %164 ], [ 0.000000e+00, %107 ]
  %187 = fmul double %186, 0x3FF921FB54442D18
  %188 = fneg double %187
  %189 = tail call double @llvm.fma.f64(double %186, double 0x3FF921FB54442D18, double %188)
  %190 = fadd double %185, %189
  %191 = fadd double %187, %190
  %192 = fsub double %191, %187
  %193 = fsub double %190, %192
  %194 = fneg double %191
  %195 = fneg double %193
  %196 = select i1 %133, double %191, double %194
  %197 = select i1 %133, double %193, double %195
  %198 = fcmp olt double %0, 0.000000e+00
  %199 = fneg double %196
  %200 = fneg double %197
  %201 = sub nsw i32 0, %132
  %202 = select i1 %198, i32 %201, i32 %132
  %203 = select i1 %198, double %199, double %196
  %204 = select i1 %198, double %200, double %197
  %205 = and i32 %202, 3
  store i32 %205, ptr %1, align 4, !tbaa !2
  br label %206

206:                                              ; preds = %184, %5
  %207 = phi double [ %21, %5 ], [ %203, %184 ]
  %208 = phi double [ %23, %5 ], [ %204, %184 ]
  %209 = insertvalue { double, double } poison, double %207, 0
  %210 = insertvalue { double, double } %209, double %208, 1
  ret { double, double } %210
}

; Function Attrs: mustprogress nofree noinline norecurse nosync nounwind optsize willreturn memory(none)
define dso_local double @hal_atan2(double noundef %0, double noundef %1) local_unnamed_addr #4 {
  %3 = fcmp ord double %0, %1
  br i1 %3, label %4, label %73

4:                                                ; preds = %2
  %5 = tail call double @llvm.fabs.f64(double %0)
  %6 = tail call double @llvm.fabs.f64(double %1)
  %7 = bitcast double %1 to i64
  %8 = fcmp oeq double %0, 0.000000e+00
  br i1 %8, label %9, label %12

9:                                                ; preds = %4
  %10 = icmp sgt i64 %7, -1
  %11 = select i1 %10, double 0.000000e+00, double 0x400921FB54442D18
  br label %70

12:                                               ; preds = %4
  %13 = fcmp oeq double %1, 0.000000e+00
  br i1 %13, label %70, label %14

14:                                               ; preds = %12
  %15 = fcmp oeq double %5, 0x7FF0000000000000
  %16 = fcmp oeq double %6, 0x7FF0000000000000
  %17 = or i1 %15, %16
  br i1 %17, label %18, label %27

18:                                               ; preds = %14
  %19 = fcmp une double %5, %6
  br i1 %19, label %20, label %24

20:                                               ; preds = %18
  br i1 %15, label %70, label %21

21:                                               ; preds = %20
  %22 = icmp sgt i64 %7, -1
  %23 = select i1 %22, double 0.000000e+00, double 0x400921FB54442D18
  br label %70

24:                                               ; preds = %18
  %25 = icmp sgt i64 %7, -1
  %26 = select i1 %25, double 0x3FE921FB54442D18, double 0x4002D97C7F3321D2
  br label %70

27:                                               ; preds = %14
  %28 = fcmp ogt double %5, %6
  %29 = select i1 %28, double %6, double %5
  %30 = select i1 %28, double %5, double %6
  %31 = fcmp ogt double %30, 0x7E70000000000000
  %32 = fmul double %29, 0x3370000000000000
  %33 = fmul double %30, 0x3370000000000000
  %34 = select i1 %31, double %33, double %30
  %35 = select i1 %31, double %32, double %29
  %36 = fcmp olt double %34, 0x7B0000000000000
  %37 = fmul double %35, 0x4C70000000000000
  %38 = fmul double %34, 0x4C70000000000000
  %39 = select i1 %36, double %38, double %34
  %40 = select i1 %36, double %37, double %35
  %41 = fdiv double %40, %39
  %42 = fcmp olt double %41, 0x3C30000000000000
  br i1 %42, label %43, label %47

43:                                               ; preds = %27
  br i1 %28, label %70, label %44

44:                                               ; preds = %43
  %45 = icmp sgt i64 %7, -1
  %46 = select i1 %45, double %41, double 0x400921FB54442D18
  br label %70

47:                                               ; preds = %27
  %48 = tail call fastcc { double, double } @atan_ratio(double noundef %40, double noundef %39) #11
  %49 = extractvalue { double, double } %48, 0
  %50 = extractvalue { double, double } %48, 1
  %51 = icmp sgt i64 %7, -1
  %52 = xor i1 %51, %28
  %53 = fneg double %49
  %54 = fneg double %50
  %55 = select i1 %52, double %49, double %53
  %56 = select i1 %52, double %50, double %54
  %57 = select i1 %51, double 0.000000e+00, double 0x400921FB54442D18
  %58 = select i1 %28, double 0x3FF921FB54442D18, double %57
  %59 = select i1 %51, double 0.000000e+00, double 0x3CA1A62633145C07
  %60 = select i1 %28, double 0x3C91A62633145C07, double %59
  %61 = fcmp une double %58, 0.000000e+00
  %62 = fadd double %58, %55
  %63 = fsub double %62, %58
  %64 = fsub double %55, %63
  %65 = select i1 %61, double %64, double 0.000000e+00
  %66 = select i1 %61, double %62, double %55
  %67 = fadd double %60, %56
  %68 = fadd double %67, %65
  %69 = fadd double %66, %68
  br label %70

70:                                               ; preds = %44, %47, %43, %24, %20, %21, %12, %9
  %71 = phi double [ %11, %9 ], [ 0x3FF921FB54442D18, %20 ], [ 0x3FF921FB54442D18, %12 ], [ %26, %24 ], [ %23, %21 ], [ %69, %47 ], [ 0x3FF921FB54442D18, %43 ], [ %46, %44 ]
  %72 = tail call double @llvm.copysign.f64(double %71, double %0)
  br label %73

73:                                               ; preds = %2, %70
  %74 = phi double [ %72, %70 ], [ 0x7FF8000000000000, %2 ]
  ret double %74
}

; Function Attrs: mustprogress nofree noinline norecurse nosync nounwind optsize willreturn memory(none)
define internal fastcc { double, double } @atan_ratio(double noundef %0, double noundef %1) unnamed_addr #4 {
  %3 = fdiv double %0, %1
  %4 = fmul double %3, 8.000000e+00
  %5 = fadd double %4, 0x4338000000000000
  %6 = fadd double %5, 0xC338000000000000
  %7 = fptosi double %6 to i32
  %8 = sitofp i32 %7 to double
  %9 = fmul double %8, 1.250000e-01
  %10 = icmp eq i32 %7, 0
  %11 = fneg double %9
  %12 = tail call double @llvm.fma.f64(double %11, double %1, double %0)
  %13 = select i1 %10, double %0, double %12
  %14 = tail call double @llvm.fma.f64(double %9, double %0, double %1)
  %15 = fdiv double %13, %14
  %16 = fmul double %15, %15
  %17 = tail call double @llvm.fma.f64(double %16, double 0xBFAAF286BCA1AF28, double 0x3FAE1E1E1E1E1E1E)
  %18 = tail call double @llvm.fma.f64(double %17, double %16, double 0xBFB1111111111111)
  %19 = tail call double @llvm.fma.f64(double %18, double %16, double 0x3FB3B13B13B13B14)
  %20 = tail call double @llvm.fma.f64(double %19, double %16, double 0xBFB745D1745D1746)
  %21 = tail call double @llvm.fma.f64(double %20, double %16, double 0x3FBC71C71C71C71C)
  %22 = tail call double @llvm.fma.f64(double %21, double %16, double 0xBFC2492492492492)
  %23 = tail call double @llvm.fma.f64(double %22, double %16, double 2.000000e-01)
  %24 = tail call double @llvm.fma.f64(double %23, double %16, double 0xBFD5555555555555)
  %25 = sext i32 %7 to i64
  %26 = getelementptr inbounds double, ptr @atan_ratio.hi, i64 %25
  %27 = load double, ptr %26, align 8, !tbaa !9
  %28 = fadd double %15, %27
  %29 = fsub double %28, %27
  %30 = fsub double %15, %29
  %31 = select i1 %10, double 0.000000e+00, double %30
  %32 = select i1 %10, double %15, double %28
  %33 = fneg double %15
  %34 = tail call double @llvm.fma.f64(double %33, double %14, double %13)
  %35 = fdiv double %34, %14
  %36 = getelementptr inbounds double, ptr @atan_ratio.lo, i64 %25
  %37 = load double, ptr %36, align 8, !tbaa !9
  %38 = fmul double %15, %16
  %39 = fmul double %38, %24
  %40 = fadd double %35, %39
  %41 = fadd double %40, %37
  %42 = fadd double %41, %31
  %43 = fadd double %32, %42
  %44 = fsub double %43, %32
  %45 = fsub double %42, %44
  %46 = insertvalue { double, double } poison, double %43, 0
  %47 = insertvalue { double, double } %46, double %45, 1
  ret { double, double } %47
}

; Function Attrs: mustprogress nofree noinline norecurse nosync nounwind optsize willreturn memory(none)
define dso_local double @hal_atan(double noundef %0) local_unnamed_addr #4 {
  %2 = fcmp oeq double %0, 0.000000e+00
  br i1 %2, label %5, label %3

3:                                                ; preds = %1
  %4 = tail call double @hal_atan2(double noundef %0, double noundef 1.000000e+00) #11
  br label %5

5:                                                ; preds = %1, %3
  %6 = phi double [ %4, %3 ], [ %0, %1 ]
  ret double %6
}

; Function Attrs: mustprogress nofree noinline norecurse nosync nounwind optsize willreturn memory(none)
define dso_local double @hal_asin(double noundef %0) local_unnamed_addr #4 {
  %2 = fcmp ord double %0, 0.000000e+00
  br i1 %2, label %3, label %14

3:                                                ; preds = %1
  %4 = tail call double @llvm.fabs.f64(double %0)
  %5 = fcmp ogt double %4, 1.000000e+00
  br i1 %5, label %14, label %6

6:                                                ; preds = %3
  %7 = fcmp olt double %4, 0x3E40000000000000
  br i1 %7, label %14, label %8

8:                                                ; preds = %6
  %9 = fsub double 1.000000e+00, %0
  %10 = fadd double %0, 1.000000e+00
  %11 = fmul double %9, %10
  %12 = tail call double @llvm.sqrt.f64(double %11)
  %13 = tail call double @hal_atan2(double noundef %0, double noundef %12) #11
  br label %14

14:                                               ; preds = %8, %6, %1, %3
  %15 = phi double [ 0x7FF8000000000000, %1 ], [ 0x7FF8000000000000, %3 ], [ %13, %8 ], [ %0, %6 ]
  ret double %15
}

; Function Attrs: mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare double @llvm.sqrt.f64(double) #2

; Function Attrs: mustprogress nofree noinline norecurse nosync nounwind optsize willreturn memory(none)
define dso_local double @hal_acos(double noundef %0) local_unnamed_addr #4 {
  %2 = fcmp uno double %0, 0.000000e+00
  %3 = tail call double @llvm.fabs.f64(double %0)
  %4 = fcmp ogt double %3, 1.000000e+00
  %5 = or i1 %2, %4
  br i1 %5, label %13, label %6

6:                                                ; preds = %1
  %7 = fadd double %0, 1.000000e+00
  %8 = tail call double @llvm.sqrt.f64(double %7)
  %9 = fsub double 1.000000e+00, %0
  %10 = tail call double @llvm.sqrt.f64(double %9)
  %11 = tail call double @hal_atan2(double noundef %10, double noundef %8) #11
  %12 = fmul double %11, 2.000000e+00
  br label %13

13:                                               ; preds = %1, %6
  %14 = phi double [ %12, %6 ], [ 0x7FF8000000000000, %1 ]
  ret double %14
}

; Function Attrs: nofree noinline norecurse nosync nounwind optsize memory(none)
define dso_local double @hal_sinh(double noundef %0) local_unnamed_addr #0 {
  %2 = fcmp ueq double %0, 0.000000e+00
  br i1 %2, label %20, label %3

3:                                                ; preds = %1
  %4 = tail call double @llvm.fabs.f64(double %0)
  %5 = fcmp olt double %4, 7.000000e+02
  br i1 %5, label %6, label %12

6:                                                ; preds = %3
  %7 = tail call double @hal_expm1(double noundef %4) #11
  %8 = fadd double %7, 1.000000e+00
  %9 = fdiv double %7, %8
  %10 = fadd double %7, %9
  %11 = fmul double %10, 5.000000e-01
  br label %17

12:                                               ; preds = %3
  %13 = fmul double %4, 5.000000e-01
  %14 = tail call double @hal_exp(double noundef %13) #11
  %15 = fmul double %14, 5.000000e-01
  %16 = fmul double %14, %15
  br label %17

17:                                               ; preds = %12, %6
  %18 = phi double [ %11, %6 ], [ %16, %12 ]
  %19 = tail call double @llvm.copysign.f64(double %18, double %0)
  br label %20

20:                                               ; preds = %1, %17
  %21 = phi double [ %19, %17 ], [ %0, %1 ]
  ret double %21
}

; Function Attrs: nofree noinline norecurse nosync nounwind optsize memory(none)
define dso_local double @hal_cosh(double noundef %0) local_unnamed_addr #0 {
  %2 = tail call double @llvm.fabs.f64(double %0)
  %3 = fcmp olt double %2, 7.000000e+02
  br i1 %3, label %4, label %9

4:                                                ; preds = %1
  %5 = tail call double @hal_exp(double noundef %2) #11
  %6 = fdiv double 1.000000e+00, %5
  %7 = fadd double %5, %6
  %8 = fmul double %7, 5.000000e-01
  br label %14

9:                                                ; preds = %1
  %10 = fmul double %2, 5.000000e-01
  %11 = tail call double @hal_exp(double noundef %10) #11
  %12 = fmul double %11, 5.000000e-01
  %13 = fmul double %11, %12
  br label %14

14:                                               ; preds = %9, %4
  %15 = phi double [ %8, %4 ], [ %13, %9 ]
  ret double %15
}

; Function Attrs: nofree noinline norecurse nosync nounwind optsize memory(none)
define dso_local double @hal_tanh(double noundef %0) local_unnamed_addr #0 {
  %2 = fcmp ueq double %0, 0.000000e+00
  br i1 %2, label %23, label %3

3:                                                ; preds = %1
  %4 = tail call double @llvm.fabs.f64(double %0)
  %5 = fcmp olt double %4, 3.500000e-01
  br i1 %5, label %6, label %12

6:                                                ; preds = %3
  %7 = fmul double %4, -2.000000e+00
  %8 = tail call double @hal_expm1(double noundef %7) #11
  %9 = fneg double %8
  %10 = fadd double %8, 2.000000e+00
  %11 = fdiv double %9, %10
  br label %20

12:                                               ; preds = %3
  %13 = fcmp olt double %4, 2.200000e+01
  br i1 %13, label %14, label %20

14:                                               ; preds = %12
  %15 = fmul double %4, 2.000000e+00
  %16 = tail call double @hal_expm1(double noundef %15) #11
  %17 = fadd double %16, 2.000000e+00
  %18 = fdiv double 2.000000e+00, %17
  %19 = fsub double 1.000000e+00, %18
  br label %20

20:                                               ; preds = %12, %14, %6
  %21 = phi double [ %11, %6 ], [ %19, %14 ], [ 1.000000e+00, %12 ]
  %22 = tail call double @llvm.copysign.f64(double %21, double %0)
  br label %23

23:                                               ; preds = %1, %20
  %24 = phi double [ %22, %20 ], [ %0, %1 ]
  ret double %24
}

; Function Attrs: nofree noinline norecurse nosync nounwind optsize memory(none)
define dso_local double @hal_asinh(double noundef %0) local_unnamed_addr #0 {
  %2 = fcmp ueq double %0, 0.000000e+00
  br i1 %2, label %22, label %3

3:                                                ; preds = %1
  %4 = tail call double @llvm.fabs.f64(double %0)
  %5 = fcmp oeq double %4, 0x7FF0000000000000
  br i1 %5, label %22, label %6

6:                                                ; preds = %3
  %7 = fcmp ogt double %4, 0x41B0000000000000
  br i1 %7, label %8, label %11

8:                                                ; preds = %6
  %9 = tail call double @hal_log(double noundef %4) #11
  %10 = fadd double %9, 0x3FE62E42FEFA39EF
  br label %19

11:                                               ; preds = %6
  %12 = fmul double %0, %0
  %13 = tail call double @llvm.fma.f64(double %0, double %0, double 1.000000e+00)
  %14 = tail call double @llvm.sqrt.f64(double %13)
  %15 = fadd double %14, 1.000000e+00
  %16 = fdiv double %12, %15
  %17 = fadd double %4, %16
  %18 = tail call double @hal_log1p(double noundef %17) #11
  br label %19

19:                                               ; preds = %11, %8
  %20 = phi double [ %10, %8 ], [ %18, %11 ]
  %21 = tail call double @llvm.copysign.f64(double %20, double %0)
  br label %22

22:                                               ; preds = %1, %3, %19
  %23 = phi double [ %21, %19 ], [ %0, %3 ], [ %0, %1 ]
  ret double %23
}

; Function Attrs: nofree noinline norecurse nosync nounwind optsize memory(none)
define dso_local double @hal_acosh(double noundef %0) local_unnamed_addr #0 {
  %2 = fcmp uno double %0, 0.000000e+00
  %3 = fcmp olt double %0, 1.000000e+00
  %4 = or i1 %2, %3
  br i1 %4, label %18, label %5

5:                                                ; preds = %1
  %6 = fcmp ogt double %0, 0x41B0000000000000
  br i1 %6, label %7, label %10

7:                                                ; preds = %5
  %8 = tail call double @hal_log(double noundef %0) #11
  %9 = fadd double %8, 0x3FE62E42FEFA39EF
  br label %18

10:                                               ; preds = %5
  %11 = fadd double %0, -1.000000e+00
  %12 = fmul double %11, 2.000000e+00
  %13 = fmul double %11, %11
  %14 = fadd double %12, %13
  %15 = tail call double @llvm.sqrt.f64(double %14)
  %16 = fadd double %11, %15
  %17 = tail call double @hal_log1p(double noundef %16) #11
  br label %18

18:                                               ; preds = %1, %10, %7
  %19 = phi double [ %17, %10 ], [ %9, %7 ], [ 0x7FF8000000000000, %1 ]
  ret double %19
}

; Function Attrs: nofree noinline norecurse nosync nounwind optsize memory(none)
define dso_local double @hal_atanh(double noundef %0) local_unnamed_addr #0 {
  %2 = fcmp ueq double %0, 0.000000e+00
  br i1 %2, label %17, label %3

3:                                                ; preds = %1
  %4 = tail call double @llvm.fabs.f64(double %0)
  %5 = fcmp ult double %4, 1.000000e+00
  br i1 %5, label %10, label %6

6:                                                ; preds = %3
  %7 = fcmp oeq double %4, 1.000000e+00
  br i1 %7, label %8, label %17

8:                                                ; preds = %6
  %9 = tail call double @llvm.copysign.f64(double 0x7FF0000000000000, double %0)
  br label %17

10:                                               ; preds = %3
  %11 = fmul double %4, 2.000000e+00
  %12 = fsub double 1.000000e+00, %4
  %13 = fdiv double %11, %12
  %14 = tail call double @hal_log1p(double noundef %13) #11
  %15 = fmul double %14, 5.000000e-01
  %16 = tail call double @llvm.copysign.f64(double %15, double %0)
  br label %17

17:                                               ; preds = %10, %6, %8, %1
  %18 = phi double [ %0, %1 ], [ %16, %10 ], [ %9, %8 ], [ 0x7FF8000000000000, %6 ]
  ret double %18
}

; Function Attrs: nofree noinline norecurse nosync nounwind optsize memory(none)
define dso_local double @hal_erf(double noundef %0) local_unnamed_addr #0 {
  %2 = fcmp ueq double %0, 0.000000e+00
  br i1 %2, label %52, label %3

3:                                                ; preds = %1
  %4 = tail call double @llvm.fabs.f64(double %0)
  %5 = fcmp olt double %4, 1.000000e+00
  br i1 %5, label %6, label %26

6:                                                ; preds = %3
  %7 = fmul double %4, 2.000000e+00
  %8 = fmul double %4, %7
  br label %9

9:                                                ; preds = %6, %9
  %10 = phi i32 [ 59, %6 ], [ %15, %9 ]
  %11 = phi double [ 1.000000e+00, %6 ], [ %14, %9 ]
  %12 = uitofp nneg i32 %10 to double
  %13 = fdiv double %8, %12
  %14 = tail call double @llvm.fma.f64(double %13, double %11, double 1.000000e+00)
  %15 = add nsw i32 %10, -2
  %16 = icmp samesign ugt i32 %10, 4
  br i1 %16, label %9, label %17, !llvm.loop !18

17:                                               ; preds = %9
  %18 = fmul double %4, 0x3FF20DD750429B6D
  %19 = fneg double %0
  %20 = fmul double %0, %19
  %21 = tail call double @llvm.fma.f64(double %0, double %0, double %20)
  %22 = fneg double %21
  %23 = tail call fastcc double @exp_pair(double noundef %20, double noundef %22) #11
  %24 = fmul double %18, %23
  %25 = fmul double %14, %24
  br label %49

26:                                               ; preds = %3
  %27 = fcmp olt double %4, 6.000000e+00
  br i1 %27, label %28, label %49

28:                                               ; preds = %26
  %29 = fcmp olt double %4, 2.000000e+00
  %30 = select i1 %29, i32 260, i32 70
  br label %31

31:                                               ; preds = %28, %31
  %32 = phi i32 [ %30, %28 ], [ %38, %31 ]
  %33 = phi double [ %4, %28 ], [ %37, %31 ]
  %34 = uitofp nneg i32 %32 to double
  %35 = fmul double %34, 5.000000e-01
  %36 = fdiv double %35, %33
  %37 = fadd double %4, %36
  %38 = add nsw i32 %32, -1
  %39 = icmp samesign ugt i32 %32, 1
  br i1 %39, label %31, label %40, !llvm.loop !19

40:                                               ; preds = %31
  %41 = fneg double %0
  %42 = fmul double %0, %41
  %43 = tail call double @llvm.fma.f64(double %0, double %0, double %42)
  %44 = fneg double %43
  %45 = tail call fastcc double @exp_pair(double noundef %42, double noundef %44) #11
  %46 = fmul double %37, 0x3FFC5BF891B4EF6A
  %47 = fdiv double %45, %46
  %48 = fsub double 1.000000e+00, %47
  br label %49

49:                                               ; preds = %40, %26, %17
  %50 = phi double [ %25, %17 ], [ %48, %40 ], [ 1.000000e+00, %26 ]
  %51 = tail call double @llvm.copysign.f64(double %50, double %0)
  br label %52

52:                                               ; preds = %1, %49
  %53 = phi double [ %51, %49 ], [ %0, %1 ]
  ret double %53
}

; Function Attrs: nofree noinline norecurse nosync nounwind optsize memory(none)
define dso_local double @hal_erfc(double noundef %0) local_unnamed_addr #0 {
  %2 = fcmp ord double %0, 0.000000e+00
  br i1 %2, label %3, label %55

3:                                                ; preds = %1
  %4 = tail call double @llvm.fabs.f64(double %0)
  %5 = fcmp olt double %4, 1.000000e+00
  br i1 %5, label %6, label %28

6:                                                ; preds = %3
  %7 = fmul double %4, 2.000000e+00
  %8 = fmul double %4, %7
  br label %9

9:                                                ; preds = %6, %9
  %10 = phi i32 [ 59, %6 ], [ %15, %9 ]
  %11 = phi double [ 1.000000e+00, %6 ], [ %14, %9 ]
  %12 = uitofp nneg i32 %10 to double
  %13 = fdiv double %8, %12
  %14 = tail call double @llvm.fma.f64(double %13, double %11, double 1.000000e+00)
  %15 = add nsw i32 %10, -2
  %16 = icmp samesign ugt i32 %10, 4
  br i1 %16, label %9, label %17, !llvm.loop !18

17:                                               ; preds = %9
  %18 = fmul double %4, 0x3FF20DD750429B6D
  %19 = fneg double %0
  %20 = fmul double %0, %19
  %21 = tail call double @llvm.fma.f64(double %0, double %0, double %20)
  %22 = fneg double %21
  %23 = tail call fastcc double @exp_pair(double noundef %20, double noundef %22) #11
  %24 = fmul double %18, %23
  %25 = fmul double %14, %24
  %26 = tail call double @llvm.copysign.f64(double %25, double %0)
  %27 = fsub double 1.000000e+00, %26
  br label %55

28:                                               ; preds = %3
  %29 = fcmp olt double %4, 2.800000e+01
  br i1 %29, label %30, label %50

30:                                               ; preds = %28
  %31 = fcmp olt double %4, 2.000000e+00
  %32 = select i1 %31, i32 260, i32 70
  br label %33

33:                                               ; preds = %30, %33
  %34 = phi i32 [ %32, %30 ], [ %40, %33 ]
  %35 = phi double [ %4, %30 ], [ %39, %33 ]
  %36 = uitofp nneg i32 %34 to double
  %37 = fmul double %36, 5.000000e-01
  %38 = fdiv double %37, %35
  %39 = fadd double %4, %38
  %40 = add nsw i32 %34, -1
  %41 = icmp samesign ugt i32 %34, 1
  br i1 %41, label %33, label %42, !llvm.loop !19

42:                                               ; preds = %33
  %43 = fneg double %0
  %44 = fmul double %0, %43
  %45 = tail call double @llvm.fma.f64(double %0, double %0, double %44)
  %46 = fneg double %45
  %47 = tail call fastcc double @exp_pair(double noundef %44, double noundef %46) #11
  %48 = fmul double %39, 0x3FFC5BF891B4EF6A
  %49 = fdiv double %47, %48
  br label %50

50:                                               ; preds = %28, %42
  %51 = phi double [ %49, %42 ], [ 0.000000e+00, %28 ]
  %52 = fcmp olt double %0, 0.000000e+00
  %53 = fsub double 2.000000e+00, %51
  %54 = select i1 %52, double %53, double %51
  br label %55

55:                                               ; preds = %17, %50, %1
  %56 = phi double [ %0, %1 ], [ %27, %17 ], [ %54, %50 ]
  ret double %56
}

; Function Attrs: nofree noinline norecurse nosync nounwind optsize memory(none)
define dso_local double @hal_fmod(double noundef %0, double noundef %1) local_unnamed_addr #0 {
  %3 = fcmp ord double %0, %1
  br i1 %3, label %4, label %49

4:                                                ; preds = %2
  %5 = tail call double @llvm.fabs.f64(double %0)
  %6 = fcmp oeq double %5, 0x7FF0000000000000
  %7 = fcmp oeq double %1, 0.000000e+00
  %8 = or i1 %6, %7
  br i1 %8, label %49, label %9

9:                                                ; preds = %4
  %10 = tail call double @llvm.fabs.f64(double %1)
  %11 = fcmp olt double %5, %10
  br i1 %11, label %49, label %12

12:                                               ; preds = %9
  %13 = bitcast double %0 to i64
  %14 = lshr i64 %13, 52
  %15 = trunc nuw nsw i64 %14 to i32
  %16 = and i32 %15, 2047
  %17 = and i64 %13, 4503599627370495
  %18 = icmp eq i32 %16, 0
  %19 = tail call i32 @llvm.umax.i32(i32 %16, i32 1)
  %20 = or disjoint i64 %17, 4503599627370496
  %21 = select i1 %18, i64 %17, i64 %20
  %22 = bitcast double %1 to i64
  %23 = lshr i64 %22, 52
  %24 = trunc nuw nsw i64 %23 to i32
  %25 = and i32 %24, 2047
  %26 = and i64 %22, 4503599627370495
  %27 = icmp eq i32 %25, 0
  %28 = tail call i32 @llvm.umax.i32(i32 %25, i32 1)
  %29 = or disjoint i64 %26, 4503599627370496
  %30 = select i1 %27, i64 %26, i64 %29
  %31 = sub nsw i32 %19, %28
  %32 = urem i64 %21, %30
  %33 = icmp sgt i32 %31, 0
  br i1 %33, label %40, label %34

34:                                               ; preds = %40, %12
  %35 = phi i64 [ %32, %12 ], [ %47, %40 ]
  %36 = uitofp nneg i64 %35 to double
  %37 = add nsw i32 %28, -1075
  %38 = tail call double @hal_ldexp(double noundef %36, i32 noundef %37) #11
  %39 = tail call double @llvm.copysign.f64(double %38, double %0)
  br label %49

40:                                               ; preds = %12, %40
  %41 = phi i64 [ %47, %40 ], [ %32, %12 ]
  %42 = phi i32 [ %46, %40 ], [ %31, %12 ]
  %43 = tail call i32 @llvm.umin.i32(i32 %42, i32 11)
  %44 = zext nneg i32 %43 to i64
  %45 = shl nuw i64 %41, %44
  %46 = add nsw i32 %42, -11
  %47 = urem i64 %45, %30
  %48 = icmp samesign ugt i32 %42, 11
  br i1 %48, label %40, label %34, !llvm.loop !20

49:                                               ; preds = %9, %2, %4, %34
  %50 = phi double [ %39, %34 ], [ 0x7FF8000000000000, %2 ], [ 0x7FF8000000000000, %4 ], [ %0, %9 ]
  ret double %50
}

; Function Attrs: convergent noinline nounwind optsize
define dso_local ptr @hal_aligned_alloc(i64 noundef %0, i64 noundef %1) local_unnamed_addr #5 {
  %3 = add i64 %0, 8
  %4 = add i64 %3, %1
  %5 = tail call ptr @malloc(i64 noundef %4) #13
  %6 = freeze ptr %5
  %7 = icmp eq ptr %6, null
  br i1 %7, label %8, label %9

8:                                                ; preds = %2
  tail call void @llvm.trap()
  unreachable

9:                                                ; preds = %2
  %10 = ptrtoint ptr %6 to i64
  %11 = add i64 %0, 7
  %12 = add i64 %11, %10
  %13 = urem i64 %12, %0
  %14 = sub nuw i64 %12, %13
  %15 = inttoptr i64 %14 to ptr
  %16 = getelementptr inbounds i8, ptr %15, i64 -8
  store ptr %6, ptr %16, align 8, !tbaa !21
  ret ptr %15
}

; Function Attrs: convergent optsize
declare dso_local ptr @malloc(i64 noundef) local_unnamed_addr #6

; Function Attrs: cold noreturn nounwind memory(inaccessiblemem: write)
declare void @llvm.trap() #7

; Function Attrs: convergent noinline nounwind optsize
define dso_local ptr @hal_malloc(i64 noundef %0) local_unnamed_addr #5 {
  %2 = tail call ptr @hal_aligned_alloc(i64 noundef 64, i64 noundef %0) #14
  ret ptr %2
}

; Function Attrs: convergent noinline nounwind optsize
define dso_local void @hal_free(ptr noundef readonly captures(address_is_null) %0) local_unnamed_addr #5 {
  %2 = icmp eq ptr %0, null
  br i1 %2, label %6, label %3

3:                                                ; preds = %1
  %4 = getelementptr inbounds i8, ptr %0, i64 -8
  %5 = load ptr, ptr %4, align 8, !tbaa !21
  tail call void @free(ptr noundef %5) #13
  br label %6

6:                                                ; preds = %3, %1
  ret void
}

; Function Attrs: convergent optsize
declare dso_local void @free(ptr noundef) local_unnamed_addr #6

; Function Attrs: nofree noinline norecurse nosync nounwind optsize memory(none)
define dso_local float @hal_expf(float noundef %0) local_unnamed_addr #0 {
  %2 = fpext float %0 to double
  %3 = tail call double @hal_exp(double noundef %2) #11
  %4 = fptrunc double %3 to float
  ret float %4
}

; Function Attrs: nofree noinline norecurse nosync nounwind optsize memory(none)
define dso_local float @hal_exp2f(float noundef %0) local_unnamed_addr #0 {
  %2 = fpext float %0 to double
  %3 = tail call double @hal_exp2(double noundef %2) #11
  %4 = fptrunc double %3 to float
  ret float %4
}

; Function Attrs: nofree noinline norecurse nosync nounwind optsize memory(none)
define dso_local float @hal_exp10f(float noundef %0) local_unnamed_addr #0 {
  %2 = fpext float %0 to double
  %3 = tail call double @hal_exp10(double noundef %2) #11
  %4 = fptrunc double %3 to float
  ret float %4
}

; Function Attrs: nofree noinline norecurse nosync nounwind optsize memory(none)
define dso_local float @hal_expm1f(float noundef %0) local_unnamed_addr #0 {
  %2 = fpext float %0 to double
  %3 = tail call double @hal_expm1(double noundef %2) #11
  %4 = fptrunc double %3 to float
  ret float %4
}

; Function Attrs: nofree noinline norecurse nosync nounwind optsize memory(none)
define dso_local float @hal_logf(float noundef %0) local_unnamed_addr #0 {
  %2 = fpext float %0 to double
  %3 = tail call double @hal_log(double noundef %2) #11
  %4 = fptrunc double %3 to float
  ret float %4
}

; Function Attrs: nofree noinline norecurse nosync nounwind optsize memory(none)
define dso_local float @hal_log2f(float noundef %0) local_unnamed_addr #0 {
  %2 = fpext float %0 to double
  %3 = tail call double @hal_log2(double noundef %2) #11
  %4 = fptrunc double %3 to float
  ret float %4
}

; Function Attrs: nofree noinline norecurse nosync nounwind optsize memory(none)
define dso_local float @hal_log10f(float noundef %0) local_unnamed_addr #0 {
  %2 = fpext float %0 to double
  %3 = tail call double @hal_log10(double noundef %2) #11
  %4 = fptrunc double %3 to float
  ret float %4
}

; Function Attrs: nofree noinline norecurse nosync nounwind optsize memory(none)
define dso_local float @hal_log1pf(float noundef %0) local_unnamed_addr #0 {
  %2 = fpext float %0 to double
  %3 = tail call double @hal_log1p(double noundef %2) #11
  %4 = fptrunc double %3 to float
  ret float %4
}

; Function Attrs: nofree noinline norecurse nosync nounwind optsize memory(none)
define dso_local float @hal_cbrtf(float noundef %0) local_unnamed_addr #0 {
  %2 = fpext float %0 to double
  %3 = tail call double @hal_cbrt(double noundef %2) #11
  %4 = fptrunc double %3 to float
  ret float %4
}

; Function Attrs: nofree noinline norecurse nosync nounwind optsize memory(none)
define dso_local float @hal_sinf(float noundef %0) local_unnamed_addr #0 {
  %2 = fpext float %0 to double
  %3 = tail call double @hal_sin(double noundef %2) #11
  %4 = fptrunc double %3 to float
  ret float %4
}

; Function Attrs: nofree noinline norecurse nosync nounwind optsize memory(none)
define dso_local float @hal_cosf(float noundef %0) local_unnamed_addr #0 {
  %2 = fpext float %0 to double
  %3 = tail call double @hal_cos(double noundef %2) #11
  %4 = fptrunc double %3 to float
  ret float %4
}

; Function Attrs: nofree noinline norecurse nosync nounwind optsize memory(none)
define dso_local float @hal_tanf(float noundef %0) local_unnamed_addr #0 {
  %2 = fpext float %0 to double
  %3 = tail call double @hal_tan(double noundef %2) #11
  %4 = fptrunc double %3 to float
  ret float %4
}

; Function Attrs: mustprogress nofree noinline norecurse nosync nounwind optsize willreturn memory(none)
define dso_local float @hal_atanf(float noundef %0) local_unnamed_addr #4 {
  %2 = fpext float %0 to double
  %3 = tail call double @hal_atan(double noundef %2) #11
  %4 = fptrunc double %3 to float
  ret float %4
}

; Function Attrs: mustprogress nofree noinline norecurse nosync nounwind optsize willreturn memory(none)
define dso_local float @hal_asinf(float noundef %0) local_unnamed_addr #4 {
  %2 = fpext float %0 to double
  %3 = tail call double @hal_asin(double noundef %2) #11
  %4 = fptrunc double %3 to float
  ret float %4
}

; Function Attrs: mustprogress nofree noinline norecurse nosync nounwind optsize willreturn memory(none)
define dso_local float @hal_acosf(float noundef %0) local_unnamed_addr #4 {
  %2 = fpext float %0 to double
  %3 = tail call double @hal_acos(double noundef %2) #11
  %4 = fptrunc double %3 to float
  ret float %4
}

; Function Attrs: nofree noinline norecurse nosync nounwind optsize memory(none)
define dso_local float @hal_sinhf(float noundef %0) local_unnamed_addr #0 {
  %2 = fpext float %0 to double
  %3 = tail call double @hal_sinh(double noundef %2) #11
  %4 = fptrunc double %3 to float
  ret float %4
}

; Function Attrs: nofree noinline norecurse nosync nounwind optsize memory(none)
define dso_local float @hal_coshf(float noundef %0) local_unnamed_addr #0 {
  %2 = fpext float %0 to double
  %3 = tail call double @hal_cosh(double noundef %2) #11
  %4 = fptrunc double %3 to float
  ret float %4
}

; Function Attrs: nofree noinline norecurse nosync nounwind optsize memory(none)
define dso_local float @hal_tanhf(float noundef %0) local_unnamed_addr #0 {
  %2 = fpext float %0 to double
  %3 = tail call double @hal_tanh(double noundef %2) #11
  %4 = fptrunc double %3 to float
  ret float %4
}

; Function Attrs: nofree noinline norecurse nosync nounwind optsize memory(none)
define dso_local float @hal_asinhf(float noundef %0) local_unnamed_addr #0 {
  %2 = fpext float %0 to double
  %3 = tail call double @hal_asinh(double noundef %2) #11
  %4 = fptrunc double %3 to float
  ret float %4
}

; Function Attrs: nofree noinline norecurse nosync nounwind optsize memory(none)
define dso_local float @hal_acoshf(float noundef %0) local_unnamed_addr #0 {
  %2 = fpext float %0 to double
  %3 = tail call double @hal_acosh(double noundef %2) #11
  %4 = fptrunc double %3 to float
  ret float %4
}

; Function Attrs: nofree noinline norecurse nosync nounwind optsize memory(none)
define dso_local float @hal_atanhf(float noundef %0) local_unnamed_addr #0 {
  %2 = fpext float %0 to double
  %3 = tail call double @hal_atanh(double noundef %2) #11
  %4 = fptrunc double %3 to float
  ret float %4
}

; Function Attrs: nofree noinline norecurse nosync nounwind optsize memory(none)
define dso_local float @hal_erff(float noundef %0) local_unnamed_addr #0 {
  %2 = fpext float %0 to double
  %3 = tail call double @hal_erf(double noundef %2) #11
  %4 = fptrunc double %3 to float
  ret float %4
}

; Function Attrs: nofree noinline norecurse nosync nounwind optsize memory(none)
define dso_local float @hal_erfcf(float noundef %0) local_unnamed_addr #0 {
  %2 = fpext float %0 to double
  %3 = tail call double @hal_erfc(double noundef %2) #11
  %4 = fptrunc double %3 to float
  ret float %4
}

; Function Attrs: nofree noinline norecurse nosync nounwind optsize memory(none)
define dso_local float @hal_powf(float noundef %0, float noundef %1) local_unnamed_addr #0 {
  %3 = fpext float %0 to double
  %4 = fpext float %1 to double
  %5 = tail call double @hal_pow(double noundef %3, double noundef %4) #11
  %6 = fptrunc double %5 to float
  ret float %6
}

; Function Attrs: mustprogress nofree noinline norecurse nosync nounwind optsize willreturn memory(none)
define dso_local float @hal_atan2f(float noundef %0, float noundef %1) local_unnamed_addr #4 {
  %3 = fpext float %0 to double
  %4 = fpext float %1 to double
  %5 = tail call double @hal_atan2(double noundef %3, double noundef %4) #11
  %6 = fptrunc double %5 to float
  ret float %6
}

; Function Attrs: nofree noinline norecurse nosync nounwind optsize memory(none)
define dso_local float @hal_fmodf(float noundef %0, float noundef %1) local_unnamed_addr #0 {
  %3 = fpext float %0 to double
  %4 = fpext float %1 to double
  %5 = tail call double @hal_fmod(double noundef %3, double noundef %4) #11
  %6 = fptrunc double %5 to float
  ret float %6
}

; Function Attrs: nofree noinline norecurse nosync nounwind optsize memory(none)
define dso_local float @hal_powif(float noundef %0, i32 noundef %1) local_unnamed_addr #0 {
  %3 = fpext float %0 to double
  %4 = tail call double @hal_powi(double noundef %3, i32 noundef %1) #11
  %5 = fptrunc double %4 to float
  ret float %5
}

; Function Attrs: nofree noinline norecurse nosync nounwind optsize memory(none)
define dso_local float @hal_ldexpf(float noundef %0, i32 noundef %1) local_unnamed_addr #0 {
  %3 = fpext float %0 to double
  %4 = tail call double @hal_ldexp(double noundef %3, i32 noundef %1) #11
  %5 = fptrunc double %4 to float
  ret float %5
}

; Function Attrs: nofree noinline norecurse nosync nounwind optsize memory(none)
define internal fastcc { double, double } @log_pair(double noundef %0) unnamed_addr #0 {
  %2 = fcmp olt double %0, 0x10000000000000
  %3 = fmul double %0, 0x4350000000000000
  %4 = select i1 %2, double %3, double %0
  %5 = bitcast double %4 to i64
  %6 = and i64 %5, 4503599627370495
  %7 = or disjoint i64 %6, 4607182418800017408
  %8 = bitcast i64 %7 to double
  %9 = fcmp ogt double %8, 0x3FF6A09E667F3BCD
  %10 = fmul double %8, 5.000000e-01
  %11 = select i1 %9, double %10, double %8
  %12 = fadd double %11, -1.000000e+00
  %13 = fadd double %12, 2.000000e+00
  %14 = fdiv double %12, %13
  %15 = fmul double %14, %14
  br label %70

16:                                               ; preds = %70
  %17 = fmul double %14, 2.000000e+00
  %18 = fneg double %14
  %19 = tail call double @llvm.fma.f64(double %18, double %13, double %12)
  %20 = fadd double %13, -2.000000e+00
  %21 = fsub double %12, %20
  %22 = fmul double %14, %21
  %23 = fsub double %19, %22
  %24 = fdiv double %23, %13
  %25 = fneg double %15
  %26 = tail call double @llvm.fma.f64(double %14, double %14, double %25)
  %27 = tail call double @llvm.fma.f64(double %17, double %24, double %26)
  %28 = lshr i64 %5, 52
  %29 = trunc nuw nsw i64 %28 to i32
  %30 = zext i1 %9 to i32
  %31 = select i1 %2, i32 -1077, i32 -1023
  %32 = add nsw i32 %31, %29
  %33 = add nsw i32 %32, %30
  %34 = fmul double %15, 0x3FE5555555555555
  %35 = fneg double %34
  %36 = tail call double @llvm.fma.f64(double %15, double 0x3FE5555555555555, double %35)
  %37 = fmul double %15, %15
  %38 = tail call double @llvm.fma.f64(double %37, double %75, double %36)
  %39 = tail call double @llvm.fma.f64(double %15, double 0x3C85555555555555, double %38)
  %40 = tail call double @llvm.fma.f64(double %27, double 0x3FE5555555555555, double %39)
  %41 = fmul double %14, %34
  %42 = fneg double %41
  %43 = tail call double @llvm.fma.f64(double %34, double %14, double %42)
  %44 = tail call double @llvm.fma.f64(double %34, double %24, double %43)
  %45 = tail call double @llvm.fma.f64(double %40, double %14, double %44)
  %46 = fadd double %17, %41
  %47 = fsub double %46, %17
  %48 = fsub double %41, %47
  %49 = fmul double %24, 2.000000e+00
  %50 = fadd double %49, %45
  %51 = fadd double %48, %50
  %52 = sitofp i32 %33 to double
  %53 = fmul double %52, 0x3FE62E42FEFA39EF
  %54 = fneg double %53
  %55 = tail call double @llvm.fma.f64(double %52, double 0x3FE62E42FEFA39EF, double %54)
  %56 = icmp eq i32 %33, 0
  %57 = fadd double %53, %46
  %58 = fsub double %57, %53
  %59 = fsub double %46, %58
  %60 = select i1 %56, double %46, double %57
  %61 = tail call double @llvm.fma.f64(double %52, double 0x3C7ABC9E3B39803F, double %55)
  %62 = fadd double %61, %51
  %63 = fadd double %59, %62
  %64 = select i1 %56, double %51, double %63
  %65 = fadd double %60, %64
  %66 = fsub double %65, %60
  %67 = fsub double %64, %66
  %68 = insertvalue { double, double } poison, double %65, 0
  %69 = insertvalue { double, double } %68, double %67, 1
  ret { double, double } %69

70:                                               ; preds = %1, %70
  %71 = phi double [ 8.000000e-02, %1 ], [ %75, %70 ]
  %72 = phi i32 [ 23, %1 ], [ %76, %70 ]
  %73 = uitofp nneg i32 %72 to double
  %74 = fdiv double 2.000000e+00, %73
  %75 = tail call double @llvm.fma.f64(double %71, double %15, double %74)
  %76 = add nsw i32 %72, -2
  %77 = icmp samesign ugt i32 %72, 6
  br i1 %77, label %70, label %16, !llvm.loop !23
}

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare i64 @llvm.ctlz.i64(i64, i1 immarg) #8

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.smax.i32(i32, i32) #9

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.smin.i32(i32, i32) #9

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare i1 @llvm.is.fpclass.f64(double, i32 immarg) #9

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.abs.i32(i32, i1 immarg) #10

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare i64 @llvm.fshl.i64(i64, i64, i64) #9

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.umax.i32(i32, i32) #9

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare double @llvm.copysign.f64(double, double) #9

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.umin.i32(i32, i32) #9

attributes #0 = { nofree noinline norecurse nosync nounwind optsize memory(none) "frame-pointer"="all" "no-builtins" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-features"="+ptx42" }
attributes #1 = { mustprogress nocallback nofree nosync nounwind willreturn memory(argmem: readwrite) }
attributes #2 = { mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
attributes #3 = { mustprogress nofree noinline norecurse nosync nounwind optsize willreturn memory(argmem: write) "frame-pointer"="all" "no-builtins" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-features"="+ptx42" }
attributes #4 = { mustprogress nofree noinline norecurse nosync nounwind optsize willreturn memory(none) "frame-pointer"="all" "no-builtins" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-features"="+ptx42" }
attributes #5 = { convergent noinline nounwind optsize "frame-pointer"="all" "no-builtins" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-features"="+ptx42" }
attributes #6 = { convergent optsize "frame-pointer"="all" "no-builtins" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-features"="+ptx42" }
attributes #7 = { cold noreturn nounwind memory(inaccessiblemem: write) }
attributes #8 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #9 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
attributes #10 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #11 = { nobuiltin optsize "no-builtins" }
attributes #12 = { nounwind }
attributes #13 = { convergent nobuiltin nounwind optsize "no-builtins" }
attributes #14 = { convergent nobuiltin optsize "no-builtins" }

!llvm.module.flags = !{!0, !1}
!llvm.errno.tbaa = !{!2}

!0 = !{i32 1, !"wchar_size", i32 4}
!1 = !{i32 7, !"frame-pointer", i32 2}
!2 = !{!3, !3, i64 0}
!3 = !{!"int", !4, i64 0}
!4 = !{!"omnipotent char", !5, i64 0}
!5 = !{!"Simple C/C++ TBAA"}
!6 = distinct !{!6, !7}
!7 = !{!"llvm.loop.mustprogress"}
!8 = distinct !{!8, !7}
!9 = !{!10, !10, i64 0}
!10 = !{!"double", !4, i64 0}
!11 = distinct !{!11, !7}
!12 = distinct !{!12, !7}
!13 = distinct !{!13, !7}
!14 = distinct !{!14, !7}
!15 = distinct !{!15, !7}
!16 = !{!17, !17, i64 0}
!17 = !{!"long long", !4, i64 0}
!18 = distinct !{!18, !7}
!19 = distinct !{!19, !7}
!20 = distinct !{!20, !7}
!21 = !{!22, !22, i64 0}
!22 = !{!"any pointer", !4, i64 0}
!23 = distinct !{!23, !7}
