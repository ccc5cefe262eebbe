(* SPDX-License-Identifier: GPL-2.0-or-later

   Recursion, closures and exceptions; counts its calls. *)

let leaf = ref 0
let fib = ref 0
let key = ref 0
let raising = ref 0

let[@inline never] counted_leaf x =
  incr leaf;
  ((x * 7) + 3) land 0xffff

let[@inline never] rec counted_fib n =
  incr fib;
  if n < 2 then n else counted_fib (n - 1) + counted_fib (n - 2)

let[@inline never] counted_key (a, _) =
  incr key;
  a

let[@inline never] rec counted_raising n =
  incr raising;
  if n = 0 then raise Not_found else counted_raising (n - 1) + 1

let () =
  let sum = ref (counted_fib 15) in
  for i = 0 to 2999 do
    sum := !sum + counted_leaf i
  done;
  let items = List.init 300 (fun i -> (i * 7919 mod 1009, i)) in
  let sorted = List.sort (fun a b -> compare (counted_key a) (counted_key b)) items in
  sum := !sum + fst (List.nth sorted 17);
  for i = 0 to 99 do
    sum := !sum + (try counted_raising (i mod 7) with Not_found -> counted_leaf i)
  done;
  Gc.compact ();
  Printf.printf "sum %d\n" !sum;
  Printf.printf "count counted_leaf %d\n" !leaf;
  Printf.printf "count counted_fib %d\n" !fib;
  Printf.printf "count counted_key %d\n" !key;
  Printf.printf "count counted_raising %d\n" !raising
