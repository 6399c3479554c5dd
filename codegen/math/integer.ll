; Whole powers by repeated squaring; products wrap. The exponent is unsigned.
define i64 @__pykc_ipow_i64(i64 %base, i64 %exponent) {
entry:
  %is.zero = icmp eq i64 %exponent, 0
  br i1 %is.zero, label %done, label %step

step:
  %square = phi i64 [ %base, %entry ], [ %square.next, %step ]
  %rest = phi i64 [ %exponent, %entry ], [ %rest.next, %step ]
  %product = phi i64 [ 1, %entry ], [ %product.next, %step ]
  %is.odd = trunc i64 %rest to i1
  %factor = select i1 %is.odd, i64 %square, i64 1
  %product.next = mul i64 %product, %factor
  %square.next = mul i64 %square, %square
  %rest.next = lshr i64 %rest, 1
  %is.last = icmp eq i64 %rest.next, 0
  br i1 %is.last, label %done, label %step

done:
  %result = phi i64 [ 1, %entry ], [ %product.next, %step ]
  ret i64 %result
}
