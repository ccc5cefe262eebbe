;; SPDX-License-Identifier: GPL-2.0-or-later
;;
;; Calls functions of the C library from loops, continuations and below exceptions, and
;; counts the calls.

(define parents 0)
(define masks 0)

(define (parent)
  (set! parents (+ parents 1))
  (if (> (getppid) 0) 1 0))

(define (mask)
  (set! masks (+ masks 1))
  (umask #o22))

(define (in-turns depth tag)
  (parent)
  (if (= depth 0)
      1
      (begin
        (abort-to-prompt tag depth)
        (mask)
        (let ((result (apply max (map (lambda (left) (in-turns left tag))
                                      (list (- depth 1))))))
          (abort-to-prompt tag depth)
          (+ result 1)))))

(define (run-all depth)
  (let* ((tag (make-prompt-tag))
         (start (lambda () (cons 'done (in-turns depth tag)))))
    (let loop ((thunk start) (sum 0))
      (let ((answer (call-with-prompt tag
                      thunk
                      (lambda (continuation value) (cons continuation value)))))
        (if (eq? (car answer) 'done)
            (+ sum (cdr answer))
            (loop (lambda () ((car answer) 0)) (+ sum (cdr answer))))))))

(define (raising n)
  (if (= n 0)
      (error "zero")
      (+ (raising (- n 1)) (parent))))

(define sum 0)
(do ((i 0 (+ i 1))) ((= i 300)) (set! sum (+ sum (* (parent) (modulo i 7)))))
(do ((i 0 (+ i 1))) ((= i 12)) (set! sum (+ sum (run-all 8))))
(do ((i 0 (+ i 1))) ((= i 30))
  (set! sum (+ sum (catch #t
                     (lambda () (raising (modulo i 7)))
                     (lambda ignored (parent))))))
(format #t "sum ~a~%count getppid ~a~%count umask ~a~%" sum parents masks)
