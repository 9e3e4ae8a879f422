;; The three passes over all logits of a position: see logitsKernels.ts, which calls them.
;; Entries are float32 in blocks of 64, 16 vectors of 4; what is said of a block is at the place of its
;; number in another array. Compiled into logitsWasm.ts by scripts/kernels.mjs, which writes what stands
;; between "each vector" and "end" 16 times, with offset=0, offset=16 and so on: a loop is a tenth slower.

(module
  (import "env" "memory" (memory 1))

  ;; Largest entry of every block to $largest; returns the largest of all. NaN counts as -inf:
  ;; pmax of a and b is a where b is NaN.
  (func (export "maxima")
    (param $logits i32) (param $end i32) (param $largest i32) (result f32)
    (local $block v128) (local $all v128)
    (local.set $all (f32x4.splat (f32.const -inf)))
    (loop $blocks
      (local.set $block (f32x4.splat (f32.const -inf)))
      ;; each vector
      (local.set $block (f32x4.pmax (local.get $block) (v128.load offset=0 (local.get $logits))))
      ;; end
      ;; The largest of the four lanes, in all of them.
      (local.set $block (f32x4.pmax (local.get $block)
        (i8x16.shuffle 8 9 10 11 12 13 14 15 0 1 2 3 4 5 6 7 (local.get $block) (local.get $block))))
      (local.set $block (f32x4.pmax (local.get $block)
        (i8x16.shuffle 4 5 6 7 0 1 2 3 12 13 14 15 8 9 10 11 (local.get $block) (local.get $block))))
      (f32.store (local.get $largest) (f32x4.extract_lane 0 (local.get $block)))
      (local.set $all (f32x4.pmax (local.get $all) (local.get $block)))
      (local.set $logits (i32.add (local.get $logits) (i32.const 256)))
      (local.set $largest (i32.add (local.get $largest) (i32.const 4)))
      (br_if $blocks (i32.lt_u (local.get $logits) (local.get $end))))
    (f32x4.extract_lane 0 (local.get $all)))

  ;; Sum of e^(entry - $max), relative error below 10^-6; -inf and NaN count as 0.
  ;; Lanes are added within a block, blocks as float64.
  (func (export "sum") (param $logits i32) (param $end i32) (param $max f32) (result f64)
    (local $top v128) (local $block v128) (local $total f64)
    (local $power v128)    ;; of two wanted, at least -126; then what is left of it, -1/2 to 1/2
    (local $rounded v128)  ;; its whole part, plus 127 and what puts both into the low bits
    (local $value v128)    ;; 2^(what is left), a polynomial with a relative error of at most 8e-8
    (local.set $top (f32x4.splat (local.get $max)))
    (loop $blocks
      (local.set $block (f32x4.splat (f32.const 0)))
      ;; each vector
      (local.set $power (f32x4.pmax (f32x4.splat (f32.const -126))
        (f32x4.mul
          (f32x4.sub (v128.load offset=0 (local.get $logits)) (local.get $top))
          (f32x4.splat (f32.const 1.4426950216293335)))))
      ;; Added to a small number, 1.5 * 2^23 leaves the nearest whole number in the low bits.
      (local.set $rounded (f32x4.add (local.get $power) (f32x4.splat (f32.const 12583039))))
      (local.set $power (f32x4.sub (local.get $power)
        (f32x4.sub (local.get $rounded) (f32x4.splat (f32.const 12583039)))))
      (local.set $value (f32x4.splat (f32.const 0.0013276472454890609)))
      (local.set $value (f32x4.add (f32x4.mul (local.get $value) (local.get $power))
        (f32x4.splat (f32.const 0.009675499983131886))))
      (local.set $value (f32x4.add (f32x4.mul (local.get $value) (local.get $power))
        (f32x4.splat (f32.const 0.05550713092088699))))
      (local.set $value (f32x4.add (f32x4.mul (local.get $value) (local.get $power))
        (f32x4.splat (f32.const 0.24022121727466583))))
      (local.set $value (f32x4.add (f32x4.mul (local.get $value) (local.get $power))
        (f32x4.splat (f32.const 0.6931469440460205))))
      (local.set $value (f32x4.add (f32x4.mul (local.get $value) (local.get $power))
        (f32x4.splat (f32.const 1.0000001192092896))))
      ;; The whole part, with the bias of float32, becomes the exponent of the other factor.
      (local.set $block (f32x4.add
        (f32x4.mul (local.get $value) (i32x4.shl (local.get $rounded) (i32.const 23)))
        (local.get $block)))
      ;; end
      (local.set $block (f32x4.add (local.get $block)
        (i8x16.shuffle 8 9 10 11 12 13 14 15 0 1 2 3 4 5 6 7 (local.get $block) (local.get $block))))
      (local.set $block (f32x4.add (local.get $block)
        (i8x16.shuffle 4 5 6 7 0 1 2 3 12 13 14 15 8 9 10 11 (local.get $block) (local.get $block))))
      (local.set $total (f64.add (local.get $total)
        (f64.promote_f32 (f32x4.extract_lane 0 (local.get $block)))))
      (local.set $logits (i32.add (local.get $logits) (i32.const 256)))
      (br_if $blocks (i32.lt_u (local.get $logits) (local.get $end))))
    (local.get $total))

  ;; Counts entries by the whole part of ($max - entry) * $scale into the int32 at $counts, those of
  ;; $classes and beyond, and NaN, as one. Blocks whose largest entry is not above $min are left out.
  (func (export "count")
    (param $logits i32) (param $end i32) (param $largest i32)
    (param $max f32) (param $scale f32) (param $counts i32) (param $classes f32) (param $min f32)
    (local $top v128) (local $factor v128) (local $most v128)
    (local $at v128)       ;; distances in bytes of four counts
    (local $count i32)     ;; address of one of them
    (local.set $top (f32x4.splat (local.get $max)))
    (local.set $factor (f32x4.splat (local.get $scale)))
    (local.set $most (f32x4.splat (local.get $classes)))
    (loop $blocks
      (if (f32.gt (f32.load (local.get $largest)) (local.get $min))
        (then
          ;; each vector
          ;; pmin of a and b is a where b is NaN.
          (local.set $at (i32x4.shl
            (i32x4.trunc_sat_f32x4_s (f32x4.pmin (local.get $most)
              (f32x4.mul
                (f32x4.sub (local.get $top) (v128.load offset=0 (local.get $logits)))
                (local.get $factor))))
            (i32.const 2)))
          (local.set $count (i32.add (i32x4.extract_lane 0 (local.get $at)) (local.get $counts)))
          (i32.store (local.get $count) (i32.add (i32.load (local.get $count)) (i32.const 1)))
          (local.set $count (i32.add (i32x4.extract_lane 1 (local.get $at)) (local.get $counts)))
          (i32.store (local.get $count) (i32.add (i32.load (local.get $count)) (i32.const 1)))
          (local.set $count (i32.add (i32x4.extract_lane 2 (local.get $at)) (local.get $counts)))
          (i32.store (local.get $count) (i32.add (i32.load (local.get $count)) (i32.const 1)))
          (local.set $count (i32.add (i32x4.extract_lane 3 (local.get $at)) (local.get $counts)))
          (i32.store (local.get $count) (i32.add (i32.load (local.get $count)) (i32.const 1)))
          ;; end
        ))
      (local.set $logits (i32.add (local.get $logits) (i32.const 256)))
      (local.set $largest (i32.add (local.get $largest) (i32.const 4)))
      (br_if $blocks (i32.lt_u (local.get $logits) (local.get $end)))))
)
