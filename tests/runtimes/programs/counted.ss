;; SPDX-License-Identifier: GPL-2.0-or-later
;;
;; Calls a function of the C library from loops, tail calls, continuations and below
;; exceptions, and counts the calls.  For Chez Scheme.

(load-shared-object "libc.so.6")
(define getppid (foreign-procedure "getppid" () int))
(define getpgid (foreign-procedure "getpgid" (int) int))
(define parents 0)
(define groups 0)

(define (parent)
  (set! parents (+ parents 1))
  (if (> (getppid) 0) 1 0))

(define (group)
  (set! groups (+ groups 1))
  (if (< (getpgid 0) 0) 0 1))

(define (turn n)
  (if (= n 0) (parent) (other-turn (- n 1))))
(define (other-turn n)
  (if (= n 0) (group) (turn (- n 1))))

(define (deep n)
  (if (= n 0) (parent) (+ 1 (deep (- n 1)))))

(define (raising n)
  (if (= n 0)
      (raise 'zero)
      (+ (raising (- n 1)) (parent))))

;; Comes back into a function that has ended, as often as it is told.
(define (again times)
  (let* ((left times)
         (back #f)
         (value (+ (group) (call/cc (lambda (k) (set! back k) 0)))))
    (if (= left 0)
        value
        (begin (set! left (- left 1)) (back left)))))

(define sum 0)
(define (add! n) (set! sum (+ sum n)))
(do ((i 0 (+ i 1))) ((= i 300)) (add! (* (parent) (modulo i 7))))
(do ((i 0 (+ i 1))) ((= i 30)) (add! (turn i)))
(do ((i 0 (+ i 1))) ((= i 10)) (add! (deep (* i 100))))
(do ((i 0 (+ i 1))) ((= i 30))
  (add! (call/cc (lambda (k)
                   (with-exception-handler
                     (lambda (reason) (k (group)))
                     (lambda () (raising (modulo i 7))))))))
(do ((i 0 (+ i 1))) ((= i 10)) (add! (again i)))
(printf "sum ~a\ncount getppid ~a\ncount getpgid ~a\n" sum parents groups)
