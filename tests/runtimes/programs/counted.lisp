;; SPDX-License-Identifier: GPL-2.0-or-later
;;
;; Calls a function of the C library from loops, closures, tail calls, many values and
;; below what is thrown, and counts the calls.  For ECL.

(defvar *parents* 0)
(defvar *groups* 0)

(declaim (notinline parent group many even-turn odd-turn throwing))

(defun parent ()
  (incf *parents*)
  (if (plusp #+sbcl (sb-alien:alien-funcall
                     (sb-alien:extern-alien "getppid" (function sb-alien:int)))
             #+ecl (ffi:c-inline () () :int "({extern int getppid(void); getppid();})"
                                 :one-liner t))
      1 0))

(defun group ()
  (incf *groups*)
  (if (minusp (ffi:c-inline () () :int "({extern int getpgid(int); getpgid(0);})"
                            :one-liner t))
      0 1))

(defun many (n)
  (if (zerop n)
      (values (parent) (group) 1 2 3 4 5 6 7)
      (multiple-value-call #'values (many (1- n)))))

(defun even-turn (n) (if (zerop n) (parent) (odd-turn (1- n))))
(defun odd-turn (n) (if (zerop n) (group) (even-turn (1- n))))

(defun throwing (n)
  (unwind-protect
       (if (zerop n)
           (throw 'zero (parent))
           (+ 1 (throwing (1- n))))
    (group)))

(let ((sum 0))
  (dotimes (i 300) (incf sum (* (parent) (mod i 7))))
  (dotimes (i 20) (incf sum (multiple-value-call #'+ (many (mod i 5)))))
  (dotimes (i 30) (incf sum (even-turn i)))
  (dotimes (i 30) (incf sum (catch 'zero (throwing (mod i 7)))))
  (dolist (f (list #'parent #'group (lambda () (* 2 (parent)))))
    (incf sum (reduce #'+ (mapcar (lambda (n) (+ n (funcall f))) '(1 2 3)))))
  (format t "sum ~a~%count getppid ~a~%count getpgid ~a~%" sum *parents* *groups*)
  (finish-output))
