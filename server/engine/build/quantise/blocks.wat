;; The search for scales of blocks: see blockKernels.ts, which calls it. Compiled into blocksWasm.ts by
;; scripts/kernels.mjs, which writes the function once for 4 and 8 bits, with and without zero points, with and
;; without weights: NAME, LEVELS (the largest code), MIDDLE and CODE_BYTES (of 16 codes) are replaced, and a line that
;; ends with "if …" stands only where that holds. What stands between "each vector" and "end" is written 4 times,
;; with offset=0, offset=16 and so on.

(module
  (import "env" "memory" (memory 1))

  ;; each kernel
  ;; Addresses: $from to $end of the numbers, whole blocks of $blockBytes; $codes, $scales and $points of what is
  ;; written; $tries to $triesEnd of what the scale of a block is divided by; $weights of the numbers.
  (func (export "NAME")
    (param $from i32) (param $end i32) (param $codes i32) (param $scales i32) (param $points i32)
    (param $blockBytes i32) (param $tries i32) (param $triesEnd i32) (param $weights i32)
    ;; Addresses: of a number of the block and its weight, behind the block, of a try.
    (local $at i32) (local $weight i32) (local $blockEnd i32) (local $next i32)
    ;; Bounds; quantised units per number (of the block, of a try, of the best); zero point; sums; gain.
    (local $low f32) (local $high f32) (local $base f32) (local $factor f32) (local $bestFactor f32)
    (local $point f32) (local $products f32) (local $squares f32) (local $bestGain f32) (local $scale f32)
    ;; Bounds of quantised numbers, sums, and what is worked on.
    (local $lowest v128) (local $highest v128) (local $sumA v128) (local $sumB v128) (local $factors v128)
    (local $x v128) (local $t v128) (local $w v128)
    (local $t0 v128) (local $t1 v128) (local $t2 v128) (local $t3 v128)

    (loop $blocks
      (local.set $blockEnd (i32.add (local.get $from) (local.get $blockBytes)))

      ;; $low ≤ 0 ≤ $high; $scale is 0, or NaN where a number is not finite.
      (local.set $lowest (v128.const f32x4 0 0 0 0))
      (local.set $highest (v128.const f32x4 0 0 0 0))
      (local.set $sumA (v128.const f32x4 0 0 0 0))
      (local.set $at (local.get $from))
      (loop $numbers
        ;; each vector
        (local.set $x (v128.load offset=0 (local.get $at)))
        (local.set $lowest (f32x4.pmin (local.get $lowest) (local.get $x)))
        (local.set $highest (f32x4.pmax (local.get $highest) (local.get $x)))
        (local.set $sumA (f32x4.add (local.get $sumA)
          (f32x4.mul (local.get $x) (v128.const f32x4 0 0 0 0))))
        ;; end
        (local.set $at (i32.add (local.get $at) (i32.const 64)))
        (br_if $numbers (i32.lt_u (local.get $at) (local.get $blockEnd))))
      ;; across lowest pmin
      ;; across highest pmax
      ;; across sumA add
      (local.set $low (f32x4.extract_lane 0 (local.get $lowest)))
      (local.set $high (f32x4.extract_lane 0 (local.get $highest)))
      (local.set $scale (f32x4.extract_lane 0 (local.get $sumA)))

      ;; The whole range fits, and 0 is one of the quantised numbers.
      (local.set $base (f32.sub (local.get $high) (local.get $low))) ;; if asymmetric
      (local.set $base (select ;; if asymmetric
        (f32.div (f32.const LEVELS) (local.get $base)) (f32.const 0) ;; if asymmetric
        (f32.gt (local.get $base) (f32.const 0)))) ;; if asymmetric
      (local.set $point (f32.nearest (f32.mul (f32.neg (local.get $low)) (local.get $base)))) ;; if asymmetric
      ;; The number of largest magnitude becomes the lowest one.
      (local.set $base (select ;; if symmetric
        (select (f32.div (f32.const MIDDLE) (f32.neg (local.get $low))) (f32.const 0) ;; if symmetric
          (f32.gt (f32.neg (local.get $low)) (f32.const 0))) ;; if symmetric
        (select (f32.div (f32.const -MIDDLE) (local.get $high)) (f32.const 0) ;; if symmetric
          (f32.gt (local.get $high) (f32.const 0))) ;; if symmetric
        (f32.gt (f32.neg (local.get $low)) (local.get $high)))) ;; if symmetric
      (local.set $point (f32.const MIDDLE)) ;; if symmetric
      (local.set $lowest (f32x4.splat (f32.neg (local.get $point))))
      (local.set $highest (f32x4.splat (f32.sub (f32.const LEVELS) (local.get $point))))

      ;; For quantised numbers t, the scale Σxt / Σt² is best, and takes (Σxt)² / Σt² off the error: the try with
      ;; the largest of these wins.
      (local.set $bestGain (f32.const 0))
      (local.set $bestFactor (f32.const 0))
      (local.set $next (local.get $tries))
      (loop $attempts
        (local.set $factor (f32.mul (local.get $base) (f32.load (local.get $next))))
        (local.set $factors (f32x4.splat (local.get $factor)))
        (local.set $sumA (v128.const f32x4 0 0 0 0))
        (local.set $sumB (v128.const f32x4 0 0 0 0))
        (local.set $weight (local.get $weights)) ;; if weighted
        (local.set $at (local.get $from))
        (loop $numbers
          ;; each vector
          (local.set $x (v128.load offset=0 (local.get $at)))
          ;; The bound where the number is NaN.
          (local.set $t (f32x4.pmax (local.get $lowest) (f32x4.pmin (local.get $highest)
            (f32x4.nearest (f32x4.mul (local.get $x) (local.get $factors))))))
          (local.set $w (f32x4.mul (v128.load offset=0 (local.get $weight)) (local.get $t))) ;; if weighted
          (local.set $w (local.get $t)) ;; if plain
          (local.set $sumA (f32x4.add (local.get $sumA) (f32x4.mul (local.get $x) (local.get $w))))
          (local.set $sumB (f32x4.add (local.get $sumB) (f32x4.mul (local.get $t) (local.get $w))))
          ;; end
          (local.set $at (i32.add (local.get $at) (i32.const 64)))
          (local.set $weight (i32.add (local.get $weight) (i32.const 64))) ;; if weighted
          (br_if $numbers (i32.lt_u (local.get $at) (local.get $blockEnd))))
        ;; across sumA add
        ;; across sumB add
        (local.set $products (f32x4.extract_lane 0 (local.get $sumA)))
        (local.set $squares (f32x4.extract_lane 0 (local.get $sumB)))
        (local.set $factor (f32.div (f32.mul (local.get $products) (local.get $products))
          (local.get $squares)))
        (if (f32.gt (local.get $factor) (local.get $bestGain))
          (then
            (local.set $bestGain (local.get $factor))
            (local.set $scale (f32.div (local.get $products) (local.get $squares)))
            (local.set $bestFactor (f32.div (f32.const 1) (local.get $scale)))))
        (local.set $next (i32.add (local.get $next) (i32.const 4)))
        (br_if $attempts (i32.lt_u (local.get $next) (local.get $triesEnd))))

      ;; Codes of the block with the best scale; the scale becomes the best one for these codes.
      (local.set $factors (f32x4.splat (local.get $bestFactor)))
      (local.set $sumA (v128.const f32x4 0 0 0 0))
      (local.set $sumB (v128.const f32x4 0 0 0 0))
      (local.set $weight (local.get $weights)) ;; if weighted
      (local.set $at (local.get $from))
      (loop $numbers
        ;; each vector
        (local.set $x (v128.load offset=0 (local.get $at)))
        (local.set $t (f32x4.pmax (local.get $lowest) (f32x4.pmin (local.get $highest)
          (f32x4.nearest (f32x4.mul (local.get $x) (local.get $factors))))))
        (local.set $tVECTOR (local.get $t))
        (local.set $w (f32x4.mul (v128.load offset=0 (local.get $weight)) (local.get $t))) ;; if weighted
        (local.set $w (local.get $t)) ;; if plain
        (local.set $sumA (f32x4.add (local.get $sumA) (f32x4.mul (local.get $x) (local.get $w))))
        (local.set $sumB (f32x4.add (local.get $sumB) (f32x4.mul (local.get $t) (local.get $w))))
        ;; end
        (local.set $w (f32x4.splat (local.get $point)))
        (local.set $x (i8x16.narrow_i16x8_u
          (i16x8.narrow_i32x4_u
            (i32x4.trunc_sat_f32x4_s (f32x4.add (local.get $t0) (local.get $w)))
            (i32x4.trunc_sat_f32x4_s (f32x4.add (local.get $t1) (local.get $w))))
          (i16x8.narrow_i32x4_u
            (i32x4.trunc_sat_f32x4_s (f32x4.add (local.get $t2) (local.get $w)))
            (i32x4.trunc_sat_f32x4_s (f32x4.add (local.get $t3) (local.get $w))))))
        (v128.store (local.get $codes) (local.get $x)) ;; if 8
        (local.set $x (v128.and ;; if 4
          (v128.or (local.get $x) (i16x8.shr_u (local.get $x) (i32.const 4))) ;; if 4
          (i32x4.splat (i32.const 0x00ff00ff)))) ;; if 4
        (v128.store64_lane 0 (local.get $codes) ;; if 4
          (i8x16.narrow_i16x8_u (local.get $x) (local.get $x))) ;; if 4
        (local.set $at (i32.add (local.get $at) (i32.const 64)))
        (local.set $weight (i32.add (local.get $weight) (i32.const 64))) ;; if weighted
        (local.set $codes (i32.add (local.get $codes) (i32.const CODE_BYTES)))
        (br_if $numbers (i32.lt_u (local.get $at) (local.get $blockEnd))))
      ;; across sumA add
      ;; across sumB add
      (local.set $products (f32x4.extract_lane 0 (local.get $sumA)))
      (local.set $squares (f32x4.extract_lane 0 (local.get $sumB)))
      (if (f32.gt (local.get $squares) (f32.const 0))
        (then (local.set $scale (f32.div (local.get $products) (local.get $squares)))))

      (f32.store (local.get $scales) (local.get $scale))
      (i32.store8 (local.get $points) (i32.trunc_sat_f32_u (local.get $point)))
      (local.set $scales (i32.add (local.get $scales) (i32.const 4)))
      (local.set $points (i32.add (local.get $points) (i32.const 1)))
      (local.set $weights (i32.add (local.get $weights) (local.get $blockBytes))) ;; if weighted
      (local.set $from (local.get $blockEnd))
      (br_if $blocks (i32.lt_u (local.get $from) (local.get $end)))))
  ;; end kernel
)
