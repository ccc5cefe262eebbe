(* SPDX-License-Identifier: GPL-2.0-or-later

   Has functions of the C library called from loops, tail calls, closures and below
   exceptions, and counts the calls.  For Standard ML: they are those of its basis. *)

val parents = ref 0
val groups = ref 0

fun number pid = SysWord.toInt (Posix.Process.pidToWord pid)

fun parent () =
   (parents := !parents + 1; if number (Posix.ProcEnv.getppid ()) > 0 then 1 else 0)

fun group () =
   (groups := !groups + 1; if number (Posix.ProcEnv.getpgrp ()) < 0 then 0 else 1)

fun turn 0 = parent ()
  | turn n = otherTurn (n - 1)
and otherTurn 0 = group ()
  | otherTurn n = turn (n - 1)

fun deep 0 = parent ()
  | deep n = 1 + deep (n - 1)

exception Zero of int

fun raising 0 = raise Zero (group ())
  | raising n = raising (n - 1) + parent ()

val sum = ref 0
fun add n = sum := !sum + n

fun times 0 _ = ()
  | times n f = (times (n - 1) f; f (n - 1))

val () =
   (times 300 (fn i => add (parent () * (i mod 7)));
    times 30 (fn i => add (turn i));
    times 10 (fn i => add (deep (i * 100)));
    times 30 (fn i => add (raising (i mod 7) handle Zero n => n + parent ()));
    times 50 (fn i => add (length (List.tabulate (i * 100, fn j => i + j))));
    print ("sum " ^ Int.toString (!sum) ^ "\n");
    print ("count getppid " ^ Int.toString (!parents) ^ "\n");
    print ("count getpgrp " ^ Int.toString (!groups) ^ "\n"))
