// Functions of mathematics in double precision, in operations that are lowered to SPIR-V for Vulkan.
// Made from device.c of the runtime by scripts/device-functions, not to be edited.
module {
  func.func private @hal_ldexp(%arg0: f64, %arg1: i32) -> f64 {
    %c1023_i32 = arith.constant 1023 : i32
    %cst = arith.constant 8.9884656743115795E+307 : f64
    %c-1023_i32 = arith.constant -1023 : i32
    %c-969_i32 = arith.constant -969 : i32
    %cst_0 = arith.constant 2.0041683600089728E-292 : f64
    %c969_i32 = arith.constant 969 : i32
    %c-1022_i32 = arith.constant -1022 : i32
    %c52_i64 = arith.constant 52 : i64
    %0 = arith.cmpi sgt, %arg1, %c1023_i32 : i32
    %1 = arith.mulf %arg0, %cst : f64
    %2 = arith.addi %arg1, %c-1023_i32 : i32
    %3 = arith.select %0, %1, %arg0 : f64
    %4 = arith.select %0, %2, %arg1 : i32
    %5 = arith.cmpi sgt, %4, %c1023_i32 : i32
    %6 = arith.mulf %3, %cst : f64
    %7 = arith.addi %4, %c-1023_i32 : i32
    %8 = arith.select %5, %6, %3 : f64
    %9 = arith.select %5, %7, %4 : i32
    %10 = arith.cmpi sgt, %9, %c1023_i32 : i32
    %11 = arith.mulf %8, %cst : f64
    %12 = arith.addi %9, %c-1023_i32 : i32
    %13 = arith.select %10, %11, %8 : f64
    %14 = arith.select %10, %12, %9 : i32
    %15 = arith.cmpi slt, %14, %c-969_i32 : i32
    %16 = arith.mulf %13, %cst_0 : f64
    %17 = arith.addi %14, %c969_i32 : i32
    %18 = arith.select %15, %16, %13 : f64
    %19 = arith.select %15, %17, %14 : i32
    %20 = arith.cmpi slt, %19, %c-969_i32 : i32
    %21 = arith.mulf %18, %cst_0 : f64
    %22 = arith.addi %19, %c969_i32 : i32
    %23 = arith.select %20, %21, %18 : f64
    %24 = arith.select %20, %22, %19 : i32
    %25 = arith.cmpi slt, %24, %c-969_i32 : i32
    %26 = arith.mulf %23, %cst_0 : f64
    %27 = arith.addi %24, %c969_i32 : i32
    %28 = arith.select %25, %26, %23 : f64
    %29 = arith.select %25, %27, %24 : i32
    %30 = arith.maxsi %29, %c-1022_i32 : i32
    %31 = arith.minsi %30, %c1023_i32 : i32
    %32 = arith.addi %31, %c1023_i32 : i32
    %33 = arith.extui %32 : i32 to i64
    %34 = arith.shli %33, %c52_i64 : i64
    %35 = arith.bitcast %34 : i64 to f64
    %36 = arith.mulf %28, %35 : f64
    return %36 : f64
  }
  func.func private @hal_exp(%arg0: f64) -> f64 {
    %cst = arith.constant 0.000000e+00 : f64
    %0 = call @exp_pair(%arg0, %cst) : (f64, f64) -> f64
    return %0 : f64
  }
  func.func private @exp_pair(%arg0: f64, %arg1: f64) -> f64 {
    %cst = arith.constant 0.000000e+00 : f64
    %cst_0 = arith.constant 7.100000e+02 : f64
    %cst_1 = arith.constant 0x7FF0000000000000 : f64
    %cst_2 = arith.constant -7.460000e+02 : f64
    %cst_3 = arith.constant 1.4426950408889634 : f64
    %cst_4 = arith.constant 0x4338000000000000 : f64
    %cst_5 = arith.constant 0xC338000000000000 : f64
    %cst_6 = arith.constant -0.69314718055994529 : f64
    %c-134217728_i64 = arith.constant -134217728 : i64
    %cst_7 = arith.constant 0.69314716756343842 : f64
    %cst_8 = arith.constant 1.299650687069942E-8 : f64
    %cst_9 = arith.constant -2.3190468138462996E-17 : f64
    %cst_10 = arith.constant 2.3190467971754404E-17 : f64
    %cst_11 = arith.constant 1.6670859151228438E-25 : f64
    %cst_12 = arith.constant 1.1470745597729725E-11 : f64
    %cst_13 = arith.constant 1.6059043836821613E-10 : f64
    %cst_14 = arith.constant 2.08767569878681E-9 : f64
    %cst_15 = arith.constant 2.505210838544172E-8 : f64
    %cst_16 = arith.constant 2.7557319223985888E-7 : f64
    %cst_17 = arith.constant 2.7557319223985893E-6 : f64
    %cst_18 = arith.constant 2.4801587301587302E-5 : f64
    %cst_19 = arith.constant 1.9841269841269841E-4 : f64
    %cst_20 = arith.constant 0.0013888888888888889 : f64
    %cst_21 = arith.constant 0.0083333333333333332 : f64
    %cst_22 = arith.constant 0.041666666666666664 : f64
    %cst_23 = arith.constant 0.16666666666666666 : f64
    %cst_24 = arith.constant 5.000000e-01 : f64
    %cst_25 = arith.constant 1.000000e+00 : f64
    %0 = arith.cmpf ord, %arg0, %cst : f64
    %1 = scf.if %0 -> (f64) {
      %2 = arith.cmpf ogt, %arg0, %cst_0 : f64
      %3 = scf.if %2 -> (f64) {
        scf.yield %cst_1 : f64
      } else {
        %4 = arith.cmpf olt, %arg0, %cst_2 : f64
        %5 = scf.if %4 -> (f64) {
          scf.yield %cst : f64
        } else {
          %6 = arith.mulf %arg0, %cst_3 : f64
          %7 = arith.addf %6, %cst_4 : f64
          %8 = arith.addf %7, %cst_5 : f64
          %9 = arith.negf %8 : f64
          %10 = arith.mulf %8, %cst_6 : f64
          %11 = arith.bitcast %9 : f64 to i64
          %12 = arith.andi %11, %c-134217728_i64 : i64
          %13 = arith.bitcast %12 : i64 to f64
          %14 = arith.subf %9, %13 : f64
          %15 = arith.mulf %13, %cst_7 : f64
          %16 = arith.subf %15, %10 : f64
          %17 = arith.mulf %13, %cst_8 : f64
          %18 = arith.addf %17, %16 : f64
          %19 = arith.mulf %14, %cst_7 : f64
          %20 = arith.addf %19, %18 : f64
          %21 = arith.mulf %14, %cst_8 : f64
          %22 = arith.addf %21, %20 : f64
          %23 = arith.addf %arg0, %10 : f64
          %24 = arith.subf %23, %10 : f64
          %25 = arith.subf %23, %24 : f64
          %26 = arith.subf %10, %25 : f64
          %27 = arith.subf %arg0, %24 : f64
          %28 = arith.addf %27, %26 : f64
          %29 = arith.addf %28, %22 : f64
          %30 = arith.addf %23, %29 : f64
          %31 = arith.mulf %8, %cst_9 : f64
          %32 = arith.mulf %13, %cst_10 : f64
          %33 = arith.subf %32, %31 : f64
          %34 = arith.mulf %13, %cst_11 : f64
          %35 = arith.addf %34, %33 : f64
          %36 = arith.mulf %14, %cst_10 : f64
          %37 = arith.addf %36, %35 : f64
          %38 = arith.mulf %14, %cst_11 : f64
          %39 = arith.addf %38, %37 : f64
          %40 = arith.addf %arg1, %31 : f64
          %41 = arith.subf %40, %31 : f64
          %42 = arith.subf %40, %41 : f64
          %43 = arith.subf %31, %42 : f64
          %44 = arith.subf %arg1, %41 : f64
          %45 = arith.addf %44, %43 : f64
          %46 = arith.addf %45, %39 : f64
          %47 = arith.addf %40, %46 : f64
          %48 = arith.addf %30, %47 : f64
          %49 = arith.mulf %48, %cst_12 : f64
          %50 = arith.addf %49, %cst_13 : f64
          %51 = arith.mulf %48, %50 : f64
          %52 = arith.addf %51, %cst_14 : f64
          %53 = arith.mulf %48, %52 : f64
          %54 = arith.addf %53, %cst_15 : f64
          %55 = arith.mulf %48, %54 : f64
          %56 = arith.addf %55, %cst_16 : f64
          %57 = arith.mulf %48, %56 : f64
          %58 = arith.addf %57, %cst_17 : f64
          %59 = arith.mulf %48, %58 : f64
          %60 = arith.addf %59, %cst_18 : f64
          %61 = arith.mulf %48, %60 : f64
          %62 = arith.addf %61, %cst_19 : f64
          %63 = arith.mulf %48, %62 : f64
          %64 = arith.addf %63, %cst_20 : f64
          %65 = arith.mulf %48, %64 : f64
          %66 = arith.addf %65, %cst_21 : f64
          %67 = arith.mulf %48, %66 : f64
          %68 = arith.addf %67, %cst_22 : f64
          %69 = arith.mulf %48, %68 : f64
          %70 = arith.addf %69, %cst_23 : f64
          %71 = arith.mulf %48, %70 : f64
          %72 = arith.addf %71, %cst_24 : f64
          %73 = arith.subf %48, %30 : f64
          %74 = arith.subf %47, %73 : f64
          %75 = arith.mulf %48, %48 : f64
          %76 = arith.mulf %75, %72 : f64
          %77 = arith.mulf %48, %74 : f64
          %78 = arith.addf %74, %77 : f64
          %79 = arith.addf %78, %76 : f64
          %80 = arith.addf %48, %79 : f64
          %81 = arith.addf %80, %cst_25 : f64
          %82 = arith.fptosi %8 : f64 to i32
          %83 = func.call @hal_ldexp(%81, %82) : (f64, i32) -> f64
          scf.yield %83 : f64
        }
        scf.yield %5 : f64
      }
      scf.yield %3 : f64
    } else {
      scf.yield %arg0 : f64
    }
    return %1 : f64
  }
  func.func private @hal_exp2(%arg0: f64) -> f64 {
    %cst = arith.constant 0.000000e+00 : f64
    %cst_0 = arith.constant 1.025000e+03 : f64
    %cst_1 = arith.constant 0x7FF0000000000000 : f64
    %cst_2 = arith.constant -1.080000e+03 : f64
    %cst_3 = arith.constant 0x4338000000000000 : f64
    %cst_4 = arith.constant 0xC338000000000000 : f64
    %cst_5 = arith.constant 0.69314718055994529 : f64
    %cst_6 = arith.constant 1.1470745597729725E-11 : f64
    %cst_7 = arith.constant 1.6059043836821613E-10 : f64
    %cst_8 = arith.constant 2.08767569878681E-9 : f64
    %cst_9 = arith.constant 2.505210838544172E-8 : f64
    %cst_10 = arith.constant 2.7557319223985888E-7 : f64
    %cst_11 = arith.constant 2.7557319223985893E-6 : f64
    %cst_12 = arith.constant 2.4801587301587302E-5 : f64
    %cst_13 = arith.constant 1.9841269841269841E-4 : f64
    %cst_14 = arith.constant 0.0013888888888888889 : f64
    %cst_15 = arith.constant 0.0083333333333333332 : f64
    %cst_16 = arith.constant 0.041666666666666664 : f64
    %cst_17 = arith.constant 0.16666666666666666 : f64
    %cst_18 = arith.constant 5.000000e-01 : f64
    %c-134217728_i64 = arith.constant -134217728 : i64
    %cst_19 = arith.constant 0.69314716756343842 : f64
    %cst_20 = arith.constant 1.299650687069942E-8 : f64
    %cst_21 = arith.constant 2.3190468138462996E-17 : f64
    %cst_22 = arith.constant 2.3190467971754404E-17 : f64
    %cst_23 = arith.constant 1.6670859151228438E-25 : f64
    %cst_24 = arith.constant 1.000000e+00 : f64
    %0 = arith.cmpf ord, %arg0, %cst : f64
    %1 = scf.if %0 -> (f64) {
      %2 = arith.cmpf ogt, %arg0, %cst_0 : f64
      %3 = scf.if %2 -> (f64) {
        scf.yield %cst_1 : f64
      } else {
        %4 = arith.cmpf olt, %arg0, %cst_2 : f64
        %5 = scf.if %4 -> (f64) {
          scf.yield %cst : f64
        } else {
          %6 = arith.addf %arg0, %cst_3 : f64
          %7 = arith.addf %6, %cst_4 : f64
          %8 = arith.subf %arg0, %7 : f64
          %9 = arith.mulf %8, %cst_5 : f64
          %10 = arith.mulf %9, %cst_6 : f64
          %11 = arith.addf %10, %cst_7 : f64
          %12 = arith.mulf %9, %11 : f64
          %13 = arith.addf %12, %cst_8 : f64
          %14 = arith.mulf %9, %13 : f64
          %15 = arith.addf %14, %cst_9 : f64
          %16 = arith.mulf %9, %15 : f64
          %17 = arith.addf %16, %cst_10 : f64
          %18 = arith.mulf %9, %17 : f64
          %19 = arith.addf %18, %cst_11 : f64
          %20 = arith.mulf %9, %19 : f64
          %21 = arith.addf %20, %cst_12 : f64
          %22 = arith.mulf %9, %21 : f64
          %23 = arith.addf %22, %cst_13 : f64
          %24 = arith.mulf %9, %23 : f64
          %25 = arith.addf %24, %cst_14 : f64
          %26 = arith.mulf %9, %25 : f64
          %27 = arith.addf %26, %cst_15 : f64
          %28 = arith.mulf %9, %27 : f64
          %29 = arith.addf %28, %cst_16 : f64
          %30 = arith.mulf %9, %29 : f64
          %31 = arith.addf %30, %cst_17 : f64
          %32 = arith.mulf %9, %31 : f64
          %33 = arith.addf %32, %cst_18 : f64
          %34 = arith.bitcast %8 : f64 to i64
          %35 = arith.andi %34, %c-134217728_i64 : i64
          %36 = arith.bitcast %35 : i64 to f64
          %37 = arith.subf %8, %36 : f64
          %38 = arith.mulf %36, %cst_19 : f64
          %39 = arith.subf %38, %9 : f64
          %40 = arith.mulf %36, %cst_20 : f64
          %41 = arith.addf %40, %39 : f64
          %42 = arith.mulf %37, %cst_19 : f64
          %43 = arith.addf %42, %41 : f64
          %44 = arith.mulf %37, %cst_20 : f64
          %45 = arith.addf %44, %43 : f64
          %46 = arith.mulf %8, %cst_21 : f64
          %47 = arith.mulf %36, %cst_22 : f64
          %48 = arith.subf %47, %46 : f64
          %49 = arith.mulf %36, %cst_23 : f64
          %50 = arith.addf %49, %48 : f64
          %51 = arith.mulf %37, %cst_22 : f64
          %52 = arith.addf %51, %50 : f64
          %53 = arith.mulf %37, %cst_23 : f64
          %54 = arith.addf %53, %52 : f64
          %55 = arith.addf %46, %45 : f64
          %56 = arith.subf %55, %46 : f64
          %57 = arith.subf %55, %56 : f64
          %58 = arith.subf %46, %57 : f64
          %59 = arith.subf %45, %56 : f64
          %60 = arith.addf %59, %58 : f64
          %61 = arith.addf %54, %60 : f64
          %62 = arith.addf %55, %61 : f64
          %63 = arith.mulf %9, %9 : f64
          %64 = arith.mulf %63, %33 : f64
          %65 = arith.mulf %9, %62 : f64
          %66 = arith.addf %62, %65 : f64
          %67 = arith.addf %66, %64 : f64
          %68 = arith.addf %9, %67 : f64
          %69 = arith.addf %68, %cst_24 : f64
          %70 = arith.fptosi %7 : f64 to i32
          %71 = func.call @hal_ldexp(%69, %70) : (f64, i32) -> f64
          scf.yield %71 : f64
        }
        scf.yield %5 : f64
      }
      scf.yield %3 : f64
    } else {
      scf.yield %arg0 : f64
    }
    return %1 : f64
  }
  func.func private @hal_exp10(%arg0: f64) -> f64 {
    %cst = arith.constant 0.000000e+00 : f64
    %cst_0 = arith.constant 3.100000e+02 : f64
    %cst_1 = arith.constant 0x7FF0000000000000 : f64
    %cst_2 = arith.constant -3.300000e+02 : f64
    %cst_3 = arith.constant 3.3219280948873622 : f64
    %cst_4 = arith.constant 0x4338000000000000 : f64
    %cst_5 = arith.constant 0xC338000000000000 : f64
    %cst_6 = arith.constant -0.3010299956639812 : f64
    %c-134217728_i64 = arith.constant -134217728 : i64
    %cst_7 = arith.constant 0.3010299950838089 : f64
    %cst_8 = arith.constant 5.8017229909168577E-10 : f64
    %cst_9 = arith.constant 2.8037281277851704E-18 : f64
    %cst_10 = arith.constant -2.8037281175618162E-18 : f64
    %cst_11 = arith.constant 1.0223354219962488E-26 : f64
    %cst_12 = arith.constant 2.8037281175618162E-18 : f64
    %cst_13 = arith.constant 2.3025850929940459 : f64
    %cst_14 = arith.constant 1.1470745597729725E-11 : f64
    %cst_15 = arith.constant 1.6059043836821613E-10 : f64
    %cst_16 = arith.constant 2.08767569878681E-9 : f64
    %cst_17 = arith.constant 2.505210838544172E-8 : f64
    %cst_18 = arith.constant 2.7557319223985888E-7 : f64
    %cst_19 = arith.constant 2.7557319223985893E-6 : f64
    %cst_20 = arith.constant 2.4801587301587302E-5 : f64
    %cst_21 = arith.constant 1.9841269841269841E-4 : f64
    %cst_22 = arith.constant 0.0013888888888888889 : f64
    %cst_23 = arith.constant 0.0083333333333333332 : f64
    %cst_24 = arith.constant 0.041666666666666664 : f64
    %cst_25 = arith.constant 0.16666666666666666 : f64
    %cst_26 = arith.constant 5.000000e-01 : f64
    %cst_27 = arith.constant 2.3025850653648376 : f64
    %cst_28 = arith.constant 2.7629208254609239E-8 : f64
    %cst_29 = arith.constant -2.1707562233822494E-16 : f64
    %cst_30 = arith.constant -2.1707562179758441E-16 : f64
    %cst_31 = arith.constant 5.4064052123401349E-25 : f64
    %cst_32 = arith.constant 2.1707562179758441E-16 : f64
    %cst_33 = arith.constant 1.000000e+00 : f64
    %0 = arith.cmpf ord, %arg0, %cst : f64
    %1 = scf.if %0 -> (f64) {
      %2 = arith.cmpf ogt, %arg0, %cst_0 : f64
      %3 = scf.if %2 -> (f64) {
        scf.yield %cst_1 : f64
      } else {
        %4 = arith.cmpf olt, %arg0, %cst_2 : f64
        %5 = scf.if %4 -> (f64) {
          scf.yield %cst : f64
        } else {
          %6 = arith.mulf %arg0, %cst_3 : f64
          %7 = arith.addf %6, %cst_4 : f64
          %8 = arith.addf %7, %cst_5 : f64
          %9 = arith.negf %8 : f64
          %10 = arith.mulf %8, %cst_6 : f64
          %11 = arith.bitcast %9 : f64 to i64
          %12 = arith.andi %11, %c-134217728_i64 : i64
          %13 = arith.bitcast %12 : i64 to f64
          %14 = arith.subf %9, %13 : f64
          %15 = arith.mulf %13, %cst_7 : f64
          %16 = arith.subf %15, %10 : f64
          %17 = arith.mulf %13, %cst_8 : f64
          %18 = arith.addf %17, %16 : f64
          %19 = arith.mulf %14, %cst_7 : f64
          %20 = arith.addf %19, %18 : f64
          %21 = arith.mulf %14, %cst_8 : f64
          %22 = arith.addf %21, %20 : f64
          %23 = arith.addf %arg0, %10 : f64
          %24 = arith.subf %23, %10 : f64
          %25 = arith.subf %23, %24 : f64
          %26 = arith.subf %10, %25 : f64
          %27 = arith.subf %arg0, %24 : f64
          %28 = arith.addf %27, %26 : f64
          %29 = arith.addf %28, %22 : f64
          %30 = arith.addf %23, %29 : f64
          %31 = arith.mulf %8, %cst_9 : f64
          %32 = arith.mulf %13, %cst_10 : f64
          %33 = arith.subf %32, %31 : f64
          %34 = arith.mulf %13, %cst_11 : f64
          %35 = arith.subf %33, %34 : f64
          %36 = arith.mulf %14, %cst_12 : f64
          %37 = arith.subf %35, %36 : f64
          %38 = arith.mulf %14, %cst_11 : f64
          %39 = arith.subf %37, %38 : f64
          %40 = arith.addf %31, %30 : f64
          %41 = arith.subf %40, %31 : f64
          %42 = arith.subf %40, %41 : f64
          %43 = arith.subf %31, %42 : f64
          %44 = arith.subf %30, %41 : f64
          %45 = arith.addf %44, %43 : f64
          %46 = arith.addf %39, %45 : f64
          %47 = arith.addf %40, %46 : f64
          %48 = arith.mulf %47, %cst_13 : f64
          %49 = arith.mulf %48, %cst_14 : f64
          %50 = arith.addf %49, %cst_15 : f64
          %51 = arith.mulf %48, %50 : f64
          %52 = arith.addf %51, %cst_16 : f64
          %53 = arith.mulf %48, %52 : f64
          %54 = arith.addf %53, %cst_17 : f64
          %55 = arith.mulf %48, %54 : f64
          %56 = arith.addf %55, %cst_18 : f64
          %57 = arith.mulf %48, %56 : f64
          %58 = arith.addf %57, %cst_19 : f64
          %59 = arith.mulf %48, %58 : f64
          %60 = arith.addf %59, %cst_20 : f64
          %61 = arith.mulf %48, %60 : f64
          %62 = arith.addf %61, %cst_21 : f64
          %63 = arith.mulf %48, %62 : f64
          %64 = arith.addf %63, %cst_22 : f64
          %65 = arith.mulf %48, %64 : f64
          %66 = arith.addf %65, %cst_23 : f64
          %67 = arith.mulf %48, %66 : f64
          %68 = arith.addf %67, %cst_24 : f64
          %69 = arith.mulf %48, %68 : f64
          %70 = arith.addf %69, %cst_25 : f64
          %71 = arith.mulf %48, %70 : f64
          %72 = arith.addf %71, %cst_26 : f64
          %73 = arith.bitcast %47 : f64 to i64
          %74 = arith.andi %73, %c-134217728_i64 : i64
          %75 = arith.bitcast %74 : i64 to f64
          %76 = arith.subf %47, %75 : f64
          %77 = arith.mulf %75, %cst_27 : f64
          %78 = arith.subf %77, %48 : f64
          %79 = arith.mulf %75, %cst_28 : f64
          %80 = arith.addf %79, %78 : f64
          %81 = arith.mulf %76, %cst_27 : f64
          %82 = arith.addf %81, %80 : f64
          %83 = arith.mulf %76, %cst_28 : f64
          %84 = arith.addf %83, %82 : f64
          %85 = arith.mulf %47, %cst_29 : f64
          %86 = arith.mulf %75, %cst_30 : f64
          %87 = arith.subf %86, %85 : f64
          %88 = arith.mulf %75, %cst_31 : f64
          %89 = arith.subf %87, %88 : f64
          %90 = arith.mulf %76, %cst_32 : f64
          %91 = arith.subf %89, %90 : f64
          %92 = arith.mulf %76, %cst_31 : f64
          %93 = arith.subf %91, %92 : f64
          %94 = arith.addf %85, %84 : f64
          %95 = arith.subf %94, %85 : f64
          %96 = arith.subf %94, %95 : f64
          %97 = arith.subf %85, %96 : f64
          %98 = arith.subf %84, %95 : f64
          %99 = arith.addf %98, %97 : f64
          %100 = arith.addf %93, %99 : f64
          %101 = arith.addf %94, %100 : f64
          %102 = arith.mulf %48, %48 : f64
          %103 = arith.mulf %102, %72 : f64
          %104 = arith.mulf %48, %101 : f64
          %105 = arith.addf %101, %104 : f64
          %106 = arith.addf %105, %103 : f64
          %107 = arith.addf %48, %106 : f64
          %108 = arith.addf %107, %cst_33 : f64
          %109 = arith.fptosi %8 : f64 to i32
          %110 = func.call @hal_ldexp(%108, %109) : (f64, i32) -> f64
          scf.yield %110 : f64
        }
        scf.yield %5 : f64
      }
      scf.yield %3 : f64
    } else {
      scf.yield %arg0 : f64
    }
    return %1 : f64
  }
  func.func private @hal_expm1(%arg0: f64) -> f64 {
    %cst = arith.constant 0.000000e+00 : f64
    %cst_0 = arith.constant 7.100000e+02 : f64
    %cst_1 = arith.constant 0x7FF0000000000000 : f64
    %cst_2 = arith.constant -4.000000e+01 : f64
    %cst_3 = arith.constant -1.000000e+00 : f64
    %cst_4 = arith.constant 1.4426950408889634 : f64
    %cst_5 = arith.constant 0x4338000000000000 : f64
    %cst_6 = arith.constant 0xC338000000000000 : f64
    %cst_7 = arith.constant -0.69314718055994529 : f64
    %c-134217728_i64 = arith.constant -134217728 : i64
    %cst_8 = arith.constant 0.69314716756343842 : f64
    %cst_9 = arith.constant 1.299650687069942E-8 : f64
    %cst_10 = arith.constant -2.3190468138462996E-17 : f64
    %cst_11 = arith.constant 1.1470745597729725E-11 : f64
    %cst_12 = arith.constant 1.6059043836821613E-10 : f64
    %cst_13 = arith.constant 2.08767569878681E-9 : f64
    %cst_14 = arith.constant 2.505210838544172E-8 : f64
    %cst_15 = arith.constant 2.7557319223985888E-7 : f64
    %cst_16 = arith.constant 2.7557319223985893E-6 : f64
    %cst_17 = arith.constant 2.4801587301587302E-5 : f64
    %cst_18 = arith.constant 1.9841269841269841E-4 : f64
    %cst_19 = arith.constant 0.0013888888888888889 : f64
    %cst_20 = arith.constant 0.0083333333333333332 : f64
    %cst_21 = arith.constant 0.041666666666666664 : f64
    %cst_22 = arith.constant 0.16666666666666666 : f64
    %cst_23 = arith.constant 5.000000e-01 : f64
    %cst_24 = arith.constant 1.000000e+03 : f64
    %cst_25 = arith.constant 1.000000e+00 : f64
    %cst_26 = arith.constant 5.400000e+01 : f64
    %0 = arith.cmpf ueq, %arg0, %cst : f64
    %1 = scf.if %0 -> (f64) {
      scf.yield %arg0 : f64
    } else {
      %2 = arith.cmpf ogt, %arg0, %cst_0 : f64
      %3 = scf.if %2 -> (f64) {
        scf.yield %cst_1 : f64
      } else {
        %4 = arith.cmpf olt, %arg0, %cst_2 : f64
        %5 = scf.if %4 -> (f64) {
          scf.yield %cst_3 : f64
        } else {
          %6 = arith.mulf %arg0, %cst_4 : f64
          %7 = arith.addf %6, %cst_5 : f64
          %8 = arith.addf %7, %cst_6 : f64
          %9 = arith.cmpf oeq, %8, %cst : f64
          %10 = scf.if %9 -> (f64) {
            %11 = arith.mulf %arg0, %cst_11 : f64
            %12 = arith.addf %11, %cst_12 : f64
            %13 = arith.mulf %arg0, %12 : f64
            %14 = arith.addf %13, %cst_13 : f64
            %15 = arith.mulf %arg0, %14 : f64
            %16 = arith.addf %15, %cst_14 : f64
            %17 = arith.mulf %arg0, %16 : f64
            %18 = arith.addf %17, %cst_15 : f64
            %19 = arith.mulf %arg0, %18 : f64
            %20 = arith.addf %19, %cst_16 : f64
            %21 = arith.mulf %arg0, %20 : f64
            %22 = arith.addf %21, %cst_17 : f64
            %23 = arith.mulf %arg0, %22 : f64
            %24 = arith.addf %23, %cst_18 : f64
            %25 = arith.mulf %arg0, %24 : f64
            %26 = arith.addf %25, %cst_19 : f64
            %27 = arith.mulf %arg0, %26 : f64
            %28 = arith.addf %27, %cst_20 : f64
            %29 = arith.mulf %arg0, %28 : f64
            %30 = arith.addf %29, %cst_21 : f64
            %31 = arith.mulf %arg0, %30 : f64
            %32 = arith.addf %31, %cst_22 : f64
            %33 = arith.mulf %arg0, %32 : f64
            %34 = arith.addf %33, %cst_23 : f64
            %35 = arith.mulf %arg0, %arg0 : f64
            %36 = arith.mulf %35, %34 : f64
            %37 = math.copysign %cst, %arg0 : f64
            %38 = arith.addf %37, %cst : f64
            %39 = arith.addf %38, %36 : f64
            %40 = arith.addf %arg0, %39 : f64
            scf.yield %40 : f64
          } else {
            %11 = arith.negf %8 : f64
            %12 = arith.mulf %8, %cst_7 : f64
            %13 = arith.bitcast %11 : f64 to i64
            %14 = arith.andi %13, %c-134217728_i64 : i64
            %15 = arith.bitcast %14 : i64 to f64
            %16 = arith.subf %11, %15 : f64
            %17 = arith.mulf %15, %cst_8 : f64
            %18 = arith.subf %17, %12 : f64
            %19 = arith.mulf %15, %cst_9 : f64
            %20 = arith.addf %19, %18 : f64
            %21 = arith.mulf %16, %cst_8 : f64
            %22 = arith.addf %21, %20 : f64
            %23 = arith.mulf %16, %cst_9 : f64
            %24 = arith.addf %23, %22 : f64
            %25 = arith.addf %arg0, %12 : f64
            %26 = arith.subf %25, %12 : f64
            %27 = arith.subf %25, %26 : f64
            %28 = arith.subf %12, %27 : f64
            %29 = arith.subf %arg0, %26 : f64
            %30 = arith.addf %29, %28 : f64
            %31 = arith.addf %30, %24 : f64
            %32 = arith.addf %25, %31 : f64
            %33 = arith.mulf %8, %cst_10 : f64
            %34 = arith.addf %33, %32 : f64
            %35 = arith.mulf %34, %cst_11 : f64
            %36 = arith.addf %35, %cst_12 : f64
            %37 = arith.mulf %34, %36 : f64
            %38 = arith.addf %37, %cst_13 : f64
            %39 = arith.mulf %34, %38 : f64
            %40 = arith.addf %39, %cst_14 : f64
            %41 = arith.mulf %34, %40 : f64
            %42 = arith.addf %41, %cst_15 : f64
            %43 = arith.mulf %34, %42 : f64
            %44 = arith.addf %43, %cst_16 : f64
            %45 = arith.mulf %34, %44 : f64
            %46 = arith.addf %45, %cst_17 : f64
            %47 = arith.mulf %34, %46 : f64
            %48 = arith.addf %47, %cst_18 : f64
            %49 = arith.mulf %34, %48 : f64
            %50 = arith.addf %49, %cst_19 : f64
            %51 = arith.mulf %34, %50 : f64
            %52 = arith.addf %51, %cst_20 : f64
            %53 = arith.mulf %34, %52 : f64
            %54 = arith.addf %53, %cst_21 : f64
            %55 = arith.mulf %34, %54 : f64
            %56 = arith.addf %55, %cst_22 : f64
            %57 = arith.mulf %34, %56 : f64
            %58 = arith.addf %57, %cst_23 : f64
            %59 = arith.subf %34, %32 : f64
            %60 = arith.subf %33, %59 : f64
            %61 = arith.mulf %34, %34 : f64
            %62 = arith.mulf %61, %58 : f64
            %63 = arith.mulf %34, %60 : f64
            %64 = arith.addf %60, %63 : f64
            %65 = arith.addf %64, %62 : f64
            %66 = arith.addf %34, %65 : f64
            %67 = arith.cmpf ogt, %8, %cst_24 : f64
            %68 = scf.if %67 -> (f64) {
              %69 = arith.addf %66, %cst_25 : f64
              %70 = arith.fptosi %8 : f64 to i32
              %71 = func.call @hal_ldexp(%69, %70) : (f64, i32) -> f64
              scf.yield %71 : f64
            } else {
              %69 = arith.fptosi %8 : f64 to i32
              %70 = func.call @hal_ldexp(%cst_25, %69) : (f64, i32) -> f64
              %71 = arith.cmpf ogt, %8, %cst_26 : f64
              %72 = scf.if %71 -> (f64) {
                %73 = arith.addf %66, %cst_25 : f64
                %74 = arith.divf %cst_25, %70 : f64
                %75 = arith.subf %73, %74 : f64
                %76 = arith.mulf %70, %75 : f64
                scf.yield %76 : f64
              } else {
                %73 = arith.cmpf ogt, %8, %cst : f64
                %74 = arith.addf %70, %cst_3 : f64
                %75 = arith.subf %70, %74 : f64
                %76 = arith.addf %75, %cst_3 : f64
                %77 = arith.addf %74, %cst_25 : f64
                %78 = arith.subf %70, %77 : f64
                %79 = arith.select %73, %76, %78 : f64
                %80 = arith.mulf %66, %70 : f64
                %81 = arith.addf %80, %79 : f64
                %82 = arith.addf %74, %81 : f64
                scf.yield %82 : f64
              }
              scf.yield %72 : f64
            }
            scf.yield %68 : f64
          }
          scf.yield %10 : f64
        }
        scf.yield %5 : f64
      }
      scf.yield %3 : f64
    }
    return %1 : f64
  }
  func.func private @hal_log(%arg0: f64) -> f64 {
    %cst = arith.constant 0x7FF0000000000000 : f64
    %cst_0 = arith.constant 0.000000e+00 : f64
    %cst_1 = arith.constant 0xFFF0000000000000 : f64
    %cst_2 = arith.constant 0x7FF8000000000000 : f64
    %cst_3 = arith.constant 2.2250738585072014E-308 : f64
    %cst_4 = arith.constant 0x4350000000000000 : f64
    %c4503599627370495_i64 = arith.constant 4503599627370495 : i64
    %c4607182418800017408_i64 = arith.constant 4607182418800017408 : i64
    %cst_5 = arith.constant 1.4142135623730951 : f64
    %cst_6 = arith.constant 5.000000e-01 : f64
    %cst_7 = arith.constant -1.000000e+00 : f64
    %cst_8 = arith.constant 2.000000e+00 : f64
    %cst_9 = arith.constant 8.000000e-02 : f64
    %cst_10 = arith.constant 0.086956521739130432 : f64
    %cst_11 = arith.constant 0.095238095238095233 : f64
    %cst_12 = arith.constant 0.10526315789473684 : f64
    %cst_13 = arith.constant 0.11764705882352941 : f64
    %cst_14 = arith.constant 0.13333333333333333 : f64
    %cst_15 = arith.constant 0.15384615384615385 : f64
    %cst_16 = arith.constant 0.18181818181818182 : f64
    %cst_17 = arith.constant 0.22222222222222221 : f64
    %cst_18 = arith.constant 0.2857142857142857 : f64
    %cst_19 = arith.constant 4.000000e-01 : f64
    %cst_20 = arith.constant 0.66666666666666663 : f64
    %c52_i64 = arith.constant 52 : i64
    %c-1077_i32 = arith.constant -1077 : i32
    %c-1023_i32 = arith.constant -1023 : i32
    %cst_21 = arith.constant 0.69314718036912382 : f64
    %cst_22 = arith.constant 1.9082149292705877E-10 : f64
    %0 = arith.cmpf ogt, %arg0, %cst_0 : f64
    %1 = arith.cmpf olt, %arg0, %cst : f64
    %2 = arith.andi %0, %1 : i1
    %3 = arith.cmpf ueq, %arg0, %cst : f64
    %4 = arith.cmpf oeq, %arg0, %cst_0 : f64
    %5 = arith.select %4, %cst_1, %cst_2 : f64
    %6 = arith.select %3, %arg0, %5 : f64
    %7 = scf.if %2 -> (f64) {
      %8 = arith.cmpf olt, %arg0, %cst_3 : f64
      %9 = arith.mulf %arg0, %cst_4 : f64
      %10 = arith.select %8, %9, %arg0 : f64
      %11 = arith.bitcast %10 : f64 to i64
      %12 = arith.andi %11, %c4503599627370495_i64 : i64
      %13 = arith.ori %12, %c4607182418800017408_i64 : i64
      %14 = arith.bitcast %13 : i64 to f64
      %15 = arith.cmpf ogt, %14, %cst_5 : f64
      %16 = arith.mulf %14, %cst_6 : f64
      %17 = arith.select %15, %16, %14 : f64
      %18 = arith.addf %17, %cst_7 : f64
      %19 = arith.addf %18, %cst_8 : f64
      %20 = arith.divf %18, %19 : f64
      %21 = arith.mulf %20, %20 : f64
      %22 = arith.mulf %21, %cst_9 : f64
      %23 = arith.addf %22, %cst_10 : f64
      %24 = arith.mulf %21, %23 : f64
      %25 = arith.addf %24, %cst_11 : f64
      %26 = arith.mulf %21, %25 : f64
      %27 = arith.addf %26, %cst_12 : f64
      %28 = arith.mulf %21, %27 : f64
      %29 = arith.addf %28, %cst_13 : f64
      %30 = arith.mulf %21, %29 : f64
      %31 = arith.addf %30, %cst_14 : f64
      %32 = arith.mulf %21, %31 : f64
      %33 = arith.addf %32, %cst_15 : f64
      %34 = arith.mulf %21, %33 : f64
      %35 = arith.addf %34, %cst_16 : f64
      %36 = arith.mulf %21, %35 : f64
      %37 = arith.addf %36, %cst_17 : f64
      %38 = arith.mulf %21, %37 : f64
      %39 = arith.addf %38, %cst_18 : f64
      %40 = arith.mulf %21, %39 : f64
      %41 = arith.addf %40, %cst_19 : f64
      %42 = arith.mulf %21, %41 : f64
      %43 = arith.addf %42, %cst_20 : f64
      %44 = arith.shrui %11, %c52_i64 : i64
      %45 = arith.trunci %44 : i64 to i32
      %46 = arith.extui %15 : i1 to i32
      %47 = arith.select %8, %c-1077_i32, %c-1023_i32 : i32
      %48 = arith.addi %47, %45 : i32
      %49 = arith.addi %48, %46 : i32
      %50 = arith.mulf %18, %18 : f64
      %51 = arith.mulf %50, %cst_6 : f64
      %52 = arith.mulf %21, %43 : f64
      %53 = arith.addf %51, %52 : f64
      %54 = arith.mulf %20, %53 : f64
      %55 = arith.subf %51, %54 : f64
      %56 = arith.sitofp %49 : i32 to f64
      %57 = arith.mulf %56, %cst_21 : f64
      %58 = arith.mulf %56, %cst_22 : f64
      %59 = arith.subf %58, %55 : f64
      %60 = arith.addf %18, %59 : f64
      %61 = arith.addf %57, %60 : f64
      scf.yield %61 : f64
    } else {
      scf.yield %6 : f64
    }
    return %7 : f64
  }
  func.func private @hal_log2(%arg0: f64) -> f64 {
    %cst = arith.constant 0x7FF0000000000000 : f64
    %cst_0 = arith.constant 0.000000e+00 : f64
    %cst_1 = arith.constant 0xFFF0000000000000 : f64
    %cst_2 = arith.constant 0x7FF8000000000000 : f64
    %cst_3 = arith.constant 2.2250738585072014E-308 : f64
    %cst_4 = arith.constant 0x4350000000000000 : f64
    %c4503599627370495_i64 = arith.constant 4503599627370495 : i64
    %c4607182418800017408_i64 = arith.constant 4607182418800017408 : i64
    %cst_5 = arith.constant 1.4142135623730951 : f64
    %cst_6 = arith.constant 5.000000e-01 : f64
    %cst_7 = arith.constant -1.000000e+00 : f64
    %cst_8 = arith.constant 2.000000e+00 : f64
    %cst_9 = arith.constant 8.000000e-02 : f64
    %cst_10 = arith.constant 0.086956521739130432 : f64
    %cst_11 = arith.constant 0.095238095238095233 : f64
    %cst_12 = arith.constant 0.10526315789473684 : f64
    %cst_13 = arith.constant 0.11764705882352941 : f64
    %cst_14 = arith.constant 0.13333333333333333 : f64
    %cst_15 = arith.constant 0.15384615384615385 : f64
    %cst_16 = arith.constant 0.18181818181818182 : f64
    %cst_17 = arith.constant 0.22222222222222221 : f64
    %cst_18 = arith.constant 0.2857142857142857 : f64
    %cst_19 = arith.constant 4.000000e-01 : f64
    %cst_20 = arith.constant 0.66666666666666663 : f64
    %c52_i64 = arith.constant 52 : i64
    %c-1077_i32 = arith.constant -1077 : i32
    %c-1023_i32 = arith.constant -1023 : i32
    %cst_21 = arith.constant 1.4426950408889634 : f64
    %c-134217728_i64 = arith.constant -134217728 : i64
    %cst_22 = arith.constant 1.4426950216293335 : f64
    %cst_23 = arith.constant 1.9259629890910901E-8 : f64
    %cst_24 = arith.constant 2.0355273740931033E-17 : f64
    %cst_25 = arith.constant 2.03552733350044E-17 : f64
    %cst_26 = arith.constant 4.059266335158565E-25 : f64
    %0 = arith.cmpf ogt, %arg0, %cst_0 : f64
    %1 = arith.cmpf olt, %arg0, %cst : f64
    %2 = arith.andi %0, %1 : i1
    %3 = arith.cmpf ueq, %arg0, %cst : f64
    %4 = arith.cmpf oeq, %arg0, %cst_0 : f64
    %5 = arith.select %4, %cst_1, %cst_2 : f64
    %6 = arith.select %3, %arg0, %5 : f64
    %7 = scf.if %2 -> (f64) {
      %8 = arith.cmpf olt, %arg0, %cst_3 : f64
      %9 = arith.mulf %arg0, %cst_4 : f64
      %10 = arith.select %8, %9, %arg0 : f64
      %11 = arith.bitcast %10 : f64 to i64
      %12 = arith.andi %11, %c4503599627370495_i64 : i64
      %13 = arith.ori %12, %c4607182418800017408_i64 : i64
      %14 = arith.bitcast %13 : i64 to f64
      %15 = arith.cmpf ogt, %14, %cst_5 : f64
      %16 = arith.mulf %14, %cst_6 : f64
      %17 = arith.select %15, %16, %14 : f64
      %18 = arith.addf %17, %cst_7 : f64
      %19 = arith.addf %18, %cst_8 : f64
      %20 = arith.divf %18, %19 : f64
      %21 = arith.mulf %20, %20 : f64
      %22 = arith.mulf %21, %cst_9 : f64
      %23 = arith.addf %22, %cst_10 : f64
      %24 = arith.mulf %21, %23 : f64
      %25 = arith.addf %24, %cst_11 : f64
      %26 = arith.mulf %21, %25 : f64
      %27 = arith.addf %26, %cst_12 : f64
      %28 = arith.mulf %21, %27 : f64
      %29 = arith.addf %28, %cst_13 : f64
      %30 = arith.mulf %21, %29 : f64
      %31 = arith.addf %30, %cst_14 : f64
      %32 = arith.mulf %21, %31 : f64
      %33 = arith.addf %32, %cst_15 : f64
      %34 = arith.mulf %21, %33 : f64
      %35 = arith.addf %34, %cst_16 : f64
      %36 = arith.mulf %21, %35 : f64
      %37 = arith.addf %36, %cst_17 : f64
      %38 = arith.mulf %21, %37 : f64
      %39 = arith.addf %38, %cst_18 : f64
      %40 = arith.mulf %21, %39 : f64
      %41 = arith.addf %40, %cst_19 : f64
      %42 = arith.mulf %21, %41 : f64
      %43 = arith.addf %42, %cst_20 : f64
      %44 = arith.shrui %11, %c52_i64 : i64
      %45 = arith.trunci %44 : i64 to i32
      %46 = arith.extui %15 : i1 to i32
      %47 = arith.select %8, %c-1077_i32, %c-1023_i32 : i32
      %48 = arith.addi %47, %45 : i32
      %49 = arith.addi %48, %46 : i32
      %50 = arith.mulf %18, %18 : f64
      %51 = arith.mulf %50, %cst_6 : f64
      %52 = arith.mulf %21, %43 : f64
      %53 = arith.addf %51, %52 : f64
      %54 = arith.mulf %20, %53 : f64
      %55 = arith.subf %51, %54 : f64
      %56 = arith.negf %55 : f64
      %57 = arith.subf %18, %55 : f64
      %58 = arith.subf %57, %18 : f64
      %59 = arith.subf %56, %58 : f64
      %60 = arith.mulf %57, %cst_21 : f64
      %61 = arith.bitcast %57 : f64 to i64
      %62 = arith.andi %61, %c-134217728_i64 : i64
      %63 = arith.bitcast %62 : i64 to f64
      %64 = arith.subf %57, %63 : f64
      %65 = arith.mulf %63, %cst_22 : f64
      %66 = arith.subf %65, %60 : f64
      %67 = arith.mulf %63, %cst_23 : f64
      %68 = arith.addf %67, %66 : f64
      %69 = arith.mulf %64, %cst_22 : f64
      %70 = arith.addf %69, %68 : f64
      %71 = arith.mulf %64, %cst_23 : f64
      %72 = arith.addf %71, %70 : f64
      %73 = arith.sitofp %49 : i32 to f64
      %74 = arith.mulf %59, %cst_21 : f64
      %75 = arith.bitcast %59 : f64 to i64
      %76 = arith.andi %75, %c-134217728_i64 : i64
      %77 = arith.bitcast %76 : i64 to f64
      %78 = arith.subf %59, %77 : f64
      %79 = arith.mulf %77, %cst_22 : f64
      %80 = arith.subf %79, %74 : f64
      %81 = arith.mulf %77, %cst_23 : f64
      %82 = arith.addf %81, %80 : f64
      %83 = arith.mulf %78, %cst_22 : f64
      %84 = arith.addf %83, %82 : f64
      %85 = arith.mulf %78, %cst_23 : f64
      %86 = arith.addf %85, %84 : f64
      %87 = arith.addf %74, %72 : f64
      %88 = arith.subf %87, %74 : f64
      %89 = arith.subf %87, %88 : f64
      %90 = arith.subf %74, %89 : f64
      %91 = arith.subf %72, %88 : f64
      %92 = arith.addf %91, %90 : f64
      %93 = arith.addf %86, %92 : f64
      %94 = arith.addf %87, %93 : f64
      %95 = arith.mulf %57, %cst_24 : f64
      %96 = arith.mulf %63, %cst_25 : f64
      %97 = arith.subf %96, %95 : f64
      %98 = arith.mulf %63, %cst_26 : f64
      %99 = arith.addf %98, %97 : f64
      %100 = arith.mulf %64, %cst_25 : f64
      %101 = arith.addf %100, %99 : f64
      %102 = arith.mulf %64, %cst_26 : f64
      %103 = arith.addf %102, %101 : f64
      %104 = arith.addf %95, %94 : f64
      %105 = arith.subf %104, %95 : f64
      %106 = arith.subf %104, %105 : f64
      %107 = arith.subf %95, %106 : f64
      %108 = arith.subf %94, %105 : f64
      %109 = arith.addf %108, %107 : f64
      %110 = arith.addf %103, %109 : f64
      %111 = arith.addf %104, %110 : f64
      %112 = arith.addf %60, %111 : f64
      %113 = arith.addf %112, %73 : f64
      scf.yield %113 : f64
    } else {
      scf.yield %6 : f64
    }
    return %7 : f64
  }
  func.func private @hal_log10(%arg0: f64) -> f64 {
    %cst = arith.constant 0x7FF0000000000000 : f64
    %cst_0 = arith.constant 0.000000e+00 : f64
    %cst_1 = arith.constant 0xFFF0000000000000 : f64
    %cst_2 = arith.constant 0x7FF8000000000000 : f64
    %cst_3 = arith.constant 2.2250738585072014E-308 : f64
    %cst_4 = arith.constant 0x4350000000000000 : f64
    %c4503599627370495_i64 = arith.constant 4503599627370495 : i64
    %c4607182418800017408_i64 = arith.constant 4607182418800017408 : i64
    %cst_5 = arith.constant 1.4142135623730951 : f64
    %cst_6 = arith.constant 5.000000e-01 : f64
    %cst_7 = arith.constant -1.000000e+00 : f64
    %cst_8 = arith.constant 2.000000e+00 : f64
    %cst_9 = arith.constant 8.000000e-02 : f64
    %cst_10 = arith.constant 0.086956521739130432 : f64
    %cst_11 = arith.constant 0.095238095238095233 : f64
    %cst_12 = arith.constant 0.10526315789473684 : f64
    %cst_13 = arith.constant 0.11764705882352941 : f64
    %cst_14 = arith.constant 0.13333333333333333 : f64
    %cst_15 = arith.constant 0.15384615384615385 : f64
    %cst_16 = arith.constant 0.18181818181818182 : f64
    %cst_17 = arith.constant 0.22222222222222221 : f64
    %cst_18 = arith.constant 0.2857142857142857 : f64
    %cst_19 = arith.constant 4.000000e-01 : f64
    %cst_20 = arith.constant 0.66666666666666663 : f64
    %c52_i64 = arith.constant 52 : i64
    %c-1077_i32 = arith.constant -1077 : i32
    %c-1023_i32 = arith.constant -1023 : i32
    %cst_21 = arith.constant 0.43429448190325182 : f64
    %c-134217728_i64 = arith.constant -134217728 : i64
    %cst_22 = arith.constant 0.43429447710514069 : f64
    %cst_23 = arith.constant 4.7981111306327762E-9 : f64
    %cst_24 = arith.constant 1.0983196502167651E-17 : f64
    %cst_25 = arith.constant 1.0983196433204316E-17 : f64
    %cst_26 = arith.constant 6.8963334292300686E-26 : f64
    %cst_27 = arith.constant 0.30102999554947019 : f64
    %cst_28 = arith.constant 1.1451100898021838E-10 : f64
    %0 = arith.cmpf ogt, %arg0, %cst_0 : f64
    %1 = arith.cmpf olt, %arg0, %cst : f64
    %2 = arith.andi %0, %1 : i1
    %3 = arith.cmpf ueq, %arg0, %cst : f64
    %4 = arith.cmpf oeq, %arg0, %cst_0 : f64
    %5 = arith.select %4, %cst_1, %cst_2 : f64
    %6 = arith.select %3, %arg0, %5 : f64
    %7 = scf.if %2 -> (f64) {
      %8 = arith.cmpf olt, %arg0, %cst_3 : f64
      %9 = arith.mulf %arg0, %cst_4 : f64
      %10 = arith.select %8, %9, %arg0 : f64
      %11 = arith.bitcast %10 : f64 to i64
      %12 = arith.andi %11, %c4503599627370495_i64 : i64
      %13 = arith.ori %12, %c4607182418800017408_i64 : i64
      %14 = arith.bitcast %13 : i64 to f64
      %15 = arith.cmpf ogt, %14, %cst_5 : f64
      %16 = arith.mulf %14, %cst_6 : f64
      %17 = arith.select %15, %16, %14 : f64
      %18 = arith.addf %17, %cst_7 : f64
      %19 = arith.addf %18, %cst_8 : f64
      %20 = arith.divf %18, %19 : f64
      %21 = arith.mulf %20, %20 : f64
      %22 = arith.mulf %21, %cst_9 : f64
      %23 = arith.addf %22, %cst_10 : f64
      %24 = arith.mulf %21, %23 : f64
      %25 = arith.addf %24, %cst_11 : f64
      %26 = arith.mulf %21, %25 : f64
      %27 = arith.addf %26, %cst_12 : f64
      %28 = arith.mulf %21, %27 : f64
      %29 = arith.addf %28, %cst_13 : f64
      %30 = arith.mulf %21, %29 : f64
      %31 = arith.addf %30, %cst_14 : f64
      %32 = arith.mulf %21, %31 : f64
      %33 = arith.addf %32, %cst_15 : f64
      %34 = arith.mulf %21, %33 : f64
      %35 = arith.addf %34, %cst_16 : f64
      %36 = arith.mulf %21, %35 : f64
      %37 = arith.addf %36, %cst_17 : f64
      %38 = arith.mulf %21, %37 : f64
      %39 = arith.addf %38, %cst_18 : f64
      %40 = arith.mulf %21, %39 : f64
      %41 = arith.addf %40, %cst_19 : f64
      %42 = arith.mulf %21, %41 : f64
      %43 = arith.addf %42, %cst_20 : f64
      %44 = arith.shrui %11, %c52_i64 : i64
      %45 = arith.trunci %44 : i64 to i32
      %46 = arith.extui %15 : i1 to i32
      %47 = arith.select %8, %c-1077_i32, %c-1023_i32 : i32
      %48 = arith.addi %47, %45 : i32
      %49 = arith.addi %48, %46 : i32
      %50 = arith.mulf %18, %18 : f64
      %51 = arith.mulf %50, %cst_6 : f64
      %52 = arith.mulf %21, %43 : f64
      %53 = arith.addf %51, %52 : f64
      %54 = arith.mulf %20, %53 : f64
      %55 = arith.subf %51, %54 : f64
      %56 = arith.negf %55 : f64
      %57 = arith.subf %18, %55 : f64
      %58 = arith.subf %57, %18 : f64
      %59 = arith.subf %56, %58 : f64
      %60 = arith.mulf %57, %cst_21 : f64
      %61 = arith.bitcast %57 : f64 to i64
      %62 = arith.andi %61, %c-134217728_i64 : i64
      %63 = arith.bitcast %62 : i64 to f64
      %64 = arith.subf %57, %63 : f64
      %65 = arith.mulf %63, %cst_22 : f64
      %66 = arith.subf %65, %60 : f64
      %67 = arith.mulf %63, %cst_23 : f64
      %68 = arith.addf %67, %66 : f64
      %69 = arith.mulf %64, %cst_22 : f64
      %70 = arith.addf %69, %68 : f64
      %71 = arith.mulf %64, %cst_23 : f64
      %72 = arith.addf %71, %70 : f64
      %73 = arith.mulf %59, %cst_21 : f64
      %74 = arith.bitcast %59 : f64 to i64
      %75 = arith.andi %74, %c-134217728_i64 : i64
      %76 = arith.bitcast %75 : i64 to f64
      %77 = arith.subf %59, %76 : f64
      %78 = arith.mulf %76, %cst_22 : f64
      %79 = arith.subf %78, %73 : f64
      %80 = arith.mulf %76, %cst_23 : f64
      %81 = arith.addf %80, %79 : f64
      %82 = arith.mulf %77, %cst_22 : f64
      %83 = arith.addf %82, %81 : f64
      %84 = arith.mulf %77, %cst_23 : f64
      %85 = arith.addf %84, %83 : f64
      %86 = arith.addf %73, %72 : f64
      %87 = arith.subf %86, %73 : f64
      %88 = arith.subf %86, %87 : f64
      %89 = arith.subf %73, %88 : f64
      %90 = arith.subf %72, %87 : f64
      %91 = arith.addf %90, %89 : f64
      %92 = arith.addf %85, %91 : f64
      %93 = arith.addf %86, %92 : f64
      %94 = arith.mulf %57, %cst_24 : f64
      %95 = arith.mulf %63, %cst_25 : f64
      %96 = arith.subf %95, %94 : f64
      %97 = arith.mulf %63, %cst_26 : f64
      %98 = arith.addf %97, %96 : f64
      %99 = arith.mulf %64, %cst_25 : f64
      %100 = arith.addf %99, %98 : f64
      %101 = arith.mulf %64, %cst_26 : f64
      %102 = arith.addf %101, %100 : f64
      %103 = arith.addf %94, %93 : f64
      %104 = arith.subf %103, %94 : f64
      %105 = arith.subf %103, %104 : f64
      %106 = arith.subf %94, %105 : f64
      %107 = arith.subf %93, %104 : f64
      %108 = arith.addf %107, %106 : f64
      %109 = arith.addf %102, %108 : f64
      %110 = arith.addf %103, %109 : f64
      %111 = arith.sitofp %49 : i32 to f64
      %112 = arith.mulf %111, %cst_27 : f64
      %113 = arith.mulf %111, %cst_28 : f64
      %114 = arith.addf %113, %110 : f64
      %115 = arith.addf %60, %114 : f64
      %116 = arith.addf %112, %115 : f64
      scf.yield %116 : f64
    } else {
      scf.yield %6 : f64
    }
    return %7 : f64
  }
  func.func private @hal_log1p(%arg0: f64) -> f64 {
    %cst = arith.constant 0x7FF0000000000000 : f64
    %cst_0 = arith.constant 5.5511151231257827E-17 : f64
    %cst_1 = arith.constant -1.000000e+00 : f64
    %cst_2 = arith.constant 0xFFF0000000000000 : f64
    %cst_3 = arith.constant 0x7FF8000000000000 : f64
    %cst_4 = arith.constant -2.500000e-01 : f64
    %cst_5 = arith.constant 4.000000e-01 : f64
    %cst_6 = arith.constant 1.000000e+00 : f64
    %cst_7 = arith.constant 2.000000e+00 : f64
    %cst_8 = arith.constant 8.000000e-02 : f64
    %cst_9 = arith.constant 0.086956521739130432 : f64
    %cst_10 = arith.constant 0.095238095238095233 : f64
    %cst_11 = arith.constant 0.10526315789473684 : f64
    %cst_12 = arith.constant 0.11764705882352941 : f64
    %cst_13 = arith.constant 0.13333333333333333 : f64
    %cst_14 = arith.constant 0.15384615384615385 : f64
    %cst_15 = arith.constant 0.18181818181818182 : f64
    %cst_16 = arith.constant 0.22222222222222221 : f64
    %cst_17 = arith.constant 0.2857142857142857 : f64
    %cst_18 = arith.constant 0.66666666666666663 : f64
    %cst_19 = arith.constant 5.000000e-01 : f64
    %0 = arith.cmpf ueq, %arg0, %cst : f64
    %1 = math.absf %arg0 : f64
    %2 = arith.cmpf olt, %1, %cst_0 : f64
    %3 = arith.ori %0, %2 : i1
    %4 = scf.if %3 -> (f64) {
      scf.yield %arg0 : f64
    } else {
      %5 = arith.cmpf ugt, %arg0, %cst_1 : f64
      %6 = scf.if %5 -> (f64) {
        %7 = arith.cmpf ogt, %arg0, %cst_4 : f64
        %8 = arith.cmpf olt, %arg0, %cst_5 : f64
        %9 = arith.andi %7, %8 : i1
        %10 = scf.if %9 -> (f64) {
          %11 = arith.addf %arg0, %cst_7 : f64
          %12 = arith.divf %arg0, %11 : f64
          %13 = arith.mulf %12, %12 : f64
          %14 = arith.mulf %13, %cst_8 : f64
          %15 = arith.addf %14, %cst_9 : f64
          %16 = arith.mulf %13, %15 : f64
          %17 = arith.addf %16, %cst_10 : f64
          %18 = arith.mulf %13, %17 : f64
          %19 = arith.addf %18, %cst_11 : f64
          %20 = arith.mulf %13, %19 : f64
          %21 = arith.addf %20, %cst_12 : f64
          %22 = arith.mulf %13, %21 : f64
          %23 = arith.addf %22, %cst_13 : f64
          %24 = arith.mulf %13, %23 : f64
          %25 = arith.addf %24, %cst_14 : f64
          %26 = arith.mulf %13, %25 : f64
          %27 = arith.addf %26, %cst_15 : f64
          %28 = arith.mulf %13, %27 : f64
          %29 = arith.addf %28, %cst_16 : f64
          %30 = arith.mulf %13, %29 : f64
          %31 = arith.addf %30, %cst_17 : f64
          %32 = arith.mulf %13, %31 : f64
          %33 = arith.addf %32, %cst_5 : f64
          %34 = arith.mulf %13, %33 : f64
          %35 = arith.addf %34, %cst_18 : f64
          %36 = arith.mulf %arg0, %arg0 : f64
          %37 = arith.mulf %36, %cst_19 : f64
          %38 = arith.mulf %13, %35 : f64
          %39 = arith.addf %37, %38 : f64
          %40 = arith.mulf %12, %39 : f64
          %41 = arith.subf %40, %37 : f64
          %42 = arith.addf %arg0, %41 : f64
          scf.yield %42 : f64
        } else {
          %11 = arith.addf %arg0, %cst_6 : f64
          %12 = arith.cmpf ogt, %arg0, %cst_6 : f64
          %13 = arith.subf %arg0, %11 : f64
          %14 = arith.addf %13, %cst_6 : f64
          %15 = arith.addf %11, %cst_1 : f64
          %16 = arith.subf %arg0, %15 : f64
          %17 = arith.select %12, %14, %16 : f64
          %18 = func.call @hal_log(%11) : (f64) -> f64
          %19 = arith.divf %17, %11 : f64
          %20 = arith.addf %19, %18 : f64
          scf.yield %20 : f64
        }
        scf.yield %10 : f64
      } else {
        %7 = arith.cmpf oeq, %arg0, %cst_1 : f64
        %8 = arith.select %7, %cst_2, %cst_3 : f64
        scf.yield %8 : f64
      }
      scf.yield %6 : f64
    }
    return %4 : f64
  }
  func.func private @hal_pow(%arg0: f64, %arg1: f64) -> f64 {
    %cst = arith.constant 0xFFF0000000000000 : f64
    %c0_i32 = arith.constant 0 : i32
    %cst_0 = arith.constant 0x4340000000000000 : f64
    %c2_i32 = arith.constant 2 : i32
    %c0_i64 = arith.constant 0 : i64
    %c1_i64 = arith.constant 1 : i64
    %c1_i32 = arith.constant 1 : i32
    %cst_1 = arith.constant 0x7FF0000000000000 : f64
    %cst_2 = arith.constant 0.000000e+00 : f64
    %cst_3 = arith.constant 1.000000e+00 : f64
    %cst_4 = arith.constant 0x7FF8000000000000 : f64
    %0 = math.absf %arg0 : f64
    %1 = math.absf %arg1 : f64
    %2 = arith.cmpf ult, %1, %cst_0 : f64
    %3 = scf.if %2 -> (i32) {
      %18 = arith.cmpf olt, %1, %cst_0 : f64
      %19 = arith.fptosi %1 : f64 to i64
      %20 = arith.select %18, %19, %c0_i64 : i64
      %21 = arith.sitofp %20 : i64 to f64
      %22 = arith.cmpf une, %1, %21 : f64
      %23 = scf.if %22 -> (i32) {
        scf.yield %c0_i32 : i32
      } else {
        %24 = arith.andi %20, %c1_i64 : i64
        %25 = arith.cmpi eq, %24, %c0_i64 : i64
        %26 = arith.select %25, %c2_i32, %c1_i32 : i32
        scf.yield %26 : i32
      }
      scf.yield %23 : i32
    } else {
      scf.yield %c2_i32 : i32
    }
    %4 = arith.cmpf oeq, %1, %cst_1 : f64
    %5 = arith.cmpf oeq, %arg1, %cst_2 : f64
    %6 = arith.cmpf oeq, %arg0, %cst_3 : f64
    %7 = arith.ori %6, %5 : i1
    %8 = arith.cmpf oeq, %0, %cst_3 : f64
    %9 = arith.andi %8, %4 : i1
    %10 = arith.ori %7, %9 : i1
    %11 = scf.if %10 -> (f64) {
      scf.yield %cst_3 : f64
    } else {
      %18 = arith.cmpf ord, %arg0, %arg1 : f64
      %19 = scf.if %18 -> (f64) {
        %20 = arith.cmpf olt, %arg0, %cst_2 : f64
        %21 = arith.cmpf ogt, %arg0, %cst : f64
        %22 = arith.andi %20, %21 : i1
        %23 = arith.cmpi eq, %3, %c0_i32 : i32
        %24 = arith.andi %22, %23 : i1
        %25 = scf.if %24 -> (f64) {
          scf.yield %cst_4 : f64
        } else {
          %26 = arith.cmpf oeq, %arg0, %cst : f64
          %27 = arith.cmpf oeq, %arg0, %cst_2 : f64
          %28 = arith.ori %26, %27 : i1
          %29 = arith.cmpf oeq, %arg0, %cst_1 : f64
          %30 = arith.ori %28, %29 : i1
          %31 = arith.ori %30, %4 : i1
          %32 = scf.if %31 -> (f64) {
            %33 = arith.cmpf olt, %0, %cst_3 : f64
            %34 = arith.cmpf ule, %arg1, %cst_2 : f64
            %35 = arith.xori %33, %34 : i1
            %36 = arith.select %35, %cst_2, %cst_1 : f64
            scf.yield %36 : f64
          } else {
            %33 = func.call @power(%0, %arg1) : (f64, f64) -> f64
            scf.yield %33 : f64
          }
          scf.yield %32 : f64
        }
        scf.yield %25 : f64
      } else {
        scf.yield %cst_4 : f64
      }
      scf.yield %19 : f64
    }
    %12 = arith.bitcast %arg0 : f64 to i64
    %13 = arith.cmpi slt, %12, %c0_i64 : i64
    %14 = arith.cmpi eq, %3, %c1_i32 : i32
    %15 = arith.andi %13, %14 : i1
    %16 = arith.negf %11 : f64
    %17 = arith.select %15, %16, %11 : f64
    return %17 : f64
  }
  func.func private @power(%arg0: f64, %arg1: f64) -> f64 {
    %c0_i32 = arith.constant 0 : i32
    %cst = arith.constant 2.2250738585072014E-308 : f64
    %cst_0 = arith.constant 0x4350000000000000 : f64
    %c4503599627370495_i64 = arith.constant 4503599627370495 : i64
    %c4607182418800017408_i64 = arith.constant 4607182418800017408 : i64
    %cst_1 = arith.constant 1.4142135623730951 : f64
    %cst_2 = arith.constant 5.000000e-01 : f64
    %cst_3 = arith.constant -1.000000e+00 : f64
    %cst_4 = arith.constant 2.000000e+00 : f64
    %cst_5 = arith.constant 8.000000e-02 : f64
    %cst_6 = arith.constant 0.086956521739130432 : f64
    %cst_7 = arith.constant 0.095238095238095233 : f64
    %cst_8 = arith.constant 0.10526315789473684 : f64
    %cst_9 = arith.constant 0.11764705882352941 : f64
    %cst_10 = arith.constant 0.13333333333333333 : f64
    %cst_11 = arith.constant 0.15384615384615385 : f64
    %cst_12 = arith.constant 0.18181818181818182 : f64
    %cst_13 = arith.constant 0.22222222222222221 : f64
    %cst_14 = arith.constant 0.2857142857142857 : f64
    %cst_15 = arith.constant 4.000000e-01 : f64
    %c52_i64 = arith.constant 52 : i64
    %c-1077_i32 = arith.constant -1077 : i32
    %c-1023_i32 = arith.constant -1023 : i32
    %c-134217728_i64 = arith.constant -134217728 : i64
    %cst_16 = arith.constant -2.000000e+00 : f64
    %cst_17 = arith.constant 0.66666666666666663 : f64
    %cst_18 = arith.constant 0.6666666567325592 : f64
    %cst_19 = arith.constant 9.93410742555767E-9 : f64
    %cst_20 = arith.constant 3.7007434154171883E-17 : f64
    %cst_21 = arith.constant 3.7007433602718143E-17 : f64
    %cst_22 = arith.constant 5.5145373964769318E-25 : f64
    %cst_23 = arith.constant 0.69314718055994529 : f64
    %cst_24 = arith.constant 0.69314716756343842 : f64
    %cst_25 = arith.constant 1.299650687069942E-8 : f64
    %cst_26 = arith.constant 2.3190468138462996E-17 : f64
    %cst_27 = arith.constant 2.3190467971754404E-17 : f64
    %cst_28 = arith.constant 1.6670859151228438E-25 : f64
    %cst_29 = arith.constant 8.000000e+02 : f64
    %cst_30 = arith.constant 0.000000e+00 : f64
    %cst_31 = arith.constant 0x7FF0000000000000 : f64
    %0 = arith.cmpf olt, %arg0, %cst : f64
    %1 = arith.mulf %arg0, %cst_0 : f64
    %2 = arith.select %0, %1, %arg0 : f64
    %3 = arith.bitcast %2 : f64 to i64
    %4 = arith.andi %3, %c4503599627370495_i64 : i64
    %5 = arith.ori %4, %c4607182418800017408_i64 : i64
    %6 = arith.bitcast %5 : i64 to f64
    %7 = arith.cmpf ogt, %6, %cst_1 : f64
    %8 = arith.mulf %6, %cst_2 : f64
    %9 = arith.select %7, %8, %6 : f64
    %10 = arith.addf %9, %cst_3 : f64
    %11 = arith.addf %10, %cst_4 : f64
    %12 = arith.divf %10, %11 : f64
    %13 = arith.mulf %12, %12 : f64
    %14 = arith.mulf %13, %cst_5 : f64
    %15 = arith.addf %14, %cst_6 : f64
    %16 = arith.mulf %13, %15 : f64
    %17 = arith.addf %16, %cst_7 : f64
    %18 = arith.mulf %13, %17 : f64
    %19 = arith.addf %18, %cst_8 : f64
    %20 = arith.mulf %13, %19 : f64
    %21 = arith.addf %20, %cst_9 : f64
    %22 = arith.mulf %13, %21 : f64
    %23 = arith.addf %22, %cst_10 : f64
    %24 = arith.mulf %13, %23 : f64
    %25 = arith.addf %24, %cst_11 : f64
    %26 = arith.mulf %13, %25 : f64
    %27 = arith.addf %26, %cst_12 : f64
    %28 = arith.mulf %13, %27 : f64
    %29 = arith.addf %28, %cst_13 : f64
    %30 = arith.mulf %13, %29 : f64
    %31 = arith.addf %30, %cst_14 : f64
    %32 = arith.mulf %13, %31 : f64
    %33 = arith.addf %32, %cst_15 : f64
    %34 = arith.shrui %3, %c52_i64 : i64
    %35 = arith.trunci %34 : i64 to i32
    %36 = arith.extui %7 : i1 to i32
    %37 = arith.select %0, %c-1077_i32, %c-1023_i32 : i32
    %38 = arith.addi %37, %35 : i32
    %39 = arith.addi %38, %36 : i32
    %40 = arith.negf %12 : f64
    %41 = arith.mulf %11, %40 : f64
    %42 = arith.bitcast %40 : f64 to i64
    %43 = arith.andi %42, %c-134217728_i64 : i64
    %44 = arith.bitcast %43 : i64 to f64
    %45 = arith.subf %40, %44 : f64
    %46 = arith.bitcast %11 : f64 to i64
    %47 = arith.andi %46, %c-134217728_i64 : i64
    %48 = arith.bitcast %47 : i64 to f64
    %49 = arith.subf %11, %48 : f64
    %50 = arith.mulf %48, %44 : f64
    %51 = arith.subf %50, %41 : f64
    %52 = arith.mulf %49, %44 : f64
    %53 = arith.addf %52, %51 : f64
    %54 = arith.mulf %45, %48 : f64
    %55 = arith.addf %54, %53 : f64
    %56 = arith.mulf %49, %45 : f64
    %57 = arith.addf %56, %55 : f64
    %58 = arith.addf %10, %41 : f64
    %59 = arith.subf %58, %41 : f64
    %60 = arith.subf %58, %59 : f64
    %61 = arith.subf %41, %60 : f64
    %62 = arith.subf %10, %59 : f64
    %63 = arith.addf %62, %61 : f64
    %64 = arith.addf %63, %57 : f64
    %65 = arith.addf %58, %64 : f64
    %66 = arith.addf %11, %cst_16 : f64
    %67 = arith.subf %10, %66 : f64
    %68 = arith.mulf %12, %67 : f64
    %69 = arith.subf %65, %68 : f64
    %70 = arith.divf %69, %11 : f64
    %71 = arith.bitcast %12 : f64 to i64
    %72 = arith.andi %71, %c-134217728_i64 : i64
    %73 = arith.bitcast %72 : i64 to f64
    %74 = arith.subf %12, %73 : f64
    %75 = arith.mulf %73, %73 : f64
    %76 = arith.subf %75, %13 : f64
    %77 = arith.mulf %74, %73 : f64
    %78 = arith.addf %76, %77 : f64
    %79 = arith.addf %77, %78 : f64
    %80 = arith.mulf %74, %74 : f64
    %81 = arith.addf %80, %79 : f64
    %82 = arith.mulf %12, %cst_4 : f64
    %83 = arith.mulf %82, %70 : f64
    %84 = arith.bitcast %82 : f64 to i64
    %85 = arith.andi %84, %c-134217728_i64 : i64
    %86 = arith.bitcast %85 : i64 to f64
    %87 = arith.subf %82, %86 : f64
    %88 = arith.bitcast %70 : f64 to i64
    %89 = arith.andi %88, %c-134217728_i64 : i64
    %90 = arith.bitcast %89 : i64 to f64
    %91 = arith.subf %70, %90 : f64
    %92 = arith.mulf %86, %90 : f64
    %93 = arith.subf %92, %83 : f64
    %94 = arith.mulf %91, %86 : f64
    %95 = arith.addf %93, %94 : f64
    %96 = arith.mulf %87, %90 : f64
    %97 = arith.addf %96, %95 : f64
    %98 = arith.mulf %87, %91 : f64
    %99 = arith.addf %98, %97 : f64
    %100 = arith.addf %81, %83 : f64
    %101 = arith.subf %100, %83 : f64
    %102 = arith.subf %100, %101 : f64
    %103 = arith.subf %83, %102 : f64
    %104 = arith.subf %81, %101 : f64
    %105 = arith.addf %104, %103 : f64
    %106 = arith.addf %105, %99 : f64
    %107 = arith.addf %100, %106 : f64
    %108 = arith.mulf %13, %cst_17 : f64
    %109 = arith.bitcast %13 : f64 to i64
    %110 = arith.andi %109, %c-134217728_i64 : i64
    %111 = arith.bitcast %110 : i64 to f64
    %112 = arith.subf %13, %111 : f64
    %113 = arith.mulf %111, %cst_18 : f64
    %114 = arith.subf %113, %108 : f64
    %115 = arith.mulf %111, %cst_19 : f64
    %116 = arith.addf %115, %114 : f64
    %117 = arith.mulf %112, %cst_18 : f64
    %118 = arith.addf %117, %116 : f64
    %119 = arith.mulf %112, %cst_19 : f64
    %120 = arith.addf %119, %118 : f64
    %121 = arith.mulf %13, %13 : f64
    %122 = arith.mulf %121, %33 : f64
    %123 = arith.bitcast %121 : f64 to i64
    %124 = arith.andi %123, %c-134217728_i64 : i64
    %125 = arith.bitcast %124 : i64 to f64
    %126 = arith.subf %121, %125 : f64
    %127 = arith.bitcast %33 : f64 to i64
    %128 = arith.andi %127, %c-134217728_i64 : i64
    %129 = arith.bitcast %128 : i64 to f64
    %130 = arith.subf %33, %129 : f64
    %131 = arith.mulf %125, %129 : f64
    %132 = arith.subf %131, %122 : f64
    %133 = arith.mulf %130, %125 : f64
    %134 = arith.addf %132, %133 : f64
    %135 = arith.mulf %126, %129 : f64
    %136 = arith.addf %135, %134 : f64
    %137 = arith.mulf %126, %130 : f64
    %138 = arith.addf %137, %136 : f64
    %139 = arith.addf %120, %122 : f64
    %140 = arith.subf %139, %122 : f64
    %141 = arith.subf %139, %140 : f64
    %142 = arith.subf %122, %141 : f64
    %143 = arith.subf %120, %140 : f64
    %144 = arith.addf %143, %142 : f64
    %145 = arith.addf %144, %138 : f64
    %146 = arith.addf %139, %145 : f64
    %147 = arith.mulf %13, %cst_20 : f64
    %148 = arith.mulf %111, %cst_21 : f64
    %149 = arith.subf %148, %147 : f64
    %150 = arith.mulf %111, %cst_22 : f64
    %151 = arith.addf %150, %149 : f64
    %152 = arith.mulf %112, %cst_21 : f64
    %153 = arith.addf %152, %151 : f64
    %154 = arith.mulf %112, %cst_22 : f64
    %155 = arith.addf %154, %153 : f64
    %156 = arith.addf %147, %146 : f64
    %157 = arith.subf %156, %147 : f64
    %158 = arith.subf %157, %156 : f64
    %159 = arith.addf %147, %158 : f64
    %160 = arith.subf %146, %157 : f64
    %161 = arith.addf %160, %159 : f64
    %162 = arith.addf %155, %161 : f64
    %163 = arith.addf %156, %162 : f64
    %164 = arith.mulf %107, %cst_17 : f64
    %165 = arith.bitcast %107 : f64 to i64
    %166 = arith.andi %165, %c-134217728_i64 : i64
    %167 = arith.bitcast %166 : i64 to f64
    %168 = arith.subf %107, %167 : f64
    %169 = arith.mulf %167, %cst_18 : f64
    %170 = arith.subf %169, %164 : f64
    %171 = arith.mulf %167, %cst_19 : f64
    %172 = arith.addf %171, %170 : f64
    %173 = arith.mulf %168, %cst_18 : f64
    %174 = arith.addf %173, %172 : f64
    %175 = arith.mulf %168, %cst_19 : f64
    %176 = arith.addf %175, %174 : f64
    %177 = arith.addf %164, %163 : f64
    %178 = arith.subf %177, %164 : f64
    %179 = arith.subf %177, %178 : f64
    %180 = arith.subf %164, %179 : f64
    %181 = arith.subf %163, %178 : f64
    %182 = arith.addf %181, %180 : f64
    %183 = arith.addf %176, %182 : f64
    %184 = arith.addf %177, %183 : f64
    %185 = arith.mulf %12, %108 : f64
    %186 = arith.bitcast %108 : f64 to i64
    %187 = arith.andi %186, %c-134217728_i64 : i64
    %188 = arith.bitcast %187 : i64 to f64
    %189 = arith.subf %108, %188 : f64
    %190 = arith.mulf %73, %188 : f64
    %191 = arith.subf %190, %185 : f64
    %192 = arith.mulf %74, %188 : f64
    %193 = arith.addf %192, %191 : f64
    %194 = arith.mulf %189, %73 : f64
    %195 = arith.addf %194, %193 : f64
    %196 = arith.mulf %74, %189 : f64
    %197 = arith.addf %196, %195 : f64
    %198 = arith.mulf %108, %70 : f64
    %199 = arith.mulf %188, %90 : f64
    %200 = arith.subf %199, %198 : f64
    %201 = arith.mulf %91, %188 : f64
    %202 = arith.addf %200, %201 : f64
    %203 = arith.mulf %189, %90 : f64
    %204 = arith.addf %203, %202 : f64
    %205 = arith.mulf %189, %91 : f64
    %206 = arith.addf %205, %204 : f64
    %207 = arith.addf %197, %198 : f64
    %208 = arith.subf %207, %198 : f64
    %209 = arith.subf %207, %208 : f64
    %210 = arith.subf %198, %209 : f64
    %211 = arith.subf %197, %208 : f64
    %212 = arith.addf %211, %210 : f64
    %213 = arith.addf %212, %206 : f64
    %214 = arith.addf %207, %213 : f64
    %215 = arith.mulf %12, %184 : f64
    %216 = arith.bitcast %184 : f64 to i64
    %217 = arith.andi %216, %c-134217728_i64 : i64
    %218 = arith.bitcast %217 : i64 to f64
    %219 = arith.subf %184, %218 : f64
    %220 = arith.mulf %73, %218 : f64
    %221 = arith.subf %220, %215 : f64
    %222 = arith.mulf %74, %218 : f64
    %223 = arith.addf %222, %221 : f64
    %224 = arith.mulf %219, %73 : f64
    %225 = arith.addf %224, %223 : f64
    %226 = arith.mulf %74, %219 : f64
    %227 = arith.addf %226, %225 : f64
    %228 = arith.addf %214, %215 : f64
    %229 = arith.subf %228, %215 : f64
    %230 = arith.subf %228, %229 : f64
    %231 = arith.subf %215, %230 : f64
    %232 = arith.subf %214, %229 : f64
    %233 = arith.addf %232, %231 : f64
    %234 = arith.addf %233, %227 : f64
    %235 = arith.addf %228, %234 : f64
    %236 = arith.addf %82, %185 : f64
    %237 = arith.subf %236, %82 : f64
    %238 = arith.subf %185, %237 : f64
    %239 = arith.mulf %70, %cst_4 : f64
    %240 = arith.addf %239, %235 : f64
    %241 = arith.addf %238, %240 : f64
    %242 = arith.sitofp %39 : i32 to f64
    %243 = arith.mulf %242, %cst_23 : f64
    %244 = arith.cmpi eq, %39, %c0_i32 : i32
    %245 = arith.addf %243, %236 : f64
    %246 = arith.select %244, %236, %245 : f64
    %247 = scf.if %244 -> (f64) {
      scf.yield %241 : f64
    } else {
      %253 = arith.subf %245, %243 : f64
      %254 = arith.subf %236, %253 : f64
      %255 = arith.bitcast %242 : f64 to i64
      %256 = arith.andi %255, %c-134217728_i64 : i64
      %257 = arith.bitcast %256 : i64 to f64
      %258 = arith.mulf %257, %cst_24 : f64
      %259 = arith.subf %258, %243 : f64
      %260 = arith.mulf %257, %cst_25 : f64
      %261 = arith.addf %260, %259 : f64
      %262 = arith.subf %242, %257 : f64
      %263 = arith.mulf %262, %cst_24 : f64
      %264 = arith.addf %263, %261 : f64
      %265 = arith.mulf %262, %cst_25 : f64
      %266 = arith.addf %265, %264 : f64
      %267 = arith.mulf %242, %cst_26 : f64
      %268 = arith.mulf %257, %cst_27 : f64
      %269 = arith.subf %268, %267 : f64
      %270 = arith.mulf %257, %cst_28 : f64
      %271 = arith.addf %270, %269 : f64
      %272 = arith.mulf %262, %cst_27 : f64
      %273 = arith.addf %272, %271 : f64
      %274 = arith.mulf %262, %cst_28 : f64
      %275 = arith.addf %274, %273 : f64
      %276 = arith.addf %267, %266 : f64
      %277 = arith.subf %276, %267 : f64
      %278 = arith.subf %276, %277 : f64
      %279 = arith.subf %267, %278 : f64
      %280 = arith.subf %266, %277 : f64
      %281 = arith.addf %280, %279 : f64
      %282 = arith.addf %275, %281 : f64
      %283 = arith.addf %276, %282 : f64
      %284 = arith.addf %283, %241 : f64
      %285 = arith.addf %254, %284 : f64
      scf.yield %285 : f64
    }
    %248 = arith.addf %246, %247 : f64
    %249 = arith.mulf %arg1, %248 : f64
    %250 = math.absf %249 : f64
    %251 = arith.cmpf ogt, %250, %cst_29 : f64
    %252 = scf.if %251 -> (f64) {
      %253 = arith.cmpf ogt, %249, %cst_30 : f64
      %254 = arith.select %253, %cst_31, %cst_30 : f64
      scf.yield %254 : f64
    } else {
      %253 = arith.subf %248, %246 : f64
      %254 = arith.subf %247, %253 : f64
      %255 = arith.bitcast %arg1 : f64 to i64
      %256 = arith.andi %255, %c-134217728_i64 : i64
      %257 = arith.bitcast %256 : i64 to f64
      %258 = arith.subf %arg1, %257 : f64
      %259 = arith.bitcast %248 : f64 to i64
      %260 = arith.andi %259, %c-134217728_i64 : i64
      %261 = arith.bitcast %260 : i64 to f64
      %262 = arith.subf %248, %261 : f64
      %263 = arith.mulf %257, %261 : f64
      %264 = arith.subf %263, %249 : f64
      %265 = arith.mulf %262, %257 : f64
      %266 = arith.addf %264, %265 : f64
      %267 = arith.mulf %258, %261 : f64
      %268 = arith.addf %267, %266 : f64
      %269 = arith.mulf %258, %262 : f64
      %270 = arith.addf %269, %268 : f64
      %271 = arith.mulf %arg1, %254 : f64
      %272 = arith.bitcast %254 : f64 to i64
      %273 = arith.andi %272, %c-134217728_i64 : i64
      %274 = arith.bitcast %273 : i64 to f64
      %275 = arith.subf %254, %274 : f64
      %276 = arith.mulf %257, %274 : f64
      %277 = arith.subf %276, %271 : f64
      %278 = arith.mulf %275, %257 : f64
      %279 = arith.addf %277, %278 : f64
      %280 = arith.mulf %258, %274 : f64
      %281 = arith.addf %280, %279 : f64
      %282 = arith.mulf %258, %275 : f64
      %283 = arith.addf %282, %281 : f64
      %284 = arith.addf %271, %270 : f64
      %285 = arith.subf %284, %271 : f64
      %286 = arith.subf %284, %285 : f64
      %287 = arith.subf %271, %286 : f64
      %288 = arith.subf %270, %285 : f64
      %289 = arith.addf %288, %287 : f64
      %290 = arith.addf %283, %289 : f64
      %291 = arith.addf %284, %290 : f64
      %292 = func.call @exp_pair(%249, %291) : (f64, f64) -> f64
      scf.yield %292 : f64
    }
    return %252 : f64
  }
  func.func private @hal_powi(%arg0: f64, %arg1: i32) -> f64 {
    %c1_i32 = arith.constant 1 : i32
    %c0_i32 = arith.constant 0 : i32
    %cst = arith.constant 1.000000e+00 : f64
    %0 = arith.cmpi eq, %arg1, %c0_i32 : i32
    %1 = scf.if %0 -> (f64) {
      scf.yield %cst : f64
    } else {
      %5 = math.absi %arg1 : i32
      %6:3 = scf.while (%arg2 = %arg0, %arg3 = %cst, %arg4 = %5) : (f64, f64, i32) -> (f64, f64, i32) {
        %7 = arith.andi %arg4, %c1_i32 : i32
        %8 = arith.cmpi eq, %7, %c0_i32 : i32
        %9 = arith.mulf %arg3, %arg2 : f64
        %10 = arith.select %8, %arg3, %9 : f64
        %11 = arith.shrui %arg4, %c1_i32 : i32
        %12 = arith.mulf %arg2, %arg2 : f64
        %13 = arith.cmpi ne, %11, %c0_i32 : i32
        scf.condition(%13) %12, %10, %11 : f64, f64, i32
      } do {
      ^bb0(%arg2: f64, %arg3: f64, %arg4: i32):
        scf.yield %arg2, %arg3, %arg4 : f64, f64, i32
      }
      scf.yield %6#1 : f64
    }
    %2 = arith.cmpi slt, %arg1, %c0_i32 : i32
    %3 = arith.divf %cst, %1 : f64
    %4 = arith.select %2, %3, %1 : f64
    return %4 : f64
  }
  func.func private @hal_cbrt(%arg0: f64) -> f64 {
    %cst = arith.constant 0.000000e+00 : f64
    %cst_0 = arith.constant 0x7FF0000000000000 : f64
    %cst_1 = arith.constant 1.1830521861667747E-271 : f64
    %cst_2 = arith.constant 1.3292279957849159E+36 : f64
    %cst_3 = arith.constant 9.0949470177292824E-13 : f64
    %cst_4 = arith.constant 1.000000e+00 : f64
    %cst_5 = arith.constant 3.000000e+00 : f64
    %c-134217728_i64 = arith.constant -134217728 : i64
    %0 = arith.cmpf ueq, %arg0, %cst : f64
    %1 = scf.if %0 -> (f64) {
      scf.yield %arg0 : f64
    } else {
      %2 = math.absf %arg0 : f64
      %3 = arith.cmpf oeq, %2, %cst_0 : f64
      %4 = scf.if %3 -> (f64) {
        scf.yield %arg0 : f64
      } else {
        %5 = arith.cmpf olt, %2, %cst_1 : f64
        %6 = arith.mulf %2, %cst_2 : f64
        %7 = arith.select %5, %cst_3, %cst_4 : f64
        %8 = arith.select %5, %6, %2 : f64
        %9 = func.call @hal_log(%8) : (f64) -> f64
        %10 = arith.divf %9, %cst_5 : f64
        %11 = func.call @hal_exp(%10) : (f64) -> f64
        %12 = arith.mulf %11, %11 : f64
        %13 = arith.bitcast %11 : f64 to i64
        %14 = arith.andi %13, %c-134217728_i64 : i64
        %15 = arith.bitcast %14 : i64 to f64
        %16 = arith.subf %11, %15 : f64
        %17 = arith.mulf %15, %15 : f64
        %18 = arith.subf %17, %12 : f64
        %19 = arith.mulf %16, %15 : f64
        %20 = arith.addf %18, %19 : f64
        %21 = arith.addf %19, %20 : f64
        %22 = arith.mulf %16, %16 : f64
        %23 = arith.addf %22, %21 : f64
        %24 = arith.mulf %11, %12 : f64
        %25 = arith.bitcast %12 : f64 to i64
        %26 = arith.andi %25, %c-134217728_i64 : i64
        %27 = arith.bitcast %26 : i64 to f64
        %28 = arith.subf %12, %27 : f64
        %29 = arith.mulf %15, %27 : f64
        %30 = arith.subf %29, %24 : f64
        %31 = arith.mulf %16, %27 : f64
        %32 = arith.addf %31, %30 : f64
        %33 = arith.mulf %28, %15 : f64
        %34 = arith.addf %33, %32 : f64
        %35 = arith.mulf %16, %28 : f64
        %36 = arith.addf %35, %34 : f64
        %37 = arith.subf %8, %24 : f64
        %38 = arith.mulf %11, %23 : f64
        %39 = arith.bitcast %23 : f64 to i64
        %40 = arith.andi %39, %c-134217728_i64 : i64
        %41 = arith.bitcast %40 : i64 to f64
        %42 = arith.subf %23, %41 : f64
        %43 = arith.mulf %15, %41 : f64
        %44 = arith.subf %43, %38 : f64
        %45 = arith.mulf %16, %41 : f64
        %46 = arith.addf %45, %44 : f64
        %47 = arith.mulf %42, %15 : f64
        %48 = arith.addf %47, %46 : f64
        %49 = arith.mulf %16, %42 : f64
        %50 = arith.addf %49, %48 : f64
        %51 = arith.addf %38, %36 : f64
        %52 = arith.subf %51, %38 : f64
        %53 = arith.subf %51, %52 : f64
        %54 = arith.subf %38, %53 : f64
        %55 = arith.subf %36, %52 : f64
        %56 = arith.addf %55, %54 : f64
        %57 = arith.addf %56, %50 : f64
        %58 = arith.addf %51, %57 : f64
        %59 = arith.subf %37, %58 : f64
        %60 = arith.mulf %12, %cst_5 : f64
        %61 = arith.divf %59, %60 : f64
        %62 = arith.addf %11, %61 : f64
        %63 = arith.mulf %7, %62 : f64
        %64 = math.copysign %63, %arg0 : f64
        scf.yield %64 : f64
      }
      scf.yield %4 : f64
    }
    return %1 : f64
  }
  func.func private @hal_sin(%arg0: f64) -> f64 {
    %c0_i32 = arith.constant 0 : i32
    %cst = arith.constant 0.000000e+00 : f64
    %0 = arith.cmpf oeq, %arg0, %cst : f64
    %1 = scf.if %0 -> (f64) {
      scf.yield %arg0 : f64
    } else {
      %2 = func.call @turned(%arg0, %c0_i32) : (f64, i32) -> f64
      scf.yield %2 : f64
    }
    return %1 : f64
  }
  func.func private @turned(%arg0: f64, %arg1: i32) -> f64 {
    %c61_i64 = arith.constant 61 : i64
    %c1_i64 = arith.constant 1 : i64
    %c0_i32 = arith.constant 0 : i32
    %cst = arith.constant 0x7FF0000000000000 : f64
    %cst_0 = arith.constant 0x7FF8000000000000 : f64
    %cst_1 = arith.constant 0x4130000000000000 : f64
    %c4503599627370495_i64 = arith.constant 4503599627370495 : i64
    %c4503599627370496_i64 = arith.constant 4503599627370496 : i64
    %c52_i64 = arith.constant 52 : i64
    %c2047_i32 = arith.constant 2047 : i32
    %c1077_i32 = arith.constant 1077 : i32
    %c-1077_i32 = arith.constant -1077 : i32
    %c6_i32 = arith.constant 6 : i32
    %c-6703182060581546711_i64 = arith.constant -6703182060581546711 : i64
    %c0_i64 = arith.constant 0 : i64
    %c1_i32 = arith.constant 1 : i32
    %c-277156292786332224_i64 = arith.constant -277156292786332224 : i64
    %c2_i32 = arith.constant 2 : i32
    %c-2638381946312093631_i64 = arith.constant -2638381946312093631 : i64
    %c3_i32 = arith.constant 3 : i32
    %c-121206125134887583_i64 = arith.constant -121206125134887583 : i64
    %c4_i32 = arith.constant 4 : i32
    %c-5249950069107600672_i64 = arith.constant -5249950069107600672 : i64
    %c5_i32 = arith.constant 5 : i32
    %c452944820249399836_i64 = arith.constant 452944820249399836 : i64
    %c-135693905287338178_i64 = arith.constant -135693905287338178 : i64
    %c7_i32 = arith.constant 7 : i32
    %c-1692731182770600828_i64 = arith.constant -1692731182770600828 : i64
    %c8_i32 = arith.constant 8 : i32
    %c-1613291254968254911_i64 = arith.constant -1613291254968254911 : i64
    %c9_i32 = arith.constant 9 : i32
    %c4148332274289687028_i64 = arith.constant 4148332274289687028 : i64
    %c10_i32 = arith.constant 10 : i32
    %c-7168499653074671557_i64 = arith.constant -7168499653074671557 : i64
    %c11_i32 = arith.constant 11 : i32
    %c2303758334597371919_i64 = arith.constant 2303758334597371919 : i64
    %c12_i32 = arith.constant 12 : i32
    %c-1211730484530615009_i64 = arith.constant -1211730484530615009 : i64
    %c13_i32 = arith.constant 13 : i32
    %c7869616827067468215_i64 = arith.constant 7869616827067468215 : i64
    %c14_i32 = arith.constant 14 : i32
    %c5712322887342352941_i64 = arith.constant 5712322887342352941 : i64
    %c15_i32 = arith.constant 15 : i32
    %c8441921394348257659_i64 = arith.constant 8441921394348257659 : i64
    %c63_i32 = arith.constant 63 : i32
    %c16_i32 = arith.constant 16 : i32
    %c4397547296490951402_i64 = arith.constant 4397547296490951402 : i64
    %c64_i32 = arith.constant 64 : i32
    %c1014_i32 = arith.constant 1014 : i32
    %c1013_i32 = arith.constant 1013 : i32
    %c-1013_i32 = arith.constant -1013 : i32
    %c17_i32 = arith.constant 17 : i32
    %c7780917995555872008_i64 = arith.constant 7780917995555872008 : i64
    %c950_i32 = arith.constant 950 : i32
    %c949_i32 = arith.constant 949 : i32
    %c-949_i32 = arith.constant -949 : i32
    %c18_i32 = arith.constant 18 : i32
    %c6197850593633725355_i64 = arith.constant 6197850593633725355 : i64
    %c886_i32 = arith.constant 886 : i32
    %c32_i64 = arith.constant 32 : i64
    %c4294967295_i64 = arith.constant 4294967295 : i64
    %c62_i64 = arith.constant 62 : i64
    %c2_i64 = arith.constant 2 : i64
    %c63_i64 = arith.constant 63 : i64
    %c-1_i64 = arith.constant -1 : i64
    %cst_2 = arith.constant 0.000000e+00 : f64
    %c4294967296_i64 = arith.constant 4294967296 : i64
    %c32_i32 = arith.constant 32 : i32
    %c281474976710656_i64 = arith.constant 281474976710656 : i64
    %c16_i64 = arith.constant 16 : i64
    %c72057594037927936_i64 = arith.constant 72057594037927936 : i64
    %c8_i64 = arith.constant 8 : i64
    %c1152921504606846976_i64 = arith.constant 1152921504606846976 : i64
    %c4_i64 = arith.constant 4 : i64
    %c4611686018427387904_i64 = arith.constant 4611686018427387904 : i64
    %c1023_i32 = arith.constant 1023 : i32
    %c11_i64 = arith.constant 11 : i64
    %cst_3 = arith.constant 1.1102230246251565E-16 : f64
    %c42_i64 = arith.constant 42 : i64
    %c9002801208229888_i64 = arith.constant 9002801208229888 : i64
    %c22_i64 = arith.constant 22 : i64
    %cst_4 = arith.constant 1.2325951644078309E-32 : f64
    %cst_5 = arith.constant 1.5707963267948966 : f64
    %c-134217728_i64 = arith.constant -134217728 : i64
    %cst_6 = arith.constant 1.5707963109016418 : f64
    %cst_7 = arith.constant 1.5893254712295857E-8 : f64
    %cst_8 = arith.constant 6.123233995736766E-17 : f64
    %cst_9 = arith.constant 6.1232339320535943E-17 : f64
    %cst_10 = arith.constant 6.3683171784847992E-25 : f64
    %cst_11 = arith.constant 0.63661977236758138 : f64
    %cst_12 = arith.constant 0x4338000000000000 : f64
    %cst_13 = arith.constant 0xC338000000000000 : f64
    %cst_14 = arith.constant -1.5707963267948966 : f64
    %cst_15 = arith.constant -1.4973849048591698E-33 : f64
    %cst_16 = arith.constant -1.4973848821069989E-33 : f64
    %cst_17 = arith.constant 2.2752170884137874E-41 : f64
    %cst_18 = arith.constant 1.4973848821069989E-33 : f64
    %cst_19 = arith.constant -1.5619206968586225E-16 : f64
    %cst_20 = arith.constant 4.7794773323873853E-14 : f64
    %cst_21 = arith.constant -1.1470745597729725E-11 : f64
    %cst_22 = arith.constant 2.08767569878681E-9 : f64
    %cst_23 = arith.constant -2.7557319223985888E-7 : f64
    %cst_24 = arith.constant 2.4801587301587302E-5 : f64
    %cst_25 = arith.constant -0.0013888888888888889 : f64
    %cst_26 = arith.constant 0.041666666666666664 : f64
    %cst_27 = arith.constant 5.000000e-01 : f64
    %cst_28 = arith.constant 1.000000e+00 : f64
    %cst_29 = arith.constant -8.2206352466243295E-18 : f64
    %cst_30 = arith.constant 2.8114572543455206E-15 : f64
    %cst_31 = arith.constant -7.6471637318198164E-13 : f64
    %cst_32 = arith.constant 1.6059043836821613E-10 : f64
    %cst_33 = arith.constant -2.505210838544172E-8 : f64
    %cst_34 = arith.constant 2.7557319223985893E-6 : f64
    %cst_35 = arith.constant -1.9841269841269841E-4 : f64
    %cst_36 = arith.constant 0.0083333333333333332 : f64
    %cst_37 = arith.constant -0.16666666666666666 : f64
    %0 = math.absf %arg0 : f64
    %1 = arith.cmpf ueq, %0, %cst : f64
    %2 = scf.if %1 -> (f64) {
      scf.yield %cst_0 : f64
    } else {
      %3 = arith.cmpf olt, %0, %cst_1 : f64
      %4:3 = scf.if %3 -> (i32, f64, f64) {
        %14 = arith.mulf %arg0, %cst_11 : f64
        %15 = arith.addf %14, %cst_12 : f64
        %16 = arith.addf %15, %cst_13 : f64
        %17 = arith.negf %16 : f64
        %18 = arith.mulf %16, %cst_14 : f64
        %19 = arith.bitcast %17 : f64 to i64
        %20 = arith.andi %19, %c-134217728_i64 : i64
        %21 = arith.bitcast %20 : i64 to f64
        %22 = arith.subf %17, %21 : f64
        %23 = arith.mulf %21, %cst_6 : f64
        %24 = arith.subf %23, %18 : f64
        %25 = arith.mulf %21, %cst_7 : f64
        %26 = arith.addf %25, %24 : f64
        %27 = arith.mulf %22, %cst_6 : f64
        %28 = arith.addf %27, %26 : f64
        %29 = arith.mulf %22, %cst_7 : f64
        %30 = arith.addf %29, %28 : f64
        %31 = arith.addf %arg0, %18 : f64
        %32 = arith.subf %31, %18 : f64
        %33 = arith.subf %31, %32 : f64
        %34 = arith.subf %18, %33 : f64
        %35 = arith.subf %arg0, %32 : f64
        %36 = arith.addf %35, %34 : f64
        %37 = arith.addf %36, %30 : f64
        %38 = arith.addf %31, %37 : f64
        %39 = arith.mulf %16, %cst_8 : f64
        %40 = arith.bitcast %16 : f64 to i64
        %41 = arith.andi %40, %c-134217728_i64 : i64
        %42 = arith.bitcast %41 : i64 to f64
        %43 = arith.subf %16, %42 : f64
        %44 = arith.mulf %42, %cst_9 : f64
        %45 = arith.subf %44, %39 : f64
        %46 = arith.mulf %42, %cst_10 : f64
        %47 = arith.addf %46, %45 : f64
        %48 = arith.mulf %43, %cst_9 : f64
        %49 = arith.addf %48, %47 : f64
        %50 = arith.mulf %43, %cst_10 : f64
        %51 = arith.addf %50, %49 : f64
        %52 = arith.subf %38, %39 : f64
        %53 = arith.subf %38, %52 : f64
        %54 = arith.subf %53, %39 : f64
        %55 = arith.mulf %16, %cst_15 : f64
        %56 = arith.mulf %42, %cst_16 : f64
        %57 = arith.subf %56, %55 : f64
        %58 = arith.mulf %42, %cst_17 : f64
        %59 = arith.subf %57, %58 : f64
        %60 = arith.mulf %43, %cst_18 : f64
        %61 = arith.subf %59, %60 : f64
        %62 = arith.mulf %43, %cst_17 : f64
        %63 = arith.subf %61, %62 : f64
        %64 = arith.addf %55, %51 : f64
        %65 = arith.subf %64, %55 : f64
        %66 = arith.subf %64, %65 : f64
        %67 = arith.subf %55, %66 : f64
        %68 = arith.subf %51, %65 : f64
        %69 = arith.addf %68, %67 : f64
        %70 = arith.addf %63, %69 : f64
        %71 = arith.addf %64, %70 : f64
        %72 = arith.subf %54, %71 : f64
        %73 = arith.fptosi %16 : f64 to i32
        %74 = arith.addf %52, %72 : f64
        %75 = arith.subf %74, %52 : f64
        %76 = arith.subf %72, %75 : f64
        scf.yield %73, %74, %76 : i32, f64, f64
      } else {
        %14 = arith.bitcast %arg0 : f64 to i64
        %15 = arith.andi %14, %c4503599627370495_i64 : i64
        %16 = arith.ori %15, %c4503599627370496_i64 : i64
        %17 = arith.shrui %14, %c52_i64 : i64
        %18 = arith.trunci %17 : i64 to i32
        %19 = arith.andi %18, %c2047_i32 : i32
        %20 = arith.cmpi ult, %19, %c1077_i32 : i32
        %21 = scf.if %20 -> (i64) {
          %133 = arith.cmpi ult, %19, %c1014_i32 : i32
          %134 = arith.subi %c1077_i32, %19 : i32
          %135 = arith.extui %134 : i32 to i64
          %136 = arith.shrui %c-6703182060581546711_i64, %135 : i64
          %137 = arith.select %133, %c0_i64, %136 : i64
          scf.yield %137 : i64
        } else {
          %133 = arith.addi %19, %c-1077_i32 : i32
          %134 = arith.shrui %133, %c6_i32 : i32
          %135 = arith.cmpi eq, %134, %c0_i32 : i32
          %136 = arith.select %135, %c-6703182060581546711_i64, %c0_i64 : i64
          %137 = arith.cmpi eq, %134, %c1_i32 : i32
          %138 = arith.select %137, %c-277156292786332224_i64, %136 : i64
          %139 = arith.cmpi eq, %134, %c2_i32 : i32
          %140 = arith.select %139, %c-2638381946312093631_i64, %138 : i64
          %141 = arith.cmpi eq, %134, %c3_i32 : i32
          %142 = arith.select %141, %c-121206125134887583_i64, %140 : i64
          %143 = arith.cmpi eq, %134, %c4_i32 : i32
          %144 = arith.select %143, %c-5249950069107600672_i64, %142 : i64
          %145 = arith.cmpi eq, %134, %c5_i32 : i32
          %146 = arith.select %145, %c452944820249399836_i64, %144 : i64
          %147 = arith.cmpi eq, %134, %c6_i32 : i32
          %148 = arith.select %147, %c-135693905287338178_i64, %146 : i64
          %149 = arith.cmpi eq, %134, %c7_i32 : i32
          %150 = arith.select %149, %c-1692731182770600828_i64, %148 : i64
          %151 = arith.cmpi eq, %134, %c8_i32 : i32
          %152 = arith.select %151, %c-1613291254968254911_i64, %150 : i64
          %153 = arith.cmpi eq, %134, %c9_i32 : i32
          %154 = arith.select %153, %c4148332274289687028_i64, %152 : i64
          %155 = arith.cmpi eq, %134, %c10_i32 : i32
          %156 = arith.select %155, %c-7168499653074671557_i64, %154 : i64
          %157 = arith.cmpi eq, %134, %c11_i32 : i32
          %158 = arith.select %157, %c2303758334597371919_i64, %156 : i64
          %159 = arith.cmpi eq, %134, %c12_i32 : i32
          %160 = arith.select %159, %c-1211730484530615009_i64, %158 : i64
          %161 = arith.cmpi eq, %134, %c13_i32 : i32
          %162 = arith.select %161, %c7869616827067468215_i64, %160 : i64
          %163 = arith.cmpi eq, %134, %c14_i32 : i32
          %164 = arith.select %163, %c5712322887342352941_i64, %162 : i64
          %165 = arith.cmpi eq, %134, %c15_i32 : i32
          %166 = arith.select %165, %c8441921394348257659_i64, %164 : i64
          %167 = arith.andi %133, %c63_i32 : i32
          %168 = arith.cmpi eq, %167, %c0_i32 : i32
          %169 = scf.if %168 -> (i64) {
            scf.yield %166 : i64
          } else {
            %170 = arith.addi %134, %c1_i32 : i32
            %171 = arith.select %135, %c-277156292786332224_i64, %c0_i64 : i64
            %172 = arith.cmpi eq, %170, %c2_i32 : i32
            %173 = arith.select %172, %c-2638381946312093631_i64, %171 : i64
            %174 = arith.cmpi eq, %170, %c3_i32 : i32
            %175 = arith.select %174, %c-121206125134887583_i64, %173 : i64
            %176 = arith.cmpi eq, %170, %c4_i32 : i32
            %177 = arith.select %176, %c-5249950069107600672_i64, %175 : i64
            %178 = arith.cmpi eq, %170, %c5_i32 : i32
            %179 = arith.select %178, %c452944820249399836_i64, %177 : i64
            %180 = arith.cmpi eq, %170, %c6_i32 : i32
            %181 = arith.select %180, %c-135693905287338178_i64, %179 : i64
            %182 = arith.cmpi eq, %170, %c7_i32 : i32
            %183 = arith.select %182, %c-1692731182770600828_i64, %181 : i64
            %184 = arith.cmpi eq, %170, %c8_i32 : i32
            %185 = arith.select %184, %c-1613291254968254911_i64, %183 : i64
            %186 = arith.cmpi eq, %170, %c9_i32 : i32
            %187 = arith.select %186, %c4148332274289687028_i64, %185 : i64
            %188 = arith.cmpi eq, %170, %c10_i32 : i32
            %189 = arith.select %188, %c-7168499653074671557_i64, %187 : i64
            %190 = arith.cmpi eq, %170, %c11_i32 : i32
            %191 = arith.select %190, %c2303758334597371919_i64, %189 : i64
            %192 = arith.cmpi eq, %170, %c12_i32 : i32
            %193 = arith.select %192, %c-1211730484530615009_i64, %191 : i64
            %194 = arith.cmpi eq, %170, %c13_i32 : i32
            %195 = arith.select %194, %c7869616827067468215_i64, %193 : i64
            %196 = arith.cmpi eq, %170, %c14_i32 : i32
            %197 = arith.select %196, %c5712322887342352941_i64, %195 : i64
            %198 = arith.cmpi eq, %170, %c15_i32 : i32
            %199 = arith.select %198, %c8441921394348257659_i64, %197 : i64
            %200 = arith.cmpi eq, %170, %c16_i32 : i32
            %201 = arith.select %200, %c4397547296490951402_i64, %199 : i64
            %202 = arith.extui %167 : i32 to i64
            %203 = arith.shli %166, %202 : i64
            %204 = arith.subi %c64_i32, %167 : i32
            %205 = arith.extui %204 : i32 to i64
            %206 = arith.shrui %201, %205 : i64
            %207 = arith.ori %206, %203 : i64
            scf.yield %207 : i64
          }
          scf.yield %169 : i64
        }
        %22 = arith.cmpi ult, %19, %c1013_i32 : i32
        %23 = scf.if %22 -> (i64) {
          %133 = arith.cmpi ult, %19, %c950_i32 : i32
          %134 = arith.subi %c1013_i32, %19 : i32
          %135 = arith.extui %134 : i32 to i64
          %136 = arith.shrui %c-6703182060581546711_i64, %135 : i64
          %137 = arith.select %133, %c0_i64, %136 : i64
          scf.yield %137 : i64
        } else {
          %133 = arith.addi %19, %c-1013_i32 : i32
          %134 = arith.shrui %133, %c6_i32 : i32
          %135 = arith.cmpi eq, %134, %c0_i32 : i32
          %136 = arith.select %135, %c-6703182060581546711_i64, %c0_i64 : i64
          %137 = arith.cmpi eq, %134, %c1_i32 : i32
          %138 = arith.select %137, %c-277156292786332224_i64, %136 : i64
          %139 = arith.cmpi eq, %134, %c2_i32 : i32
          %140 = arith.select %139, %c-2638381946312093631_i64, %138 : i64
          %141 = arith.cmpi eq, %134, %c3_i32 : i32
          %142 = arith.select %141, %c-121206125134887583_i64, %140 : i64
          %143 = arith.cmpi eq, %134, %c4_i32 : i32
          %144 = arith.select %143, %c-5249950069107600672_i64, %142 : i64
          %145 = arith.cmpi eq, %134, %c5_i32 : i32
          %146 = arith.select %145, %c452944820249399836_i64, %144 : i64
          %147 = arith.cmpi eq, %134, %c6_i32 : i32
          %148 = arith.select %147, %c-135693905287338178_i64, %146 : i64
          %149 = arith.cmpi eq, %134, %c7_i32 : i32
          %150 = arith.select %149, %c-1692731182770600828_i64, %148 : i64
          %151 = arith.cmpi eq, %134, %c8_i32 : i32
          %152 = arith.select %151, %c-1613291254968254911_i64, %150 : i64
          %153 = arith.cmpi eq, %134, %c9_i32 : i32
          %154 = arith.select %153, %c4148332274289687028_i64, %152 : i64
          %155 = arith.cmpi eq, %134, %c10_i32 : i32
          %156 = arith.select %155, %c-7168499653074671557_i64, %154 : i64
          %157 = arith.cmpi eq, %134, %c11_i32 : i32
          %158 = arith.select %157, %c2303758334597371919_i64, %156 : i64
          %159 = arith.cmpi eq, %134, %c12_i32 : i32
          %160 = arith.select %159, %c-1211730484530615009_i64, %158 : i64
          %161 = arith.cmpi eq, %134, %c13_i32 : i32
          %162 = arith.select %161, %c7869616827067468215_i64, %160 : i64
          %163 = arith.cmpi eq, %134, %c14_i32 : i32
          %164 = arith.select %163, %c5712322887342352941_i64, %162 : i64
          %165 = arith.cmpi eq, %134, %c15_i32 : i32
          %166 = arith.select %165, %c8441921394348257659_i64, %164 : i64
          %167 = arith.cmpi eq, %134, %c16_i32 : i32
          %168 = arith.select %167, %c4397547296490951402_i64, %166 : i64
          %169 = arith.andi %133, %c63_i32 : i32
          %170 = arith.cmpi eq, %169, %c0_i32 : i32
          %171 = scf.if %170 -> (i64) {
            scf.yield %168 : i64
          } else {
            %172 = arith.addi %134, %c1_i32 : i32
            %173 = arith.select %135, %c-277156292786332224_i64, %c0_i64 : i64
            %174 = arith.cmpi eq, %172, %c2_i32 : i32
            %175 = arith.select %174, %c-2638381946312093631_i64, %173 : i64
            %176 = arith.cmpi eq, %172, %c3_i32 : i32
            %177 = arith.select %176, %c-121206125134887583_i64, %175 : i64
            %178 = arith.cmpi eq, %172, %c4_i32 : i32
            %179 = arith.select %178, %c-5249950069107600672_i64, %177 : i64
            %180 = arith.cmpi eq, %172, %c5_i32 : i32
            %181 = arith.select %180, %c452944820249399836_i64, %179 : i64
            %182 = arith.cmpi eq, %172, %c6_i32 : i32
            %183 = arith.select %182, %c-135693905287338178_i64, %181 : i64
            %184 = arith.cmpi eq, %172, %c7_i32 : i32
            %185 = arith.select %184, %c-1692731182770600828_i64, %183 : i64
            %186 = arith.cmpi eq, %172, %c8_i32 : i32
            %187 = arith.select %186, %c-1613291254968254911_i64, %185 : i64
            %188 = arith.cmpi eq, %172, %c9_i32 : i32
            %189 = arith.select %188, %c4148332274289687028_i64, %187 : i64
            %190 = arith.cmpi eq, %172, %c10_i32 : i32
            %191 = arith.select %190, %c-7168499653074671557_i64, %189 : i64
            %192 = arith.cmpi eq, %172, %c11_i32 : i32
            %193 = arith.select %192, %c2303758334597371919_i64, %191 : i64
            %194 = arith.cmpi eq, %172, %c12_i32 : i32
            %195 = arith.select %194, %c-1211730484530615009_i64, %193 : i64
            %196 = arith.cmpi eq, %172, %c13_i32 : i32
            %197 = arith.select %196, %c7869616827067468215_i64, %195 : i64
            %198 = arith.cmpi eq, %172, %c14_i32 : i32
            %199 = arith.select %198, %c5712322887342352941_i64, %197 : i64
            %200 = arith.cmpi eq, %172, %c15_i32 : i32
            %201 = arith.select %200, %c8441921394348257659_i64, %199 : i64
            %202 = arith.cmpi eq, %172, %c16_i32 : i32
            %203 = arith.select %202, %c4397547296490951402_i64, %201 : i64
            %204 = arith.cmpi eq, %172, %c17_i32 : i32
            %205 = arith.select %204, %c7780917995555872008_i64, %203 : i64
            %206 = arith.extui %169 : i32 to i64
            %207 = arith.shli %168, %206 : i64
            %208 = arith.subi %c64_i32, %169 : i32
            %209 = arith.extui %208 : i32 to i64
            %210 = arith.shrui %205, %209 : i64
            %211 = arith.ori %210, %207 : i64
            scf.yield %211 : i64
          }
          scf.yield %171 : i64
        }
        %24 = arith.cmpi ult, %19, %c949_i32 : i32
        %25 = scf.if %24 -> (i64) {
          %133 = arith.cmpi ult, %19, %c886_i32 : i32
          %134 = arith.subi %c949_i32, %19 : i32
          %135 = arith.extui %134 : i32 to i64
          %136 = arith.shrui %c-6703182060581546711_i64, %135 : i64
          %137 = arith.select %133, %c0_i64, %136 : i64
          scf.yield %137 : i64
        } else {
          %133 = arith.addi %19, %c-949_i32 : i32
          %134 = arith.shrui %133, %c6_i32 : i32
          %135 = arith.cmpi eq, %134, %c0_i32 : i32
          %136 = arith.select %135, %c-6703182060581546711_i64, %c0_i64 : i64
          %137 = arith.cmpi eq, %134, %c1_i32 : i32
          %138 = arith.select %137, %c-277156292786332224_i64, %136 : i64
          %139 = arith.cmpi eq, %134, %c2_i32 : i32
          %140 = arith.select %139, %c-2638381946312093631_i64, %138 : i64
          %141 = arith.cmpi eq, %134, %c3_i32 : i32
          %142 = arith.select %141, %c-121206125134887583_i64, %140 : i64
          %143 = arith.cmpi eq, %134, %c4_i32 : i32
          %144 = arith.select %143, %c-5249950069107600672_i64, %142 : i64
          %145 = arith.cmpi eq, %134, %c5_i32 : i32
          %146 = arith.select %145, %c452944820249399836_i64, %144 : i64
          %147 = arith.cmpi eq, %134, %c6_i32 : i32
          %148 = arith.select %147, %c-135693905287338178_i64, %146 : i64
          %149 = arith.cmpi eq, %134, %c7_i32 : i32
          %150 = arith.select %149, %c-1692731182770600828_i64, %148 : i64
          %151 = arith.cmpi eq, %134, %c8_i32 : i32
          %152 = arith.select %151, %c-1613291254968254911_i64, %150 : i64
          %153 = arith.cmpi eq, %134, %c9_i32 : i32
          %154 = arith.select %153, %c4148332274289687028_i64, %152 : i64
          %155 = arith.cmpi eq, %134, %c10_i32 : i32
          %156 = arith.select %155, %c-7168499653074671557_i64, %154 : i64
          %157 = arith.cmpi eq, %134, %c11_i32 : i32
          %158 = arith.select %157, %c2303758334597371919_i64, %156 : i64
          %159 = arith.cmpi eq, %134, %c12_i32 : i32
          %160 = arith.select %159, %c-1211730484530615009_i64, %158 : i64
          %161 = arith.cmpi eq, %134, %c13_i32 : i32
          %162 = arith.select %161, %c7869616827067468215_i64, %160 : i64
          %163 = arith.cmpi eq, %134, %c14_i32 : i32
          %164 = arith.select %163, %c5712322887342352941_i64, %162 : i64
          %165 = arith.cmpi eq, %134, %c15_i32 : i32
          %166 = arith.select %165, %c8441921394348257659_i64, %164 : i64
          %167 = arith.cmpi eq, %134, %c16_i32 : i32
          %168 = arith.select %167, %c4397547296490951402_i64, %166 : i64
          %169 = arith.cmpi eq, %134, %c17_i32 : i32
          %170 = arith.select %169, %c7780917995555872008_i64, %168 : i64
          %171 = arith.andi %133, %c63_i32 : i32
          %172 = arith.cmpi eq, %171, %c0_i32 : i32
          %173 = scf.if %172 -> (i64) {
            scf.yield %170 : i64
          } else {
            %174 = arith.addi %134, %c1_i32 : i32
            %175 = arith.select %135, %c-277156292786332224_i64, %c0_i64 : i64
            %176 = arith.cmpi eq, %174, %c2_i32 : i32
            %177 = arith.select %176, %c-2638381946312093631_i64, %175 : i64
            %178 = arith.cmpi eq, %174, %c3_i32 : i32
            %179 = arith.select %178, %c-121206125134887583_i64, %177 : i64
            %180 = arith.cmpi eq, %174, %c4_i32 : i32
            %181 = arith.select %180, %c-5249950069107600672_i64, %179 : i64
            %182 = arith.cmpi eq, %174, %c5_i32 : i32
            %183 = arith.select %182, %c452944820249399836_i64, %181 : i64
            %184 = arith.cmpi eq, %174, %c6_i32 : i32
            %185 = arith.select %184, %c-135693905287338178_i64, %183 : i64
            %186 = arith.cmpi eq, %174, %c7_i32 : i32
            %187 = arith.select %186, %c-1692731182770600828_i64, %185 : i64
            %188 = arith.cmpi eq, %174, %c8_i32 : i32
            %189 = arith.select %188, %c-1613291254968254911_i64, %187 : i64
            %190 = arith.cmpi eq, %174, %c9_i32 : i32
            %191 = arith.select %190, %c4148332274289687028_i64, %189 : i64
            %192 = arith.cmpi eq, %174, %c10_i32 : i32
            %193 = arith.select %192, %c-7168499653074671557_i64, %191 : i64
            %194 = arith.cmpi eq, %174, %c11_i32 : i32
            %195 = arith.select %194, %c2303758334597371919_i64, %193 : i64
            %196 = arith.cmpi eq, %174, %c12_i32 : i32
            %197 = arith.select %196, %c-1211730484530615009_i64, %195 : i64
            %198 = arith.cmpi eq, %174, %c13_i32 : i32
            %199 = arith.select %198, %c7869616827067468215_i64, %197 : i64
            %200 = arith.cmpi eq, %174, %c14_i32 : i32
            %201 = arith.select %200, %c5712322887342352941_i64, %199 : i64
            %202 = arith.cmpi eq, %174, %c15_i32 : i32
            %203 = arith.select %202, %c8441921394348257659_i64, %201 : i64
            %204 = arith.cmpi eq, %174, %c16_i32 : i32
            %205 = arith.select %204, %c4397547296490951402_i64, %203 : i64
            %206 = arith.cmpi eq, %174, %c17_i32 : i32
            %207 = arith.select %206, %c7780917995555872008_i64, %205 : i64
            %208 = arith.cmpi eq, %174, %c18_i32 : i32
            %209 = arith.select %208, %c6197850593633725355_i64, %207 : i64
            %210 = arith.extui %171 : i32 to i64
            %211 = arith.shli %170, %210 : i64
            %212 = arith.subi %c64_i32, %171 : i32
            %213 = arith.extui %212 : i32 to i64
            %214 = arith.shrui %209, %213 : i64
            %215 = arith.ori %214, %211 : i64
            scf.yield %215 : i64
          }
          scf.yield %173 : i64
        }
        %26 = arith.muli %25, %16 : i64
        %27 = arith.muli %23, %16 : i64
        %28 = arith.shrui %16, %c32_i64 : i64
        %29 = arith.andi %14, %c4294967295_i64 : i64
        %30 = arith.shrui %25, %c32_i64 : i64
        %31 = arith.andi %25, %c4294967295_i64 : i64
        %32 = arith.muli %31, %28 : i64
        %33 = arith.muli %31, %29 : i64
        %34 = arith.shrui %33, %c32_i64 : i64
        %35 = arith.addi %34, %32 : i64
        %36 = arith.muli %30, %29 : i64
        %37 = arith.andi %35, %c4294967295_i64 : i64
        %38 = arith.addi %37, %36 : i64
        %39 = arith.muli %30, %28 : i64
        %40 = arith.shrui %35, %c32_i64 : i64
        %41 = arith.shrui %38, %c32_i64 : i64
        %42 = arith.addi %39, %27 : i64
        %43 = arith.addi %42, %40 : i64
        %44 = arith.addi %43, %41 : i64
        %45 = arith.muli %21, %16 : i64
        %46 = arith.shrui %23, %c32_i64 : i64
        %47 = arith.andi %23, %c4294967295_i64 : i64
        %48 = arith.muli %47, %28 : i64
        %49 = arith.muli %47, %29 : i64
        %50 = arith.shrui %49, %c32_i64 : i64
        %51 = arith.addi %50, %48 : i64
        %52 = arith.muli %46, %29 : i64
        %53 = arith.andi %51, %c4294967295_i64 : i64
        %54 = arith.addi %53, %52 : i64
        %55 = arith.muli %46, %28 : i64
        %56 = arith.shrui %51, %c32_i64 : i64
        %57 = arith.shrui %54, %c32_i64 : i64
        %58 = arith.cmpi ult, %44, %27 : i64
        %59 = arith.extui %58 : i1 to i64
        %60 = arith.addi %55, %45 : i64
        %61 = arith.addi %60, %56 : i64
        %62 = arith.addi %61, %57 : i64
        %63 = arith.addi %62, %59 : i64
        %64 = arith.shrui %63, %c62_i64 : i64
        %65 = arith.trunci %64 : i64 to i32
        %66 = arith.shli %63, %c2_i64 : i64
        %67 = arith.shrui %44, %c1_i64 : i64
        %68 = arith.shrui %67, %c61_i64 : i64
        %69 = arith.ori %66, %68 : i64
        %70 = arith.shli %44, %c2_i64 : i64
        %71 = arith.shrui %26, %c1_i64 : i64
        %72 = arith.shrui %71, %c61_i64 : i64
        %73 = arith.ori %70, %72 : i64
        %74 = arith.shrui %69, %c63_i64 : i64
        %75 = arith.trunci %74 : i64 to i32
        %76 = arith.addi %75, %65 : i32
        %77 = arith.cmpi sgt, %69, %c-1_i64 : i64
        %78 = arith.xori %69, %c-1_i64 : i64
        %79 = arith.cmpi eq, %73, %c0_i64 : i64
        %80 = arith.extui %79 : i1 to i64
        %81 = arith.addi %78, %80 : i64
        %82 = arith.subi %c0_i64, %73 : i64
        %83 = arith.select %77, %69, %81 : i64
        %84 = arith.select %77, %73, %82 : i64
        %85 = arith.ori %83, %84 : i64
        %86 = arith.cmpi eq, %85, %c0_i64 : i64
        %87:2 = scf.if %86 -> (f64, f64) {
          scf.yield %cst_2, %cst_2 : f64, f64
        } else {
          %133 = arith.cmpi eq, %83, %c0_i64 : i64
          %134 = scf.if %133 -> (i32) {
            %157 = arith.cmpi ult, %84, %c4294967296_i64 : i64
            %158 = arith.select %157, %c32_i64, %c0_i64 : i64
            %159 = arith.shli %84, %158 : i64
            %160 = arith.select %157, %c32_i32, %c0_i32 : i32
            %161 = arith.cmpi ult, %159, %c281474976710656_i64 : i64
            %162 = arith.select %161, %c16_i64, %c0_i64 : i64
            %163 = arith.shli %159, %162 : i64
            %164 = arith.select %161, %c16_i32, %c0_i32 : i32
            %165 = arith.ori %164, %160 : i32
            %166 = arith.cmpi ult, %163, %c72057594037927936_i64 : i64
            %167 = arith.select %166, %c8_i64, %c0_i64 : i64
            %168 = arith.shli %163, %167 : i64
            %169 = arith.select %166, %c8_i32, %c0_i32 : i32
            %170 = arith.ori %169, %165 : i32
            %171 = arith.cmpi ult, %168, %c1152921504606846976_i64 : i64
            %172 = arith.select %171, %c4_i64, %c0_i64 : i64
            %173 = arith.shli %168, %172 : i64
            %174 = arith.select %171, %c4_i32, %c0_i32 : i32
            %175 = arith.ori %174, %170 : i32
            %176 = arith.cmpi ult, %173, %c4611686018427387904_i64 : i64
            %177 = arith.select %176, %c2_i64, %c0_i64 : i64
            %178 = arith.shli %173, %177 : i64
            %179 = arith.select %176, %c2_i32, %c0_i32 : i32
            %180 = arith.ori %179, %175 : i32
            %181 = arith.cmpi sgt, %178, %c-1_i64 : i64
            %182 = arith.extui %181 : i1 to i32
            %183 = arith.ori %180, %182 : i32
            %184 = arith.ori %183, %c64_i32 : i32
            scf.yield %184 : i32
          } else {
            %157 = arith.cmpi ult, %83, %c4294967296_i64 : i64
            %158 = arith.select %157, %c32_i64, %c0_i64 : i64
            %159 = arith.shli %83, %158 : i64
            %160 = arith.select %157, %c32_i32, %c0_i32 : i32
            %161 = arith.cmpi ult, %159, %c281474976710656_i64 : i64
            %162 = arith.select %161, %c16_i64, %c0_i64 : i64
            %163 = arith.shli %159, %162 : i64
            %164 = arith.select %161, %c16_i32, %c0_i32 : i32
            %165 = arith.ori %164, %160 : i32
            %166 = arith.cmpi ult, %163, %c72057594037927936_i64 : i64
            %167 = arith.select %166, %c8_i64, %c0_i64 : i64
            %168 = arith.shli %163, %167 : i64
            %169 = arith.select %166, %c8_i32, %c0_i32 : i32
            %170 = arith.ori %169, %165 : i32
            %171 = arith.cmpi ult, %168, %c1152921504606846976_i64 : i64
            %172 = arith.select %171, %c4_i64, %c0_i64 : i64
            %173 = arith.shli %168, %172 : i64
            %174 = arith.select %171, %c4_i32, %c0_i32 : i32
            %175 = arith.ori %174, %170 : i32
            %176 = arith.cmpi ult, %173, %c4611686018427387904_i64 : i64
            %177 = arith.select %176, %c2_i64, %c0_i64 : i64
            %178 = arith.shli %173, %177 : i64
            %179 = arith.select %176, %c2_i32, %c0_i32 : i32
            %180 = arith.ori %179, %175 : i32
            %181 = arith.cmpi sgt, %178, %c-1_i64 : i64
            %182 = arith.extui %181 : i1 to i32
            %183 = arith.ori %180, %182 : i32
            scf.yield %183 : i32
          }
          %135 = arith.cmpi ugt, %134, %c63_i32 : i32
          %136 = arith.select %135, %84, %83 : i64
          %137 = arith.select %135, %c0_i64, %84 : i64
          %138 = arith.andi %134, %c63_i32 : i32
          %139 = arith.cmpi eq, %138, %c0_i32 : i32
          %140:2 = scf.if %139 -> (i64, i64) {
            scf.yield %136, %137 : i64, i64
          } else {
            %157 = arith.extui %138 : i32 to i64
            %158 = arith.shli %136, %157 : i64
            %159 = arith.subi %c64_i32, %138 : i32
            %160 = arith.extui %159 : i32 to i64
            %161 = arith.shrui %137, %160 : i64
            %162 = arith.ori %161, %158 : i64
            %163 = arith.shli %137, %157 : i64
            scf.yield %162, %163 : i64, i64
          }
          %141 = arith.subi %c1023_i32, %134 : i32
          %142 = arith.extui %141 : i32 to i64
          %143 = arith.shli %142, %c52_i64 : i64
          %144 = arith.bitcast %143 : i64 to f64
          %145 = arith.shrui %140#0, %c11_i64 : i64
          %146 = arith.uitofp %145 : i64 to f64
          %147 = arith.mulf %146, %cst_3 : f64
          %148 = arith.mulf %147, %144 : f64
          %149 = arith.shli %140#0, %c42_i64 : i64
          %150 = arith.andi %149, %c9002801208229888_i64 : i64
          %151 = arith.shrui %140#1, %c22_i64 : i64
          %152 = arith.ori %150, %151 : i64
          %153 = arith.uitofp %152 : i64 to f64
          %154 = arith.mulf %153, %cst_4 : f64
          %155 = arith.mulf %154, %144 : f64
          %156 = arith.mulf %155, %cst_5 : f64
          scf.yield %156, %148 : f64, f64
        }
        %88 = arith.mulf %87#1, %cst_5 : f64
        %89 = arith.bitcast %87#1 : f64 to i64
        %90 = arith.andi %89, %c-134217728_i64 : i64
        %91 = arith.bitcast %90 : i64 to f64
        %92 = arith.subf %87#1, %91 : f64
        %93 = arith.mulf %91, %cst_6 : f64
        %94 = arith.subf %93, %88 : f64
        %95 = arith.mulf %91, %cst_7 : f64
        %96 = arith.addf %95, %94 : f64
        %97 = arith.mulf %92, %cst_6 : f64
        %98 = arith.addf %97, %96 : f64
        %99 = arith.mulf %92, %cst_7 : f64
        %100 = arith.addf %99, %98 : f64
        %101 = arith.mulf %87#1, %cst_8 : f64
        %102 = arith.mulf %91, %cst_9 : f64
        %103 = arith.subf %102, %101 : f64
        %104 = arith.mulf %91, %cst_10 : f64
        %105 = arith.addf %104, %103 : f64
        %106 = arith.mulf %92, %cst_9 : f64
        %107 = arith.addf %106, %105 : f64
        %108 = arith.mulf %92, %cst_10 : f64
        %109 = arith.addf %108, %107 : f64
        %110 = arith.addf %87#0, %101 : f64
        %111 = arith.subf %110, %101 : f64
        %112 = arith.subf %110, %111 : f64
        %113 = arith.subf %101, %112 : f64
        %114 = arith.subf %87#0, %111 : f64
        %115 = arith.addf %114, %113 : f64
        %116 = arith.addf %115, %109 : f64
        %117 = arith.addf %110, %116 : f64
        %118 = arith.addf %100, %117 : f64
        %119 = arith.addf %88, %118 : f64
        %120 = arith.subf %119, %88 : f64
        %121 = arith.subf %118, %120 : f64
        %122 = arith.negf %119 : f64
        %123 = arith.negf %121 : f64
        %124 = arith.select %77, %119, %122 : f64
        %125 = arith.select %77, %121, %123 : f64
        %126 = arith.cmpf olt, %arg0, %cst_2 : f64
        %127 = arith.negf %124 : f64
        %128 = arith.negf %125 : f64
        %129 = arith.subi %c0_i32, %76 : i32
        %130 = arith.select %126, %129, %76 : i32
        %131 = arith.select %126, %127, %124 : f64
        %132 = arith.select %126, %128, %125 : f64
        scf.yield %130, %131, %132 : i32, f64, f64
      }
      %5 = arith.addi %4#0, %arg1 : i32
      %6 = arith.andi %5, %c1_i32 : i32
      %7 = arith.cmpi eq, %6, %c0_i32 : i32
      %8 = arith.mulf %4#1, %4#1 : f64
      %9 = scf.if %7 -> (f64) {
        %14 = arith.mulf %8, %cst_29 : f64
        %15 = arith.addf %14, %cst_30 : f64
        %16 = arith.mulf %8, %15 : f64
        %17 = arith.addf %16, %cst_31 : f64
        %18 = arith.mulf %8, %17 : f64
        %19 = arith.addf %18, %cst_32 : f64
        %20 = arith.mulf %8, %19 : f64
        %21 = arith.addf %20, %cst_33 : f64
        %22 = arith.mulf %8, %21 : f64
        %23 = arith.addf %22, %cst_34 : f64
        %24 = arith.mulf %8, %23 : f64
        %25 = arith.addf %24, %cst_35 : f64
        %26 = arith.mulf %8, %25 : f64
        %27 = arith.addf %26, %cst_36 : f64
        %28 = arith.mulf %8, %27 : f64
        %29 = arith.addf %28, %cst_37 : f64
        %30 = arith.mulf %4#1, %8 : f64
        %31 = arith.mulf %30, %29 : f64
        %32 = arith.mulf %8, %cst_27 : f64
        %33 = arith.subf %cst_28, %32 : f64
        %34 = arith.mulf %4#2, %33 : f64
        %35 = arith.addf %34, %31 : f64
        %36 = arith.addf %4#1, %35 : f64
        scf.yield %36 : f64
      } else {
        %14 = arith.mulf %8, %cst_19 : f64
        %15 = arith.addf %14, %cst_20 : f64
        %16 = arith.mulf %8, %15 : f64
        %17 = arith.addf %16, %cst_21 : f64
        %18 = arith.mulf %8, %17 : f64
        %19 = arith.addf %18, %cst_22 : f64
        %20 = arith.mulf %8, %19 : f64
        %21 = arith.addf %20, %cst_23 : f64
        %22 = arith.mulf %8, %21 : f64
        %23 = arith.addf %22, %cst_24 : f64
        %24 = arith.mulf %8, %23 : f64
        %25 = arith.addf %24, %cst_25 : f64
        %26 = arith.mulf %8, %25 : f64
        %27 = arith.addf %26, %cst_26 : f64
        %28 = arith.mulf %8, %cst_27 : f64
        %29 = arith.subf %cst_28, %28 : f64
        %30 = arith.subf %cst_28, %29 : f64
        %31 = arith.subf %30, %28 : f64
        %32 = arith.mulf %8, %8 : f64
        %33 = arith.mulf %32, %27 : f64
        %34 = arith.mulf %4#1, %4#2 : f64
        %35 = arith.subf %33, %34 : f64
        %36 = arith.addf %31, %35 : f64
        %37 = arith.addf %29, %36 : f64
        scf.yield %37 : f64
      }
      %10 = arith.andi %5, %c2_i32 : i32
      %11 = arith.cmpi eq, %10, %c0_i32 : i32
      %12 = arith.negf %9 : f64
      %13 = arith.select %11, %9, %12 : f64
      scf.yield %13 : f64
    }
    return %2 : f64
  }
  func.func private @hal_cos(%arg0: f64) -> f64 {
    %c1_i32 = arith.constant 1 : i32
    %0 = call @turned(%arg0, %c1_i32) : (f64, i32) -> f64
    return %0 : f64
  }
  func.func private @hal_tan(%arg0: f64) -> f64 {
    %c61_i64 = arith.constant 61 : i64
    %c1_i64 = arith.constant 1 : i64
    %c0_i32 = arith.constant 0 : i32
    %cst = arith.constant 0.000000e+00 : f64
    %cst_0 = arith.constant 0x7FF0000000000000 : f64
    %cst_1 = arith.constant 0x7FF8000000000000 : f64
    %cst_2 = arith.constant 0x4130000000000000 : f64
    %c4503599627370495_i64 = arith.constant 4503599627370495 : i64
    %c4503599627370496_i64 = arith.constant 4503599627370496 : i64
    %c52_i64 = arith.constant 52 : i64
    %c2047_i32 = arith.constant 2047 : i32
    %c1077_i32 = arith.constant 1077 : i32
    %c-1077_i32 = arith.constant -1077 : i32
    %c6_i32 = arith.constant 6 : i32
    %c-6703182060581546711_i64 = arith.constant -6703182060581546711 : i64
    %c0_i64 = arith.constant 0 : i64
    %c1_i32 = arith.constant 1 : i32
    %c-277156292786332224_i64 = arith.constant -277156292786332224 : i64
    %c2_i32 = arith.constant 2 : i32
    %c-2638381946312093631_i64 = arith.constant -2638381946312093631 : i64
    %c3_i32 = arith.constant 3 : i32
    %c-121206125134887583_i64 = arith.constant -121206125134887583 : i64
    %c4_i32 = arith.constant 4 : i32
    %c-5249950069107600672_i64 = arith.constant -5249950069107600672 : i64
    %c5_i32 = arith.constant 5 : i32
    %c452944820249399836_i64 = arith.constant 452944820249399836 : i64
    %c-135693905287338178_i64 = arith.constant -135693905287338178 : i64
    %c7_i32 = arith.constant 7 : i32
    %c-1692731182770600828_i64 = arith.constant -1692731182770600828 : i64
    %c8_i32 = arith.constant 8 : i32
    %c-1613291254968254911_i64 = arith.constant -1613291254968254911 : i64
    %c9_i32 = arith.constant 9 : i32
    %c4148332274289687028_i64 = arith.constant 4148332274289687028 : i64
    %c10_i32 = arith.constant 10 : i32
    %c-7168499653074671557_i64 = arith.constant -7168499653074671557 : i64
    %c11_i32 = arith.constant 11 : i32
    %c2303758334597371919_i64 = arith.constant 2303758334597371919 : i64
    %c12_i32 = arith.constant 12 : i32
    %c-1211730484530615009_i64 = arith.constant -1211730484530615009 : i64
    %c13_i32 = arith.constant 13 : i32
    %c7869616827067468215_i64 = arith.constant 7869616827067468215 : i64
    %c14_i32 = arith.constant 14 : i32
    %c5712322887342352941_i64 = arith.constant 5712322887342352941 : i64
    %c15_i32 = arith.constant 15 : i32
    %c8441921394348257659_i64 = arith.constant 8441921394348257659 : i64
    %c63_i32 = arith.constant 63 : i32
    %c16_i32 = arith.constant 16 : i32
    %c4397547296490951402_i64 = arith.constant 4397547296490951402 : i64
    %c64_i32 = arith.constant 64 : i32
    %c1014_i32 = arith.constant 1014 : i32
    %c1013_i32 = arith.constant 1013 : i32
    %c-1013_i32 = arith.constant -1013 : i32
    %c17_i32 = arith.constant 17 : i32
    %c7780917995555872008_i64 = arith.constant 7780917995555872008 : i64
    %c950_i32 = arith.constant 950 : i32
    %c949_i32 = arith.constant 949 : i32
    %c-949_i32 = arith.constant -949 : i32
    %c18_i32 = arith.constant 18 : i32
    %c6197850593633725355_i64 = arith.constant 6197850593633725355 : i64
    %c886_i32 = arith.constant 886 : i32
    %c32_i64 = arith.constant 32 : i64
    %c4294967295_i64 = arith.constant 4294967295 : i64
    %c62_i64 = arith.constant 62 : i64
    %c2_i64 = arith.constant 2 : i64
    %c63_i64 = arith.constant 63 : i64
    %c-1_i64 = arith.constant -1 : i64
    %c4294967296_i64 = arith.constant 4294967296 : i64
    %c32_i32 = arith.constant 32 : i32
    %c281474976710656_i64 = arith.constant 281474976710656 : i64
    %c16_i64 = arith.constant 16 : i64
    %c72057594037927936_i64 = arith.constant 72057594037927936 : i64
    %c8_i64 = arith.constant 8 : i64
    %c1152921504606846976_i64 = arith.constant 1152921504606846976 : i64
    %c4_i64 = arith.constant 4 : i64
    %c4611686018427387904_i64 = arith.constant 4611686018427387904 : i64
    %c1023_i32 = arith.constant 1023 : i32
    %c11_i64 = arith.constant 11 : i64
    %cst_3 = arith.constant 1.1102230246251565E-16 : f64
    %c42_i64 = arith.constant 42 : i64
    %c9002801208229888_i64 = arith.constant 9002801208229888 : i64
    %c22_i64 = arith.constant 22 : i64
    %cst_4 = arith.constant 1.2325951644078309E-32 : f64
    %cst_5 = arith.constant 1.5707963267948966 : f64
    %c-134217728_i64 = arith.constant -134217728 : i64
    %cst_6 = arith.constant 1.5707963109016418 : f64
    %cst_7 = arith.constant 1.5893254712295857E-8 : f64
    %cst_8 = arith.constant 6.123233995736766E-17 : f64
    %cst_9 = arith.constant 6.1232339320535943E-17 : f64
    %cst_10 = arith.constant 6.3683171784847992E-25 : f64
    %cst_11 = arith.constant 0.63661977236758138 : f64
    %cst_12 = arith.constant 0x4338000000000000 : f64
    %cst_13 = arith.constant 0xC338000000000000 : f64
    %cst_14 = arith.constant -1.5707963267948966 : f64
    %cst_15 = arith.constant -1.4973849048591698E-33 : f64
    %cst_16 = arith.constant -1.4973848821069989E-33 : f64
    %cst_17 = arith.constant 2.2752170884137874E-41 : f64
    %cst_18 = arith.constant 1.4973848821069989E-33 : f64
    %cst_19 = arith.constant -1.5619206968586225E-16 : f64
    %cst_20 = arith.constant 4.7794773323873853E-14 : f64
    %cst_21 = arith.constant -1.1470745597729725E-11 : f64
    %cst_22 = arith.constant 2.08767569878681E-9 : f64
    %cst_23 = arith.constant -2.7557319223985888E-7 : f64
    %cst_24 = arith.constant 2.4801587301587302E-5 : f64
    %cst_25 = arith.constant -0.0013888888888888889 : f64
    %cst_26 = arith.constant 0.041666666666666664 : f64
    %cst_27 = arith.constant -8.2206352466243295E-18 : f64
    %cst_28 = arith.constant 2.8114572543455206E-15 : f64
    %cst_29 = arith.constant -7.6471637318198164E-13 : f64
    %cst_30 = arith.constant 1.6059043836821613E-10 : f64
    %cst_31 = arith.constant -2.505210838544172E-8 : f64
    %cst_32 = arith.constant 2.7557319223985893E-6 : f64
    %cst_33 = arith.constant -1.9841269841269841E-4 : f64
    %cst_34 = arith.constant 0.0083333333333333332 : f64
    %cst_35 = arith.constant -0.16666666666666666 : f64
    %cst_36 = arith.constant 5.000000e-01 : f64
    %cst_37 = arith.constant 1.000000e+00 : f64
    %0 = arith.cmpf oeq, %arg0, %cst : f64
    %1 = scf.if %0 -> (f64) {
      scf.yield %arg0 : f64
    } else {
      %2 = math.absf %arg0 : f64
      %3 = arith.cmpf ueq, %2, %cst_0 : f64
      %4 = scf.if %3 -> (f64) {
        scf.yield %cst_1 : f64
      } else {
        %5 = arith.cmpf olt, %2, %cst_2 : f64
        %6:3 = scf.if %5 -> (i32, f64, f64) {
          %56 = arith.mulf %arg0, %cst_11 : f64
          %57 = arith.addf %56, %cst_12 : f64
          %58 = arith.addf %57, %cst_13 : f64
          %59 = arith.negf %58 : f64
          %60 = arith.mulf %58, %cst_14 : f64
          %61 = arith.bitcast %59 : f64 to i64
          %62 = arith.andi %61, %c-134217728_i64 : i64
          %63 = arith.bitcast %62 : i64 to f64
          %64 = arith.subf %59, %63 : f64
          %65 = arith.mulf %63, %cst_6 : f64
          %66 = arith.subf %65, %60 : f64
          %67 = arith.mulf %63, %cst_7 : f64
          %68 = arith.addf %67, %66 : f64
          %69 = arith.mulf %64, %cst_6 : f64
          %70 = arith.addf %69, %68 : f64
          %71 = arith.mulf %64, %cst_7 : f64
          %72 = arith.addf %71, %70 : f64
          %73 = arith.addf %arg0, %60 : f64
          %74 = arith.subf %73, %60 : f64
          %75 = arith.subf %73, %74 : f64
          %76 = arith.subf %60, %75 : f64
          %77 = arith.subf %arg0, %74 : f64
          %78 = arith.addf %77, %76 : f64
          %79 = arith.addf %78, %72 : f64
          %80 = arith.addf %73, %79 : f64
          %81 = arith.mulf %58, %cst_8 : f64
          %82 = arith.bitcast %58 : f64 to i64
          %83 = arith.andi %82, %c-134217728_i64 : i64
          %84 = arith.bitcast %83 : i64 to f64
          %85 = arith.subf %58, %84 : f64
          %86 = arith.mulf %84, %cst_9 : f64
          %87 = arith.subf %86, %81 : f64
          %88 = arith.mulf %84, %cst_10 : f64
          %89 = arith.addf %88, %87 : f64
          %90 = arith.mulf %85, %cst_9 : f64
          %91 = arith.addf %90, %89 : f64
          %92 = arith.mulf %85, %cst_10 : f64
          %93 = arith.addf %92, %91 : f64
          %94 = arith.subf %80, %81 : f64
          %95 = arith.subf %80, %94 : f64
          %96 = arith.subf %95, %81 : f64
          %97 = arith.mulf %58, %cst_15 : f64
          %98 = arith.mulf %84, %cst_16 : f64
          %99 = arith.subf %98, %97 : f64
          %100 = arith.mulf %84, %cst_17 : f64
          %101 = arith.subf %99, %100 : f64
          %102 = arith.mulf %85, %cst_18 : f64
          %103 = arith.subf %101, %102 : f64
          %104 = arith.mulf %85, %cst_17 : f64
          %105 = arith.subf %103, %104 : f64
          %106 = arith.addf %97, %93 : f64
          %107 = arith.subf %106, %97 : f64
          %108 = arith.subf %106, %107 : f64
          %109 = arith.subf %97, %108 : f64
          %110 = arith.subf %93, %107 : f64
          %111 = arith.addf %110, %109 : f64
          %112 = arith.addf %105, %111 : f64
          %113 = arith.addf %106, %112 : f64
          %114 = arith.subf %96, %113 : f64
          %115 = arith.fptosi %58 : f64 to i32
          %116 = arith.addf %94, %114 : f64
          %117 = arith.subf %94, %116 : f64
          %118 = arith.addf %114, %117 : f64
          scf.yield %115, %116, %118 : i32, f64, f64
        } else {
          %56 = arith.bitcast %arg0 : f64 to i64
          %57 = arith.andi %56, %c4503599627370495_i64 : i64
          %58 = arith.ori %57, %c4503599627370496_i64 : i64
          %59 = arith.shrui %56, %c52_i64 : i64
          %60 = arith.trunci %59 : i64 to i32
          %61 = arith.andi %60, %c2047_i32 : i32
          %62 = arith.cmpi ult, %61, %c1077_i32 : i32
          %63 = scf.if %62 -> (i64) {
            %175 = arith.cmpi ult, %61, %c1014_i32 : i32
            %176 = arith.subi %c1077_i32, %61 : i32
            %177 = arith.extui %176 : i32 to i64
            %178 = arith.shrui %c-6703182060581546711_i64, %177 : i64
            %179 = arith.select %175, %c0_i64, %178 : i64
            scf.yield %179 : i64
          } else {
            %175 = arith.addi %61, %c-1077_i32 : i32
            %176 = arith.shrui %175, %c6_i32 : i32
            %177 = arith.cmpi eq, %176, %c0_i32 : i32
            %178 = arith.select %177, %c-6703182060581546711_i64, %c0_i64 : i64
            %179 = arith.cmpi eq, %176, %c1_i32 : i32
            %180 = arith.select %179, %c-277156292786332224_i64, %178 : i64
            %181 = arith.cmpi eq, %176, %c2_i32 : i32
            %182 = arith.select %181, %c-2638381946312093631_i64, %180 : i64
            %183 = arith.cmpi eq, %176, %c3_i32 : i32
            %184 = arith.select %183, %c-121206125134887583_i64, %182 : i64
            %185 = arith.cmpi eq, %176, %c4_i32 : i32
            %186 = arith.select %185, %c-5249950069107600672_i64, %184 : i64
            %187 = arith.cmpi eq, %176, %c5_i32 : i32
            %188 = arith.select %187, %c452944820249399836_i64, %186 : i64
            %189 = arith.cmpi eq, %176, %c6_i32 : i32
            %190 = arith.select %189, %c-135693905287338178_i64, %188 : i64
            %191 = arith.cmpi eq, %176, %c7_i32 : i32
            %192 = arith.select %191, %c-1692731182770600828_i64, %190 : i64
            %193 = arith.cmpi eq, %176, %c8_i32 : i32
            %194 = arith.select %193, %c-1613291254968254911_i64, %192 : i64
            %195 = arith.cmpi eq, %176, %c9_i32 : i32
            %196 = arith.select %195, %c4148332274289687028_i64, %194 : i64
            %197 = arith.cmpi eq, %176, %c10_i32 : i32
            %198 = arith.select %197, %c-7168499653074671557_i64, %196 : i64
            %199 = arith.cmpi eq, %176, %c11_i32 : i32
            %200 = arith.select %199, %c2303758334597371919_i64, %198 : i64
            %201 = arith.cmpi eq, %176, %c12_i32 : i32
            %202 = arith.select %201, %c-1211730484530615009_i64, %200 : i64
            %203 = arith.cmpi eq, %176, %c13_i32 : i32
            %204 = arith.select %203, %c7869616827067468215_i64, %202 : i64
            %205 = arith.cmpi eq, %176, %c14_i32 : i32
            %206 = arith.select %205, %c5712322887342352941_i64, %204 : i64
            %207 = arith.cmpi eq, %176, %c15_i32 : i32
            %208 = arith.select %207, %c8441921394348257659_i64, %206 : i64
            %209 = arith.andi %175, %c63_i32 : i32
            %210 = arith.cmpi eq, %209, %c0_i32 : i32
            %211 = scf.if %210 -> (i64) {
              scf.yield %208 : i64
            } else {
              %212 = arith.addi %176, %c1_i32 : i32
              %213 = arith.select %177, %c-277156292786332224_i64, %c0_i64 : i64
              %214 = arith.cmpi eq, %212, %c2_i32 : i32
              %215 = arith.select %214, %c-2638381946312093631_i64, %213 : i64
              %216 = arith.cmpi eq, %212, %c3_i32 : i32
              %217 = arith.select %216, %c-121206125134887583_i64, %215 : i64
              %218 = arith.cmpi eq, %212, %c4_i32 : i32
              %219 = arith.select %218, %c-5249950069107600672_i64, %217 : i64
              %220 = arith.cmpi eq, %212, %c5_i32 : i32
              %221 = arith.select %220, %c452944820249399836_i64, %219 : i64
              %222 = arith.cmpi eq, %212, %c6_i32 : i32
              %223 = arith.select %222, %c-135693905287338178_i64, %221 : i64
              %224 = arith.cmpi eq, %212, %c7_i32 : i32
              %225 = arith.select %224, %c-1692731182770600828_i64, %223 : i64
              %226 = arith.cmpi eq, %212, %c8_i32 : i32
              %227 = arith.select %226, %c-1613291254968254911_i64, %225 : i64
              %228 = arith.cmpi eq, %212, %c9_i32 : i32
              %229 = arith.select %228, %c4148332274289687028_i64, %227 : i64
              %230 = arith.cmpi eq, %212, %c10_i32 : i32
              %231 = arith.select %230, %c-7168499653074671557_i64, %229 : i64
              %232 = arith.cmpi eq, %212, %c11_i32 : i32
              %233 = arith.select %232, %c2303758334597371919_i64, %231 : i64
              %234 = arith.cmpi eq, %212, %c12_i32 : i32
              %235 = arith.select %234, %c-1211730484530615009_i64, %233 : i64
              %236 = arith.cmpi eq, %212, %c13_i32 : i32
              %237 = arith.select %236, %c7869616827067468215_i64, %235 : i64
              %238 = arith.cmpi eq, %212, %c14_i32 : i32
              %239 = arith.select %238, %c5712322887342352941_i64, %237 : i64
              %240 = arith.cmpi eq, %212, %c15_i32 : i32
              %241 = arith.select %240, %c8441921394348257659_i64, %239 : i64
              %242 = arith.cmpi eq, %212, %c16_i32 : i32
              %243 = arith.select %242, %c4397547296490951402_i64, %241 : i64
              %244 = arith.extui %209 : i32 to i64
              %245 = arith.shli %208, %244 : i64
              %246 = arith.subi %c64_i32, %209 : i32
              %247 = arith.extui %246 : i32 to i64
              %248 = arith.shrui %243, %247 : i64
              %249 = arith.ori %248, %245 : i64
              scf.yield %249 : i64
            }
            scf.yield %211 : i64
          }
          %64 = arith.cmpi ult, %61, %c1013_i32 : i32
          %65 = scf.if %64 -> (i64) {
            %175 = arith.cmpi ult, %61, %c950_i32 : i32
            %176 = arith.subi %c1013_i32, %61 : i32
            %177 = arith.extui %176 : i32 to i64
            %178 = arith.shrui %c-6703182060581546711_i64, %177 : i64
            %179 = arith.select %175, %c0_i64, %178 : i64
            scf.yield %179 : i64
          } else {
            %175 = arith.addi %61, %c-1013_i32 : i32
            %176 = arith.shrui %175, %c6_i32 : i32
            %177 = arith.cmpi eq, %176, %c0_i32 : i32
            %178 = arith.select %177, %c-6703182060581546711_i64, %c0_i64 : i64
            %179 = arith.cmpi eq, %176, %c1_i32 : i32
            %180 = arith.select %179, %c-277156292786332224_i64, %178 : i64
            %181 = arith.cmpi eq, %176, %c2_i32 : i32
            %182 = arith.select %181, %c-2638381946312093631_i64, %180 : i64
            %183 = arith.cmpi eq, %176, %c3_i32 : i32
            %184 = arith.select %183, %c-121206125134887583_i64, %182 : i64
            %185 = arith.cmpi eq, %176, %c4_i32 : i32
            %186 = arith.select %185, %c-5249950069107600672_i64, %184 : i64
            %187 = arith.cmpi eq, %176, %c5_i32 : i32
            %188 = arith.select %187, %c452944820249399836_i64, %186 : i64
            %189 = arith.cmpi eq, %176, %c6_i32 : i32
            %190 = arith.select %189, %c-135693905287338178_i64, %188 : i64
            %191 = arith.cmpi eq, %176, %c7_i32 : i32
            %192 = arith.select %191, %c-1692731182770600828_i64, %190 : i64
            %193 = arith.cmpi eq, %176, %c8_i32 : i32
            %194 = arith.select %193, %c-1613291254968254911_i64, %192 : i64
            %195 = arith.cmpi eq, %176, %c9_i32 : i32
            %196 = arith.select %195, %c4148332274289687028_i64, %194 : i64
            %197 = arith.cmpi eq, %176, %c10_i32 : i32
            %198 = arith.select %197, %c-7168499653074671557_i64, %196 : i64
            %199 = arith.cmpi eq, %176, %c11_i32 : i32
            %200 = arith.select %199, %c2303758334597371919_i64, %198 : i64
            %201 = arith.cmpi eq, %176, %c12_i32 : i32
            %202 = arith.select %201, %c-1211730484530615009_i64, %200 : i64
            %203 = arith.cmpi eq, %176, %c13_i32 : i32
            %204 = arith.select %203, %c7869616827067468215_i64, %202 : i64
            %205 = arith.cmpi eq, %176, %c14_i32 : i32
            %206 = arith.select %205, %c5712322887342352941_i64, %204 : i64
            %207 = arith.cmpi eq, %176, %c15_i32 : i32
            %208 = arith.select %207, %c8441921394348257659_i64, %206 : i64
            %209 = arith.cmpi eq, %176, %c16_i32 : i32
            %210 = arith.select %209, %c4397547296490951402_i64, %208 : i64
            %211 = arith.andi %175, %c63_i32 : i32
            %212 = arith.cmpi eq, %211, %c0_i32 : i32
            %213 = scf.if %212 -> (i64) {
              scf.yield %210 : i64
            } else {
              %214 = arith.addi %176, %c1_i32 : i32
              %215 = arith.select %177, %c-277156292786332224_i64, %c0_i64 : i64
              %216 = arith.cmpi eq, %214, %c2_i32 : i32
              %217 = arith.select %216, %c-2638381946312093631_i64, %215 : i64
              %218 = arith.cmpi eq, %214, %c3_i32 : i32
              %219 = arith.select %218, %c-121206125134887583_i64, %217 : i64
              %220 = arith.cmpi eq, %214, %c4_i32 : i32
              %221 = arith.select %220, %c-5249950069107600672_i64, %219 : i64
              %222 = arith.cmpi eq, %214, %c5_i32 : i32
              %223 = arith.select %222, %c452944820249399836_i64, %221 : i64
              %224 = arith.cmpi eq, %214, %c6_i32 : i32
              %225 = arith.select %224, %c-135693905287338178_i64, %223 : i64
              %226 = arith.cmpi eq, %214, %c7_i32 : i32
              %227 = arith.select %226, %c-1692731182770600828_i64, %225 : i64
              %228 = arith.cmpi eq, %214, %c8_i32 : i32
              %229 = arith.select %228, %c-1613291254968254911_i64, %227 : i64
              %230 = arith.cmpi eq, %214, %c9_i32 : i32
              %231 = arith.select %230, %c4148332274289687028_i64, %229 : i64
              %232 = arith.cmpi eq, %214, %c10_i32 : i32
              %233 = arith.select %232, %c-7168499653074671557_i64, %231 : i64
              %234 = arith.cmpi eq, %214, %c11_i32 : i32
              %235 = arith.select %234, %c2303758334597371919_i64, %233 : i64
              %236 = arith.cmpi eq, %214, %c12_i32 : i32
              %237 = arith.select %236, %c-1211730484530615009_i64, %235 : i64
              %238 = arith.cmpi eq, %214, %c13_i32 : i32
              %239 = arith.select %238, %c7869616827067468215_i64, %237 : i64
              %240 = arith.cmpi eq, %214, %c14_i32 : i32
              %241 = arith.select %240, %c5712322887342352941_i64, %239 : i64
              %242 = arith.cmpi eq, %214, %c15_i32 : i32
              %243 = arith.select %242, %c8441921394348257659_i64, %241 : i64
              %244 = arith.cmpi eq, %214, %c16_i32 : i32
              %245 = arith.select %244, %c4397547296490951402_i64, %243 : i64
              %246 = arith.cmpi eq, %214, %c17_i32 : i32
              %247 = arith.select %246, %c7780917995555872008_i64, %245 : i64
              %248 = arith.extui %211 : i32 to i64
              %249 = arith.shli %210, %248 : i64
              %250 = arith.subi %c64_i32, %211 : i32
              %251 = arith.extui %250 : i32 to i64
              %252 = arith.shrui %247, %251 : i64
              %253 = arith.ori %252, %249 : i64
              scf.yield %253 : i64
            }
            scf.yield %213 : i64
          }
          %66 = arith.cmpi ult, %61, %c949_i32 : i32
          %67 = scf.if %66 -> (i64) {
            %175 = arith.cmpi ult, %61, %c886_i32 : i32
            %176 = arith.subi %c949_i32, %61 : i32
            %177 = arith.extui %176 : i32 to i64
            %178 = arith.shrui %c-6703182060581546711_i64, %177 : i64
            %179 = arith.select %175, %c0_i64, %178 : i64
            scf.yield %179 : i64
          } else {
            %175 = arith.addi %61, %c-949_i32 : i32
            %176 = arith.shrui %175, %c6_i32 : i32
            %177 = arith.cmpi eq, %176, %c0_i32 : i32
            %178 = arith.select %177, %c-6703182060581546711_i64, %c0_i64 : i64
            %179 = arith.cmpi eq, %176, %c1_i32 : i32
            %180 = arith.select %179, %c-277156292786332224_i64, %178 : i64
            %181 = arith.cmpi eq, %176, %c2_i32 : i32
            %182 = arith.select %181, %c-2638381946312093631_i64, %180 : i64
            %183 = arith.cmpi eq, %176, %c3_i32 : i32
            %184 = arith.select %183, %c-121206125134887583_i64, %182 : i64
            %185 = arith.cmpi eq, %176, %c4_i32 : i32
            %186 = arith.select %185, %c-5249950069107600672_i64, %184 : i64
            %187 = arith.cmpi eq, %176, %c5_i32 : i32
            %188 = arith.select %187, %c452944820249399836_i64, %186 : i64
            %189 = arith.cmpi eq, %176, %c6_i32 : i32
            %190 = arith.select %189, %c-135693905287338178_i64, %188 : i64
            %191 = arith.cmpi eq, %176, %c7_i32 : i32
            %192 = arith.select %191, %c-1692731182770600828_i64, %190 : i64
            %193 = arith.cmpi eq, %176, %c8_i32 : i32
            %194 = arith.select %193, %c-1613291254968254911_i64, %192 : i64
            %195 = arith.cmpi eq, %176, %c9_i32 : i32
            %196 = arith.select %195, %c4148332274289687028_i64, %194 : i64
            %197 = arith.cmpi eq, %176, %c10_i32 : i32
            %198 = arith.select %197, %c-7168499653074671557_i64, %196 : i64
            %199 = arith.cmpi eq, %176, %c11_i32 : i32
            %200 = arith.select %199, %c2303758334597371919_i64, %198 : i64
            %201 = arith.cmpi eq, %176, %c12_i32 : i32
            %202 = arith.select %201, %c-1211730484530615009_i64, %200 : i64
            %203 = arith.cmpi eq, %176, %c13_i32 : i32
            %204 = arith.select %203, %c7869616827067468215_i64, %202 : i64
            %205 = arith.cmpi eq, %176, %c14_i32 : i32
            %206 = arith.select %205, %c5712322887342352941_i64, %204 : i64
            %207 = arith.cmpi eq, %176, %c15_i32 : i32
            %208 = arith.select %207, %c8441921394348257659_i64, %206 : i64
            %209 = arith.cmpi eq, %176, %c16_i32 : i32
            %210 = arith.select %209, %c4397547296490951402_i64, %208 : i64
            %211 = arith.cmpi eq, %176, %c17_i32 : i32
            %212 = arith.select %211, %c7780917995555872008_i64, %210 : i64
            %213 = arith.andi %175, %c63_i32 : i32
            %214 = arith.cmpi eq, %213, %c0_i32 : i32
            %215 = scf.if %214 -> (i64) {
              scf.yield %212 : i64
            } else {
              %216 = arith.addi %176, %c1_i32 : i32
              %217 = arith.select %177, %c-277156292786332224_i64, %c0_i64 : i64
              %218 = arith.cmpi eq, %216, %c2_i32 : i32
              %219 = arith.select %218, %c-2638381946312093631_i64, %217 : i64
              %220 = arith.cmpi eq, %216, %c3_i32 : i32
              %221 = arith.select %220, %c-121206125134887583_i64, %219 : i64
              %222 = arith.cmpi eq, %216, %c4_i32 : i32
              %223 = arith.select %222, %c-5249950069107600672_i64, %221 : i64
              %224 = arith.cmpi eq, %216, %c5_i32 : i32
              %225 = arith.select %224, %c452944820249399836_i64, %223 : i64
              %226 = arith.cmpi eq, %216, %c6_i32 : i32
              %227 = arith.select %226, %c-135693905287338178_i64, %225 : i64
              %228 = arith.cmpi eq, %216, %c7_i32 : i32
              %229 = arith.select %228, %c-1692731182770600828_i64, %227 : i64
              %230 = arith.cmpi eq, %216, %c8_i32 : i32
              %231 = arith.select %230, %c-1613291254968254911_i64, %229 : i64
              %232 = arith.cmpi eq, %216, %c9_i32 : i32
              %233 = arith.select %232, %c4148332274289687028_i64, %231 : i64
              %234 = arith.cmpi eq, %216, %c10_i32 : i32
              %235 = arith.select %234, %c-7168499653074671557_i64, %233 : i64
              %236 = arith.cmpi eq, %216, %c11_i32 : i32
              %237 = arith.select %236, %c2303758334597371919_i64, %235 : i64
              %238 = arith.cmpi eq, %216, %c12_i32 : i32
              %239 = arith.select %238, %c-1211730484530615009_i64, %237 : i64
              %240 = arith.cmpi eq, %216, %c13_i32 : i32
              %241 = arith.select %240, %c7869616827067468215_i64, %239 : i64
              %242 = arith.cmpi eq, %216, %c14_i32 : i32
              %243 = arith.select %242, %c5712322887342352941_i64, %241 : i64
              %244 = arith.cmpi eq, %216, %c15_i32 : i32
              %245 = arith.select %244, %c8441921394348257659_i64, %243 : i64
              %246 = arith.cmpi eq, %216, %c16_i32 : i32
              %247 = arith.select %246, %c4397547296490951402_i64, %245 : i64
              %248 = arith.cmpi eq, %216, %c17_i32 : i32
              %249 = arith.select %248, %c7780917995555872008_i64, %247 : i64
              %250 = arith.cmpi eq, %216, %c18_i32 : i32
              %251 = arith.select %250, %c6197850593633725355_i64, %249 : i64
              %252 = arith.extui %213 : i32 to i64
              %253 = arith.shli %212, %252 : i64
              %254 = arith.subi %c64_i32, %213 : i32
              %255 = arith.extui %254 : i32 to i64
              %256 = arith.shrui %251, %255 : i64
              %257 = arith.ori %256, %253 : i64
              scf.yield %257 : i64
            }
            scf.yield %215 : i64
          }
          %68 = arith.muli %67, %58 : i64
          %69 = arith.muli %65, %58 : i64
          %70 = arith.shrui %58, %c32_i64 : i64
          %71 = arith.andi %56, %c4294967295_i64 : i64
          %72 = arith.shrui %67, %c32_i64 : i64
          %73 = arith.andi %67, %c4294967295_i64 : i64
          %74 = arith.muli %73, %70 : i64
          %75 = arith.muli %73, %71 : i64
          %76 = arith.shrui %75, %c32_i64 : i64
          %77 = arith.addi %76, %74 : i64
          %78 = arith.muli %72, %71 : i64
          %79 = arith.andi %77, %c4294967295_i64 : i64
          %80 = arith.addi %79, %78 : i64
          %81 = arith.muli %72, %70 : i64
          %82 = arith.shrui %77, %c32_i64 : i64
          %83 = arith.shrui %80, %c32_i64 : i64
          %84 = arith.addi %81, %69 : i64
          %85 = arith.addi %84, %82 : i64
          %86 = arith.addi %85, %83 : i64
          %87 = arith.muli %63, %58 : i64
          %88 = arith.shrui %65, %c32_i64 : i64
          %89 = arith.andi %65, %c4294967295_i64 : i64
          %90 = arith.muli %89, %70 : i64
          %91 = arith.muli %89, %71 : i64
          %92 = arith.shrui %91, %c32_i64 : i64
          %93 = arith.addi %92, %90 : i64
          %94 = arith.muli %88, %71 : i64
          %95 = arith.andi %93, %c4294967295_i64 : i64
          %96 = arith.addi %95, %94 : i64
          %97 = arith.muli %88, %70 : i64
          %98 = arith.shrui %93, %c32_i64 : i64
          %99 = arith.shrui %96, %c32_i64 : i64
          %100 = arith.cmpi ult, %86, %69 : i64
          %101 = arith.extui %100 : i1 to i64
          %102 = arith.addi %97, %87 : i64
          %103 = arith.addi %102, %98 : i64
          %104 = arith.addi %103, %99 : i64
          %105 = arith.addi %104, %101 : i64
          %106 = arith.shrui %105, %c62_i64 : i64
          %107 = arith.trunci %106 : i64 to i32
          %108 = arith.shli %105, %c2_i64 : i64
          %109 = arith.shrui %86, %c1_i64 : i64
          %110 = arith.shrui %109, %c61_i64 : i64
          %111 = arith.ori %108, %110 : i64
          %112 = arith.shli %86, %c2_i64 : i64
          %113 = arith.shrui %68, %c1_i64 : i64
          %114 = arith.shrui %113, %c61_i64 : i64
          %115 = arith.ori %112, %114 : i64
          %116 = arith.shrui %111, %c63_i64 : i64
          %117 = arith.trunci %116 : i64 to i32
          %118 = arith.addi %117, %107 : i32
          %119 = arith.cmpi sgt, %111, %c-1_i64 : i64
          %120 = arith.xori %111, %c-1_i64 : i64
          %121 = arith.cmpi eq, %115, %c0_i64 : i64
          %122 = arith.extui %121 : i1 to i64
          %123 = arith.addi %120, %122 : i64
          %124 = arith.subi %c0_i64, %115 : i64
          %125 = arith.select %119, %111, %123 : i64
          %126 = arith.select %119, %115, %124 : i64
          %127 = arith.ori %125, %126 : i64
          %128 = arith.cmpi eq, %127, %c0_i64 : i64
          %129:2 = scf.if %128 -> (f64, f64) {
            scf.yield %cst, %cst : f64, f64
          } else {
            %175 = arith.cmpi eq, %125, %c0_i64 : i64
            %176 = scf.if %175 -> (i32) {
              %199 = arith.cmpi ult, %126, %c4294967296_i64 : i64
              %200 = arith.select %199, %c32_i64, %c0_i64 : i64
              %201 = arith.shli %126, %200 : i64
              %202 = arith.select %199, %c32_i32, %c0_i32 : i32
              %203 = arith.cmpi ult, %201, %c281474976710656_i64 : i64
              %204 = arith.select %203, %c16_i64, %c0_i64 : i64
              %205 = arith.shli %201, %204 : i64
              %206 = arith.select %203, %c16_i32, %c0_i32 : i32
              %207 = arith.ori %206, %202 : i32
              %208 = arith.cmpi ult, %205, %c72057594037927936_i64 : i64
              %209 = arith.select %208, %c8_i64, %c0_i64 : i64
              %210 = arith.shli %205, %209 : i64
              %211 = arith.select %208, %c8_i32, %c0_i32 : i32
              %212 = arith.ori %211, %207 : i32
              %213 = arith.cmpi ult, %210, %c1152921504606846976_i64 : i64
              %214 = arith.select %213, %c4_i64, %c0_i64 : i64
              %215 = arith.shli %210, %214 : i64
              %216 = arith.select %213, %c4_i32, %c0_i32 : i32
              %217 = arith.ori %216, %212 : i32
              %218 = arith.cmpi ult, %215, %c4611686018427387904_i64 : i64
              %219 = arith.select %218, %c2_i64, %c0_i64 : i64
              %220 = arith.shli %215, %219 : i64
              %221 = arith.select %218, %c2_i32, %c0_i32 : i32
              %222 = arith.ori %221, %217 : i32
              %223 = arith.cmpi sgt, %220, %c-1_i64 : i64
              %224 = arith.extui %223 : i1 to i32
              %225 = arith.ori %222, %224 : i32
              %226 = arith.ori %225, %c64_i32 : i32
              scf.yield %226 : i32
            } else {
              %199 = arith.cmpi ult, %125, %c4294967296_i64 : i64
              %200 = arith.select %199, %c32_i64, %c0_i64 : i64
              %201 = arith.shli %125, %200 : i64
              %202 = arith.select %199, %c32_i32, %c0_i32 : i32
              %203 = arith.cmpi ult, %201, %c281474976710656_i64 : i64
              %204 = arith.select %203, %c16_i64, %c0_i64 : i64
              %205 = arith.shli %201, %204 : i64
              %206 = arith.select %203, %c16_i32, %c0_i32 : i32
              %207 = arith.ori %206, %202 : i32
              %208 = arith.cmpi ult, %205, %c72057594037927936_i64 : i64
              %209 = arith.select %208, %c8_i64, %c0_i64 : i64
              %210 = arith.shli %205, %209 : i64
              %211 = arith.select %208, %c8_i32, %c0_i32 : i32
              %212 = arith.ori %211, %207 : i32
              %213 = arith.cmpi ult, %210, %c1152921504606846976_i64 : i64
              %214 = arith.select %213, %c4_i64, %c0_i64 : i64
              %215 = arith.shli %210, %214 : i64
              %216 = arith.select %213, %c4_i32, %c0_i32 : i32
              %217 = arith.ori %216, %212 : i32
              %218 = arith.cmpi ult, %215, %c4611686018427387904_i64 : i64
              %219 = arith.select %218, %c2_i64, %c0_i64 : i64
              %220 = arith.shli %215, %219 : i64
              %221 = arith.select %218, %c2_i32, %c0_i32 : i32
              %222 = arith.ori %221, %217 : i32
              %223 = arith.cmpi sgt, %220, %c-1_i64 : i64
              %224 = arith.extui %223 : i1 to i32
              %225 = arith.ori %222, %224 : i32
              scf.yield %225 : i32
            }
            %177 = arith.cmpi ugt, %176, %c63_i32 : i32
            %178 = arith.select %177, %126, %125 : i64
            %179 = arith.select %177, %c0_i64, %126 : i64
            %180 = arith.andi %176, %c63_i32 : i32
            %181 = arith.cmpi eq, %180, %c0_i32 : i32
            %182:2 = scf.if %181 -> (i64, i64) {
              scf.yield %178, %179 : i64, i64
            } else {
              %199 = arith.extui %180 : i32 to i64
              %200 = arith.shli %178, %199 : i64
              %201 = arith.subi %c64_i32, %180 : i32
              %202 = arith.extui %201 : i32 to i64
              %203 = arith.shrui %179, %202 : i64
              %204 = arith.ori %203, %200 : i64
              %205 = arith.shli %179, %199 : i64
              scf.yield %204, %205 : i64, i64
            }
            %183 = arith.subi %c1023_i32, %176 : i32
            %184 = arith.extui %183 : i32 to i64
            %185 = arith.shli %184, %c52_i64 : i64
            %186 = arith.bitcast %185 : i64 to f64
            %187 = arith.shrui %182#0, %c11_i64 : i64
            %188 = arith.uitofp %187 : i64 to f64
            %189 = arith.mulf %188, %cst_3 : f64
            %190 = arith.mulf %189, %186 : f64
            %191 = arith.shli %182#0, %c42_i64 : i64
            %192 = arith.andi %191, %c9002801208229888_i64 : i64
            %193 = arith.shrui %182#1, %c22_i64 : i64
            %194 = arith.ori %192, %193 : i64
            %195 = arith.uitofp %194 : i64 to f64
            %196 = arith.mulf %195, %cst_4 : f64
            %197 = arith.mulf %196, %186 : f64
            %198 = arith.mulf %197, %cst_5 : f64
            scf.yield %198, %190 : f64, f64
          }
          %130 = arith.mulf %129#1, %cst_5 : f64
          %131 = arith.bitcast %129#1 : f64 to i64
          %132 = arith.andi %131, %c-134217728_i64 : i64
          %133 = arith.bitcast %132 : i64 to f64
          %134 = arith.subf %129#1, %133 : f64
          %135 = arith.mulf %133, %cst_6 : f64
          %136 = arith.subf %135, %130 : f64
          %137 = arith.mulf %133, %cst_7 : f64
          %138 = arith.addf %137, %136 : f64
          %139 = arith.mulf %134, %cst_6 : f64
          %140 = arith.addf %139, %138 : f64
          %141 = arith.mulf %134, %cst_7 : f64
          %142 = arith.addf %141, %140 : f64
          %143 = arith.mulf %129#1, %cst_8 : f64
          %144 = arith.mulf %133, %cst_9 : f64
          %145 = arith.subf %144, %143 : f64
          %146 = arith.mulf %133, %cst_10 : f64
          %147 = arith.addf %146, %145 : f64
          %148 = arith.mulf %134, %cst_9 : f64
          %149 = arith.addf %148, %147 : f64
          %150 = arith.mulf %134, %cst_10 : f64
          %151 = arith.addf %150, %149 : f64
          %152 = arith.addf %129#0, %143 : f64
          %153 = arith.subf %152, %143 : f64
          %154 = arith.subf %152, %153 : f64
          %155 = arith.subf %143, %154 : f64
          %156 = arith.subf %129#0, %153 : f64
          %157 = arith.addf %156, %155 : f64
          %158 = arith.addf %157, %151 : f64
          %159 = arith.addf %152, %158 : f64
          %160 = arith.addf %142, %159 : f64
          %161 = arith.addf %130, %160 : f64
          %162 = arith.subf %161, %130 : f64
          %163 = arith.subf %160, %162 : f64
          %164 = arith.negf %161 : f64
          %165 = arith.negf %163 : f64
          %166 = arith.select %119, %161, %164 : f64
          %167 = arith.select %119, %163, %165 : f64
          %168 = arith.cmpf olt, %arg0, %cst : f64
          %169 = arith.negf %166 : f64
          %170 = arith.negf %167 : f64
          %171 = arith.subi %c0_i32, %118 : i32
          %172 = arith.select %168, %171, %118 : i32
          %173 = arith.select %168, %169, %166 : f64
          %174 = arith.select %168, %170, %167 : f64
          scf.yield %172, %173, %174 : i32, f64, f64
        }
        %7 = arith.mulf %6#1, %6#1 : f64
        %8 = arith.mulf %7, %cst_19 : f64
        %9 = arith.addf %8, %cst_20 : f64
        %10 = arith.mulf %7, %9 : f64
        %11 = arith.addf %10, %cst_21 : f64
        %12 = arith.mulf %7, %11 : f64
        %13 = arith.addf %12, %cst_22 : f64
        %14 = arith.mulf %7, %13 : f64
        %15 = arith.addf %14, %cst_23 : f64
        %16 = arith.mulf %7, %15 : f64
        %17 = arith.addf %16, %cst_24 : f64
        %18 = arith.mulf %7, %17 : f64
        %19 = arith.addf %18, %cst_25 : f64
        %20 = arith.mulf %7, %19 : f64
        %21 = arith.addf %20, %cst_26 : f64
        %22 = arith.mulf %7, %cst_27 : f64
        %23 = arith.addf %22, %cst_28 : f64
        %24 = arith.mulf %7, %23 : f64
        %25 = arith.addf %24, %cst_29 : f64
        %26 = arith.mulf %7, %25 : f64
        %27 = arith.addf %26, %cst_30 : f64
        %28 = arith.mulf %7, %27 : f64
        %29 = arith.addf %28, %cst_31 : f64
        %30 = arith.mulf %7, %29 : f64
        %31 = arith.addf %30, %cst_32 : f64
        %32 = arith.mulf %7, %31 : f64
        %33 = arith.addf %32, %cst_33 : f64
        %34 = arith.mulf %7, %33 : f64
        %35 = arith.addf %34, %cst_34 : f64
        %36 = arith.mulf %7, %35 : f64
        %37 = arith.addf %36, %cst_35 : f64
        %38 = arith.mulf %6#1, %7 : f64
        %39 = arith.mulf %38, %37 : f64
        %40 = arith.mulf %7, %cst_36 : f64
        %41 = arith.subf %cst_37, %40 : f64
        %42 = arith.mulf %6#2, %41 : f64
        %43 = arith.addf %42, %39 : f64
        %44 = arith.addf %6#1, %43 : f64
        %45 = arith.subf %cst_37, %41 : f64
        %46 = arith.subf %45, %40 : f64
        %47 = arith.mulf %7, %7 : f64
        %48 = arith.mulf %47, %21 : f64
        %49 = arith.mulf %6#1, %6#2 : f64
        %50 = arith.subf %48, %49 : f64
        %51 = arith.addf %46, %50 : f64
        %52 = arith.addf %41, %51 : f64
        %53 = arith.andi %6#0, %c1_i32 : i32
        %54 = arith.cmpi eq, %53, %c0_i32 : i32
        %55 = scf.if %54 -> (f64) {
          %56 = arith.divf %44, %52 : f64
          scf.yield %56 : f64
        } else {
          %56 = arith.negf %52 : f64
          %57 = arith.divf %56, %44 : f64
          scf.yield %57 : f64
        }
        scf.yield %55 : f64
      }
      scf.yield %4 : f64
    }
    return %1 : f64
  }
  func.func private @hal_atan2(%arg0: f64, %arg1: f64) -> f64 {
    %c0_i32 = arith.constant 0 : i32
    %cst = arith.constant 0x7FF8000000000000 : f64
    %cst_0 = arith.constant 0.000000e+00 : f64
    %cst_1 = arith.constant 1.5707963267948966 : f64
    %cst_2 = arith.constant 0x7FF0000000000000 : f64
    %cst_3 = arith.constant 1.0715086071862673E+301 : f64
    %cst_4 = arith.constant 6.2230152778611417E-61 : f64
    %cst_5 = arith.constant 1.1830521861667747E-271 : f64
    %cst_6 = arith.constant 1.6069380442589903E+60 : f64
    %cst_7 = arith.constant 8.6736173798840355E-19 : f64
    %cst_8 = arith.constant 8.000000e+00 : f64
    %cst_9 = arith.constant 0x4338000000000000 : f64
    %cst_10 = arith.constant 0xC338000000000000 : f64
    %cst_11 = arith.constant 1.250000e-01 : f64
    %c-134217728_i64 = arith.constant -134217728 : i64
    %c1_i32 = arith.constant 1 : i32
    %cst_12 = arith.constant 0.12435499454676144 : f64
    %c2_i32 = arith.constant 2 : i32
    %cst_13 = arith.constant 0.24497866312686414 : f64
    %c3_i32 = arith.constant 3 : i32
    %cst_14 = arith.constant 0.35877067027057225 : f64
    %c4_i32 = arith.constant 4 : i32
    %cst_15 = arith.constant 0.46364760900080609 : f64
    %c5_i32 = arith.constant 5 : i32
    %cst_16 = arith.constant 0.55859931534356244 : f64
    %c6_i32 = arith.constant 6 : i32
    %cst_17 = arith.constant 0.64350110879328437 : f64
    %c7_i32 = arith.constant 7 : i32
    %cst_18 = arith.constant 0.71882999962162453 : f64
    %c8_i32 = arith.constant 8 : i32
    %cst_19 = arith.constant 0.78539816339744828 : f64
    %cst_20 = arith.constant -3.1253241424539383E-18 : f64
    %cst_21 = arith.constant 1.0698755618734451E-17 : f64
    %cst_22 = arith.constant -2.4623815582638635E-17 : f64
    %cst_23 = arith.constant 2.2698777452961687E-17 : f64
    %cst_24 = arith.constant -5.4556305485916264E-18 : f64
    %cst_25 = arith.constant 1.5834785051444286E-17 : f64
    %cst_26 = arith.constant -2.1478388444456983E-17 : f64
    %cst_27 = arith.constant 3.061616997868383E-17 : f64
    %cst_28 = arith.constant -0.052631578947368418 : f64
    %cst_29 = arith.constant 0.058823529411764705 : f64
    %cst_30 = arith.constant -0.066666666666666666 : f64
    %cst_31 = arith.constant 0.076923076923076927 : f64
    %cst_32 = arith.constant -0.090909090909090911 : f64
    %cst_33 = arith.constant 0.1111111111111111 : f64
    %cst_34 = arith.constant -0.14285714285714285 : f64
    %cst_35 = arith.constant 2.000000e-01 : f64
    %cst_36 = arith.constant -0.33333333333333331 : f64
    %c-1_i64 = arith.constant -1 : i64
    %cst_37 = arith.constant 3.1415926535897931 : f64
    %cst_38 = arith.constant 1.2246467991473532E-16 : f64
    %cst_39 = arith.constant 6.123233995736766E-17 : f64
    %cst_40 = arith.constant 2.3561944901923448 : f64
    %0 = arith.cmpf ord, %arg0, %arg1 : f64
    %1 = scf.if %0 -> (f64) {
      %2 = math.absf %arg0 : f64
      %3 = math.absf %arg1 : f64
      %4 = arith.bitcast %arg1 : f64 to i64
      %5 = arith.cmpf oeq, %arg0, %cst_0 : f64
      %6 = scf.if %5 -> (f64) {
        %8 = arith.cmpi sgt, %4, %c-1_i64 : i64
        %9 = arith.select %8, %cst_0, %cst_37 : f64
        scf.yield %9 : f64
      } else {
        %8 = arith.cmpf oeq, %arg1, %cst_0 : f64
        %9 = scf.if %8 -> (f64) {
          scf.yield %cst_1 : f64
        } else {
          %10 = arith.cmpf oeq, %2, %cst_2 : f64
          %11 = arith.cmpf oeq, %3, %cst_2 : f64
          %12 = arith.ori %10, %11 : i1
          %13 = scf.if %12 -> (f64) {
            %14 = arith.cmpf une, %2, %3 : f64
            %15 = scf.if %14 -> (f64) {
              %16 = scf.if %10 -> (f64) {
                scf.yield %cst_1 : f64
              } else {
                %17 = arith.cmpi sgt, %4, %c-1_i64 : i64
                %18 = arith.select %17, %cst_0, %cst_37 : f64
                scf.yield %18 : f64
              }
              scf.yield %16 : f64
            } else {
              %16 = arith.cmpi sgt, %4, %c-1_i64 : i64
              %17 = arith.select %16, %cst_19, %cst_40 : f64
              scf.yield %17 : f64
            }
            scf.yield %15 : f64
          } else {
            %14 = arith.cmpf ogt, %2, %3 : f64
            %15 = arith.select %14, %3, %2 : f64
            %16 = arith.select %14, %2, %3 : f64
            %17 = arith.cmpf ogt, %16, %cst_3 : f64
            %18 = arith.mulf %15, %cst_4 : f64
            %19 = arith.mulf %16, %cst_4 : f64
            %20 = arith.select %17, %19, %16 : f64
            %21 = arith.select %17, %18, %15 : f64
            %22 = arith.cmpf olt, %20, %cst_5 : f64
            %23 = arith.mulf %21, %cst_6 : f64
            %24 = arith.mulf %20, %cst_6 : f64
            %25 = arith.select %22, %24, %20 : f64
            %26 = arith.select %22, %23, %21 : f64
            %27 = arith.divf %26, %25 : f64
            %28 = arith.cmpf olt, %27, %cst_7 : f64
            %29 = scf.if %28 -> (f64) {
              %30 = scf.if %14 -> (f64) {
                scf.yield %cst_1 : f64
              } else {
                %31 = arith.cmpi sgt, %4, %c-1_i64 : i64
                %32 = arith.select %31, %27, %cst_37 : f64
                scf.yield %32 : f64
              }
              scf.yield %30 : f64
            } else {
              %30 = arith.mulf %27, %cst_8 : f64
              %31 = arith.addf %30, %cst_9 : f64
              %32 = arith.addf %31, %cst_10 : f64
              %33 = arith.fptosi %32 : f64 to i32
              %34 = arith.sitofp %33 : i32 to f64
              %35 = arith.mulf %34, %cst_11 : f64
              %36 = arith.cmpi eq, %33, %c0_i32 : i32
              %37 = scf.if %36 -> (f64) {
                scf.yield %26 : f64
              } else {
                %164 = arith.negf %35 : f64
                %165 = arith.mulf %25, %164 : f64
                %166 = arith.bitcast %164 : f64 to i64
                %167 = arith.andi %166, %c-134217728_i64 : i64
                %168 = arith.bitcast %167 : i64 to f64
                %169 = arith.subf %164, %168 : f64
                %170 = arith.bitcast %25 : f64 to i64
                %171 = arith.andi %170, %c-134217728_i64 : i64
                %172 = arith.bitcast %171 : i64 to f64
                %173 = arith.subf %25, %172 : f64
                %174 = arith.mulf %172, %168 : f64
                %175 = arith.subf %174, %165 : f64
                %176 = arith.mulf %173, %168 : f64
                %177 = arith.addf %176, %175 : f64
                %178 = arith.mulf %169, %172 : f64
                %179 = arith.addf %178, %177 : f64
                %180 = arith.mulf %173, %169 : f64
                %181 = arith.addf %180, %179 : f64
                %182 = arith.addf %26, %165 : f64
                %183 = arith.subf %182, %165 : f64
                %184 = arith.subf %182, %183 : f64
                %185 = arith.subf %165, %184 : f64
                %186 = arith.subf %26, %183 : f64
                %187 = arith.addf %186, %185 : f64
                %188 = arith.addf %187, %181 : f64
                %189 = arith.addf %182, %188 : f64
                scf.yield %189 : f64
              }
              %38 = arith.mulf %26, %35 : f64
              %39 = arith.bitcast %35 : f64 to i64
              %40 = arith.andi %39, %c-134217728_i64 : i64
              %41 = arith.bitcast %40 : i64 to f64
              %42 = arith.subf %35, %41 : f64
              %43 = arith.bitcast %26 : f64 to i64
              %44 = arith.andi %43, %c-134217728_i64 : i64
              %45 = arith.bitcast %44 : i64 to f64
              %46 = arith.subf %26, %45 : f64
              %47 = arith.mulf %45, %41 : f64
              %48 = arith.subf %47, %38 : f64
              %49 = arith.mulf %46, %41 : f64
              %50 = arith.addf %49, %48 : f64
              %51 = arith.mulf %42, %45 : f64
              %52 = arith.addf %51, %50 : f64
              %53 = arith.mulf %46, %42 : f64
              %54 = arith.addf %53, %52 : f64
              %55 = arith.addf %25, %38 : f64
              %56 = arith.subf %55, %38 : f64
              %57 = arith.subf %55, %56 : f64
              %58 = arith.subf %38, %57 : f64
              %59 = arith.subf %25, %56 : f64
              %60 = arith.addf %59, %58 : f64
              %61 = arith.addf %60, %54 : f64
              %62 = arith.addf %55, %61 : f64
              %63 = arith.divf %37, %62 : f64
              %64 = arith.mulf %63, %63 : f64
              %65 = arith.cmpi eq, %33, %c1_i32 : i32
              %66 = arith.select %65, %cst_12, %cst_0 : f64
              %67 = arith.cmpi eq, %33, %c2_i32 : i32
              %68 = arith.select %67, %cst_13, %66 : f64
              %69 = arith.cmpi eq, %33, %c3_i32 : i32
              %70 = arith.select %69, %cst_14, %68 : f64
              %71 = arith.cmpi eq, %33, %c4_i32 : i32
              %72 = arith.select %71, %cst_15, %70 : f64
              %73 = arith.cmpi eq, %33, %c5_i32 : i32
              %74 = arith.select %73, %cst_16, %72 : f64
              %75 = arith.cmpi eq, %33, %c6_i32 : i32
              %76 = arith.select %75, %cst_17, %74 : f64
              %77 = arith.cmpi eq, %33, %c7_i32 : i32
              %78 = arith.select %77, %cst_18, %76 : f64
              %79 = arith.cmpi eq, %33, %c8_i32 : i32
              %80 = arith.select %79, %cst_19, %78 : f64
              %81 = arith.select %65, %cst_20, %cst_0 : f64
              %82 = arith.select %67, %cst_21, %81 : f64
              %83 = arith.select %69, %cst_22, %82 : f64
              %84 = arith.select %71, %cst_23, %83 : f64
              %85 = arith.select %73, %cst_24, %84 : f64
              %86 = arith.select %75, %cst_25, %85 : f64
              %87 = arith.select %77, %cst_26, %86 : f64
              %88 = arith.select %79, %cst_27, %87 : f64
              %89 = arith.mulf %64, %cst_28 : f64
              %90 = arith.addf %89, %cst_29 : f64
              %91 = arith.mulf %64, %90 : f64
              %92 = arith.addf %91, %cst_30 : f64
              %93 = arith.mulf %64, %92 : f64
              %94 = arith.addf %93, %cst_31 : f64
              %95 = arith.mulf %64, %94 : f64
              %96 = arith.addf %95, %cst_32 : f64
              %97 = arith.mulf %64, %96 : f64
              %98 = arith.addf %97, %cst_33 : f64
              %99 = arith.mulf %64, %98 : f64
              %100 = arith.addf %99, %cst_34 : f64
              %101 = arith.mulf %64, %100 : f64
              %102 = arith.addf %101, %cst_35 : f64
              %103 = arith.mulf %64, %102 : f64
              %104 = arith.addf %103, %cst_36 : f64
              %105 = arith.negf %63 : f64
              %106 = arith.mulf %62, %105 : f64
              %107 = arith.bitcast %105 : f64 to i64
              %108 = arith.andi %107, %c-134217728_i64 : i64
              %109 = arith.bitcast %108 : i64 to f64
              %110 = arith.subf %105, %109 : f64
              %111 = arith.bitcast %62 : f64 to i64
              %112 = arith.andi %111, %c-134217728_i64 : i64
              %113 = arith.bitcast %112 : i64 to f64
              %114 = arith.subf %62, %113 : f64
              %115 = arith.mulf %113, %109 : f64
              %116 = arith.subf %115, %106 : f64
              %117 = arith.mulf %114, %109 : f64
              %118 = arith.addf %117, %116 : f64
              %119 = arith.mulf %110, %113 : f64
              %120 = arith.addf %119, %118 : f64
              %121 = arith.mulf %114, %110 : f64
              %122 = arith.addf %121, %120 : f64
              %123 = arith.addf %37, %106 : f64
              %124 = arith.subf %123, %106 : f64
              %125 = arith.subf %123, %124 : f64
              %126 = arith.subf %106, %125 : f64
              %127 = arith.subf %37, %124 : f64
              %128 = arith.addf %127, %126 : f64
              %129 = arith.addf %128, %122 : f64
              %130 = arith.addf %123, %129 : f64
              %131 = arith.addf %63, %80 : f64
              %132 = arith.subf %131, %80 : f64
              %133 = arith.subf %63, %132 : f64
              %134 = arith.select %36, %63, %131 : f64
              %135 = arith.select %36, %cst_0, %133 : f64
              %136 = arith.divf %130, %62 : f64
              %137 = arith.mulf %63, %64 : f64
              %138 = arith.mulf %137, %104 : f64
              %139 = arith.addf %136, %138 : f64
              %140 = arith.addf %139, %88 : f64
              %141 = arith.addf %135, %140 : f64
              %142 = arith.addf %134, %141 : f64
              %143 = arith.subf %142, %134 : f64
              %144 = arith.subf %141, %143 : f64
              %145 = arith.cmpi sgt, %4, %c-1_i64 : i64
              %146 = arith.xori %145, %14 : i1
              %147 = arith.negf %142 : f64
              %148 = arith.negf %144 : f64
              %149 = arith.select %146, %142, %147 : f64
              %150 = arith.select %146, %144, %148 : f64
              %151 = arith.select %145, %cst_0, %cst_37 : f64
              %152 = arith.select %14, %cst_1, %151 : f64
              %153 = arith.select %145, %cst_0, %cst_38 : f64
              %154 = arith.select %14, %cst_39, %153 : f64
              %155 = arith.cmpf une, %152, %cst_0 : f64
              %156 = arith.addf %152, %149 : f64
              %157 = arith.subf %156, %152 : f64
              %158 = arith.subf %149, %157 : f64
              %159 = arith.select %155, %158, %cst_0 : f64
              %160 = arith.select %155, %156, %149 : f64
              %161 = arith.addf %154, %150 : f64
              %162 = arith.addf %161, %159 : f64
              %163 = arith.addf %160, %162 : f64
              scf.yield %163 : f64
            }
            scf.yield %29 : f64
          }
          scf.yield %13 : f64
        }
        scf.yield %9 : f64
      }
      %7 = math.copysign %6, %arg0 : f64
      scf.yield %7 : f64
    } else {
      scf.yield %cst : f64
    }
    return %1 : f64
  }
  func.func private @hal_atan(%arg0: f64) -> f64 {
    %cst = arith.constant 0.000000e+00 : f64
    %cst_0 = arith.constant 1.000000e+00 : f64
    %0 = arith.cmpf oeq, %arg0, %cst : f64
    %1 = scf.if %0 -> (f64) {
      scf.yield %arg0 : f64
    } else {
      %2 = func.call @hal_atan2(%arg0, %cst_0) : (f64, f64) -> f64
      scf.yield %2 : f64
    }
    return %1 : f64
  }
  func.func private @hal_asin(%arg0: f64) -> f64 {
    %cst = arith.constant 0.000000e+00 : f64
    %cst_0 = arith.constant 0x7FF8000000000000 : f64
    %cst_1 = arith.constant 1.000000e+00 : f64
    %cst_2 = arith.constant 7.4505805969238281E-9 : f64
    %0 = arith.cmpf ord, %arg0, %cst : f64
    %1 = scf.if %0 -> (f64) {
      %2 = math.absf %arg0 : f64
      %3 = arith.cmpf ogt, %2, %cst_1 : f64
      %4 = scf.if %3 -> (f64) {
        scf.yield %cst_0 : f64
      } else {
        %5 = arith.cmpf olt, %2, %cst_2 : f64
        %6 = scf.if %5 -> (f64) {
          scf.yield %arg0 : f64
        } else {
          %7 = arith.subf %cst_1, %arg0 : f64
          %8 = arith.addf %arg0, %cst_1 : f64
          %9 = arith.mulf %7, %8 : f64
          %10 = math.sqrt %9 : f64
          %11 = func.call @hal_atan2(%arg0, %10) : (f64, f64) -> f64
          scf.yield %11 : f64
        }
        scf.yield %6 : f64
      }
      scf.yield %4 : f64
    } else {
      scf.yield %cst_0 : f64
    }
    return %1 : f64
  }
  func.func private @hal_acos(%arg0: f64) -> f64 {
    %cst = arith.constant 0.000000e+00 : f64
    %cst_0 = arith.constant 1.000000e+00 : f64
    %cst_1 = arith.constant 0x7FF8000000000000 : f64
    %cst_2 = arith.constant 2.000000e+00 : f64
    %0 = arith.cmpf uno, %arg0, %cst : f64
    %1 = math.absf %arg0 : f64
    %2 = arith.cmpf ogt, %1, %cst_0 : f64
    %3 = arith.ori %0, %2 : i1
    %4 = scf.if %3 -> (f64) {
      scf.yield %cst_1 : f64
    } else {
      %5 = arith.addf %arg0, %cst_0 : f64
      %6 = math.sqrt %5 : f64
      %7 = arith.subf %cst_0, %arg0 : f64
      %8 = math.sqrt %7 : f64
      %9 = func.call @hal_atan2(%8, %6) : (f64, f64) -> f64
      %10 = arith.mulf %9, %cst_2 : f64
      scf.yield %10 : f64
    }
    return %4 : f64
  }
  func.func private @hal_sinh(%arg0: f64) -> f64 {
    %cst = arith.constant 0.000000e+00 : f64
    %cst_0 = arith.constant 7.000000e+02 : f64
    %cst_1 = arith.constant 5.000000e-01 : f64
    %cst_2 = arith.constant 1.000000e+00 : f64
    %0 = arith.cmpf ueq, %arg0, %cst : f64
    %1 = scf.if %0 -> (f64) {
      scf.yield %arg0 : f64
    } else {
      %2 = math.absf %arg0 : f64
      %3 = arith.cmpf olt, %2, %cst_0 : f64
      %4 = scf.if %3 -> (f64) {
        %6 = func.call @hal_expm1(%2) : (f64) -> f64
        %7 = arith.addf %6, %cst_2 : f64
        %8 = arith.divf %6, %7 : f64
        %9 = arith.addf %6, %8 : f64
        %10 = arith.mulf %9, %cst_1 : f64
        scf.yield %10 : f64
      } else {
        %6 = arith.mulf %2, %cst_1 : f64
        %7 = func.call @hal_exp(%6) : (f64) -> f64
        %8 = arith.mulf %7, %cst_1 : f64
        %9 = arith.mulf %7, %8 : f64
        scf.yield %9 : f64
      }
      %5 = math.copysign %4, %arg0 : f64
      scf.yield %5 : f64
    }
    return %1 : f64
  }
  func.func private @hal_cosh(%arg0: f64) -> f64 {
    %cst = arith.constant 7.000000e+02 : f64
    %cst_0 = arith.constant 5.000000e-01 : f64
    %cst_1 = arith.constant 1.000000e+00 : f64
    %0 = math.absf %arg0 : f64
    %1 = arith.cmpf olt, %0, %cst : f64
    %2 = scf.if %1 -> (f64) {
      %3 = func.call @hal_exp(%0) : (f64) -> f64
      %4 = arith.divf %cst_1, %3 : f64
      %5 = arith.addf %3, %4 : f64
      %6 = arith.mulf %5, %cst_0 : f64
      scf.yield %6 : f64
    } else {
      %3 = arith.mulf %0, %cst_0 : f64
      %4 = func.call @hal_exp(%3) : (f64) -> f64
      %5 = arith.mulf %4, %cst_0 : f64
      %6 = arith.mulf %4, %5 : f64
      scf.yield %6 : f64
    }
    return %2 : f64
  }
  func.func private @hal_tanh(%arg0: f64) -> f64 {
    %cst = arith.constant 0.000000e+00 : f64
    %cst_0 = arith.constant 3.500000e-01 : f64
    %cst_1 = arith.constant 2.200000e+01 : f64
    %cst_2 = arith.constant 1.000000e+00 : f64
    %cst_3 = arith.constant 2.000000e+00 : f64
    %cst_4 = arith.constant -2.000000e+00 : f64
    %0 = arith.cmpf ueq, %arg0, %cst : f64
    %1 = scf.if %0 -> (f64) {
      scf.yield %arg0 : f64
    } else {
      %2 = math.absf %arg0 : f64
      %3 = arith.cmpf olt, %2, %cst_0 : f64
      %4 = scf.if %3 -> (f64) {
        %6 = arith.mulf %2, %cst_4 : f64
        %7 = func.call @hal_expm1(%6) : (f64) -> f64
        %8 = arith.negf %7 : f64
        %9 = arith.addf %7, %cst_3 : f64
        %10 = arith.divf %8, %9 : f64
        scf.yield %10 : f64
      } else {
        %6 = arith.cmpf olt, %2, %cst_1 : f64
        %7 = scf.if %6 -> (f64) {
          %8 = arith.mulf %2, %cst_3 : f64
          %9 = func.call @hal_expm1(%8) : (f64) -> f64
          %10 = arith.addf %9, %cst_3 : f64
          %11 = arith.divf %cst_3, %10 : f64
          %12 = arith.subf %cst_2, %11 : f64
          scf.yield %12 : f64
        } else {
          scf.yield %cst_2 : f64
        }
        scf.yield %7 : f64
      }
      %5 = math.copysign %4, %arg0 : f64
      scf.yield %5 : f64
    }
    return %1 : f64
  }
  func.func private @hal_asinh(%arg0: f64) -> f64 {
    %cst = arith.constant 0.000000e+00 : f64
    %cst_0 = arith.constant 0x7FF0000000000000 : f64
    %cst_1 = arith.constant 0x41B0000000000000 : f64
    %cst_2 = arith.constant 1.000000e+00 : f64
    %cst_3 = arith.constant 0.69314718055994529 : f64
    %0 = arith.cmpf ueq, %arg0, %cst : f64
    %1 = scf.if %0 -> (f64) {
      scf.yield %arg0 : f64
    } else {
      %2 = math.absf %arg0 : f64
      %3 = arith.cmpf oeq, %2, %cst_0 : f64
      %4 = scf.if %3 -> (f64) {
        scf.yield %arg0 : f64
      } else {
        %5 = arith.cmpf ogt, %2, %cst_1 : f64
        %6 = scf.if %5 -> (f64) {
          %8 = func.call @hal_log(%2) : (f64) -> f64
          %9 = arith.addf %8, %cst_3 : f64
          scf.yield %9 : f64
        } else {
          %8 = arith.mulf %arg0, %arg0 : f64
          %9 = arith.addf %8, %cst_2 : f64
          %10 = math.sqrt %9 : f64
          %11 = arith.addf %10, %cst_2 : f64
          %12 = arith.divf %8, %11 : f64
          %13 = arith.addf %2, %12 : f64
          %14 = func.call @hal_log1p(%13) : (f64) -> f64
          scf.yield %14 : f64
        }
        %7 = math.copysign %6, %arg0 : f64
        scf.yield %7 : f64
      }
      scf.yield %4 : f64
    }
    return %1 : f64
  }
  func.func private @hal_acosh(%arg0: f64) -> f64 {
    %cst = arith.constant 0.000000e+00 : f64
    %cst_0 = arith.constant 1.000000e+00 : f64
    %cst_1 = arith.constant 0x7FF8000000000000 : f64
    %cst_2 = arith.constant 0x41B0000000000000 : f64
    %cst_3 = arith.constant -1.000000e+00 : f64
    %cst_4 = arith.constant 2.000000e+00 : f64
    %cst_5 = arith.constant 0.69314718055994529 : f64
    %0 = arith.cmpf uno, %arg0, %cst : f64
    %1 = arith.cmpf olt, %arg0, %cst_0 : f64
    %2 = arith.ori %0, %1 : i1
    %3 = scf.if %2 -> (f64) {
      scf.yield %cst_1 : f64
    } else {
      %4 = arith.cmpf ogt, %arg0, %cst_2 : f64
      %5 = scf.if %4 -> (f64) {
        %6 = func.call @hal_log(%arg0) : (f64) -> f64
        %7 = arith.addf %6, %cst_5 : f64
        scf.yield %7 : f64
      } else {
        %6 = arith.addf %arg0, %cst_3 : f64
        %7 = arith.mulf %6, %cst_4 : f64
        %8 = arith.mulf %6, %6 : f64
        %9 = arith.addf %7, %8 : f64
        %10 = math.sqrt %9 : f64
        %11 = arith.addf %6, %10 : f64
        %12 = func.call @hal_log1p(%11) : (f64) -> f64
        scf.yield %12 : f64
      }
      scf.yield %5 : f64
    }
    return %3 : f64
  }
  func.func private @hal_atanh(%arg0: f64) -> f64 {
    %cst = arith.constant 0.000000e+00 : f64
    %cst_0 = arith.constant 1.000000e+00 : f64
    %cst_1 = arith.constant 0x7FF8000000000000 : f64
    %cst_2 = arith.constant 0x7FF0000000000000 : f64
    %cst_3 = arith.constant 2.000000e+00 : f64
    %cst_4 = arith.constant 5.000000e-01 : f64
    %0 = arith.cmpf ueq, %arg0, %cst : f64
    %1 = scf.if %0 -> (f64) {
      scf.yield %arg0 : f64
    } else {
      %2 = math.absf %arg0 : f64
      %3 = arith.cmpf ult, %2, %cst_0 : f64
      %4 = scf.if %3 -> (f64) {
        %5 = arith.mulf %2, %cst_3 : f64
        %6 = arith.subf %cst_0, %2 : f64
        %7 = arith.divf %5, %6 : f64
        %8 = func.call @hal_log1p(%7) : (f64) -> f64
        %9 = arith.mulf %8, %cst_4 : f64
        %10 = math.copysign %9, %arg0 : f64
        scf.yield %10 : f64
      } else {
        %5 = arith.cmpf oeq, %2, %cst_0 : f64
        %6 = scf.if %5 -> (f64) {
          %7 = math.copysign %cst_2, %arg0 : f64
          scf.yield %7 : f64
        } else {
          scf.yield %cst_1 : f64
        }
        scf.yield %6 : f64
      }
      scf.yield %4 : f64
    }
    return %1 : f64
  }
  func.func private @hal_erf(%arg0: f64) -> f64 {
    %c1_i32 = arith.constant 1 : i32
    %cst = arith.constant 0.000000e+00 : f64
    %cst_0 = arith.constant 1.000000e+00 : f64
    %cst_1 = arith.constant 6.000000e+00 : f64
    %cst_2 = arith.constant 2.000000e+00 : f64
    %c260_i32 = arith.constant 260 : i32
    %c70_i32 = arith.constant 70 : i32
    %cst_3 = arith.constant 5.000000e-01 : f64
    %c-1_i32 = arith.constant -1 : i32
    %c9223372036720558080_i64 = arith.constant 9223372036720558080 : i64
    %cst_4 = arith.constant 1.7724538509055159 : f64
    %c59_i32 = arith.constant 59 : i32
    %c-2_i32 = arith.constant -2 : i32
    %c4_i32 = arith.constant 4 : i32
    %cst_5 = arith.constant 1.1283791670955126 : f64
    %0 = arith.cmpf ueq, %arg0, %cst : f64
    %1 = scf.if %0 -> (f64) {
      scf.yield %arg0 : f64
    } else {
      %2 = math.absf %arg0 : f64
      %3 = arith.cmpf olt, %2, %cst_0 : f64
      %4 = scf.if %3 -> (f64) {
        %6 = arith.mulf %2, %cst_2 : f64
        %7 = arith.mulf %2, %6 : f64
        %8:2 = scf.while (%arg1 = %c59_i32, %arg2 = %cst_0) : (i32, f64) -> (i32, f64) {
          %27 = arith.uitofp %arg1 : i32 to f64
          %28 = arith.divf %7, %27 : f64
          %29 = arith.mulf %arg2, %28 : f64
          %30 = arith.addf %29, %cst_0 : f64
          %31 = arith.addi %arg1, %c-2_i32 : i32
          %32 = arith.cmpi ugt, %arg1, %c4_i32 : i32
          scf.condition(%32) %31, %30 : i32, f64
        } do {
        ^bb0(%arg1: i32, %arg2: f64):
          scf.yield %arg1, %arg2 : i32, f64
        }
        %9 = arith.mulf %2, %cst_5 : f64
        %10 = arith.mulf %arg0, %arg0 : f64
        %11 = arith.bitcast %2 : f64 to i64
        %12 = arith.andi %11, %c9223372036720558080_i64 : i64
        %13 = arith.bitcast %12 : i64 to f64
        %14 = arith.subf %2, %13 : f64
        %15 = arith.mulf %13, %13 : f64
        %16 = arith.subf %15, %10 : f64
        %17 = arith.mulf %14, %13 : f64
        %18 = arith.addf %16, %17 : f64
        %19 = arith.addf %17, %18 : f64
        %20 = arith.mulf %14, %14 : f64
        %21 = arith.addf %20, %19 : f64
        %22 = arith.negf %10 : f64
        %23 = arith.negf %21 : f64
        %24 = func.call @exp_pair(%22, %23) : (f64, f64) -> f64
        %25 = arith.mulf %9, %24 : f64
        %26 = arith.mulf %8#1, %25 : f64
        scf.yield %26 : f64
      } else {
        %6 = arith.cmpf olt, %2, %cst_1 : f64
        %7 = scf.if %6 -> (f64) {
          %8 = arith.cmpf olt, %2, %cst_2 : f64
          %9 = arith.select %8, %c260_i32, %c70_i32 : i32
          %10:2 = scf.while (%arg1 = %9, %arg2 = %2) : (i32, f64) -> (i32, f64) {
            %29 = arith.uitofp %arg1 : i32 to f64
            %30 = arith.mulf %29, %cst_3 : f64
            %31 = arith.divf %30, %arg2 : f64
            %32 = arith.addf %2, %31 : f64
            %33 = arith.addi %arg1, %c-1_i32 : i32
            %34 = arith.cmpi ugt, %arg1, %c1_i32 : i32
            scf.condition(%34) %33, %32 : i32, f64
          } do {
          ^bb0(%arg1: i32, %arg2: f64):
            scf.yield %arg1, %arg2 : i32, f64
          }
          %11 = arith.mulf %arg0, %arg0 : f64
          %12 = arith.bitcast %2 : f64 to i64
          %13 = arith.andi %12, %c9223372036720558080_i64 : i64
          %14 = arith.bitcast %13 : i64 to f64
          %15 = arith.subf %2, %14 : f64
          %16 = arith.mulf %14, %14 : f64
          %17 = arith.subf %16, %11 : f64
          %18 = arith.mulf %15, %14 : f64
          %19 = arith.addf %17, %18 : f64
          %20 = arith.addf %18, %19 : f64
          %21 = arith.mulf %15, %15 : f64
          %22 = arith.addf %21, %20 : f64
          %23 = arith.negf %11 : f64
          %24 = arith.negf %22 : f64
          %25 = func.call @exp_pair(%23, %24) : (f64, f64) -> f64
          %26 = arith.mulf %10#1, %cst_4 : f64
          %27 = arith.divf %25, %26 : f64
          %28 = arith.subf %cst_0, %27 : f64
          scf.yield %28 : f64
        } else {
          scf.yield %cst_0 : f64
        }
        scf.yield %7 : f64
      }
      %5 = math.copysign %4, %arg0 : f64
      scf.yield %5 : f64
    }
    return %1 : f64
  }
  func.func private @hal_erfc(%arg0: f64) -> f64 {
    %c1_i32 = arith.constant 1 : i32
    %cst = arith.constant 0.000000e+00 : f64
    %cst_0 = arith.constant 1.000000e+00 : f64
    %cst_1 = arith.constant 2.800000e+01 : f64
    %cst_2 = arith.constant 2.000000e+00 : f64
    %c260_i32 = arith.constant 260 : i32
    %c70_i32 = arith.constant 70 : i32
    %cst_3 = arith.constant 5.000000e-01 : f64
    %c-1_i32 = arith.constant -1 : i32
    %c9223372036720558080_i64 = arith.constant 9223372036720558080 : i64
    %cst_4 = arith.constant 1.7724538509055159 : f64
    %c59_i32 = arith.constant 59 : i32
    %c-2_i32 = arith.constant -2 : i32
    %c4_i32 = arith.constant 4 : i32
    %cst_5 = arith.constant 1.1283791670955126 : f64
    %0 = arith.cmpf ord, %arg0, %cst : f64
    %1 = scf.if %0 -> (f64) {
      %2 = math.absf %arg0 : f64
      %3 = arith.cmpf olt, %2, %cst_0 : f64
      %4 = scf.if %3 -> (f64) {
        %5 = arith.mulf %2, %cst_2 : f64
        %6 = arith.mulf %2, %5 : f64
        %7:2 = scf.while (%arg1 = %c59_i32, %arg2 = %cst_0) : (i32, f64) -> (i32, f64) {
          %28 = arith.uitofp %arg1 : i32 to f64
          %29 = arith.divf %6, %28 : f64
          %30 = arith.mulf %arg2, %29 : f64
          %31 = arith.addf %30, %cst_0 : f64
          %32 = arith.addi %arg1, %c-2_i32 : i32
          %33 = arith.cmpi ugt, %arg1, %c4_i32 : i32
          scf.condition(%33) %32, %31 : i32, f64
        } do {
        ^bb0(%arg1: i32, %arg2: f64):
          scf.yield %arg1, %arg2 : i32, f64
        }
        %8 = arith.mulf %2, %cst_5 : f64
        %9 = arith.mulf %arg0, %arg0 : f64
        %10 = arith.bitcast %2 : f64 to i64
        %11 = arith.andi %10, %c9223372036720558080_i64 : i64
        %12 = arith.bitcast %11 : i64 to f64
        %13 = arith.subf %2, %12 : f64
        %14 = arith.mulf %12, %12 : f64
        %15 = arith.subf %14, %9 : f64
        %16 = arith.mulf %13, %12 : f64
        %17 = arith.addf %15, %16 : f64
        %18 = arith.addf %16, %17 : f64
        %19 = arith.mulf %13, %13 : f64
        %20 = arith.addf %19, %18 : f64
        %21 = arith.negf %9 : f64
        %22 = arith.negf %20 : f64
        %23 = func.call @exp_pair(%21, %22) : (f64, f64) -> f64
        %24 = arith.mulf %8, %23 : f64
        %25 = arith.mulf %7#1, %24 : f64
        %26 = math.copysign %25, %arg0 : f64
        %27 = arith.subf %cst_0, %26 : f64
        scf.yield %27 : f64
      } else {
        %5 = arith.cmpf olt, %2, %cst_1 : f64
        %6 = scf.if %5 -> (f64) {
          %10 = arith.cmpf olt, %2, %cst_2 : f64
          %11 = arith.select %10, %c260_i32, %c70_i32 : i32
          %12:2 = scf.while (%arg1 = %11, %arg2 = %2) : (i32, f64) -> (i32, f64) {
            %30 = arith.uitofp %arg1 : i32 to f64
            %31 = arith.mulf %30, %cst_3 : f64
            %32 = arith.divf %31, %arg2 : f64
            %33 = arith.addf %2, %32 : f64
            %34 = arith.addi %arg1, %c-1_i32 : i32
            %35 = arith.cmpi ugt, %arg1, %c1_i32 : i32
            scf.condition(%35) %34, %33 : i32, f64
          } do {
          ^bb0(%arg1: i32, %arg2: f64):
            scf.yield %arg1, %arg2 : i32, f64
          }
          %13 = arith.mulf %arg0, %arg0 : f64
          %14 = arith.bitcast %2 : f64 to i64
          %15 = arith.andi %14, %c9223372036720558080_i64 : i64
          %16 = arith.bitcast %15 : i64 to f64
          %17 = arith.subf %2, %16 : f64
          %18 = arith.mulf %16, %16 : f64
          %19 = arith.subf %18, %13 : f64
          %20 = arith.mulf %17, %16 : f64
          %21 = arith.addf %19, %20 : f64
          %22 = arith.addf %20, %21 : f64
          %23 = arith.mulf %17, %17 : f64
          %24 = arith.addf %23, %22 : f64
          %25 = arith.negf %13 : f64
          %26 = arith.negf %24 : f64
          %27 = func.call @exp_pair(%25, %26) : (f64, f64) -> f64
          %28 = arith.mulf %12#1, %cst_4 : f64
          %29 = arith.divf %27, %28 : f64
          scf.yield %29 : f64
        } else {
          scf.yield %cst : f64
        }
        %7 = arith.cmpf olt, %arg0, %cst : f64
        %8 = arith.subf %cst_2, %6 : f64
        %9 = arith.select %7, %8, %6 : f64
        scf.yield %9 : f64
      }
      scf.yield %4 : f64
    } else {
      scf.yield %arg0 : f64
    }
    return %1 : f64
  }
  func.func private @hal_fmod(%arg0: f64, %arg1: f64) -> f64 {
    %c1_i32 = arith.constant 1 : i32
    %c0_i32 = arith.constant 0 : i32
    %cst = arith.constant 0x7FF8000000000000 : f64
    %cst_0 = arith.constant 0x7FF0000000000000 : f64
    %cst_1 = arith.constant 0.000000e+00 : f64
    %c52_i64 = arith.constant 52 : i64
    %c2047_i32 = arith.constant 2047 : i32
    %c4503599627370495_i64 = arith.constant 4503599627370495 : i64
    %c4503599627370496_i64 = arith.constant 4503599627370496 : i64
    %c11_i32 = arith.constant 11 : i32
    %c-11_i32 = arith.constant -11 : i32
    %c-1075_i32 = arith.constant -1075 : i32
    %0 = arith.cmpf ord, %arg0, %arg1 : f64
    %1 = scf.if %0 -> (f64) {
      %2 = math.absf %arg0 : f64
      %3 = arith.cmpf oeq, %2, %cst_0 : f64
      %4 = arith.cmpf oeq, %arg1, %cst_1 : f64
      %5 = arith.ori %3, %4 : i1
      %6 = scf.if %5 -> (f64) {
        scf.yield %cst : f64
      } else {
        %7 = math.absf %arg1 : f64
        %8 = arith.cmpf olt, %2, %7 : f64
        %9 = scf.if %8 -> (f64) {
          scf.yield %arg0 : f64
        } else {
          %10 = arith.bitcast %arg0 : f64 to i64
          %11 = arith.shrui %10, %c52_i64 : i64
          %12 = arith.trunci %11 : i64 to i32
          %13 = arith.andi %12, %c2047_i32 : i32
          %14 = arith.andi %10, %c4503599627370495_i64 : i64
          %15 = arith.cmpi eq, %13, %c0_i32 : i32
          %16 = arith.maxui %13, %c1_i32 : i32
          %17 = arith.ori %14, %c4503599627370496_i64 : i64
          %18 = arith.select %15, %14, %17 : i64
          %19 = arith.bitcast %arg1 : f64 to i64
          %20 = arith.shrui %19, %c52_i64 : i64
          %21 = arith.trunci %20 : i64 to i32
          %22 = arith.andi %21, %c2047_i32 : i32
          %23 = arith.andi %19, %c4503599627370495_i64 : i64
          %24 = arith.cmpi eq, %22, %c0_i32 : i32
          %25 = arith.maxui %22, %c1_i32 : i32
          %26 = arith.ori %23, %c4503599627370496_i64 : i64
          %27 = arith.select %24, %23, %26 : i64
          %28 = arith.subi %16, %25 : i32
          %29 = arith.remui %18, %27 : i64
          %30 = arith.cmpi sgt, %28, %c0_i32 : i32
          %31 = scf.if %30 -> (i64) {
            %36:2 = scf.while (%arg2 = %29, %arg3 = %28) : (i64, i32) -> (i64, i32) {
              %37 = arith.minui %arg3, %c11_i32 : i32
              %38 = arith.extui %37 : i32 to i64
              %39 = arith.shli %arg2, %38 : i64
              %40 = arith.addi %arg3, %c-11_i32 : i32
              %41 = arith.remui %39, %27 : i64
              %42 = arith.cmpi ugt, %arg3, %c11_i32 : i32
              scf.condition(%42) %41, %40 : i64, i32
            } do {
            ^bb0(%arg2: i64, %arg3: i32):
              scf.yield %arg2, %arg3 : i64, i32
            }
            scf.yield %36#0 : i64
          } else {
            scf.yield %29 : i64
          }
          %32 = arith.uitofp %31 : i64 to f64
          %33 = arith.addi %25, %c-1075_i32 : i32
          %34 = func.call @hal_ldexp(%32, %33) : (f64, i32) -> f64
          %35 = math.copysign %34, %arg0 : f64
          scf.yield %35 : f64
        }
        scf.yield %9 : f64
      }
      scf.yield %6 : f64
    } else {
      scf.yield %cst : f64
    }
    return %1 : f64
  }
}
