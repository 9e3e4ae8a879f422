;; Numbers of 16 bits as float32: see castHalves.ts, which calls it. Compiled into halvesWasm.ts by
;; scripts/kernels.mjs. What stands between "each vector" and "end" is written 4 times, with offset=0, offset=16 and so
;; on for what is written, and offset=0/2, offset=16/2 and so on for what is read.

(module
  (import "env" "memory" (memory 1))

  ;; Addresses: $from to $end of the halves, a multiple of 32 bytes; $into of the numbers.
  (func (export "f16") (param $from i32) (param $end i32) (param $into i32)
    (local $x v128) (local $size v128)
    (loop $numbers
      ;; each vector
      (local.set $x (v128.load16x4_u offset=0/2 (local.get $from)))
      (local.set $size (v128.and (local.get $x) (i32x4.splat (i32.const 0x7fff))))
      (v128.store offset=0 (local.get $into)
        (v128.or
          (v128.or
            ;; Exponent and fraction in their places, by the difference of the exponents' zeros: 2^112.
            (f32x4.mul (i32x4.shl (local.get $size) (i32.const 13))
              (v128.const i32x4 0x77800000 0x77800000 0x77800000 0x77800000))
            ;; The largest exponent means infinity, or no number.
            (v128.and (i32x4.gt_s (local.get $size) (i32x4.splat (i32.const 0x7bff)))
              (i32x4.splat (i32.const 0x7f800000))))
          (i32x4.shl (v128.and (local.get $x) (i32x4.splat (i32.const 0x8000))) (i32.const 16))))
      ;; end
      (local.set $from (i32.add (local.get $from) (i32.const 32)))
      (local.set $into (i32.add (local.get $into) (i32.const 64)))
      (br_if $numbers (i32.lt_u (local.get $from) (local.get $end)))))

  ;; The same of the upper halves of float32.
  (func (export "bf16") (param $from i32) (param $end i32) (param $into i32)
    (loop $numbers
      ;; each vector
      (v128.store offset=0 (local.get $into)
        (i32x4.shl (v128.load16x4_u offset=0/2 (local.get $from)) (i32.const 16)))
      ;; end
      (local.set $from (i32.add (local.get $from) (i32.const 32)))
      (local.set $into (i32.add (local.get $into) (i32.const 64)))
      (br_if $numbers (i32.lt_u (local.get $from) (local.get $end)))))
)
